//! The page of a search for repeated passages.

use super::machine;
use super::views::{self, OutputRow, PhaseRow, Tile};
use crate::clean::{LONG, MEDIUM};
use crate::human::{bytes, count, counted, duration, rate, share};
use crate::{PassageExcerpt, PassageExhibits, PassageSummary, ReportError, clean};
use askama::Template as _;

/// Characters shown of the beginning of a passage.
const BEGINNING: usize = 200;
/// Characters shown of a passage and of what stands around it.
const PASSAGE: usize = 900;
/// Examples that are open when the page is loaded.
const OPEN: usize = 2;

/// Content of the page, which has no script.
#[derive(Debug, Clone, Copy)]
pub struct PassageReport<'a> {
    /// The run.
    pub summary: &'a PassageSummary,
    /// What is shown of the documents.
    pub exhibits: &'a PassageExhibits,
}

impl PassageReport<'_> {
    /// The page.
    ///
    /// # Errors
    /// The template failed, which does not depend on the input.
    pub fn html(&self) -> Result<String, ReportError> {
        Ok(Template::new(self).render()?)
    }
}

#[derive(askama::Template)]
#[template(path = "passages.html")]
struct Template {
    script_policy: &'static str,
    headline: String,
    lead: String,
    advice: String,
    warnings: Vec<Vec<String>>,
    tiles: Vec<Tile>,
    parts: Vec<PartRow>,
    units: String,
    goes: &'static str,
    frequent: Vec<PassageRow>,
    longest: Vec<PassageRow>,
    changed: Vec<PartRow>,
    lengths: Vec<PartRow>,
    examples: Vec<ExampleView>,
    is_cut: bool,
    outputs: Vec<OutputRow>,
    outputs_more: String,
    settings: Vec<(String, String)>,
    command_line: String,
    machine: String,
    phases: Vec<PhaseRow>,
    digest: String,
    tool: String,
}

/// A part of a whole, with a bar.
struct PartRow {
    name: String,
    number: String,
    share: String,
    percent: String,
}

/// A passage in a line.
struct PassageRow {
    copies: String,
    units: String,
    documents: String,
    document: String,
    first: String,
    text: String,
}

struct ExampleView {
    name: String,
    note: String,
    percent: String,
    share: String,
    is_open: bool,
    passages: Vec<PairView>,
    more: String,
}

/// Both sides of a passage.
struct PairView {
    goes: ExcerptView,
    other: String,
    stays: ExcerptView,
}

/// A passage in its text.
struct ExcerptView {
    before: String,
    passage: String,
    left_out: String,
    behind: String,
}

impl Template {
    fn new(report: &PassageReport<'_>) -> Self {
        let PassageReport { summary, exhibits } = *report;
        let unit = summary.unit();
        let is_cut = summary.cut_units > 0;
        let goes = match (&summary.spans, is_cut) {
            (Some(_), _) => "in spans",
            (None, true) => "cut",
            (None, false) => "later copies",
        };
        let (outputs, outputs_more) = views::outputs(&summary.outputs);
        let run = summary.run.as_ref();
        Self {
            script_policy: "",
            headline: headline(summary),
            lead: lead(summary),
            advice: advice(summary, exhibits),
            warnings: views::warning_parts(&summary.warnings),
            tiles: tiles(summary),
            parts: parts(summary),
            units: plural(unit),
            goes,
            frequent: exhibits
                .frequent
                .iter()
                .map(|passage| PassageRow {
                    copies: count(passage.copies),
                    units: count(passage.units),
                    documents: count(passage.documents),
                    document: String::new(),
                    first: clean::line(&passage.first, MEDIUM),
                    text: clean::line(&passage.text, BEGINNING),
                })
                .collect(),
            longest: exhibits
                .longest
                .iter()
                .map(|passage| PassageRow {
                    copies: String::new(),
                    units: count(passage.units),
                    documents: String::new(),
                    document: clean::line(&passage.document, MEDIUM),
                    first: clean::line(&passage.first, MEDIUM),
                    text: clean::line(&passage.text, BEGINNING),
                })
                .collect(),
            changed: exhibits
                .changed
                .iter()
                .map(|document| PartRow {
                    name: clean::line(&document.name, LONG),
                    number: format!("{} of {}", count(document.gone), count(document.units)),
                    ..part(document.gone, document.units)
                })
                .collect(),
            lengths: lengths(exhibits),
            examples: examples(exhibits, unit, goes),
            is_cut,
            outputs,
            outputs_more,
            settings: views::flat_settings(&summary.settings),
            command_line: run.map(|run| clean::line(&run.command_line, 2000)).unwrap_or_default(),
            machine: run.map(machine).unwrap_or_default(),
            phases: run.map(views::phases).unwrap_or_default(),
            digest: clean::line(&summary.digest, LONG),
            tool: clean::line(&format!("{} {}", summary.tool.name, summary.tool.version), MEDIUM),
        }
    }
}

/// A number of the settings.
fn number(summary: &PassageSummary, name: &str) -> Option<u64> {
    summary.settings.get(name)?.as_u64()
}

fn plural(unit: &str) -> String {
    format!("{unit}s")
}

fn headline(summary: &PassageSummary) -> String {
    let units = format!("{} {}", count(summary.units), plural(summary.unit()));
    if summary.passages == 0 {
        return format!("Nothing stands twice in {units}");
    }
    let of = |part| share(part, summary.units);
    match &summary.spans {
        Some(spans) => format!("{} of {units} in spans", of(spans.units)),
        None if summary.cut_units > 0 => format!("{} of {units} cut", of(summary.cut_units)),
        None => format!("{} of {units} stand at an earlier place as well", of(summary.later_units)),
    }
}

/// What a passage is.
fn lead(summary: &PassageSummary) -> String {
    let ignored = match summary.unit() {
        "byte" => "",
        _ => " Case, punctuation and line ends do not count.",
    };
    format!(
        "A passage is a run of at least {} that stands at {} places or more.{ignored}",
        counted(number(summary, "length").unwrap_or(0), summary.unit()),
        number(summary, "copies").unwrap_or(2)
    )
}

/// What another command finds better.
fn advice(summary: &PassageSummary, exhibits: &PassageExhibits) -> String {
    let copied = exhibits.copied;
    if copied.documents == 0 {
        return String::new();
    }
    format!(
        "{} of the later copies are in {} of which one passage is four fifths or more, as it is of the document in which \
         it stands first. dedup finds such copies of documents as a whole, each with its proof: run it first.",
        share(copied.units, summary.later_units),
        counted(copied.documents, "document"),
    )
}

fn tiles(summary: &PassageSummary) -> Vec<Tile> {
    let tile = |value, name: &str, note| Tile { value, name: name.to_owned(), note, link: "" };
    let mut tiles = vec![
        tile(
            count(summary.documents),
            "documents",
            format!("{} of text", bytes(summary.text_bytes)),
        ),
        tile(
            count(summary.with_passages),
            "with passages",
            share(summary.with_passages, summary.documents),
        ),
        tile(
            count(summary.passages),
            "passages",
            match summary.passages {
                0 => String::new(),
                _ => format!("longest: {}", counted(summary.longest, summary.unit())),
            },
        ),
    ];
    match &summary.spans {
        Some(spans) => tiles.push(tile(
            count(spans.spans),
            "spans",
            format!("in {}", counted(spans.documents, "document")),
        )),
        None if summary.cut_units > 0 => tiles.push(tile(
            count(summary.cut),
            "cut documents",
            format!("{} removed", count(summary.removed)),
        )),
        None => {}
    }
    if let Some(run) = &summary.run {
        let speed = run.megabytes_per_second(summary.text_bytes).map(rate).unwrap_or_default();
        tiles.push(tile(duration(run.seconds), "wall-clock time", speed));
    }
    tiles
}

/// The units by what becomes of them.
fn parts(summary: &PassageSummary) -> Vec<PartRow> {
    let row = |name: &str, units| PartRow {
        name: name.to_owned(),
        number: count(units),
        ..part(units, summary.units)
    };
    let mut rows = vec![
        row("all", summary.units),
        row("in passages, wherever these stand", summary.repeated_units),
        row("later copies", summary.later_units),
    ];
    if let Some(spans) = &summary.spans {
        rows.push(row("in spans", spans.units));
    } else if summary.cut_units > 0 {
        rows.push(row("cut", summary.cut_units));
        if summary.rest_units > 0 {
            rows.push(row("rests that went with them", summary.rest_units));
        }
        rows.push(row("left", summary.units - summary.cut_units - summary.rest_units));
    }
    rows
}

fn part(part: u64, whole: u64) -> PartRow {
    let percent = format!("{:.1}", 100.0 * part as f64 / whole.max(1) as f64);
    PartRow { name: String::new(), number: String::new(), share: share(part, whole), percent }
}

fn lengths(exhibits: &PassageExhibits) -> Vec<PartRow> {
    let most = exhibits.lengths.iter().map(|bin| bin.passages).max().unwrap_or(0);
    let all = exhibits.lengths.iter().map(|bin| bin.passages).sum();
    let row = |bin: &crate::LengthBin| PartRow {
        name: format!("{} to {}", count(bin.from), count(bin.to)),
        number: count(bin.passages),
        share: share(bin.passages, all),
        percent: part(bin.passages, most).percent,
    };
    exhibits.lengths.iter().map(row).collect()
}

fn examples(exhibits: &PassageExhibits, unit: &str, goes: &str) -> Vec<ExampleView> {
    let example = |(number, example): (usize, &crate::CutExample)| {
        let PartRow { share, percent, .. } = part(example.gone, example.units);
        let passage = |passage: &crate::ShownPassage| PairView {
            goes: excerpt(&passage.goes),
            other: clean::line(&passage.other, MEDIUM),
            stays: excerpt(&passage.stays),
        };
        let all = counted(example.units, unit);
        ExampleView {
            name: clean::line(&example.name, LONG),
            note: format!("{} of {all} {goes}", count(example.gone)),
            percent,
            share,
            is_open: number < OPEN,
            passages: example.passages.iter().map(passage).collect(),
            more: match example.more {
                0 => String::new(),
                more => format!("and {} more", count(more)),
            },
        }
    };
    exhibits.examples.iter().enumerate().map(example).collect()
}

fn excerpt(excerpt: &PassageExcerpt) -> ExcerptView {
    let dots = |shown| if shown { "…" } else { "" };
    ExcerptView {
        before: format!("{}{}", dots(excerpt.is_later), clean::block(&excerpt.before, PASSAGE)),
        passage: clean::block(&excerpt.passage, PASSAGE),
        left_out: match excerpt.left_out {
            0 => String::new(),
            more => format!(" {} more ", bytes(more)),
        },
        behind: format!("{}{}", clean::block(&excerpt.behind, PASSAGE), dots(excerpt.goes_on)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CopiedDocuments, CutExample, FrequentPassage, LengthBin, ShownPassage};
    use serde_json::json;

    fn summary() -> PassageSummary {
        let settings = json!({"length": 10, "copies": 2, "unit": "word", "whole": "line"});
        PassageSummary {
            settings: settings.as_object().cloned().unwrap_or_default(),
            documents: 4,
            with_passages: 3,
            passages: 2,
            units: 1000,
            repeated_units: 400,
            later_units: 200,
            cut_units: 180,
            ..PassageSummary::default()
        }
    }

    #[test]
    fn hostile_texts_are_inert_and_numbers_are_there() {
        let hostile = "</title><script>alert(1)</script>\u{202e}\u{0}\"'<b>";
        let excerpt = PassageExcerpt {
            is_later: true,
            before: hostile.into(),
            passage: hostile.into(),
            left_out: 2000,
            behind: hostile.into(),
            goes_on: false,
        };
        let passage = ShownPassage { goes: excerpt.clone(), other: hostile.into(), stays: excerpt };
        let exhibits = PassageExhibits {
            frequent: vec![FrequentPassage {
                copies: 1234,
                first: hostile.into(),
                text: hostile.into(),
                ..FrequentPassage::default()
            }],
            lengths: vec![LengthBin { from: 8, to: 15, passages: 2 }],
            copied: CopiedDocuments { documents: 2, units: 50 },
            examples: vec![CutExample {
                name: hostile.into(),
                units: 40,
                gone: 10,
                passages: vec![passage],
                more: 7,
            }],
            ..PassageExhibits::default()
        };
        let html = PassageReport { summary: &summary(), exhibits: &exhibits }.html().unwrap();
        assert!(!html.contains("<script") && !html.contains("<b>\u{202e}"), "{html}");
        assert!(!html.contains('\u{202e}') && !html.contains('\u{0}'));
        for part in [
            "18.0 % of 1,000 words cut",
            "1,234",
            "25.0 % of the later copies are in 2 documents",
            "8 to 15",
            "10 of 40 words cut",
            "and 7 more",
            "2.00 kB more",
            "default-src &#39;none&#39;",
        ] {
            assert!(html.contains(&part.replace("&#39;", "'")), "{part} is not in {html}");
        }
    }

    #[test]
    fn a_page_without_passages_says_so() {
        let summary = PassageSummary { passages: 0, cut_units: 0, ..summary() };
        let exhibits = PassageExhibits::default();
        let html = PassageReport { summary: &summary, exhibits: &exhibits }.html().unwrap();
        assert!(html.contains("Nothing stands twice in 1,000 words"), "{html}");
        assert!(!html.contains("id=\"frequent\""), "{html}");
    }
}
