//! The result tables: their rows and columns.

use crate::column::{Item, Layout, TableRow};
use crate::contamination::{BENCHMARKS, CONTAMINATION, ITEMS, SPANS};
use crate::name::{A, B, DOCUMENT, DocumentName, KEPT, LEADER, REMOVED, name_items};
use crate::passages::{CUTS, EDITS, NEAR, PASSAGES};
use crate::represented::RepresentedCells;
use crate::run_changes::{CHANGED, REGROUPED};
use lookalike_core::Overlap;
use lookalike_io::Problem;
use lookalike_io::table::{Cell, Column, Value};
use lookalike_methods::Evidence;
use lookalike_methods::broder::Estimate;
use lookalike_methods::broder::estimate::Z_95;

/// Every removed document, its witness, the rule, and the comparison of the two.
pub const LEDGER: Layout<Compared<'static>> = Layout {
    name: "ledger",
    groups: &[
        name_items!(REMOVED, a),
        name_items!(KEPT, b),
        &[Item::new(Column::text("rule"), "why the document was removed", |row| row.rule.into())],
        COMPARISON,
        DIFFERENCES,
    ],
};

/// What differs between a removed document and its witness; null where the texts were not compared.
pub const DIFFERENCES: &[Item<Compared<'static>>] = &[
    Compares::new(Column::count("lost"), "words of the removed document that its witness lacks", |row| {
        row.difference.map_or(Cell::Null, |difference| Cell::Count(difference.lost))
    })
    .when(|run| run.differences)
    .undigested(),
    Compares::new(Column::count("added"), "words of the witness that the removed document lacks", |row| {
        row.difference.map_or(Cell::Null, |difference| Cell::Count(difference.added))
    })
    .when(|run| run.differences)
    .undigested(),
    Compares::new(
        Column::text("differs"),
        "kinds of differences, separated by commas: `numbers`, `identifiers`, `title`, `title+numbers`, `names`, `symbols`, `quotation`, `case`, `order`",
        |row| row.difference.map(|difference| difference.kinds).into(),
    )
    .when(|run| run.differences)
    .undigested(),
];

/// The cells of [`DIFFERENCES`].
#[derive(Debug, Clone, Copy)]
pub struct DifferenceCells<'r> {
    /// Words of the removed document that its witness lacks.
    pub lost: u64,
    /// Words of the witness that the removed document lacks.
    pub added: u64,
    /// Names of the kinds of differences, separated by commas.
    pub kinds: &'r str,
}

/// Pairs of documents that match, and their comparison.
pub const PAIRS: Layout<Compared<'static>> =
    Layout { name: "pairs", groups: &[name_items!(A, a), name_items!(B, b), COMPARISON] };

/// Pairs of documents below the threshold, and their comparison.
pub const NEAR_MISSES: Layout<Compared<'static>> =
    Layout { name: "near_misses", groups: PAIRS.groups };

/// A row of `ledger`, `pairs` or `near_misses`.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'r> {
    /// The first document; of the ledger the removed one.
    pub a: &'r DocumentName<'r>,
    /// The second document; of the ledger the witness.
    pub b: &'r DocumentName<'r>,
    /// The rule, in the ledger.
    pub rule: Option<&'r str>,
    /// The comparison of the two.
    pub evidence: Evidence,
    /// The resemblance of the complete documents, if boilerplate was removed from their sets.
    pub whole: Option<f64>,
    /// What differs, in the ledger.
    pub difference: Option<DifferenceCells<'r>>,
}

impl TableRow for Compared<'static> {
    type Row<'r> = Compared<'r>;

    fn is_protected(row: &Compared<'_>) -> bool {
        row.a.protected || row.b.protected
    }

    fn in_digest<'r, T>(
        row: &'r Compared<'r>,
        then: impl for<'d> FnOnce(&'d Compared<'d>) -> T,
    ) -> T {
        let (a, b) = (row.a.in_digest(), row.b.in_digest());
        then(&Compared { a: &a, b: &b, ..*row })
    }
}

/// A column of rows of two documents.
type Compares = Item<Compared<'static>>;

/// The columns that compare two documents; null if the evidence does not contain a value.
pub const COMPARISON: &[Item<Compared<'static>>] = &[
    Compares::new(Column::ratio("resemblance"), "resemblance of the two, or its estimate", |row| {
        row.evidence.resemblance().into()
    }),
    Compares::new(
        Column::ratio("containment_a_in_b"),
        "share of the features of `a` that `b` has",
        |row| row.evidence.counts().map(Overlap::containment_a_in_b).into(),
    ),
    Compares::new(
        Column::ratio("containment_b_in_a"),
        "share of the features of `b` that `a` has",
        |row| row.evidence.counts().map(Overlap::containment_b_in_a).into(),
    ),
    Compares::new(
        Column::ratio("cosine"),
        "cosine of the two sets; in runs that compare complete sets by it",
        |row| row.evidence.counts().map(Overlap::cosine).into(),
    )
    .when(|run| run.cosine),
    Compares::new(
        Column::count("shared"),
        "features of both, or equal values of their sketches",
        |row| count(row.evidence.shared().map(|counts| counts.shared)),
    ),
    Compares::new(Column::count("size_a"), "features of `a`, or values compared", |row| {
        count(row.evidence.shared().map(|counts| counts.a))
    }),
    Compares::new(Column::count("size_b"), "features of `b`, or values compared", |row| {
        count(row.evidence.shared().map(|counts| counts.b))
    }),
    Compares::new(
        Column::count("distance"),
        "differing bits of two simhashes; in runs that compare them",
        |row| count(row.evidence.distance()),
    )
    .when(|run| run.distance),
    Compares::new(
        Column::ratio("resemblance_low"),
        "lower end of the 95 % interval of the resemblance; in runs that estimate it",
        |row| interval(row.evidence).map(|(low, _)| low).into(),
    )
    .when(|run| run.interval),
    Compares::new(Column::ratio("resemblance_high"), "upper end of that interval", |row| {
        interval(row.evidence).map(|(_, high)| high).into()
    })
    .when(|run| run.interval),
    Compares::new(
        Column::ratio("whole_resemblance"),
        "resemblance of the complete documents; in runs that remove boilerplate or ignore given texts",
        |row| row.whole.into(),
    )
    .when(|run| run.whole),
    Compares::new(
        Column::ratio("dice"),
        "Dice coefficient of the two sets, 2·`shared` / (`size_a` + `size_b`): the similarity that plagiarism checkers state",
        |row| row.evidence.counts().map(dice).into(),
    ),
];

fn dice(counts: Overlap) -> f64 {
    2.0 * f64::from(counts.shared) / (f64::from(counts.a) + f64::from(counts.b)).max(1.0)
}

fn count<'c>(count: Option<u32>) -> Cell<'c> {
    count.map_or(Cell::Null, |count| Cell::Count(count.into()))
}

/// The 95 % interval of an estimated resemblance (Wilson's). Complete sets have none, because
/// nothing is estimated; neither have sketches whose agreement does not estimate the resemblance
/// ([`lookalike_methods::Method::estimates`]).
#[must_use]
pub fn interval(evidence: Evidence) -> Option<(f64, f64)> {
    Some(Estimate::of(evidence)?.interval(Z_95))
}

/// Every document that is in a cluster with another one.
pub const CLUSTERS: Layout<Member<'static>> = Layout {
    name: "clusters",
    groups: &[
        name_items!(DOCUMENT, member),
        &[Item::new(Column::count("cluster"), "number of the cluster", |row| {
            Cell::Count(row.cluster)
        })],
        name_items!(LEADER, leader),
        &[
            Item::new(
                Column::ratio("resemblance"),
                "the run's measure of the document and the leader",
                |row| row.value.into(),
            ),
            Item::new(
                Column::count("size"),
                "in the row of a leader, the number of documents of the cluster",
                |row| row.represented.map_or(Cell::Null, |cells| Cell::Count(cells.size)),
            ),
            Item::new(
                Column::text("duplicates"),
                "in the row of a leader, the number of documents that it represents by file",
                |row| row.represented.map(|cells| cells.duplicates.as_str()).into(),
            ),
        ],
    ],
};

/// A row of `clusters`.
#[derive(Debug, Clone, Copy)]
pub struct Member<'r> {
    /// The document.
    pub member: &'r DocumentName<'r>,
    /// The number of its cluster.
    pub cluster: u64,
    /// The kept document of the cluster.
    pub leader: &'r DocumentName<'r>,
    /// How similar the two are.
    pub value: Option<f64>,
    /// The documents that it represents, if it leads.
    pub represented: Option<&'r RepresentedCells>,
}

impl TableRow for Member<'static> {
    type Row<'r> = Member<'r>;

    fn is_protected(row: &Member<'_>) -> bool {
        row.member.protected || row.leader.protected
    }

    fn in_digest<'r, T>(row: &'r Member<'r>, then: impl for<'d> FnOnce(&'d Member<'d>) -> T) -> T {
        let (member, leader) = (row.member.in_digest(), row.leader.in_digest());
        then(&Member { member: &member, leader: &leader, ..*row })
    }
}

/// Each document in a pair, with the data needed to recompute its cluster. Sorted by id, then by
/// file and record.
pub const DOCUMENTS: Layout<Listed<'static>> = Layout {
    name: "documents",
    groups: &[
        name_items!(DOCUMENT, name),
        &[
            Item::new(Column::count("place"), "number in the collection, from 1", |row| {
                Cell::Count(row.row.place.into())
            }),
            Item::new(
                Column::count("precedence"),
                "number in the order of precedence, from 1, among the documents of the table",
                |row| Cell::Count(row.row.precedence.into()),
            ),
            Item::new(Column::count("text_bytes"), "bytes of its text", |row| {
                Cell::Count(row.row.text_bytes)
            }),
            Item::new(Column::count("size"), "number of its features", |row| {
                Cell::Count(row.row.size.into())
            }),
            Item::new(
                Column::count("feature_equivalent"),
                "`place` of the first document with the same features",
                |row| Cell::Count(row.row.feature_equivalent.into()),
            ),
            Item::new(
                Column::count("lexically_equivalent"),
                "`place` of the first document with the same words",
                |row| Cell::Count(row.row.lexically_equivalent.into()),
            ),
            Item::new(
                Column::count("identical"),
                "`place` of the first document with the same text",
                |row| Cell::Count(row.row.identical.into()),
            ),
        ],
    ],
};

/// A row of `documents` without its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentRow {
    /// Number in the collection, from 1.
    pub place: u32,
    /// Number in the order of precedence, from 1, among the documents of the table.
    pub precedence: u32,
    /// Bytes of its text.
    pub text_bytes: u64,
    /// Number of its features.
    pub size: u32,
    /// Place of the first document with the same features.
    pub feature_equivalent: u32,
    /// Place of the first document with the same words.
    pub lexically_equivalent: u32,
    /// Place of the first document with the same text.
    pub identical: u32,
}

impl DocumentRow {
    /// Reads a row from the cells behind its name; `None` if one is missing or of another type.
    #[must_use]
    pub fn read(counts: &[Value]) -> Option<Self> {
        let [place, precedence, bytes, size, features, words, text] = counts else { return None };
        let small = |value: &Value| u32::try_from(value.as_count()?).ok();
        Some(Self {
            place: small(place)?,
            precedence: small(precedence)?,
            text_bytes: bytes.as_count()?,
            size: small(size)?,
            feature_equivalent: small(features)?,
            lexically_equivalent: small(words)?,
            identical: small(text)?,
        })
    }
}

/// A row of `documents`.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'r> {
    /// The document.
    pub name: &'r DocumentName<'r>,
    /// The rest.
    pub row: DocumentRow,
}

impl TableRow for Listed<'static> {
    type Row<'r> = Listed<'r>;
}

/// Records and files that could not be used, and why.
pub const PROBLEMS: Layout<Problem> = Layout {
    name: "problems",
    groups: &[&[
        Item::new(Column::text("file"), "the file", |problem| Cell::Text(&problem.path)),
        Item::new(Column::count("record"), "number of the record, from 1", |problem| {
            known(problem.record.into())
        }),
        Item::new(Column::count("line"), "its first line", |problem| known(problem.line)),
        Item::new(Column::count("offset"), "its first byte", |problem| {
            problem.offset.map_or(Cell::Null, Cell::Count)
        }),
        Item::new(Column::text("message"), "the reason", |problem| Cell::Text(&problem.message)),
    ]],
};

impl TableRow for Problem {
    type Row<'r> = &'r Problem;
}

/// A number from 1; 0 is unknown.
fn known<'c>(number: u64) -> Cell<'c> {
    if number == 0 { Cell::Null } else { Cell::Count(number) }
}

/// The names of all tables, and all columns of each.
#[must_use]
pub fn all_tables() -> [(&'static str, Vec<Column>); 16] {
    [
        (LEDGER.name, LEDGER.all()),
        (PAIRS.name, PAIRS.all()),
        (NEAR_MISSES.name, NEAR_MISSES.all()),
        (CLUSTERS.name, CLUSTERS.all()),
        (DOCUMENTS.name, DOCUMENTS.all()),
        (PROBLEMS.name, PROBLEMS.all()),
        (CONTAMINATION.name, CONTAMINATION.all()),
        (SPANS.name, SPANS.all()),
        (ITEMS.name, ITEMS.all()),
        (BENCHMARKS.name, BENCHMARKS.all()),
        (PASSAGES.name, PASSAGES.all()),
        (NEAR.name, NEAR.all()),
        (CUTS.name, CUTS.all()),
        (EDITS.name, EDITS.all()),
        (CHANGED.name, CHANGED.all()),
        (REGROUPED.name, REGROUPED.all()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Measures;

    /// The lines of the page of tables that follow from a layout: its name with its columns, in
    /// which those of [`COMPARISON`] are called measures.
    fn listed<R: TableRow>(layout: &Layout<R>) -> String {
        let measures: Vec<&str> = COMPARISON.iter().map(|item| item.column.name).collect();
        let all = layout.all();
        let compares = layout.name == LEDGER.name || layout.name == PAIRS.name;
        let mut names: Vec<String> = Vec::new();
        for column in &all {
            names.push(match compares && measures.contains(&column.name) {
                true => "measures".to_owned(),
                false => format!("`{}`", column.name),
            });
        }
        names.dedup_by(|a, b| a == b && a == "measures");
        format!("\n| `{}` | {}", layout.name, names.join(", "))
    }

    fn described<R: TableRow>(items: &[Item<R>]) -> String {
        let line = |item: &Item<R>| format!("| `{}` | {} |\n", item.column.name, item.doc);
        items.iter().map(line).collect()
    }

    #[test]
    fn the_page_of_tables_has_every_column() {
        let page = include_str!("../../../docs/reference/tables.md");
        for lines in [
            described(CLUSTERS.groups[0]),
            described(COMPARISON),
            described(DIFFERENCES),
            listed(&LEDGER),
            listed(&PAIRS),
            listed(&CLUSTERS),
            listed(&DOCUMENTS),
            listed(&PROBLEMS),
            listed(&CHANGED),
            listed(&REGROUPED),
            CHANGED.groups[1..].iter().map(|group| described(group)).collect(),
            described(REGROUPED.groups[1]),
        ] {
            assert!(page.contains(&lines), "docs/reference/tables.md lacks the lines:\n{lines}");
        }
    }

    #[test]
    fn every_row_has_a_cell_of_its_type_for_each_column() {
        let name = DocumentName { id: "7".into(), file: "a".into(), record: 3, protected: true };
        let evidence = Evidence::Sampled(Overlap { shared: 40, a: 45, b: 45 });
        let difference = Some(DifferenceCells { lost: 3, added: 4, kinds: "numbers" });
        let (rule, whole) = (Some("near"), Some(0.5));
        let row = Compared { a: &name, b: &name, rule, evidence, whole, difference };
        let written = LEDGER.of(Measures::ALL);
        let cells = written.cells(&row);
        assert_eq!(cells.len(), LEDGER.all().len());
        let empty = cells.iter().zip(LEDGER.all()).filter(|(cell, _)| **cell == Cell::Null);
        assert_eq!(empty.map(|(_, column)| column.name).collect::<Vec<_>>(), ["distance"]);
        let few = LEDGER.of(Measures::of_sets(lookalike_core::Measure::Resemblance));
        assert_eq!(few.columns().len() + 8, LEDGER.all().len());
        // Ratios, differences and columns without values have no part in the digest, nor have the
        // places of protected documents.
        let elsewhere = DocumentName { file: "b".into(), record: 4, ..name.clone() };
        let same = Compared { b: &elsewhere, whole: None, difference: None, ..row };
        assert_eq!(written.hash(&row, &mut Vec::new()), few.hash(&same, &mut Vec::new()));
        let other = DocumentName { id: "8".into(), ..name.clone() };
        let other = Compared { b: &other, ..row };
        assert_ne!(written.hash(&row, &mut Vec::new()), written.hash(&other, &mut Vec::new()));
    }

    #[test]
    fn the_dice_coefficient_is_of_the_counts() {
        let name = DocumentName { id: "7".into(), file: "a".into(), record: 3, protected: false };
        let dice = |evidence| {
            let (rule, whole, difference) = (None, None, None);
            let row = Compared { a: &name, b: &name, rule, evidence, whole, difference };
            format!("{:?}", PAIRS.of(Measures::OF_SAMPLES).cells(&row).last().unwrap())
        };
        // 2 · 4 / (5 + 11), and r / (1 + r) times 2 of the resemblance r = 4 / 12.
        assert_eq!(dice(Evidence::Exact(Overlap { shared: 4, a: 5, b: 11 })), "Ratio(0.5)");
        assert_eq!(dice(Evidence::Exact(Overlap { shared: 0, a: 0, b: 0 })), "Ratio(0.0)");
        assert_eq!(dice(Evidence::Distance(3)), "Null");
    }

    #[test]
    fn intervals_worked_by_hand() {
        // 40 of 50: (0.8 + z²/100 ± z·sqrt(0.16/50 + z²/10⁴)) / (1 + z²/50), z² = 3.8415.
        let (low, high) =
            interval(Evidence::Sampled(Overlap { shared: 40, a: 45, b: 45 })).unwrap();
        assert!((low - 0.669_629).abs() < 1e-6 && (high - 0.887_562).abs() < 1e-6, "{low} {high}");
        // All of 128 agree: 128 / (128 + z²) to 1.
        let (low, high) = interval(Evidence::Agreement { equal: 128, of: 128 }).unwrap();
        assert!((low - 0.970_863).abs() < 1e-6 && high > 1.0 - 1e-12, "{low} {high}");
        let exact = Evidence::Exact(Overlap { shared: 40, a: 45, b: 45 });
        assert_eq!([exact, Evidence::Distance(3), Evidence::SameKey].map(interval), [None; 3]);
    }
}
