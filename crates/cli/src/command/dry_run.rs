//! `lookalike dedup --dry-run` and `lookalike cluster --dry-run`

use super::{plan, problems};
use crate::args::{FormatArg, OutputArgs};
use crate::exit::Exit;
use crate::flags::with_flags;
use crate::interrupt;
use crate::progress::with_progress;
use crate::terminal::{numbers_table, pairs_table, write_table};
use crate::visible::{visible, write_pretty};
use lookalike::{
    Job,
    input::LeftOutReason,
    planning::{FormatFiles, Preview, preview},
};
use serde_json::json;
use std::io::Write;

pub(super) fn run(job: &Job, output: &OutputArgs, cluster: bool) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let shown = with_progress(output.quiet, |progress| preview(job, cluster, progress))?;
    let mut out = std::io::stdout().lock();
    if output.format == FormatArg::Json {
        write_pretty(&mut out, &as_json(job, &shown)?)?;
    } else {
        print(job, &shown, &mut out)?;
    }
    if output.verbose {
        problems::print_skipped(&shown.skipped, usize::MAX);
        problems::print_left_out(&shown.left_out, usize::MAX);
    }
    if let Some(planned) = &shown.planned {
        let sample = &planned.plan.sample;
        if !output.quiet {
            let most = if output.verbose { usize::MAX } else { problems::SHOWN };
            problems::print(&planned.problems, sample.problems, most, "");
        }
        return Ok(Exit::after(planned.plan.documents, sample.problems));
    }
    Ok(Exit::Done)
}

fn print(job: &Job, shown: &Preview, out: &mut impl Write) -> anyhow::Result<()> {
    writeln!(out, "Would read:")?;
    files(&shown.inputs, out)?;
    if !job.against.is_empty() {
        let against: Vec<String> =
            job.against.iter().map(|url| lookalike::input::shown_url(url)).collect();
        writeln!(out, "Would compare with, and not change ({}):", visible(&against.join(", ")))?;
        files(&shown.against, out)?;
    }
    if !shown.skipped.is_empty() {
        let files = if shown.skipped.len() == 1 { "file" } else { "files" };
        writeln!(out, "Would skip {} {files} (-v lists them).", shown.skipped.len())?;
    }
    for reason in LeftOutReason::ALL {
        let count = shown.left_out.iter().filter(|out| out.reason == reason).count();
        if count > 0 {
            writeln!(out, "Would leave out {count} ({}; -v lists them).", reason.words())?;
        }
    }
    let settings = &shown.settings;
    let mut rows = vec![
        (
            "match",
            format!(
                "{} of at least {} over {}",
                settings.measure,
                settings.threshold,
                settings.features()
            ),
        ),
        ("keep", settings.keep.join(", then ")),
        ("linkage", settings.linkage.clone()),
    ];
    if let Some(method) = &job.settings.method {
        let verify = json!(method.verify).as_str().unwrap_or_default().to_owned();
        rows.push(("candidates", format!("{}, verified by: {verify}", method.spec)));
    }
    writeln!(out, "\nSettings:")?;
    let rows = rows.into_iter().map(|(name, value)| (name.to_owned(), value));
    write_table(out, &pairs_table(rows))?;
    let place = visible(&job.output.display().to_string());
    writeln!(out, "\nWould write to: {place}")?;
    if let Some(problem) = &shown.output_problem {
        writeln!(out, "But: {}", visible(&with_flags(problem)))?;
    }
    match (&shown.planned, &shown.not_planned) {
        (Some(planned), _) => {
            writeln!(out, "\nPrediction from a sample:")?;
            plan::print(&planned.plan, out)?;
        }
        (None, Some(reason)) => {
            writeln!(out, "\nNo prediction: {}.", visible(&with_flags(reason)))?
        }
        (None, None) => {}
    }
    Ok(())
}

fn files(formats: &[FormatFiles], out: &mut impl Write) -> std::io::Result<()> {
    let header = ["format", "files", "bytes"].map(str::to_owned).to_vec();
    let row =
        |of: &FormatFiles| vec![of.format.clone(), of.files.to_string(), of.bytes.to_string()];
    write_table(out, &numbers_table(std::iter::once(header).chain(formats.iter().map(row))))
}

fn as_json(job: &Job, shown: &Preview) -> anyhow::Result<serde_json::Value> {
    let list = |formats: &[FormatFiles]| -> Vec<_> {
        let row =
            |of: &FormatFiles| json!({"format": of.format, "files": of.files, "bytes": of.bytes});
        formats.iter().map(row).collect()
    };
    let plan = shown.planned.as_ref().map(|planned| planned.plan.to_json()).transpose()?;
    Ok(json!({
        "inputs": list(&shown.inputs),
        "against": list(&shown.against),
        "skipped": shown.skipped,
        "left_out": shown.left_out.iter().map(|out| &out.path).collect::<Vec<_>>(),
        "settings": job.settings,
        "output": job.output,
        "output_problem": shown.output_problem,
        "plan": plan.map(|text| serde_json::from_str::<serde_json::Value>(&text)).transpose()?,
        "not_planned": shown.not_planned,
    }))
}
