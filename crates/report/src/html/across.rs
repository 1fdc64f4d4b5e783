//! Matches by pair of values, as a matrix.

use crate::clean::{self, MEDIUM};
use crate::human::{count, counted, share};
use crate::{AcrossPair, CountedBy, Summary};

/// The matrix: a row for the documents of each value, and a column for the values that they match.
#[derive(Debug)]
pub(super) struct AcrossTable {
    pub(super) by: String,
    pub(super) sentence: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<AcrossRow>,
}

/// A value.
#[derive(Debug)]
pub(super) struct AcrossRow {
    pub(super) value: String,
    pub(super) documents: String,
    pub(super) cells: Vec<AcrossCell>,
}

/// A pair of values; empty without any match.
#[derive(Debug, Default)]
pub(super) struct AcrossCell {
    pub(super) documents: String,
    /// Share of the documents of the row, and pairs.
    pub(super) note: String,
}

/// The matrix of a run; `None` if documents were not compared across values.
pub(super) fn table(summary: &Summary) -> Option<AcrossTable> {
    let found = summary.across.as_ref()?;
    let name = |value| clean::line(&found.name(value), MEDIUM);
    let cell = |pair: &AcrossPair| {
        let all = found.values.get(pair.of).map_or(0, |value| value.documents);
        let pairs = pair.pairs.map(|pairs| format!(", {}", counted(pairs, "pair")));
        AcrossCell {
            documents: count(pair.documents),
            note: format!("{}{}", share(pair.documents, all), pairs.unwrap_or_default()),
        }
    };
    let row = |(of, value): (usize, &crate::AcrossValue)| {
        let cells = (0..found.values.len()).map(|with| {
            let pair = found.pairs.iter().find(|pair| (pair.of, pair.with) == (of, with));
            pair.map(cell).unwrap_or_default()
        });
        AcrossRow { value: name(of), documents: count(value.documents), cells: cells.collect() }
    };
    Some(AcrossTable {
        by: clean::line(&found.by, MEDIUM),
        sentence: match found.counted {
            CountedBy::Matches => {
                "Documents of each row that match a document of the column, their share of the row, and \
                 the matching pairs."
            }
            CountedBy::Removals => {
                "Documents of each row that are duplicates of a kept document of the column, and their \
                 share of the row."
            }
            CountedBy::Nothing => {
                "Not counted: the list of pairs is incomplete (the setting max_pairs)."
            }
        }
        .to_owned(),
        columns: (0..found.values.len()).map(name).collect(),
        rows: found.values.iter().enumerate().map(row).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AcrossSummary, AcrossValue};

    #[test]
    fn a_matrix_has_a_cell_for_each_pair_of_values() {
        let value = |value: &str| AcrossValue { value: value.into(), documents: 10 };
        let pair = AcrossPair { of: 1, with: 0, documents: 5, millionths: 500_000, pairs: Some(8) };
        let found = AcrossSummary {
            values: vec![value("train"), value("test")],
            pairs: vec![pair],
            ..AcrossSummary::default()
        };
        let summary = Summary { across: Some(found), ..Summary::default() };
        let table = table(&summary).unwrap();
        assert_eq!(table.columns, ["train", "test"]);
        assert_eq!(table.rows[1].cells[0].documents, "5");
        assert_eq!(table.rows[1].cells[0].note, "50.0 %, 8 pairs");
        assert!(table.rows[0].cells[1].documents.is_empty());
        assert!(super::table(&Summary::default()).is_none());
    }
}
