//! `lookalike filter`, `lookalike filter report` and `lookalike filter list`

use super::marked_mail;
use super::problems;
use crate::args::{
    FilterArgs, FilterCommand, FilterFoldersArgs, FilterListArgs, FilterReportArgs, FilterRuleArgs,
    FilterVerdictArgs, FormatArg, MatchRuleArgs, MessageArgs, ReportArg,
};
use crate::exit::{Exit, Strict, WrongUsage};
use crate::interrupt;
use crate::progress::{TerminalProgress, with_progress};
use crate::terminal::tell;
use crate::visible::{visible, write_json};
use anyhow::Context;
use lookalike::{
    Index, IndexWriter, Record, Settings, Source,
    filter::{
        self, FilterOptions, FilterRule, Filtered, MailFolders, MatchRule, MessageFilter,
        Prototype, Report, ReportCounts, ReportOptions, Reported, Verdict, VerdictKind,
        mail_record, report_all,
    },
    index::ReadOptions,
    input::{Format, Problem},
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};
use std::path::Path;

pub(super) fn run(args: &FilterArgs) -> anyhow::Result<Exit> {
    match (&args.command, &args.verdicts.prototypes) {
        (Some(FilterCommand::Report(args)), _) => report(args),
        (Some(FilterCommand::Folders(args)), _) => report_folders(args),
        (Some(FilterCommand::Rule(args)), _) => print_rule(args),
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
    if let Some(name) = &args.header {
        return marked(dir, args, options, name);
    }
    let filter = MessageFilter::open(dir, options)?;
    let fields = fields(&args.input)?;
    let read = ReadOptions {
        threads: args.running.threads.unwrap_or(0),
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
        Messages::Mail => {
            let message = one_mail(&fields)?;
            let (verdict, filtered) = verdict_on(&filter, message, args.input.strict)?;
            print(&[verdict], true)?;
            Ok(filtered)
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
    if args.exit_code && !verdicts.is_empty() {
        return Ok(exit_of(&verdicts));
    }
    let read: u64 = verdicts.values().sum::<u64>() - count(&VerdictKind::Error);
    Ok(exit(read, problems))
}

/// The exit code that says the verdict.
fn exit_of(verdicts: &BTreeMap<VerdictKind, u64>) -> Exit {
    let codes = [
        (VerdictKind::Spam, Exit::Spam),
        (VerdictKind::Unsure, Exit::Unsure),
        (VerdictKind::Error, Exit::Unreadable),
    ];
    let found = codes.iter().find(|(kind, _)| verdicts.get(kind).is_some_and(|count| *count > 0));
    found.map_or(Exit::Done, |(_, exit)| *exit)
}

/// A message from standard input, or why it is none.
fn one_mail(fields: &Settings) -> anyhow::Result<Result<Record, String>> {
    Ok(message_of(&read_record(&mut io::stdin(), fields)?, fields))
}

/// Reads to the end, or one byte more than a record may have.
fn read_record(from: &mut impl Read, fields: &Settings) -> anyhow::Result<Vec<u8>> {
    let (mut raw, most) = (Vec::new(), fields.max_record.unwrap_or(usize::MAX) as u64);
    from.take(most.saturating_add(1)).read_to_end(&mut raw).context("standard input")?;
    Ok(raw)
}

fn message_of(raw: &[u8], fields: &Settings) -> Result<Record, String> {
    match fields.max_record {
        Some(most) if raw.len() > most => Err(format!("the record is longer than {most} bytes")),
        _ => mail_record(raw, fields),
    }
}

/// The verdict on a message, counted.
fn verdict_on(
    filter: &MessageFilter,
    message: Result<Record, String>,
    strict: bool,
) -> anyhow::Result<(Verdict, Filtered)> {
    let mut filtered = Filtered::default();
    let verdict = match message {
        Ok(message) => filter.verdict(&message)?,
        Err(reason) => {
            let problem = unreadable(reason.clone());
            if strict {
                return Err(Strict(problem.to_string()).into());
            }
            filtered.problems = 1;
            filtered.listed.push(problem);
            MessageFilter::unreadable("stdin", reason)
        }
    };
    filtered.verdicts.insert(verdict.verdict, 1);
    Ok((verdict, filtered))
}

fn unreadable(message: String) -> Problem {
    let path = "stdin".to_owned();
    Problem { file: 0, path, record: 1, line: 1, offset: Some(0), message, unreadable: false }
}

/// Prints the message of standard input with the verdict in a header field. Whatever happens, the
/// message comes out.
fn marked(
    dir: &Path,
    args: &FilterVerdictArgs,
    options: FilterOptions,
    name: &str,
) -> anyhow::Result<Exit> {
    if args.input.inputs.len() > 1 || args.input.inputs.iter().any(|input| input != "-") {
        let reason = "--header reads one message from standard input; give no INPUT";
        return Err(WrongUsage(reason.into()).into());
    }
    let fields = fields(&args.input)?;
    let mut stdin = io::stdin().lock();
    let raw = read_record(&mut stdin, &fields)?;
    let judged = MessageFilter::open(dir, options)
        .map_err(anyhow::Error::new)
        .and_then(|filter| verdict_on(&filter, message_of(&raw, &fields), args.input.strict));
    let mut out = BufWriter::new(io::stdout());
    let marked = match &judged {
        Ok((verdict, _)) => marked_mail::with_field(&raw, name, &verdict.field_value()),
        Err(_) => raw,
    };
    let written = out.write_all(&marked).and_then(|()| io::copy(&mut stdin, &mut out));
    written.and_then(|_| out.flush()).context("standard output")?;
    let (_, filtered) = judged?;
    if !args.running.quiet {
        print_problems(&filtered.listed, filtered.problems);
    }
    Ok(if args.exit_code { exit_of(&filtered.verdicts) } else { Exit::Done })
}

fn print_rule(args: &FilterRuleArgs) -> anyhow::Result<Exit> {
    let change = FilterRule {
        ask: args.matching.ask.clone(),
        threshold: args.matching.threshold.clone(),
        min_words: args.matching.min_words,
        reports: args.reports,
    };
    let dir = &args.prototypes.dir;
    let rule = match change.is_empty() {
        true => Index::open(dir)?.filter_rule()?,
        false => lookalike::filter::set_filter_rule(&mut IndexWriter::open(dir, 1)?, &change)?,
    };
    let mut out = io::stdout().lock();
    if json(args.format) {
        write_line(&mut out, &rule)?;
        return Ok(Exit::Done);
    }
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    for (name, value) in [
        ("ask", rule.ask),
        ("threshold", rule.threshold),
        ("min-words", number(rule.min_words)),
        ("reports", number(rule.reports)),
    ] {
        writeln!(out, "{name:<10} {}", visible(value.as_deref().unwrap_or("default")))?;
    }
    Ok(Exit::Done)
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
    let mut index = IndexWriter::open(&args.prototypes.dir, args.running.threads.unwrap_or(0))?;
    let fields = fields(&args.input)?;
    let source = match inputs(&args.input)? {
        Messages::Lines => Source::files(["-"]),
        Messages::Mail => {
            let message = one_mail(&fields)?;
            Source::records([
                message.map_err(|reason| anyhow::anyhow!(unreadable(reason).to_string()))?
            ])
        }
        Messages::Files(inputs) => Source::files(inputs),
    };
    let mut out = Printed::new(json(args.running.format));
    let each = |reported: &Reported| out.reported(reported);
    let (index, reporter) = (&mut index, &args.reporter);
    let done = with_progress(args.running.quiet || io::stdout().is_terminal(), |progress| {
        report_all(index, report, reporter, source, &fields, &options, progress, each)
    });
    let written = out.end();
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

fn report_folders(args: &FilterFoldersArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let options = ReportOptions { matching: rule(&args.matching)?, ..ReportOptions::default() };
    let fields = super::settings::settings(&[&args.fields])?;
    if fields.format.is_some_and(|format| !format.is_message()) {
        return Err(WrongUsage("folders hold mail; leave out --input-format".into()).into());
    }
    let folders = MailFolders { spam: args.spam.clone(), ham: args.ham.clone() };
    let mut index = IndexWriter::open(&args.prototypes.dir, args.running.threads.unwrap_or(0))?;
    let mut out = Printed::new(json(args.running.format));
    let done = with_progress(args.running.quiet || io::stdout().is_terminal(), |progress| {
        let each = |reported: &Reported| out.reported(reported);
        filter::report_folders(
            &mut index,
            &args.reporter,
            &folders,
            &fields,
            &options,
            progress,
            each,
        )
    });
    let written = out.end();
    let done = done?;
    written.context("the reports are committed, but that cannot be printed")?;
    if !args.running.quiet {
        print_problems(&done.problems, done.problems.len() as u64);
        tell(format_args!(
            "messages {}, reported {}, counted {}, new prototypes {}",
            done.messages, done.reported, done.counted, done.new
        ));
    }
    Ok(Exit::Done)
}

/// Reports that are printed as they become durable.
struct Printed {
    out: BufWriter<io::Stdout>,
    json: bool,
    failed: Option<io::Error>,
}

impl Printed {
    fn new(json: bool) -> Self {
        Self { out: BufWriter::new(io::stdout()), json, failed: None }
    }

    /// Prints what became of a report.
    fn reported(&mut self, reported: &Reported) {
        let written = match self.json {
            true => write_line(&mut self.out, reported),
            false => write_reported(&mut self.out, reported),
        };
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    /// The first error of printing.
    fn end(mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.failed.map_or(flushed, Err)
    }
}

fn list(args: &FilterListArgs) -> anyhow::Result<Exit> {
    let prototypes = lookalike::filter::prototypes(&Index::open(&args.prototypes.dir)?)?;
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
    /// One mail message from standard input.
    Mail,
    Files(Vec<String>),
}

fn inputs(args: &MessageArgs) -> anyhow::Result<Messages> {
    let format = fields(args)?.format;
    let is_stdin = args.inputs.first().is_none_or(|only| only == "-") && args.inputs.len() < 2;
    match &args.inputs[..] {
        _ if is_stdin && format.is_none_or(|format| format == Format::JSONL) => Ok(Messages::Lines),
        _ if is_stdin && format.is_some_and(Format::is_message) => Ok(Messages::Mail),
        [] => Ok(Messages::Files(vec!["-".to_owned()])),
        several if several.len() > 1 && several.iter().any(|input| input == "-") => {
            Err(WrongUsage("`-` is standard input; give it alone".into()).into())
        }
        inputs => Ok(Messages::Files(inputs.to_vec())),
    }
}

fn fields(args: &MessageArgs) -> anyhow::Result<Settings> {
    super::settings::settings(&[&args.fields])
}

fn rule(args: &MatchRuleArgs) -> anyhow::Result<MatchRule> {
    Ok(MatchRule {
        ask: args.ask.as_ref().map(|ask| ask.parse()).transpose()?,
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
    problems::print(listed, problems, problems::SHOWN, problems::STRICT);
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
