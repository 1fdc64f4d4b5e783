//! `lookalike filter`, `lookalike filter report` and `lookalike filter list`

use super::problems;
use crate::args::{
    FilterArgs, FilterCommand, FilterListArgs, FilterReportArgs, FilterVerdictArgs, FormatArg,
    MatchRuleArgs, MessageArgs, ReportArg,
};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::progress::TerminalProgress;
use crate::terminal::tell;
use crate::visible::{visible, write_json};
use anyhow::Context;
use lookalike::{
    FilterOptions, Filtered, Format, Index, IndexWriter, MatchRule, MessageFilter, Problem,
    Prototype, ReadOptions, Report, ReportCounts, ReportOptions, Reported, Settings, Source,
    Verdict, VerdictKind,
};
use serde::Serialize;
use std::io::{self, BufReader, BufWriter, IsTerminal, Write};
use std::path::Path;

pub(super) fn run(args: &FilterArgs) -> anyhow::Result<Exit> {
    match (&args.command, &args.verdicts.prototypes) {
        (Some(FilterCommand::Report(args)), _) => report(args),
        (Some(FilterCommand::List(args)), _) => list(args),
        (None, Some(dir)) => verdicts(dir, &args.verdicts),
        (None, None) => Err(WrongUsage("give --prototypes DIR".into()).into()),
    }
}

fn verdicts(dir: &Path, args: &FilterVerdictArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let options = FilterOptions {
        matching: rule(&args.matching)?,
        reports: args.reports,
        reasons: args.reasons,
    };
    let filter = MessageFilter::open(dir, options)?;
    let fields = fields(&args.input);
    let read = ReadOptions {
        threads: args.running.threads,
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
    };
    let json = json(args.running.format);
    let progress = TerminalProgress::new(args.running.quiet || io::stdout().is_terminal());
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
    let mut print = |verdicts: &[Verdict], flush: bool| {
        for verdict in verdicts {
            match json {
                true => write_line(&mut out, verdict)?,
                false => write_verdict(&mut out, verdict)?,
            }
        }
        if flush { out.flush() } else { Ok(()) }
    };
    let filtered = match inputs(&args.input)? {
        Messages::Lines => {
            let lines = BufReader::with_capacity(1 << 16, io::stdin());
            filter.verdicts_of_lines(lines, &fields, read, &progress, |some| print(some, true))
        }
        Messages::Files(inputs) => {
            let source = Source::files(inputs);
            filter.verdicts(source, &fields, read, &progress, |some| print(some, false))
        }
    };
    progress.finish();
    // What was found before an error is printed.
    let flushed = print(&[], true);
    let Filtered { verdicts, problems, listed } = filtered?;
    flushed.context("standard output")?;
    let count = |kind: &VerdictKind| verdicts.get(kind).copied().unwrap_or(0);
    if !args.running.quiet {
        print_problems(&listed, problems);
        let counts = VerdictKind::ALL.iter().filter(|kind| count(kind) > 0);
        let counts: Vec<_> =
            counts.map(|kind| format!("{} {}", kind.name(), count(kind))).collect();
        if !counts.is_empty() {
            tell(counts.join(", "));
        }
    }
    let read: u64 = verdicts.values().sum::<u64>() - count(&VerdictKind::Error);
    Ok(exit(read, problems))
}

fn report(args: &FilterReportArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let options = ReportOptions {
        matching: rule(&args.matching)?,
        time: None,
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
    };
    let report = match args.report {
        ReportArg::Spam => Report::Spam,
        ReportArg::Ham => Report::Ham,
        ReportArg::Revoke => Report::Revoke,
    };
    let mut index = IndexWriter::open(&args.prototypes.dir, args.running.threads)?;
    let source = Source::files(match inputs(&args.input)? {
        Messages::Lines => vec!["-".to_owned()],
        Messages::Files(inputs) => inputs,
    });
    let json = json(args.running.format);
    let progress = TerminalProgress::new(args.running.quiet || io::stdout().is_terminal());
    let mut out = BufWriter::new(io::stdout());
    let mut failed = None;
    let each = |reported: &Reported| {
        let written = match json {
            true => write_line(&mut out, reported),
            false => write_reported(&mut out, reported),
        };
        if let Err(error) = written {
            failed.get_or_insert(error);
        }
    };
    let fields = fields(&args.input);
    let done = index.report_all(report, &args.reporter, source, &fields, &options, &progress, each);
    progress.finish();
    let written = failed.map_or_else(|| out.flush(), Err);
    let done = done?;
    written.context("the reports are committed, but that cannot be printed")?;
    if !args.running.quiet {
        print_problems(&done.listed, done.problems);
        tell(format_args!(
            "messages {}, counted {}, new prototypes {}, deleted {}",
            done.messages, done.counted, done.new, done.deleted
        ));
    }
    Ok(exit(done.messages, done.problems))
}

fn list(args: &FilterListArgs) -> anyhow::Result<Exit> {
    let prototypes = Index::open(&args.prototypes.dir)?.prototypes()?;
    let json = json(args.format);
    let mut out = BufWriter::new(io::stdout().lock());
    for prototype in &prototypes {
        match json {
            true => write_line(&mut out, prototype)?,
            false => {
                let Prototype { id, reports, .. } = prototype;
                writeln!(out, "{}  {}", shown(reports), visible(id))?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Done)
}

/// Where messages come from.
enum Messages {
    /// JSONL from standard input, answered as it arrives.
    Lines,
    Files(Vec<String>),
}

fn inputs(args: &MessageArgs) -> anyhow::Result<Messages> {
    let lines = matches!(super::settings::input_format(&args.fields), None | Some(Format::Jsonl));
    match &args.inputs[..] {
        [] if lines => Ok(Messages::Lines),
        [] => Ok(Messages::Files(vec!["-".to_owned()])),
        [only] if only == "-" && lines => Ok(Messages::Lines),
        several if several.len() > 1 && several.iter().any(|input| input == "-") => {
            Err(WrongUsage("`-` is standard input; give it alone".into()).into())
        }
        inputs => Ok(Messages::Files(inputs.to_vec())),
    }
}

fn fields(args: &MessageArgs) -> Settings {
    Settings {
        fields: super::settings::field_names(&args.fields),
        format: super::settings::input_format(&args.fields),
        max_record: Some(args.fields.max_record),
        formats: super::settings::format_options(&args.fields),
        ..Settings::default()
    }
}

fn rule(args: &MatchRuleArgs) -> anyhow::Result<MatchRule> {
    Ok(MatchRule {
        ask: args.ask.parse()?,
        threshold: args.threshold.clone(),
        min_words: args.min_words,
    })
}

fn json(format: Option<FormatArg>) -> bool {
    format.map_or_else(|| !io::stdout().is_terminal(), |format| format == FormatArg::Json)
}

fn exit(read: u64, problems: u64) -> Exit {
    if read == 0 && problems > 0 { Exit::Failed } else { Exit::Done }
}

fn print_problems(listed: &[Problem], problems: u64) {
    problems::print(listed, problems, problems::SHOWN, "; --strict stops at the first");
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    write_json(out, &serde_json::to_string(value)?)?;
    out.write_all(b"\n")
}

fn shown(reports: &ReportCounts) -> String {
    format!("spam {}, ham {}", reports.spam, reports.ham)
}

fn write_verdict(out: &mut impl Write, verdict: &Verdict) -> io::Result<()> {
    write!(out, "{:<6} {:.4}  {}", verdict.verdict.name(), verdict.score, visible(&verdict.id))?;
    if let (Some(prototype), Some(reports)) = (&verdict.prototype, &verdict.reports) {
        write!(out, "  matches {} ({})", visible(&prototype.id), shown(reports))?;
    }
    if let Some(problem) = &verdict.problem {
        write!(out, "  {}", visible(problem))?;
    }
    if !verdict.terms.is_empty() {
        write!(out, "\n         terms: {}", visible(&verdict.terms.join(" ")))?;
    }
    for passage in &verdict.passages {
        let text: Vec<&str> = passage.text.split_whitespace().collect();
        write!(out, "\n         {} words: {}", passage.words, visible(&text.join(" ")))?;
    }
    writeln!(out)
}

fn write_reported(out: &mut impl Write, reported: &Reported) -> io::Result<()> {
    let Reported { id, prototype, new, counted, reports } = reported;
    write!(out, "{}", visible(id))?;
    match prototype {
        None => writeln!(out, ": nothing to report or revoke"),
        Some(prototype) => {
            let what = match (new, counted) {
                (true, _) => "new prototype",
                (false, true) => "counts for",
                (false, false) => "does not change",
            };
            writeln!(out, ": {what} {} ({})", visible(prototype), shown(reports))
        }
    }
}
