//! `lookalike index create | add | delete | merge | compact | stats | check | repair | copy | export`

use super::{problems, sweeps};
use crate::args::{
    FormatArg, FormatArgs, Given, IndexAddArgs, IndexCheckArgs, IndexCommand, IndexCopyArgs,
    IndexCreateArgs, IndexDeleteArgs, IndexExportArgs, IndexMergeArgs, IndexRepairArgs,
    IndexRunningArgs, InputArgs, NoArgs, OnIndex, StoringArgs, SweepAddArgs, SweepCommand,
};
use crate::exit::{Exit, WrongUsage};
use crate::interrupt;
use crate::progress::with_progress;
use crate::terminal::{pairs_table, print_numbers, print_result, tell, write_table};
use crate::visible::write_pretty;
use anyhow::Context;
use lookalike::{
    Index, IndexWriter, Source,
    index::{
        AddOptions, Added, Committed, DeleteWhat, ExportOptions, IndexSettings, check_index,
        copy_index, export_documents, export_tables, repair_index, write_documents,
    },
    methods::MethodSettings,
    settings::Verify,
};
use serde_json::json;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

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
        IndexCommand::Copy(args) => copy(args),
        IndexCommand::Export(args) => export(args),
        IndexCommand::Sweep(SweepCommand::Add(args)) => add_to_sweep(args),
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
    let groups: [&Given; 6] =
        [&args.criterion, &args.analysis, &args.least, &args.separate, &args.across, &args.ignored];
    let mut documents = super::settings::settings(&groups)?;
    documents.keep = args.keep.concat();
    documents.formats.mail_attachments = fields.formats.mail_attachments;
    if fields.fields.has_sections() {
        documents.fields.text.clone_from(&fields.fields.text);
    }
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
        passages: args.passages,
        ttl: args.ttl,
    };
    if args.sample.is_empty() {
        IndexWriter::create(&args.dir, settings, 1)?;
    } else {
        interrupt::listen()?;
        let sample = Source::files(args.sample.iter().cloned());
        let (dir, threads) = (&args.dir, args.threads.unwrap_or(0));
        with_progress(args.quiet, |progress| {
            IndexWriter::create_with_sample(dir, settings, sample, &fields, progress, threads)
        })?;
    }
    if !args.quiet {
        tell(format_args!("created the index {}", args.dir.display()));
    }
    Ok(Exit::Done)
}

fn add(args: &OnIndex<IndexAddArgs>) -> anyhow::Result<Exit> {
    let own = &args.own;
    let options = AddOptions {
        unless_duplicate: own.unless_duplicate.clone(),
        sweep: own.sweep.clone().map(|name| (name, own.date.clone())),
        commit_every: own.commit_every,
        ..add_options(&own.input, &own.storing)
    };
    add_with(&args.dir, &own.input, &options, &args.running)
}

fn add_to_sweep(args: &OnIndex<SweepAddArgs>) -> anyhow::Result<Exit> {
    let own = &args.own;
    let sweep = Some((own.name.clone(), own.date.clone()));
    let options = AddOptions { sweep, ..add_options(&own.input, &own.storing) };
    add_with(&args.dir, &own.input, &options, &args.running)
}

/// Options that adding to a sweep has as well.
fn add_options(input: &InputArgs, storing: &StoringArgs) -> AddOptions {
    AddOptions {
        ttl: storing.ttl,
        strict: input.strict,
        skip_unreadable: input.skip_unreadable,
        memory: Some(storing.memory as u64),
        ..AddOptions::default()
    }
}

fn add_with(
    dir: &Path,
    input: &InputArgs,
    options: &AddOptions,
    running: &IndexRunningArgs,
) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let stream = input.inputs.iter().any(|input| input == "-");
    let lines = stream || options.commit_every.is_some();
    let added = read_into(dir, input, options, running, (stream, lines))?;
    if !running.quiet {
        tell_problems(&added);
    }
    if added.code_by_words {
        tell(format_args!(
            "lookalike: warning: the inputs are source code, and this index compares words: documents \
             that differ in symbols alone are equal in it. To compare symbols, make another with \
             `index create --tokens symbols`."
        ));
    }
    if !lines {
        print_added(&added, options.unless_duplicate.is_some(), running)?;
    } else if added.duplicates > 0 {
        tell(format_args!(
            "{} of {} documents were left out as duplicates",
            added.duplicates, added.read
        ));
    }
    Ok(match (added.read, added.problems) {
        (0, 1..) => Exit::after(0, added.problems),
        _ => Exit::Done,
    })
}

/// Adds the documents of the inputs: of standard input with `stream`. With `lines`, a line is printed for
/// each commit.
fn read_into(
    dir: &Path,
    input: &InputArgs,
    options: &AddOptions,
    running: &IndexRunningArgs,
    (stream, lines): (bool, bool),
) -> anyhow::Result<Added> {
    let fields = super::settings::settings(&[&input.fields])?;
    let mut index = running.open(dir)?;
    if stream && input.inputs.len() > 1 {
        let reason = "`-` is standard input; give it alone";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    let mut failed = None;
    let committed = |done: Committed| {
        if lines && let Err(error) = print_commit(done) {
            failed.get_or_insert(error);
        }
    };
    let added = with_progress(running.quiet, |progress| match stream {
        true => {
            let lines = BufReader::with_capacity(1 << 16, std::io::stdin());
            index.add_lines(lines, &fields, options, progress, committed)
        }
        false => {
            let source = Source::files(input.inputs.iter().cloned());
            index.add(source, &fields, options, progress, committed)
        }
    })?;
    match failed {
        Some(error) => {
            Err(error).context("the documents are committed, but that cannot be printed")
        }
        None => Ok(added),
    }
}

/// Lists the first records and names that were not added.
fn tell_problems(added: &Added) {
    problems::print(&added.listed, added.problems, problems::SHOWN, problems::STRICT);
    problems::print_left_out(&added.left_out, problems::SHOWN);
}

/// Prints what was added by the last commit.
fn print_added(
    added: &Added,
    with_duplicates: bool,
    running: &IndexRunningArgs,
) -> anyhow::Result<()> {
    let done = added.committed;
    let json = json!({
        "commit": done.commit, "documents": done.documents, "read": added.read,
        "added": done.added, "updated": done.updated, "duplicates": added.duplicates,
        "problems": added.problems, "seconds": added.seconds,
    });
    let mut rows = vec![
        ("documents read", added.read),
        ("added", done.added - done.updated),
        ("replaced", done.updated),
    ];
    if with_duplicates {
        rows.push(("left out as duplicates", added.duplicates));
    }
    rows.extend([
        ("records that could not be used", added.problems),
        ("documents in the index", done.documents),
        ("commit", done.commit),
    ]);
    print_result(running, &json, &rows)
}

/// A line for a durable commit.
fn print_commit(done: Committed) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{}", json!({"commit": done.commit, "documents": done.documents}))?;
    stdout.flush()
}

fn delete(args: &OnIndex<IndexDeleteArgs>) -> anyhow::Result<Exit> {
    let (own, running) = (&args.own, &args.running);
    let mut ids = own.id.clone();
    if let Some(path) = &own.ids {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        ids.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    let (urls, before, site) = (own.url.clone(), own.before.clone(), own.site.clone());
    let what = DeleteWhat { ids, urls, before, site };
    if what.is_empty() {
        let reason = "name the documents: give --id, --ids, --url, --before or --site";
        return Err(WrongUsage(reason.to_owned()).into());
    }
    let mut index = running.open(&args.dir)?;
    let found = index.find(&what)?;
    let (count, unknown) = (found.documents.len() as u64, found.unknown.len() as u64);
    let (name, deleted, documents) = if own.dry_run {
        ("would be deleted", 0, index.snapshot().len())
    } else {
        index.delete(&found.documents);
        ("deleted", count, index.commit()?.documents)
    };
    if !running.quiet {
        for name in found.unknown.iter().take(problems::SHOWN) {
            tell(format_args!("lookalike: no document `{name}` in the index"));
        }
    }
    let json = json!({
        "deleted": deleted, "found": count, "unknown": unknown, "documents": documents,
    });
    let rows =
        [(name, count), ("not in the index", unknown), ("documents in the index", documents)];
    print_result(running, &json, &rows)?;
    Ok(Exit::Done)
}

fn merge(args: &OnIndex<IndexMergeArgs>) -> anyhow::Result<Exit> {
    let mut index = args.running.open(&args.dir)?;
    for other in &args.own.others {
        let done = index.merge(&Index::open(other)?)?;
        let json = json!({
            "commit": done.commit, "documents": done.documents, "added": done.added,
            "updated": done.updated, "deleted": done.deleted,
        });
        let rows = [
            ("added", done.added - done.updated),
            ("replaced", done.updated),
            ("documents in the index", done.documents),
            ("commit", done.commit),
        ];
        print_result(&args.running, &json, &rows)?;
    }
    Ok(Exit::Done)
}

fn compact(args: &OnIndex) -> anyhow::Result<Exit> {
    let mut index = args.running.open(&args.dir)?;
    let before = index.snapshot().segments().len() as u64;
    index.compact()?;
    if !args.running.quiet {
        let after = index.snapshot().segments().len() as u64;
        print_numbers(&[("segments before", before), ("segments", after)])?;
    }
    Ok(Exit::Done)
}

fn stats(args: &OnIndex<NoArgs, FormatArgs>) -> anyhow::Result<Exit> {
    let stats = Index::open(&args.dir)?.stats()?;
    let mut stdout = std::io::stdout().lock();
    match args.running.format {
        FormatArg::Json => write_pretty(&mut stdout, &stats)?,
        FormatArg::Text => write_table(&mut stdout, &pairs_table(stats.table()))?,
    }
    Ok(Exit::Done)
}

fn check(args: &OnIndex<IndexCheckArgs>) -> anyhow::Result<Exit> {
    let wrong = check_index(&args.dir, args.own.deep, args.running.threads())?;
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

fn copy(args: &IndexCopyArgs) -> anyhow::Result<Exit> {
    let done = copy_index(&args.dir, &args.to)?;
    match args.format.format {
        FormatArg::Json => write_pretty(&mut std::io::stdout().lock(), &done)?,
        _ => print_numbers(&[("documents", done.documents)])?,
    }
    Ok(Exit::Done)
}

fn repair(args: &IndexRepairArgs) -> anyhow::Result<Exit> {
    let done = repair_index(&args.dir, args.output.as_deref(), args.running.threads())?;
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

fn export(args: &OnIndex<IndexExportArgs>) -> anyhow::Result<Exit> {
    interrupt::listen()?;
    let OnIndex { own, running, .. } = args;
    let output = own.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let to_stdout = output.as_os_str() == "-";
    let options = ExportOptions {
        output,
        force: own.force,
        list: own.list,
        add_counts: own.add_counts,
        linkage: own.linkage,
        witness: super::settings::settings(&[&own.witness])?.witness,
        tables: own.tables,
        max_pairs: own.max_pairs,
        threads: running.threads(),
    };
    let index = Index::open(&args.dir)?;
    match (own.documents, to_stdout) {
        (true, true) => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            with_progress(running.quiet, |progress| {
                write_documents(&index, &options, &mut out, progress)
            })?;
            out.flush()?;
        }
        (true, false) => {
            let written = with_progress(running.quiet, |progress| {
                export_documents(&index, &options, progress)
            })?;
            if !running.quiet {
                print_numbers(&[("documents", written)])?;
            }
        }
        (false, _) => {
            let summary =
                with_progress(running.quiet, |progress| export_tables(&index, &options, progress))?;
            let json = running.format == FormatArg::Json;
            super::run::print_summary(&summary, json, running.quiet, None)?;
        }
    }
    Ok(Exit::Done)
}
