//! `lookalike evaluate`

use super::problems;
use super::run::{exit_code, with_output};
use crate::args::{EvaluateArgs, FormatArg, TruthArg};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{TerminalProgress, numbers_table, write_table};
use crate::visible::{visible, write_json};
use lookalike::{ClassSettings, EvaluateJob, Evaluation, MethodResult, TruthSource, evaluate};
use std::io::Write;

pub(super) fn run(args: &EvaluateArgs) -> anyhow::Result<Exit> {
    let mut settings =
        super::settings::settings(args.criterion.measure, &args.analysis, &args.input.fields)?;
    settings.threshold = args.criterion.threshold.clone();
    settings.ignore_common = args.common.ignore_common;
    settings.min_features = args.least.min_features;
    let job = EvaluateJob {
        methods: args.methods.clone(),
        lexicons: args.lexicon.clone(),
        truth: match (&args.labels, args.truth) {
            (Some(file), _) => TruthSource::Labels(file.clone()),
            (None, TruthArg::Exact) => TruthSource::Exact,
        },
        list_from: args.list_from.clone(),
        classes: args.classes.clone().map(|file| ClassSettings {
            file,
            spam: args.spam.clone(),
            legit: args.legit.clone(),
            cost: args.cost,
        }),
        sample: args.sample,
        seed: args.seed,
        ..EvaluateJob::new(with_output(&args.input, &args.output, settings))
    };
    interrupt::listen()?;
    let progress = TerminalProgress::new(args.output.quiet);
    let evaluated = evaluate(&job, &progress);
    progress.finish();
    let evaluated = evaluated?;
    let evaluation = &evaluated.evaluation;
    if !args.output.quiet {
        let shown = if args.output.verbose { usize::MAX } else { problems::SHOWN };
        problems::print(&evaluated.problems, evaluation.problems, shown, "");
    }
    let mut out = std::io::stdout().lock();
    if args.output.format == FormatArg::Json {
        write_json(&mut out, &evaluation.to_json()?)?;
    } else if !args.output.quiet {
        writeln!(out, "{}", visible(&truth(evaluation)))?;
        let rows = std::iter::once(header(evaluation)).chain(rows(evaluation));
        write_table(&mut out, &numbers_table(rows))?;
        if job.job.report {
            let report = job.job.output.join("report.html").display().to_string();
            writeln!(out, "\nReport: {}", visible(&report))?;
        }
    }
    Ok(exit_code(evaluation.documents, evaluation.problems))
}

/// One line on the ground truth.
fn truth(evaluation: &Evaluation) -> String {
    let (truth, settings) = (&evaluation.truth, &evaluation.settings);
    let of = match (&truth.labels, truth.sample) {
        (Some(file), _) => format!("labelled in {file}"),
        (None, None) => format!("{} ≥ {}", settings.measure, settings.threshold),
        (None, Some(sample)) => format!(
            "{} ≥ {}, of {} sampled documents",
            settings.measure, settings.threshold, sample.documents
        ),
    };
    format!("{} documents, {} true pairs ({of})", evaluation.documents, truth.pairs)
}

fn header(evaluation: &Evaluation) -> Vec<String> {
    let mut names = vec![
        "method",
        "recall",
        "precision",
        "pairs",
        "clusters",
        "pure",
        "ignored",
        "bytes/doc",
        "sign s",
        "join s",
    ];
    if evaluation.truth.classes.is_some() {
        names.extend(["false", "utility"]);
    }
    names.into_iter().map(str::to_owned).collect()
}

fn rows(evaluation: &Evaluation) -> impl Iterator<Item = Vec<String>> {
    let times = evaluation.run.as_ref().map(|run| run.methods.as_slice()).unwrap_or_default();
    let decimals = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    evaluation.methods.iter().zip(times).map(move |(result, times)| {
        let MethodResult { clusters, ignored, classes, .. } = result;
        let mut row = vec![
            result.method.clone(),
            decimals(result.recall, 4),
            decimals(result.precision, 4),
            result.pairs.to_string(),
            clusters.clusters.to_string(),
            clusters.pure.map_or_else(|| "-".to_owned(), |pure| pure.to_string()),
            ignored.total().to_string(),
            decimals(result.bytes_per_document().map(|(keys, sketch)| keys + sketch), 0),
            format!("{:.2}", times.signing),
            format!("{:.2}", times.joining),
        ];
        if let Some(classes) = classes {
            row.push(classes.false_matches.to_string());
            row.push(decimals(classes.mean_utility, 2));
        }
        row
    })
}
