//! The units of a run, in the requested order of precedence.
//!
//! As `lookalike_engine::units`, but from the table: documents with the same features are one unit,
//! and unit 0 takes precedence over all others.

use super::earlier::unanswerable;
use crate::LookalikeError;
use crate::documents::Documents;
use lookalike_cluster::{Attributes, KeepItem, KeepRule, list_keep_rules};
use lookalike_core::Measure;
use lookalike_decide::DocumentRow;
use lookalike_engine::SetId;
use std::cmp::Ordering;
use std::path::Path;

/// The units. Documents have plain numbers, in the order of their names.
#[derive(Debug)]
pub(super) struct Units {
    /// Documents in order of precedence, unit by unit.
    members: Vec<u32>,
    starts: Vec<u32>,
    of_document: Vec<SetId>,
    /// Whether documents match only across values: then documents of one unit do not match each other.
    pub(super) across: bool,
    /// Position of each document in the order of precedence.
    pub(super) order: Vec<u32>,
}

impl Units {
    pub(super) fn new(
        documents: &Documents,
        order: Vec<u32>,
        measure: Measure,
        across: bool,
    ) -> Self {
        let row = |document: u32| documents.rows[document as usize];
        let mut members: Vec<u32> = (0..documents.len()).collect();
        members.sort_unstable_by_key(|&d| (row(d).feature_equivalent, order[d as usize]));
        let mut groups: Vec<&[u32]> = members
            .chunk_by(|&a, &b| row(a).feature_equivalent == row(b).feature_equivalent)
            .collect();
        groups.sort_unstable_by_key(|group| {
            // A document is contained only in documents of at least its size.
            let size = if measure == Measure::Containment { row(group[0]).size } else { 0 };
            (std::cmp::Reverse(size), order[group[0] as usize])
        });
        let mut starts = vec![0];
        let mut of_document = vec![SetId(0); members.len()];
        for (unit, group) in (0..).map(SetId).zip(&groups) {
            group.iter().for_each(|&document| of_document[document as usize] = unit);
            starts.push(starts[unit.index()] + group.len() as u32);
        }
        let members = groups.concat();
        Self { members, starts, of_document, across, order }
    }

    /// All units, in order of precedence.
    pub(super) fn ids(&self) -> impl ExactSizeIterator<Item = SetId> + use<> {
        (0..self.starts.len() as u32 - 1).map(SetId)
    }

    /// The documents of a unit; the first leads.
    pub(super) fn members(&self, unit: SetId) -> &[u32] {
        let unit = unit.index();
        &self.members[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }

    pub(super) fn of_document(&self, document: u32) -> SetId {
        self.of_document[document as usize]
    }
}

/// Position of each document in the order of the rules: that of the run if they are its own, else
/// from the table.
pub(super) fn precedence_order(
    run: &Path,
    documents: &Documents,
    asked: &[KeepRule],
    own: &[KeepRule],
) -> Result<Vec<u32>, LookalikeError> {
    if until_first(asked) == until_first(own) {
        return Ok(documents.rows.iter().map(|row| row.precedence).collect());
    }
    if let Some(rule) = until_first(asked).iter().find(|rule| !rule.needs().is_in_tables()) {
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        return Err(unanswerable(
            run,
            format!(
                "its tables do not hold what the setting keep={rule} goes by; they hold the order of its \
                 own rules ({}), and what {} need; run `cluster` with the setting keep={rule}",
                own.join(","),
                list_keep_rules(|rule| rule.needs.is_in_tables(), KeepItem::form, "and"),
            ),
        ));
    }
    let columns: Vec<(&KeepRule, Vec<f64>)> = until_first(asked)
        .iter()
        .map(|rule| (rule, documents.rows.iter().map(|row| value(rule, row)).collect()))
        .collect();
    let mut order: Vec<u32> = (0..documents.len()).collect();
    order.sort_unstable_by(|&a, &b| {
        let by = |(rule, column): &(&KeepRule, Vec<f64>)| {
            rule.compare(column[a as usize], column[b as usize])
        };
        let order = columns.iter().map(by).find(|order| order.is_ne()).unwrap_or(Ordering::Equal);
        // Ties go by name.
        order.then(a.cmp(&b))
    });
    let mut places = vec![0; order.len()];
    (1u32..).zip(order).for_each(|(place, document)| places[document as usize] = place);
    Ok(places)
}

/// The rules up to the first one without ties.
fn until_first(rules: &[KeepRule]) -> &[KeepRule] {
    let first = rules.iter().position(KeepRule::is_by_order);
    first.map_or(rules, |at| &rules[..=at])
}

/// The value of a rule that needs the position or the text.
fn value(rule: &KeepRule, row: &DocumentRow) -> f64 {
    struct Text(u64);
    impl Attributes for Text {
        fn text_bytes(&self) -> u64 {
            self.0
        }
    }
    match rule.is_by_order() {
        true => row.place.into(),
        false => rule.value(&Text(row.text_bytes)),
    }
}
