//! `lookalike lexicon build | merge | show | window`

use super::problems;
use crate::args::{
    FormatArg, LexiconBuildArgs, LexiconCommand, LexiconMergeArgs, LexiconShowArgs,
    LexiconWindowArgs,
};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::progress::with_progress;
use crate::terminal::pairs_table;
use crate::visible::write_pretty;
use lookalike::{
    lexicon::{Lexicon, LexiconJob, Rank, build_lexicon, merge_lexicons},
    methods::{Share, Statistics},
    settings::AnalysisSettings,
};
use std::io::{BufWriter, Write};

pub(super) fn run(command: &LexiconCommand) -> anyhow::Result<Exit> {
    match command {
        LexiconCommand::Build(args) => build(args),
        LexiconCommand::Merge(args) => merge(args),
        LexiconCommand::Show(args) => show(args),
        LexiconCommand::Window(args) => window(args),
    }
}

fn build(args: &LexiconBuildArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let mut settings = super::settings::settings(&[&args.input.fields])?;
    settings.analysis = AnalysisSettings {
        normalize: args.normalize,
        tokens: args.tokens,
        case: args.case,
        ..AnalysisSettings::default()
    };
    let job = LexiconJob {
        inputs: args.input.inputs.clone(),
        output: args.output.clone(),
        settings,
        term_filter: args.terms.clone(),
        memory: args.memory,
        threads: args.threads.unwrap_or(0),
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
    };
    let built = with_progress(args.quiet, |progress| build_lexicon(&job, progress))?;
    if !args.quiet {
        let count = built.problems.count();
        problems::print(built.problems.listed(), count, problems::SHOWN, problems::STRICT);
        let mut rows = rows(&built.lexicon);
        rows.push(("unreadable records".into(), count.to_string()));
        writeln!(std::io::stdout(), "{}", pairs_table(rows))?;
    }
    Ok(Exit::Done)
}

fn merge(args: &LexiconMergeArgs) -> anyhow::Result<Exit> {
    let parts: Vec<Lexicon> =
        args.parts.iter().map(|path| Lexicon::open(path)).collect::<Result<_, _>>()?;
    let whole = merge_lexicons(&parts, &args.output)?;
    writeln!(std::io::stdout(), "{}", pairs_table(rows(&whole)))?;
    Ok(Exit::Done)
}

fn rows(lexicon: &Lexicon) -> Vec<(String, String)> {
    let (least, most) = lexicon.frequency_range();
    let description = lexicon.description();
    [
        ("file", lexicon.path().display().to_string()),
        ("documents", lexicon.documents().to_string()),
        ("terms", lexicon.len().to_string()),
        ("document frequency", format!("{least} to {most}")),
        ("analysis", description.analysis.clone()),
        ("term filter", description.term_filter.clone()),
        ("checksum", format!("{:032x}", lexicon.checksum())),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec()
}

fn show(args: &LexiconShowArgs) -> anyhow::Result<Exit> {
    let lexicon = Lexicon::open(&args.lexicon)?;
    let rank = if args.rarest { Rank::LeastFrequent } else { Rank::MostFrequent };
    let terms = lexicon.ranked(rank, args.count);
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.format == FormatArg::Json {
        let terms: Vec<_> = terms
            .iter()
            .map(|term| {
                serde_json::json!({
                    "term": String::from_utf8_lossy(term.name),
                    "documents": term.frequency,
                    "idf": lexicon.idf(term.fingerprint),
                    "nidf": lexicon.nidf(term.fingerprint),
                })
            })
            .collect();
        let description = lexicon.description();
        let (least, most) = lexicon.frequency_range();
        let all = serde_json::json!({
            "documents": lexicon.documents(),
            "terms": lexicon.len(),
            "least_frequency": least,
            "most_frequency": most,
            "analysis": description.analysis,
            "term_filter": description.term_filter,
            "checksum": format!("{:032x}", lexicon.checksum()),
            "shown": terms,
        });
        write_pretty(&mut out, &all)?;
        return Ok(Exit::Done);
    }
    writeln!(out, "{}\n", pairs_table(rows(&lexicon)))?;
    writeln!(out, "{:>10}  {:>7}  {:>5}  term", "documents", "idf", "nidf")?;
    for term in terms {
        let (idf, nidf) = (lexicon.idf(term.fingerprint), lexicon.nidf(term.fingerprint));
        let name = String::from_utf8_lossy(term.name);
        writeln!(out, "{:>10}  {idf:>7.3}  {nidf:>5.3}  {name}", term.frequency)?;
    }
    Ok(Exit::Done)
}

fn window(args: &LexiconWindowArgs) -> anyhow::Result<Exit> {
    let lexicon = Lexicon::open(&args.lexicon)?;
    let wrong = |reason: &str| WrongUsage(format!("--nidf {:?}: {reason}", args.nidf));
    let bounds = args.nidf.split_once("..");
    let (low, high) = bounds.ok_or_else(|| wrong("use LOW..HIGH, as in 0.2..0.8"))?;
    let bound = |text: &str| -> Result<Share, WrongUsage> {
        text.parse().map_err(|_| wrong("use numbers from 0 to 1 of up to three decimals"))
    };
    let (low, high) = (bound(low)?, bound(high)?);
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.count {
        writeln!(out, "{} of {} terms", lexicon.window_len(low, high), lexicon.len())?;
        return Ok(Exit::Done);
    }
    for term in lexicon.window(low, high) {
        writeln!(out, "{}\t{}", String::from_utf8_lossy(term.name), term.frequency)?;
    }
    Ok(Exit::Done)
}
