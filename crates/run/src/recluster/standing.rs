//! The verdict on each document, from the leader of each unit.

use super::earlier::Earlier;
use super::phase_four::Leader;
use super::units::Units;
use crate::documents::Documents;
use crate::{LookalikeError, Settings};
use lookalike_core::{Measure, Overlap};
use lookalike_decide::name::WIDTH;
use lookalike_decide::{CLUSTERS, DocumentRow, Identity, Rule, TableDigest};
use lookalike_engine::{Linkage, SetId, Verify};
use lookalike_io::table::{TableError, TableReader, Value};
use std::path::Path;

/// Data of the table of clusters that are not in the pairs: the similarity of each document to its
/// earlier leader.
#[derive(Debug)]
pub(super) struct Known {
    by_document: Vec<Option<(u32, f64)>>,
}

impl Known {
    /// Reads the table, and adds it to a digest.
    pub(super) fn read(
        run: &Path,
        documents: &Documents,
        digest: &mut TableDigest,
    ) -> Result<Self, LookalikeError> {
        let mut table = TableReader::open(run, CLUSTERS.name, &CLUSTERS.all())?;
        let path = table.path().to_path_buf();
        let [leader, similarity] = ["leader_id", "resemblance"].map(|name| CLUSTERS.place(name));
        let mut by_document = vec![None; documents.rows.len()];
        for (row, cells) in (1u64..).zip(&mut table) {
            let cells = cells?;
            digest.add(cells.iter().map(Value::as_cell));
            // Tables of earlier versions end with the similarity.
            let wanted = similarity + 1..=CLUSTERS.all().len();
            if !wanted.contains(&cells.len()) {
                let reason = format!("{} columns, not {}", cells.len(), wanted.end());
                return Err(TableError::Malformed { path, row, reason }.into());
            }
            // The document, its cluster, the cluster's leader, and their similarity.
            let (member, leader) = (&cells[..WIDTH], &cells[leader..leader + WIDTH]);
            let value = &cells[similarity];
            let (Some(id), Some(leader)) = (documents.find(member), documents.find(leader)) else {
                let reason = "a document that is not in the table `documents`".to_owned();
                return Err(TableError::Malformed { path, row, reason }.into());
            };
            by_document[id as usize] = value.as_ratio().map(|value| (leader, value));
        }
        Ok(Self { by_document })
    }

    /// The similarity of a document to a unit.
    fn value(&self, document: u32, unit: SetId, units: &Units) -> Option<f64> {
        let (leader, value) = self.by_document[document as usize]?;
        (units.of_document(leader) == unit).then_some(value)
    }
}

/// A duplicate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    pub(super) kept: u32,
    pub(super) rule: Rule,
    /// Similarity to the leader, if known.
    pub(super) value: Option<f64>,
}

/// The verdict on each document of the table.
#[derive(Debug)]
pub(super) struct Standing {
    removals: Vec<Option<Removal>>,
    /// The leaders, in the order of their names: the index is the cluster number.
    pub(super) leading: Vec<u32>,
}

impl Standing {
    pub(super) fn new(
        earlier: &Earlier,
        settings: &Settings,
        documents: &Documents,
        units: &Units,
        leaders: &[Leader],
        known: &Known,
    ) -> Self {
        let verify = settings.method.as_ref().map(|method| method.verify);
        let by_match = Rule::by_match(settings.linkage(), verify);
        let exact = verify.is_none_or(|verify| verify == Verify::Exact);
        let mut removals = vec![None; documents.rows.len()];
        let row = |document: u32| documents.rows[document as usize];
        // As in the run: documents of one unit are in a cluster only if other units connect them.
        let mut connects = vec![!units.across; leaders.len()];
        if settings.linkage() == Linkage::Components {
            for (unit, leader) in
                units.ids().zip(leaders).filter(|(unit, leader)| *unit != leader.unit)
            {
                connects[unit.index()] = true;
                connects[leader.unit.index()] = true;
            }
        }
        for (unit, leader) in units.ids().zip(leaders) {
            if unit == leader.unit && !connects[unit.index()] {
                continue;
            }
            let kept = units.members(leader.unit)[0];
            let are_equal = |counts: Overlap| [counts.a, counts.b] == [counts.shared; 2];
            let equal = exact && leader.counts.is_some_and(are_equal);
            for &document in units.members(unit).iter().filter(|&&document| document != kept) {
                let (a, b) = (row(document), row(kept));
                let identity = |row: DocumentRow, set: SetId| Identity {
                    content: row.identical,
                    tokens: row.lexically_equivalent,
                    set,
                };
                let rule = match units.across {
                    true if unit == leader.unit => by_match,
                    true if equal => {
                        Rule::of(&identity(a, leader.unit), &identity(b, leader.unit), by_match)
                    }
                    _ => Rule::of(&identity(a, unit), &identity(b, leader.unit), by_match),
                };
                let value =
                    leader.counts.map(|counts| settings.measure.value(counts)).or_else(|| {
                        let value = known.value(document, leader.unit, units)?;
                        translated(earlier.settings.measure, settings.measure, value, a, b)
                    });
                removals[document as usize] = Some(Removal { kept, rule, value });
            }
        }
        let mut leading: Vec<u32> = removals.iter().flatten().map(|removal| removal.kept).collect();
        leading.sort_unstable();
        leading.dedup();
        Self { removals, leading }
    }

    pub(super) fn removals(&self) -> impl Iterator<Item = (u32, Removal)> + '_ {
        (0u32..).zip(&self.removals).filter_map(|(document, removal)| Some((document, (*removal)?)))
    }

    /// The number of a leader's cluster.
    pub(super) fn number(&self, leader: u32) -> u64 {
        self.leading.partition_point(|&other| other < leader) as u64
    }
}

/// Converts a value of one measure to another, by way of the count of common elements, which is a
/// whole number and therefore recovered exactly.
fn translated(
    from: Measure,
    to: Measure,
    value: f64,
    a: DocumentRow,
    b: DocumentRow,
) -> Option<f64> {
    if from == to {
        return Some(value);
    }
    let (x, y) = (f64::from(a.size), f64::from(b.size));
    let shared = match from {
        Measure::Resemblance => value * (x + y) / (1.0 + value),
        // It was of the smaller in the larger.
        Measure::Containment => value * x.min(y),
        Measure::Cosine => value * (x * y).sqrt(),
    };
    let counts = |a: DocumentRow, b: DocumentRow| Overlap {
        shared: shared.round() as u32,
        a: a.size,
        b: b.size,
    };
    let smaller_first = if a.size <= b.size { counts(a, b) } else { counts(b, a) };
    // Otherwise the value is not of these two documents.
    let same = (from.value(smaller_first) - value).abs() < 1e-12;
    same.then(|| to.value(counts(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_count_is_found_again(a in 1u32..100_000, b in 1u32..100_000, shared in 0u32..100_000) {
            let (a, b) = (a.min(b), a.max(b));
            let counts = Overlap { shared: shared.min(a), a, b };
            let row = |size| DocumentRow {
                place: 1, precedence: 1, text_bytes: 0, size,
                feature_equivalent: 1, lexically_equivalent: 1, identical: 1,
            };
            for from in [Measure::Resemblance, Measure::Containment, Measure::Cosine] {
                for to in [Measure::Resemblance, Measure::Containment, Measure::Cosine] {
                    let found = translated(from, to, from.value(counts), row(a), row(b));
                    prop_assert_eq!(found, Some(to.value(counts)), "{:?} {:?}", from, to);
                }
            }
        }
    }
}
