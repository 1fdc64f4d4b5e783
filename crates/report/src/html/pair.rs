//! Side-by-side comparison of a pair of documents.

use crate::ReportError;
use crate::clean::{LONG, MEDIUM, address};
use crate::human::{bytes, count, counted, ratio};
use crate::hunks::{Fold, Piece, Row, differences, fold};
use crate::{
    DIFF_BOUNDS, DiffBounds, DocExhibit, PairDifference, PairExhibit, SettingsSummary, Side,
    Tokenize, Vocabulary, clean, diff,
};

/// Characters shown of the text between two words.
const GAP: usize = 40;

/// How much of a pair is aligned and shown.
#[derive(Debug, Clone, Copy)]
pub struct PairRoom {
    bounds: DiffBounds,
    fold: Fold,
    /// Characters shown of each side.
    side: usize,
    /// Characters shown of a single run.
    run: usize,
}

impl PairRoom {
    /// For a page with a dozen pairs.
    pub const ONE_OF_MANY: Self = Self {
        bounds: DiffBounds { work: DIFF_BOUNDS.work / 4, ..DIFF_BOUNDS },
        fold: Fold { context: 14, change: 70, hunks: 24, pieces: 240 },
        side: 8000,
        run: 700,
    };

    /// For a page with one pair.
    pub const ALONE: Self = Self {
        bounds: DIFF_BOUNDS,
        fold: Fold { context: 20, change: 400, hunks: 300, pieces: 3000 },
        side: 100_000,
        run: 4000,
    };
}

/// A pair of documents, aligned and ready to be drawn: some kilobytes for texts of any length.
#[derive(Debug)]
pub struct AlignedPair {
    pub(super) value: String,
    pub(super) percent: String,
    pub(super) rule: String,
    pub(super) heading: String,
    pub(super) differences: String,
    /// The kinds of differences.
    pub(super) kinds: Vec<String>,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) a: Head,
    pub(super) b: Head,
    pub(super) rows: Vec<DiffRow>,
    pub(super) coarse: bool,
    /// Whether `rows` or the texts before alignment were abridged.
    pub(super) abridged: bool,
}

/// Header of a column.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) url: String,
    pub(super) link: bool,
    pub(super) length: String,
}

#[derive(Debug)]
pub(super) enum DiffRow {
    Note(String),
    Hunk { left: Vec<Run>, right: Vec<Run> },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) ink: Ink,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Same,
    Changed,
    Note,
}

impl AlignedPair {
    /// Aligns the texts of a pair, the most expensive step of a report; pairs can be aligned in
    /// parallel. `cancelled` is polled every few milliseconds.
    ///
    /// # Errors
    /// [`ReportError::Cancelled`].
    pub fn new(
        pair: &PairExhibit,
        settings: &SettingsSummary,
        tokenize: &Tokenize<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ReportError> {
        Self::within(PairRoom::ONE_OF_MANY, pair, settings, tokenize, cancelled)
    }

    /// As [`AlignedPair::new`], in this room.
    ///
    /// # Errors
    /// As [`AlignedPair::new`].
    pub fn within(
        room: PairRoom,
        pair: &PairExhibit,
        settings: &SettingsSummary,
        tokenize: &Tokenize<'_>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, ReportError> {
        let poll = || if cancelled() { Err(ReportError::Cancelled) } else { Ok(()) };
        poll()?;
        let mut vocabulary = Vocabulary::default();
        let a = vocabulary.tokens(&pair.a.text, tokenize);
        poll()?;
        let b = vocabulary.tokens(&pair.b.text, tokenize);
        poll()?;
        let unit = if settings.unit == "char" { "character" } else { "word" };
        let aligned = diff(a.forms(), b.forms(), room.bounds, cancelled)
            .map_err(|_| ReportError::Cancelled)?
            .tidied();
        let mut columns = Columns {
            unit,
            left: room.side,
            right: room.side,
            run: room.run,
            rows: Vec::new(),
            abridged: false,
        };
        for row in fold(&aligned, &a, &b, room.fold) {
            columns.row(row);
        }
        let m = &pair.measures;
        let value = match settings.measure.as_str() {
            "containment" => m.containment_a_in_b,
            "cosine" => m.cosine.unwrap_or(0.0),
            _ => m.resemblance,
        };
        let either = (m.size_a + m.size_b).saturating_sub(m.shared);
        let of = |value: f64, whole: u64| {
            format!("{} ({} of {})", ratio(value), count(m.shared), count(whole))
        };
        let mut facts = vec![
            ("resemblance", of(m.resemblance, either)),
            ("removed in kept", of(m.containment_a_in_b, m.size_a)),
            ("kept in removed", of(m.containment_b_in_a, m.size_b)),
        ];
        facts.extend(m.cosine.map(|cosine| ("cosine", ratio(cosine))));
        facts.extend(pair.estimate.map(|estimate| {
            let ends = (ratio(estimate.low), ratio(estimate.high));
            let estimate = ratio(estimate.value);
            ("resemblance by sketches", format!("{estimate} (95 %: {} to {})", ends.0, ends.1))
        }));
        facts.extend(pair.difference.iter().flat_map(|difference| {
            let PairDifference { lost, added, kinds } = difference;
            let kinds = match kinds.is_empty() {
                true => "words".to_owned(),
                false => clean::line(&kinds.join(", "), MEDIUM),
            };
            [("words lost", count(*lost)), ("words added", count(*added)), ("differs in", kinds)]
        }));
        let heading = [&pair.a, &pair.b].map(|document| match document.caption() {
            "" => clean::line(&document.id, 80),
            caption => clean::line(caption, 80),
        });
        let cut = pair.a.cut_from.or(pair.b.cut_from).is_some();
        Ok(Self {
            value: ratio(value),
            percent: format!("{:.1}", value.clamp(0.0, 1.0) * 100.0),
            rule: clean::line(&pair.rule.replace('_', " "), MEDIUM),
            heading: if heading[0] == heading[1] {
                heading[0].clone()
            } else {
                heading.join(" / ")
            },
            differences: {
                let is_part = cut || !aligned.is_complete();
                let shown = if is_part { " in the part compared here" } else { "" };
                match differences(&aligned.segments) {
                    0 => format!("no {unit} differs{shown}"),
                    number => format!("{}{shown}", counted(number as u64, "difference")),
                }
            },
            kinds: pair.difference.iter().flat_map(|found| found.kinds.clone()).collect(),
            facts,
            a: Head::new(&pair.a, a.len(), unit),
            b: Head::new(&pair.b, b.len(), unit),
            rows: columns.rows,
            coarse: aligned.coarse,
            abridged: columns.abridged || cut,
        })
    }
}

impl Head {
    fn new(document: &DocExhibit, tokens: usize, unit: &str) -> Self {
        let (url, link) = address(document.url.as_deref());
        Self {
            id: clean::line(&document.id, MEDIUM),
            title: clean::line(document.title.as_deref().unwrap_or_default(), LONG),
            url,
            link,
            length: match document.cut_from {
                None => counted(tokens as u64, unit),
                Some(whole) => format!(
                    "only the first {} of {} are compared here; the measures are those of the whole texts",
                    bytes(document.text.len() as u64),
                    bytes(whole)
                ),
            },
        }
    }
}

struct Columns {
    unit: &'static str,
    /// Characters that may still be shown.
    left: usize,
    right: usize,
    /// Characters of a single run.
    run: usize,
    rows: Vec<DiffRow>,
    abridged: bool,
}

impl Columns {
    fn row(&mut self, row: Row<'_>) {
        if self.left == 0 || self.right == 0 {
            if !matches!(self.rows.last(), Some(DiffRow::Note(_))) {
                self.abridged = true;
                self.rows.push(DiffRow::Note("The rest is not shown.".into()));
            }
            return;
        }
        match row {
            Row::Same(tokens) => {
                self.rows.push(DiffRow::Note(format!(
                    "{} in common",
                    counted(tokens as u64, self.unit)
                )));
            }
            Row::Unaligned(left, right) => {
                let [left, right] = [left, right].map(|tokens| counted(tokens as u64, self.unit));
                let note = format!("{left} on the left and {right} on the right are not compared");
                self.abridged = true;
                self.rows.push(DiffRow::Note(note));
            }
            Row::More(more) => {
                self.abridged = true;
                self.rows
                    .push(DiffRow::Note(format!("{} more", counted(more as u64, "difference"))));
            }
            Row::Hunk(pieces) => {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                let most = self.run;
                for piece in &pieces {
                    let Piece { side, skipped, .. } = *piece;
                    if side != Side::Right {
                        let text = (piece.left_gap, piece.left);
                        self.left = runs(&mut left, text, side, (most, self.left));
                        note(&mut left, skipped, self.unit);
                    }
                    if side != Side::Left {
                        let text = (piece.right_gap, piece.right);
                        self.right = runs(&mut right, text, side, (most, self.right));
                        note(&mut right, skipped, self.unit);
                    }
                }
                self.rows.push(DiffRow::Hunk { left, right });
            }
        }
    }
}

fn note(runs: &mut Vec<Run>, skipped: usize, unit: &str) {
    if skipped > 0 {
        let text = format!(" {} more ", counted(skipped as u64, unit));
        runs.push(Run { ink: Ink::Note, text });
    }
}

/// Appends a piece, at most `run` characters of it and `budget` of it and its gap, and returns the
/// remaining budget.
fn runs(
    runs: &mut Vec<Run>,
    (gap, text): (&str, &str),
    side: Side,
    (run, budget): (usize, usize),
) -> usize {
    let ink = if side == Side::Both { Ink::Same } else { Ink::Changed };
    let mut left = budget;
    for (ink, text, most) in [(Ink::Same, gap, GAP), (ink, text, run)] {
        if text.is_empty() || left == 0 {
            continue;
        }
        let text = clean::block(text, most.min(left));
        left = left.saturating_sub(text.chars().count());
        match runs.last_mut() {
            Some(last) if last.ink == ink && ink == Ink::Same => last.text.push_str(&text),
            _ => runs.push(Run { ink, text }),
        }
    }
    left
}
