//! `lookalike dedup` and `lookalike cluster`

use crate::args::{
    ClusterArgs, DedupArgs, FormatArg, InputArgs, LinkageArg, MatchArgs, OutputArgs, TablesArg,
};
use crate::interrupt;
use crate::terminal::{TerminalProgress, pairs_table};
use lookalike::{Job, Linkage, Outcome, TableFormat};
use std::io::Write;
use std::process::ExitCode;

pub(super) fn dedup(args: &DedupArgs) -> anyhow::Result<ExitCode> {
    let job = Job {
        against: args.against.clone(),
        against_only: args.against_only,
        mark: args.mark.then(|| args.mark_prefix.clone()),
        copy_files: args.copy_files,
        ..job(&args.input, &args.matching, &args.output, args.linkage)?
    };
    run(&job, &args.output, lookalike::dedup)
}

pub(super) fn cluster(args: &ClusterArgs) -> anyhow::Result<ExitCode> {
    let job = job(&args.input, &args.matching, &args.output, args.linkage)?;
    run(&job, &args.output, lookalike::cluster)
}

fn job(
    input: &InputArgs,
    matching: &MatchArgs,
    output: &OutputArgs,
    linkage: LinkageArg,
) -> anyhow::Result<Job> {
    let mut settings =
        super::settings(matching.criterion.measure, &matching.analysis, &input.fields)?;
    settings.threshold = matching.criterion.threshold.clone();
    settings.keep = matching.keep.clone();
    settings.linkage = match linkage {
        LinkageArg::Leaders => Linkage::Leaders,
        LinkageArg::Components => Linkage::Components,
    };
    Ok(Job {
        force: output.force,
        settings,
        tables: match output.tables {
            TablesArg::Parquet => TableFormat::Parquet,
            TablesArg::Tsv => TableFormat::Tsv,
            TablesArg::Jsonl => TableFormat::Jsonl,
        },
        strict: input.strict,
        max_pairs: output.max_pairs,
        threads: output.threads,
        scratch: output.scratch.clone(),
        command: std::env::args_os()
            .map(|a| a.to_string_lossy().into_owned())
            .collect::<Vec<_>>()
            .join(" "),
        ..Job::new(input.inputs.clone(), &output.output)
    })
}

type Run = fn(&Job, &dyn lookalike::Progress) -> Result<Outcome, lookalike::LookalikeError>;

fn run(job: &Job, output: &OutputArgs, run: Run) -> anyhow::Result<ExitCode> {
    interrupt::listen()?;
    let progress = TerminalProgress::new(output.quiet);
    let outcome = run(job, &progress);
    progress.finish();
    let outcome = outcome?;
    report_problems(&outcome, output);
    if output.format == FormatArg::Json {
        let mut stdout = std::io::stdout().lock();
        serde_json::to_writer_pretty(&mut stdout, &outcome.summary)?;
        stdout.write_all(b"\n")?;
    } else if !output.quiet {
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", pairs_table(outcome.summary.table()))?;
        for warning in &outcome.summary.warnings {
            writeln!(stdout, "Warning: {warning}")?;
        }
        writeln!(stdout, "\nReport: {}", job.output.join("report.html").display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Bad records shown without `--verbose`.
const SHOWN_PROBLEMS: usize = 5;

/// Names the bad records on standard error: the first few, or all of them.
fn report_problems(outcome: &Outcome, output: &OutputArgs) {
    let shown = match (output.quiet, output.verbose) {
        (true, _) => 0,
        (_, true) => outcome.problems.len(),
        _ => SHOWN_PROBLEMS,
    };
    for problem in outcome.problems.iter().take(shown) {
        eprintln!("{problem}");
    }
    let listed = outcome.problems.len();
    let (all, shown) = (outcome.summary.problems, shown.min(listed));
    let rest = all.saturating_sub(shown as u64);
    if rest > 0 && !output.quiet {
        let which = match all == listed as u64 {
            true => "all of them".to_string(),
            false => format!("the first {listed}"),
        };
        eprintln!("and {rest} more; {which} are in {}", job_problems(output).display());
    }
    if output.verbose {
        for (name, seconds) in &outcome.phases {
            eprintln!("{name:>16} {seconds:.3} s");
        }
    }
}

fn job_problems(output: &OutputArgs) -> std::path::PathBuf {
    let extension = match output.tables {
        TablesArg::Parquet => "parquet",
        TablesArg::Tsv => "tsv",
        TablesArg::Jsonl => "jsonl",
    };
    output.output.join("problems").with_extension(extension)
}
