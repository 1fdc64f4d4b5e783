//! An explanation as lines for a terminal.

use super::layout::{Ink, columns, wrap};
use super::{Explanation, Question};
use crate::clean;
use crate::human::{count, counted, ratio};
use crate::hunks::{Fold, Piece, Row, differences, fold};
use crate::{DocExhibit, Passage, Side, Tokens};

/// Layout of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to colour; without, differences are marked `[-removed-]` and `{+added+}`.
    pub colour: bool,
    /// Maximum number of shown passages.
    pub passages: usize,
    /// Maximum number of shown groups of differences.
    pub differences: usize,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { width: 80, colour: false, passages: 5, differences: 12 }
    }
}

/// Minimum width for the two sides of a passage side by side; else they are one below the other.
const SIDE_BY_SIDE: usize = 72;
/// Characters shown of a title or an address.
const NAME: usize = 200;
/// Characters shown of one side of a passage, and of a piece of a difference.
const EXCERPT: usize = 600;
/// Characters shown of the text between two words.
const GAP: usize = 40;
/// Columns of a measure's bar.
const BAR: usize = 20;

impl Explanation<'_> {
    /// The explanation as lines, the last with a line break as well.
    #[must_use]
    pub fn text(&self, style: &TextStyle) -> String {
        let style = TextStyle { width: style.width.clamp(48, 160), ..*style };
        let mut page = Page { style, out: String::new() };
        self.write_head(&mut page);
        self.write_measures(&mut page);
        self.write_passages(&mut page);
        self.write_differences(&mut page);
        page.out
    }

    fn unit(&self) -> &'static str {
        if self.question.settings.unit == "char" { "character" } else { "word" }
    }

    fn write_head(&self, page: &mut Page) {
        let Question { a, b, decision, .. } = self.question;
        for (name, document, tokens) in [("a", a, &self.a), ("b", b, &self.b)] {
            self.write_document(page, name, document, tokens);
        }
        page.blank();
        page.paragraph("", &[(Ink::Strong, self.verdict())]);
        if let Some(decision) = decision {
            page.paragraph("", &[(Ink::Plain, clean::block(decision, EXCERPT))]);
        }
    }

    fn write_document(
        &self,
        page: &mut Page,
        name: &str,
        document: &DocExhibit,
        tokens: &Tokens<'_>,
    ) {
        let mut runs = vec![
            (Ink::Strong, format!("{name}  {}", clean::line(&document.id, NAME))),
            (Ink::Faint, format!("  {}", counted(tokens.len() as u64, self.unit()))),
        ];
        for detail in [&document.title, &document.url].into_iter().flatten() {
            runs.push((Ink::Faint, " · ".into()));
            runs.push((Ink::Plain, clean::line(detail, NAME)));
        }
        page.hanging("", "   ", &runs);
    }

    fn write_measures(&self, page: &mut Page) {
        let m = &self.question.measures;
        let either = (m.size_a + m.size_b).saturating_sub(m.shared);
        let of = |whole| format!("{} of {}", count(m.shared), count(whole));
        let kind = if self.question.settings.shingle.is_some() { "shingles" } else { "terms" };
        let mut rows = vec![
            ("resemblance", m.resemblance, format!("{} distinct {kind}", of(either))),
            ("a in b", m.containment_a_in_b, of(m.size_a)),
            ("b in a", m.containment_b_in_a, of(m.size_b)),
        ];
        if let Some(cosine) = m.cosine {
            rows.push(("cosine", cosine, String::new()));
        }
        page.blank();
        for (name, value, counts) in rows {
            let full = (value.clamp(0.0, 1.0) * BAR as f64) as usize;
            let bar = format!("{}{}  ", "█".repeat(full), "░".repeat(BAR - full));
            let bar = if page.style.width < 2 * BAR + 20 { String::new() } else { bar };
            let (bar, counts) = (page.ink(Ink::Faint, &bar), page.ink(Ink::Faint, &counts));
            page.line(format!("  {name:<12} {:>6}  {bar}{counts}", ratio(value)).trim_end());
        }
    }

    fn write_passages(&self, page: &mut Page) {
        let passages = &self.passages;
        let shown = passages.longest.len().min(page.style.passages);
        let title = match (passages.found, passages.complete) {
            (0, _) => "No shared passages".to_owned(),
            (all, true) if all == shown as u64 => format!("Shared passages ({})", count(all)),
            (all, true) => format!("Shared passages (the {shown} longest of {})", count(all)),
            (all, false) => {
                format!("Shared passages (the {shown} longest of the first {})", count(all))
            }
        };
        page.heading(&title);
        for (passage, number) in passages.longest.iter().take(shown).zip(1..) {
            if number > 1 {
                page.blank();
            }
            self.write_passage(page, *passage, number);
        }
    }

    fn write_passage(&self, page: &mut Page, passage: Passage, number: usize) {
        let Passage { left, right, length } = passage;
        let unit = self.unit();
        let words = |first: usize| {
            format!("{}–{}", count(first as u64 + 1), count((first + length) as u64))
        };
        let head = format!(
            "{number}. {}: a {unit} {}, b {unit} {}",
            counted(length as u64, unit),
            words(left),
            words(right)
        );
        page.paragraph("  ", &[(Ink::Faint, head)]);
        let in_a = excerpt(&self.a, left, length);
        let in_b = excerpt(&self.b, right, length);
        let indent = "     ";
        if page.style.width < SIDE_BY_SIDE {
            page.hanging(indent, "       ", &[(Ink::Faint, "a ".into()), (Ink::Plain, in_a)]);
            page.hanging(indent, "       ", &[(Ink::Faint, "b ".into()), (Ink::Plain, in_b)]);
            return;
        }
        let width = (page.style.width - indent.len() - 3) / 2;
        let side = |text: String| wrap(&[(Ink::Plain, text)], width, false);
        let (in_a, in_b) = (side(in_a), side(in_b));
        let rule = page.ink(Ink::Faint, "│");
        for row in 0..in_a.len().max(in_b.len()) {
            let (a, b) = (in_a.get(row).map_or("", |a| a), in_b.get(row).map_or("", |b| b));
            let pad = " ".repeat(width.saturating_sub(columns(a)));
            page.line(format!("{indent}{a}{pad} {rule} {b}").trim_end());
        }
    }

    fn write_differences(&self, page: &mut Page) {
        let number = differences(&self.diff.segments);
        page.heading(&match (number, self.diff.is_complete()) {
            (0, true) => format!("No {} differs", self.unit()),
            (_, true) => format!("Differences ({}), from a to b", count(number as u64)),
            (_, false) => format!("First differences ({}), from a to b", count(number as u64)),
        });
        if self.diff.coarse {
            let note = "These texts are too long and too different to be aligned word by word; \
                        replaced parts may have words in common.";
            page.paragraph("  ", &[(Ink::Faint, note.into())]);
        }
        let hunks = page.style.differences;
        let bounds = Fold { context: 8, change: 60, hunks, pieces: 10 * hunks };
        for row in fold(&self.diff, &self.a, &self.b, bounds) {
            match row {
                Row::Same(tokens) => {
                    let text = format!("⋯ {} in common ⋯", counted(tokens as u64, self.unit()));
                    page.paragraph("  ", &[(Ink::Faint, text)]);
                }
                Row::More(more) => {
                    let text = format!("⋯ {} more ⋯", counted(more as u64, "difference"));
                    page.paragraph("  ", &[(Ink::Faint, text)]);
                }
                Row::Unaligned(a, b) => {
                    let (a, b) = (counted(a as u64, self.unit()), counted(b as u64, self.unit()));
                    let text = format!("⋯ the remaining {a} of a and {b} of b are not compared ⋯");
                    page.paragraph("  ", &[(Ink::Faint, text)]);
                }
                Row::Hunk(pieces) => {
                    let runs: Vec<(Ink, String)> = pieces
                        .iter()
                        .flat_map(|piece| self.runs(piece, page.style.colour))
                        .collect();
                    page.paragraph("  ", &runs);
                }
            }
        }
    }

    fn runs(&self, piece: &Piece<'_>, colour: bool) -> Vec<(Ink, String)> {
        let (ink, gap, text, marks) = match piece.side {
            Side::Both => (Ink::Plain, piece.right_gap, piece.right, None),
            Side::Left => (Ink::Removed, piece.left_gap, piece.left, Some(("[-", "-]"))),
            Side::Right => (Ink::Added, piece.right_gap, piece.right, Some(("{+", "+}"))),
        };
        let (open, close) = marks.filter(|_| !colour).unwrap_or(("", ""));
        let mut runs = vec![
            (Ink::Plain, clean::block(gap, GAP)),
            (ink, format!("{open}{}{close}", clean::block(text, EXCERPT))),
        ];
        if piece.skipped > 0 {
            runs.push((
                Ink::Faint,
                format!(" ⋯ {} more ⋯ ", counted(piece.skipped as u64, self.unit())),
            ));
        }
        runs
    }
}

/// A passage as written; the middle of a long one is omitted.
fn excerpt(tokens: &Tokens<'_>, first: usize, length: usize) -> String {
    const ENDS: usize = 24;
    let last = first + length;
    if length <= 2 * ENDS + 4 {
        return clean::line(tokens.slice(first..last), EXCERPT);
    }
    let head = clean::line(tokens.slice(first..first + ENDS), EXCERPT / 2);
    let tail = clean::line(tokens.slice(last - ENDS..last), EXCERPT / 2);
    format!("{head} ⋯ {tail}")
}

/// The lines of the output.
struct Page {
    style: TextStyle,
    out: String,
}

impl Page {
    fn ink(&self, ink: Ink, text: &str) -> String {
        ink.paint(text, self.style.colour)
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn blank(&mut self) {
        self.out.push('\n');
    }

    fn heading(&mut self, title: &str) {
        self.blank();
        let title = self.ink(Ink::Strong, title);
        self.line(&title);
    }

    fn paragraph(&mut self, indent: &str, runs: &[(Ink, String)]) {
        self.hanging(indent, indent, runs);
    }

    fn hanging(&mut self, first: &str, rest: &str, runs: &[(Ink, String)]) {
        let width = self.style.width.saturating_sub(rest.len());
        for (number, line) in wrap(runs, width, self.style.colour).into_iter().enumerate() {
            let indent = if number == 0 { first } else { rest };
            self.line(&format!("{indent}{line}"));
        }
    }
}
