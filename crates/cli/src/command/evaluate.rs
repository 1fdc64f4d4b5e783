//! `lookalike evaluate`

use super::jobs::with_output;
use super::problems;
use crate::args::{EvaluateArgs, FormatArg, Given};
use crate::exit::Exit;
use crate::interrupt;
use crate::log::{self, Log};
use crate::progress::with_progress;
use crate::terminal::{numbers_table, write_table};
use crate::visible::{visible, write_json};
use lookalike::evaluation::{ClassSettings, EvaluateJob, EvaluateOptions, TruthSource, evaluate};
use std::io::Write;

pub(super) fn run(args: &EvaluateArgs) -> anyhow::Result<Exit> {
    let EvaluateArgs { criterion, analysis, common, least, separate, input, .. } = args;
    let groups: [&Given; 6] = [criterion, analysis, common, least, separate, &input.fields];
    let settings = super::settings::settings(&groups)?;
    let options = EvaluateOptions {
        methods: args.methods.clone(),
        lexicons: args.lexicon.clone(),
        truth: match &args.labels {
            Some(file) => TruthSource::Labels(file.clone().into()),
            None => args.truth.clone(),
        },
        list_from: args.list_from.clone(),
        classes: args.classes.clone().map(|file| ClassSettings {
            labels: file.into(),
            spam: args.spam.clone(),
            legit: args.legit.clone(),
            cost: args.cost,
        }),
        sample: args.sample,
        seed: args.seed,
    };
    let job = EvaluateJob { job: with_output(&args.input, &args.output, settings), options };
    interrupt::listen()?;
    let evaluated = with_progress(args.output.quiet, |progress| evaluate(&job, progress))?;
    let evaluation = &evaluated.evaluation;
    if !args.output.quiet {
        let shown = if args.output.verbose { usize::MAX } else { problems::SHOWN };
        problems::print(&evaluated.problems, evaluation.problems, shown, "");
    }
    if log::form() == Log::Json && !args.output.quiet {
        log::other_result(serde_json::json!({
            "command": "evaluate",
            "documents": evaluation.documents,
            "true_pairs": evaluation.truth.pairs,
            "methods": evaluation.methods.len(),
            "problems": evaluation.problems,
            "seconds": evaluation.run.as_ref().map(|run| run.seconds),
        }));
    }
    let mut out = std::io::stdout().lock();
    if args.output.format == FormatArg::Json {
        write_json(&mut out, &evaluation.to_json()?)?;
    } else if !args.output.quiet {
        writeln!(out, "{}", visible(&evaluation.headline()))?;
        write_table(&mut out, &numbers_table(evaluation.table()))?;
        if job.job.report {
            let report = job.job.output.join("report.html").display().to_string();
            writeln!(out, "\nReport: {}", visible(&report))?;
        }
    }
    Ok(Exit::after(evaluation.documents, evaluation.problems))
}
