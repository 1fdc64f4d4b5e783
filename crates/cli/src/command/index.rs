//! `lookalike index create | add | delete | merge | compact | stats | check | repair | export`

use super::{problems, sweeps};
use crate::args::{
    FormatArg, IndexAddArgs, IndexCheckArgs, IndexCommand, IndexCreateArgs, IndexDeleteArgs,
    IndexDirArgs, IndexExportArgs, IndexMergeArgs, IndexRepairArgs, IndexStatsArgs, SweepAddArgs,
    SweepCommand,
};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::progress::TerminalProgress;
use crate::terminal::{pairs_table, print_numbers, tell, write_table};
use crate::visible::write_json;
use anyhow::Context;
use lookalike::{
    Index, IndexWriter, Source,
    index::{
        AddOptions, Committed, DeleteWhat, ExportOptions, IndexSettings, check_index,
        export_documents, export_tables, repair_index, write_documents,
    },
    input::LeftOut,
    methods::MethodSettings,
    settings::Verify,
};
use serde_json::json;
use std::io::{BufReader, BufWriter, Write};
use std::path::PathBuf;

pub(super) fn run(command: &IndexCommand) -> anyhow::Result<Exit> {
    match command {
        IndexCommand::Create(args) => create(args),
        IndexCommand::Add(args) => add(args),
        IndexCommand::Delete(args) => delete(args),
        IndexCommand::Merge(args) => merge(args),
        IndexCommand::Compact(args) => compact(args),
        IndexCommand::Stats(args) => stats(args),
        IndexCommand::Check(args) => check(args),
        IndexCommand::Repair(args) => repair(args),
        IndexCommand::Export(args) => export(args),
        IndexCommand::Sweep(SweepCommand::Add(args)) => add(&of_sweep(args)),
        IndexCommand::Sweep(SweepCommand::List(args)) => sweeps::list(args),
        IndexCommand::Sweep(SweepCommand::Remove(args)) => sweeps::remove(args),
        IndexCommand::Diff(args) => sweeps::diff(args),
        IndexCommand::History(args) => sweeps::history(args),
        IndexCommand::Holders(args) => sweeps::holders(args),
        IndexCommand::Revisit(args) => sweeps::revisit(args),
    }
}

fn create(args: &IndexCreateArgs) -> anyhow::Result<Exit> {
    let fields = super::settings::settings(&[&args.fields])?;
    let mut documents = super::settings::settings(&[&args.criterion, &args.analysis, &args.least])?;
    documents.keep = crate::args::keep_rules(&args.keep);
    documents.formats.mail_attachments = fields.formats.mail_attachments;
    let method = |spec: &String| MethodSettings {
        spec: spec.clone(),
        verify: Verify::Sketch,
        lexicon: args.lexicon.clone(),
        lexicon_checksum: args.lexicon_checksum.clone(),
        key_limit: None,
    };
    let settings = IndexSettings {
        documents,
        methods: args.method.iter().map(method).collect(),
        texts: !args.no_text,
        lean: args.lean.clone(),
        ttl: args.ttl,
    };
    if args.sample.is_empty() {
        IndexWriter::create(&args.dir, settings, 1)?;
    } else {
        interrupt::listen()?;
        let sample = Source::files(args.sample.iter().cloned());
        let (dir, threads) = (&args.dir, args.threads);
        let progress = TerminalProgress::new(args.quiet);
        let created =
            IndexWriter::create_with_sample(dir, settings, sample, &fields, &progress, threads);
        progress.finish();
        created?;
    }
    if !args.quiet {
        tell(format_args!("created the index {}", args.dir.display()));
    }
    Ok(Exit::Done)
}

fn add(args: &IndexAddArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let fields = super::settings::settings(&[&args.input.fields])?;
    let options = AddOptions {
        unless_duplicate: args.unless_duplicate.clone(),
        sweep: args.sweep.clone().map(|name| (name, args.date.clone())),
        commit_every: args.commit_every,
        stage_only: false,
        ttl: args.ttl,
        strict: args.input.strict,
        skip_unreadable: args.input.skip_unreadable,
        memory: Some(args.memory as u64),
    };
    let mut index = IndexWriter::open(&args.dir, args.running.threads)?;
    let progress = TerminalProgress::new(args.running.quiet);
    let stream = args.input.inputs.iter().any(|input| input == "-");
    let lines = stream || args.commit_every.is_some();
    let mut failed = None;
    let committed = |done: Committed| {
        if lines && let Err(error) = print_commit(done) {
            failed.get_or_insert(error);
        }
    };
    let added = match (stream, &args.input.inputs[..]) {
        (true, [_]) => {
            let lines = BufReader::with_capacity(1 << 16, std::io::stdin());
            index.add_lines(lines, &fields, &options, &progress, committed)
        }
        (true, _) => {
            let reason = "`-` is standard input; give it alone";
            return Err(WrongUsage(reason.to_owned()).into());
        }
        (false, inputs) => {
            let source = Source::files(inputs.iter().cloned());
            index.add(source, &fields, &options, &progress, committed)
        }
    };
    progress.finish();
    let added = added?;
    if let Some(error) = failed {
        return Err(error).context("the documents are committed, but that cannot be printed");
    }
    if !args.running.quiet {
        let advice = "; --strict stops at the first";
        problems::print(&added.listed, added.problems, problems::SHOWN, advice);
        for LeftOut { path, reason } in added.left_out.iter().take(problems::SHOWN) {
            tell(format_args!("{}: left out: {}", path.display(), reason.remedy()));
        }
        if let Some(more @ 1..) = added.left_out.len().checked_sub(problems::SHOWN) {
            tell(format_args!("and {more} more names that are left out"));
        }
    }
    if added.code_by_words {
        tell(format_args!(
            "lookalike: warning: the inputs are source code, and this index compares words: documents \
             that differ in symbols alone are equal in it. To compare symbols, make another with \
             `index create --tokens symbols`."
        ));
    }
    if lines && added.duplicates > 0 {
        tell(format_args!(
            "{} of {} documents were left out as duplicates",
            added.duplicates, added.read
        ));
    }
    let done = added.committed;
    if args.running.format == FormatArg::Json && !lines {
        let value = json!({
            "commit": done.commit, "documents": done.documents, "read": added.read,
            "added": done.added, "updated": done.updated, "duplicates": added.duplicates,
            "problems": added.problems, "seconds": added.seconds,
        });
        writeln!(std::io::stdout(), "{value}")?;
    } else if !args.running.quiet && !lines {
        let mut rows = vec![
            ("documents read", added.read),
            ("added", done.added - done.updated),
            ("replaced", done.updated),
        ];
        if args.unless_duplicate.is_some() {
            rows.push(("left out as duplicates", added.duplicates));
        }
        rows.extend([
            ("records that could not be used", added.problems),
            ("documents in the index", done.documents),
            ("commit", done.commit),
        ]);
        print_numbers(&rows)?;
    }
    Ok(match (added.read, added.problems) {
        (0, 1..) => Exit::after(0, added.problems),
        _ => Exit::Done,
    })
}

/// `index sweep add` as `index add`.
fn of_sweep(args: &SweepAddArgs) -> IndexAddArgs {
    IndexAddArgs {
        dir: args.dir.clone(),
        input: args.input.clone(),
        unless_duplicate: None,
        sweep: Some(args.name.clone()),
        date: args.date.clone(),
        commit_every: None,
        ttl: args.ttl,
        memory: args.memory,
        running: args.running.clone(),
    }
}

/// A line for a durable commit.
fn print_commit(done: Committed) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", json!({"commit": done.commit, "documents": done.documents}))?;
    stdout.flush()
}

fn delete(args: &IndexDeleteArgs) -> anyhow::Result<Exit> {
    let mut ids = args.id.clone();
    if let Some(path) = &args.ids {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        ids.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    let what = DeleteWhat {
        ids,
        urls: args.url.clone(),
        before: args.before.clone(),
        site: args.site.clone(),
    };
    if what.is_empty() {
        let reason = "name the documents: give --id, --ids, --url, --before or --site";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    let mut index = IndexWriter::open(&args.dir, args.running.threads)?;
    let found = index.find(&what)?;
    let count = found.documents.len() as u64;
    let done = match args.dry_run {
        true => None,
        false => {
            index.delete(&found.documents);
            Some(index.commit()?)
        }
    };
    if !args.running.quiet {
        for name in found.unknown.iter().take(problems::SHOWN) {
            tell(format_args!("lookalike: no document `{name}` in the index"));
        }
    }
    let documents = done.map_or_else(|| index.snapshot().len(), |done| done.documents);
    if args.running.format == FormatArg::Json {
        let value = json!({
            "deleted": if args.dry_run { 0 } else { count }, "found": count,
            "unknown": found.unknown.len(), "documents": documents,
        });
        writeln!(std::io::stdout(), "{value}")?;
    } else if !args.running.quiet {
        let name = if args.dry_run { "would be deleted" } else { "deleted" };
        print_numbers(&[
            (name, count),
            ("not in the index", found.unknown.len() as u64),
            ("documents in the index", documents),
        ])?;
    }
    Ok(Exit::Done)
}

fn merge(args: &IndexMergeArgs) -> anyhow::Result<Exit> {
    let mut index = IndexWriter::open(&args.dir, args.running.threads)?;
    for other in &args.others {
        let done = index.merge(&Index::open(other)?)?;
        print_done(done, args.running.format, args.running.quiet)?;
    }
    Ok(Exit::Done)
}

fn print_done(done: Committed, format: FormatArg, quiet: bool) -> anyhow::Result<()> {
    if format == FormatArg::Json {
        let value = json!({
            "commit": done.commit, "documents": done.documents, "added": done.added,
            "updated": done.updated, "deleted": done.deleted,
        });
        writeln!(std::io::stdout(), "{value}")?;
    } else if !quiet {
        print_numbers(&[
            ("added", done.added - done.updated),
            ("replaced", done.updated),
            ("documents in the index", done.documents),
            ("commit", done.commit),
        ])?;
    }
    Ok(())
}

fn compact(args: &IndexDirArgs) -> anyhow::Result<Exit> {
    let mut index = IndexWriter::open(&args.dir, args.running.threads)?;
    let before = index.snapshot().segments().len() as u64;
    index.compact()?;
    if !args.running.quiet {
        let after = index.snapshot().segments().len() as u64;
        print_numbers(&[("segments before", before), ("segments", after)])?;
    }
    Ok(Exit::Done)
}

fn stats(args: &IndexStatsArgs) -> anyhow::Result<Exit> {
    let stats = Index::open(&args.dir)?.stats()?;
    let mut stdout = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_json(&mut stdout, &serde_json::to_string_pretty(&stats)?)?;
        writeln!(stdout)?;
    } else {
        write_table(&mut stdout, &pairs_table(stats.table()))?;
    }
    Ok(Exit::Done)
}

fn check(args: &IndexCheckArgs) -> anyhow::Result<Exit> {
    let wrong = check_index(&args.dir, args.deep, args.running.threads)?;
    if args.running.format == FormatArg::Json {
        writeln!(std::io::stdout(), "{}", json!({"ok": wrong.is_empty(), "wrong": wrong}))?;
    } else if wrong.is_empty() && !args.running.quiet {
        writeln!(std::io::stdout(), "nothing is wrong with {}", args.dir.display())?;
    }
    for what in &wrong {
        tell(format_args!("lookalike: {what}"));
    }
    Ok(if wrong.is_empty() { Exit::Done } else { Exit::Failed })
}

fn repair(args: &IndexRepairArgs) -> anyhow::Result<Exit> {
    let done = repair_index(&args.dir, args.output.as_deref(), args.running.threads)?;
    for what in &done.salvaged.wrong {
        tell(format_args!("lookalike: {what}"));
    }
    if done.salvaged.is_whole() {
        tell(format_args!(
            "lookalike: nothing was wrong with it; `index check --deep` says so without a copy"
        ));
    }
    if !done.salvaged.deletes_known {
        tell(format_args!(
            "lookalike: the store could not be read: documents that were deleted may be there again, \
             and records about documents may be lost; look through the list of `index export \
             --documents`"
        ));
    }
    for segment in &done.salvaged.lost_segments {
        let documents = segment.documents.map_or_else(|| "unknown".into(), |n| n.to_string());
        tell(format_args!("lookalike: lost: {} (documents: {documents})", segment.file));
    }
    if args.running.format == FormatArg::Json {
        writeln!(std::io::stdout(), "{}", serde_json::to_string(&done)?)?;
    } else if !args.running.quiet {
        print_numbers(&[
            ("documents", done.salvaged.documents),
            ("lost documents", done.salvaged.lost),
            ("segments that cannot be read", done.salvaged.lost_segments.len() as u64),
            ("replaced documents left out", done.salvaged.replaced),
            ("records", done.salvaged.records),
            ("sweeps without a name", done.unnamed_sweeps),
        ])?;
        let (new, old) = (done.index.display(), done.damaged.display());
        writeln!(std::io::stdout(), "the new index is {new}, the damaged one {old}")?;
    }
    Ok(Exit::Done)
}

fn export(args: &IndexExportArgs) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let output = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let to_stdout = output.as_os_str() == "-";
    let options = ExportOptions {
        output,
        force: args.force,
        list: args.list,
        linkage: args.linkage,
        witness: super::settings::settings(&[&args.witness])?.witness,
        tables: args.tables,
        max_pairs: args.max_pairs,
        threads: args.running.threads,
    };
    let index = Index::open(&args.dir)?;
    let progress = TerminalProgress::new(args.running.quiet);
    if args.documents && to_stdout {
        let mut out = BufWriter::new(std::io::stdout().lock());
        let written = write_documents(&index, &mut out, &progress);
        progress.finish();
        written?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    if args.documents {
        let written = export_documents(&index, &options, &progress);
        progress.finish();
        let written = written?;
        if !args.running.quiet {
            print_numbers(&[("documents", written)])?;
        }
        return Ok(Exit::Done);
    }
    let summary = export_tables(&index, &options, &progress);
    progress.finish();
    let json = args.running.format == FormatArg::Json;
    super::run::print_summary(&summary?, json, args.running.quiet, None)?;
    Ok(Exit::Done)
}
