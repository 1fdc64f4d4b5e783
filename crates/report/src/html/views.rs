//! Rows of the tables and lists of the page.

use crate::clean::{LONG, MEDIUM, address};
use crate::human::{bytes, count, counted, duration, rate, ratio, share};
use crate::{Action, ClusterExhibit, Output, Run, SettingsSummary, SourceLoss, Summary, clean};
use serde_json::Value;
use std::collections::BTreeMap;

/// Input files listed; the rest is counted.
const INPUTS: usize = 50;
/// Rows of the table of losses by source.
const LOSSES: usize = 50;
/// Number of written files that are listed.
const OUTPUTS: usize = 40;
/// Members of a cluster that are listed.
const MEMBERS: usize = 20;
/// Warnings shown.
const WARNINGS: usize = 20;

/// A highlighted number.
#[derive(Debug)]
pub(super) struct Tile {
    pub(super) value: String,
    pub(super) name: String,
    pub(super) note: String,
    /// Where what it counts is listed.
    pub(super) link: &'static str,
}

pub(super) fn tiles(summary: &Summary, linked: bool) -> Vec<Tile> {
    // The places of the rows, in the order of the tiles.
    let mut links = ["#sources", "#sources", "#clusters:", "#clusters:", "#time"].into_iter();
    let mut tile = |value, name: &str, note| {
        let link = links.next().unwrap_or_default();
        let link = if linked { link } else { "" };
        Tile { value, name: name.to_owned(), note, link }
    };
    let gone = summary.removed.total();
    let mut tiles = vec![
        tile(
            count(summary.documents),
            "documents",
            format!("{} of text", bytes(summary.text_bytes)),
        ),
        tile(
            count(summary.kept),
            if summary.action == Action::Remove { "kept" } else { "not duplicates" },
            share(summary.kept, summary.documents),
        ),
        tile(count(gone), summary.action.participle(), share(gone, summary.documents)),
        tile(
            count(summary.clusters),
            "clusters",
            match summary.largest_cluster {
                0 | 1 => String::new(),
                largest => format!("largest: {}", count(largest)),
            },
        ),
    ];
    if let Some(run) = &summary.run {
        let speed = summary.megabytes_per_second().map(rate).unwrap_or_default();
        tiles.push(tile(duration(run.seconds), "wall-clock time", speed));
    }
    tiles
}

pub(super) fn headline(summary: &Summary) -> String {
    match summary.mostly_skipped_note() {
        Some(note) => format!("{}; {}", outcome(summary), clean::line(&note, MEDIUM)),
        None => outcome(summary),
    }
}

fn outcome(summary: &Summary) -> String {
    let (documents, gone) = (counted(summary.documents, "document"), summary.removed.total());
    if summary.documents == 0 {
        return "No documents were read".into();
    }
    if gone == 0 {
        return format!("No duplicates among {documents}");
    }
    match summary.action {
        Action::Remove => format!("Kept {} of {documents}", count(summary.kept)),
        Action::Mark => format!("Marked {} of {documents} as duplicates", count(gone)),
        Action::List => format!("Found {} among {documents}", counted(gone, "duplicate")),
    }
}

/// Warnings, each in parts that are text and code in turn: code is between back-ticks.
pub(super) fn warnings(summary: &Summary) -> Vec<Vec<String>> {
    warning_parts(&summary.warnings)
}

/// Warnings, as parts that are text and code in turn.
pub(super) fn warning_parts(warnings: &[String]) -> Vec<Vec<String>> {
    let shown = warnings.iter().take(WARNINGS);
    shown.map(|text| parts_in_turn(&clean::line(text, 800))).collect()
}

/// Texts and code in turn, beginning with text; a back-tick without its second one is text.
fn parts_in_turn(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    if parts.len().is_multiple_of(2) {
        let last = parts.pop().unwrap_or_default();
        if let Some(text) = parts.last_mut() {
            text.push('`');
            text.push_str(&last);
        }
    }
    parts
}

/// One input file.
#[derive(Debug)]
pub(super) struct InputRow {
    pub(super) name: String,
    pub(super) form: String,
    pub(super) bytes: String,
    pub(super) documents: String,
    pub(super) kept: String,
    pub(super) removed: String,
    pub(super) share: String,
    pub(super) percent: String,
    /// Whether it has removed documents to draw.
    pub(super) loses: bool,
    pub(super) problems: String,
    pub(super) has_problems: bool,
    /// Where its duplicates are listed; may be empty.
    pub(super) link: String,
}

/// The inputs with the most removed documents, and a note on the others.
pub(super) fn inputs(summary: &Summary, linked: bool) -> (Vec<InputRow>, String) {
    let mut order: Vec<(usize, &crate::InputSummary)> = summary.inputs.iter().enumerate().collect();
    let all = order.len();
    if all > INPUTS {
        order.sort_by(|(_, a), (_, b)| b.removed.cmp(&a.removed).then_with(|| a.name.cmp(&b.name)));
        order.truncate(INPUTS);
    }
    let rows = order
        .iter()
        .map(|&(number, input)| InputRow {
            name: clean::line(&input.name, LONG),
            form: match &input.compression {
                None => clean::line(&input.format, MEDIUM),
                Some(c) => clean::line(&format!("{} · {c}", input.format), MEDIUM),
            },
            bytes: bytes(input.bytes),
            documents: count(input.documents),
            kept: count(input.kept),
            removed: count(input.removed),
            share: share(input.removed, input.documents),
            percent: format!("{:.1}", 100.0 * input.removed as f64 / input.documents.max(1) as f64),
            loses: input.removed > 0,
            problems: count(input.problems),
            has_problems: input.problems > 0,
            link: match linked && input.removed > 0 {
                true => format!("#clusters:source={number}"),
                false => String::new(),
            },
        })
        .collect();
    let more = match all.saturating_sub(INPUTS) {
        0 => String::new(),
        more => format!("The {INPUTS} that lost most, and {more} more.", more = count(more as u64)),
    };
    (rows, more)
}

/// Documents that one source lost to another.
#[derive(Debug)]
pub(super) struct LossRow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) documents: String,
    /// Where they are listed; may be empty.
    pub(super) link: String,
}

pub(super) fn losses(losses: &[SourceLoss], linked: bool) -> Vec<LossRow> {
    let row = |loss: &SourceLoss| LossRow {
        from: clean::line(&loss.from_name, LONG),
        to: match loss.from_name == loss.to_name {
            true => "the same file".into(),
            false => clean::line(&loss.to_name, LONG),
        },
        documents: count(loss.documents),
        link: match linked {
            true => format!("#clusters:source={}", loss.from),
            false => String::new(),
        },
    };
    losses.iter().take(LOSSES).map(row).collect()
}

/// A cluster.
#[derive(Debug)]
pub(super) struct ClusterView {
    pub(super) number: String,
    pub(super) size: String,
    pub(super) share: String,
    pub(super) least: String,
    pub(super) mean: String,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) link: bool,
    pub(super) excerpt: String,
    pub(super) members: Vec<MemberView>,
    pub(super) more: String,
}

/// A member of a cluster.
#[derive(Debug)]
pub(super) struct MemberView {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) value: String,
    pub(super) rule: String,
}

pub(super) fn cluster(cluster: &ClusterExhibit, summary: &Summary) -> ClusterView {
    let leader = &cluster.leader;
    let (url, link) = address(leader.url.as_deref());
    let members: Vec<MemberView> = cluster
        .members
        .iter()
        .take(MEMBERS)
        .map(|member| MemberView {
            id: clean::line(&member.id, MEDIUM),
            title: clean::line(member.caption(), MEDIUM),
            value: member.similarity.map_or_else(|| "–".to_owned(), ratio),
            rule: clean::line(&member.rule.replace('_', " "), MEDIUM),
        })
        .collect();
    let more = cluster.size.saturating_sub(1 + members.len() as u64);
    ClusterView {
        number: count(cluster.number),
        size: count(cluster.size),
        share: share(cluster.size, summary.documents),
        least: ratio(cluster.least),
        mean: ratio(cluster.mean),
        id: clean::line(&leader.id, MEDIUM),
        title: clean::line(leader.caption(), LONG),
        url,
        link,
        excerpt: clean::line(&leader.text, 320),
        members,
        more: if more == 0 { String::new() } else { format!("and {} more", count(more)) },
    }
}

/// A written file.
#[derive(Debug)]
pub(super) struct OutputRow {
    pub(super) name: String,
    /// Its address from the page; empty if the name is not a plain one.
    pub(super) link: String,
    pub(super) content: String,
}

/// The written files; several in one directory of the result are one row.
pub(super) fn outputs(outputs: &[Output]) -> (Vec<OutputRow>, String) {
    let mut groups: Vec<(&str, Vec<&Output>)> = Vec::new();
    let mut places = BTreeMap::new();
    for output in outputs {
        let directory = output.name.find('/').filter(|&at| at > 0);
        let Some(directory) = directory.map(|at| &output.name[..=at]) else {
            groups.push((&output.name, vec![output]));
            continue;
        };
        let place = *places.entry(directory).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, files)) => files.push(output),
            None => groups.push((directory, vec![output])),
        }
    }
    groups.truncate(OUTPUTS);
    let listed: usize = groups.iter().map(|(_, files)| files.len()).sum();
    let rows = groups.into_iter().map(|(group, files)| match files.as_slice() {
        [output] => output_row(&output.name, None, output.rows, output.bytes),
        files => {
            let rows = files.iter().map(|output| output.rows).sum();
            let bytes = files.iter().map(|output| output.bytes).sum();
            output_row(group, Some(files.len()), rows, bytes)
        }
    });
    let rows = rows.collect();
    let more = match outputs.len().saturating_sub(listed) {
        0 => String::new(),
        more => format!("and {} more", counted(more as u64, "file")),
    };
    (rows, more)
}

fn output_row(name: &str, files: Option<usize>, rows: Option<u64>, size: Option<u64>) -> OutputRow {
    let files = files.map(|files| counted(files as u64, "file"));
    let parts = [files, rows.map(|rows| counted(rows, "row")), size.map(bytes)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let plain = !name.is_empty() && name.chars().all(is_plain) && !name.starts_with('/');
    OutputRow {
        name: clean::line(name, LONG),
        link: if plain { format!("./{}", clean::line(name, 400)) } else { String::new() },
        content: parts.join(", "),
    }
}

pub(super) fn settings(settings: &SettingsSummary) -> Vec<(String, String)> {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            rows.push((name.to_owned(), clean::line(value, LONG)));
        }
    };
    row("measure", &settings.measure);
    row("threshold", &settings.threshold);
    row("features", &settings.features());
    row("terms", settings.terms.as_deref().unwrap_or_default());
    row("short documents", &settings.short_documents);
    row("min features", &settings.min_features.map(|least| least.to_string()).unwrap_or_default());
    row("normalisation", &settings.normalize);
    settings.tokens.iter().for_each(|tokens| row("tokens", tokens));
    settings.case.iter().for_each(|case| row("case", case));
    row("keep", &settings.keep.join(", then "));
    row("linkage", &settings.linkage);
    row("witness", settings.witness.as_deref().unwrap_or_default());
    row("analysis", &settings.analysis);
    row("hash", &settings.hash);
    // `job` repeats these for `explain`.
    for (name, value) in settings.other.iter().filter(|(name, _)| *name != "job") {
        flatten(name, value, &mut rows, 3);
    }
    rows.truncate(60);
    rows
}

/// Settings of a summary that has them by name alone.
pub(super) fn flat_settings(settings: &serde_json::Map<String, Value>) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    // `job` repeats these for `explain`.
    let shown = settings.iter().filter(|(name, _)| *name != "job");
    shown.for_each(|(name, value)| flatten(name, value, &mut rows, 3));
    rows.truncate(60);
    rows
}

/// Nested settings by dotted names.
fn flatten(name: &str, value: &Value, rows: &mut Vec<(String, String)>, depth: usize) {
    match value {
        Value::Null => {}
        Value::Object(map) if depth > 0 => {
            for (inner, value) in map {
                flatten(&format!("{name}.{inner}"), value, rows, depth - 1);
            }
        }
        Value::Array(values) if values.is_empty() => {}
        Value::String(text) => rows.push((clean::line(name, MEDIUM), clean::line(text, LONG))),
        other => rows.push((clean::line(name, MEDIUM), clean::line(&other.to_string(), LONG))),
    }
}

/// Counters of the run.
pub(super) fn work(summary: &Summary) -> Vec<(String, String)> {
    let without = format!("without {}", summary.lacking());
    let few = summary.settings.under_min_features();
    let mut rows = vec![
        ("tokens", count(summary.tokens)),
        ("features", count(summary.features.total)),
        ("candidate pairs", count(summary.candidates)),
        ("verified pairs", count(summary.verified)),
        (
            "pairs listed",
            match (summary.pairs.listed, summary.pairs.complete) {
                (0, false) => "none".to_owned(),
                (listed, _) => {
                    let note = summary.pairs.note(summary.wants_all_pairs());
                    format!("{} ({})", count(listed), note.unwrap_or("all"))
                }
            },
        ),
        ("documents in clusters", count(summary.documents_in_clusters)),
        (without.as_str(), count(summary.without_features.no_words)),
        ("fewer tokens than a shingle", count(summary.without_features.under_one_shingle)),
        ("repeated ids", count(summary.duplicate_ids)),
        ("unreadable records", count(summary.problems)),
        ("unreadable inputs", count(summary.unreadable_inputs)),
        ("skipped files", count(summary.skipped_files)),
    ];
    if let Some(note) = summary.left_out_note() {
        rows.push(("left out", note));
    }
    if summary.settings.min_features.is_some() {
        rows.push((few.as_str(), count(summary.without_features.few_features)));
    }
    if let Some(distinct) = summary.features.distinct_approximately {
        rows.insert(2, ("distinct features", format!("about {}", count(distinct))));
    }
    rows.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A phase of the run: name, share of the time in percent, time, speed.
#[derive(Debug)]
pub(super) struct PhaseRow {
    pub(super) name: String,
    pub(super) percent: String,
    pub(super) time: String,
    pub(super) speed: String,
}

pub(super) fn phases(run: &Run) -> Vec<PhaseRow> {
    let longest = run.phases.iter().map(|phase| phase.seconds).fold(0.0, f64::max);
    run.phases
        .iter()
        .take(30)
        .map(|phase| PhaseRow {
            name: clean::line(&phase.name, MEDIUM),
            percent: format!(
                "{:.1}",
                if longest > 0.0 { 100.0 * phase.seconds / longest } else { 0.0 }
            ),
            time: duration(phase.seconds),
            speed: phase.megabytes_per_second.map(rate).unwrap_or_default(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_directory_are_one_row() {
        let file =
            |name: &str, rows| Output { name: name.to_owned(), rows: Some(rows), bytes: Some(100) };
        let names = ["kept/a", "removed/a", "kept/b", "pairs.tsv", "kept/c/d", "odd/x"];
        let files: Vec<Output> = (1..).zip(names).map(|(rows, name)| file(name, rows)).collect();
        let (rows, more) = outputs(&files);
        let seen: Vec<_> = rows.iter().map(|row| (&*row.name, &*row.link, &*row.content)).collect();
        assert_eq!(
            seen,
            [
                ("kept/", "./kept/", "3 files, 9 rows, 300 B"),
                ("removed/a", "./removed/a", "2 rows, 100 B"),
                ("pairs.tsv", "./pairs.tsv", "4 rows, 100 B"),
                ("odd/x", "./odd/x", "6 rows, 100 B"),
            ]
        );
        assert_eq!(more, "");
        let many: Vec<Output> =
            (0..OUTPUTS as u64 + 7).map(|n| file(&format!("f{n}"), n)).collect();
        let (rows, more) = outputs(&many);
        assert_eq!((rows.len(), more.as_str()), (OUTPUTS, "and 7 files more"));
    }

    #[test]
    fn text_between_back_ticks_is_code() {
        assert_eq!(
            parts_in_turn("see `docs/a.md` and `b`"),
            ["see ", "docs/a.md", " and ", "b", ""]
        );
        assert_eq!(parts_in_turn("a `b"), ["a `b"]);
        assert_eq!(parts_in_turn("no code"), ["no code"]);
    }
}
