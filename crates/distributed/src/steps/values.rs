//! Matches by pair of values, where documents match only across values.
//!
//! Values are counted in each task, and summed by value; of all of them only the largest are named, so that what the
//! driver collects is small. Each match then goes from either set to the other with the value and the number of documents
//! of the first, so that the task that has all matches of a set knows which values its documents match.

use super::damaged;
use super::rows::RowKind;
use super::step::RowStep;
use super::tables::{
    DocumentValue, Edge, Member, MemberWriter, ValueCount, ValueCountWriter, ValuePair,
    ValuePairWriter, edge, member,
};
use arrow_array::RecordBatch;
use lookalike_run::across::{CountedBy, Counts, Value, Values};
use lookalike_run::{LookalikeError, Settings};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Values that a task counts at a time.
const AT_A_TIME: usize = 1 << 16;

/// Rows of [`DocumentValue`]: the number of documents by value, those of a value in one row or in several.
#[derive(Default)]
pub(super) struct ValueCounts(BTreeMap<i64, (Value, Option<String>)>);

impl RowStep<DocumentValue<'static>, ValueCount<'static>> for ValueCounts {
    fn row(
        &mut self,
        document: DocumentValue<'_>,
        out: &mut ValueCountWriter,
    ) -> Result<(), LookalikeError> {
        let (Some(row), key @ 1..) = (document.row, document.value) else { return Ok(()) };
        match self.0.entry(key) {
            Entry::Occupied(mut found) => {
                let value = &mut found.get_mut().0;
                value.documents += 1;
                value.first = value.first.min(row as u64);
            }
            Entry::Vacant(new) => {
                let value = Value { key: key as u64, documents: 1, first: row as u64 };
                new.insert((value, document.value_name.map(str::to_owned)));
            }
        }
        match self.0.len() {
            AT_A_TIME.. => self.end(out),
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut ValueCountWriter) -> Result<(), LookalikeError> {
        let found = std::mem::take(&mut self.0);
        found.into_values().try_for_each(|(value, name)| push(out, value, name.as_deref()))
    }
}

fn push(
    out: &mut ValueCountWriter,
    value: Value,
    name: Option<&str>,
) -> Result<(), LookalikeError> {
    let Value { key, documents, first } = value;
    let (documents, first) = (documents as i64, first as i64);
    let row = ValueCount { value: key as i64, name, first, ..ValueCount::default() };
    out.push(ValueCount { documents, values: 1, ..row })
}

/// Rows of [`ValueCount`], sorted by value: the largest values of a task, and all others in one row.
#[derive(Default)]
pub(super) struct LargestValues {
    largest: Vec<(Value, String)>,
    others: (u64, u64),
}

impl LargestValues {
    /// Leaves the largest values.
    fn cut(&mut self) {
        let mut values: Vec<Value> = self.largest.iter().map(|(value, _)| *value).collect();
        Values::sort(&mut values);
        let rest = values.split_off(values.len().min(Values::CANDIDATES));
        self.others.0 += rest.len() as u64;
        self.others.1 += rest.iter().map(|value| value.documents).sum::<u64>();
        self.largest.retain(|(own, _)| values.iter().any(|value| value.key == own.key));
    }
}

impl RowStep<ValueCount<'static>, ValueCount<'static>> for LargestValues {
    fn row(&mut self, row: ValueCount<'_>, _: &mut ValueCountWriter) -> Result<(), LookalikeError> {
        let (documents, first) = (row.documents as u64, row.first as u64);
        match self.largest.last_mut() {
            Some((value, _)) if value.key == row.value as u64 => {
                value.documents += documents;
                value.first = value.first.min(first);
            }
            _ => {
                // All rows of the last value were read.
                if self.largest.len() > 2 * Values::CANDIDATES {
                    self.cut();
                }
                let value = Value { key: row.value as u64, documents, first };
                self.largest.push((value, row.name.unwrap_or_default().to_owned()));
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut ValueCountWriter) -> Result<(), LookalikeError> {
        self.cut();
        for (value, name) in &self.largest {
            push(out, *value, Some(name))?;
        }
        let (values, documents) = self.others;
        let (values, documents) = (values as i64, documents as i64);
        out.push(ValueCount { values, documents, ..ValueCount::default() })
    }
}

/// Rows of [`Edge`] about removed sets, or matches: from each set of a match to the other, and from the witness
/// to the set that is removed.
pub(super) struct ValueEdges;

impl RowStep<Edge<'static>, Member<'static>> for ValueEdges {
    fn row(&mut self, row: Edge<'_>, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        let mut send =
            |key, other| out.push(Member { key, other, kind: member::MATCH, ..Member::default() });
        if let edge::DECISION | edge::MATCH = row.kind {
            send(row.earlier, row.later)?;
        }
        match row.kind {
            edge::MATCH => send(row.later, row.earlier),
            _ => Ok(()),
        }
    }
}

/// The documents of the set whose rows are read.
#[derive(Default)]
struct SetValue {
    set: Option<i64>,
    value: i64,
    documents: i64,
}

impl SetValue {
    /// Adds a document.
    fn add(&mut self, row: &Member<'_>) {
        if self.set != Some(row.key) {
            *self = Self { set: Some(row.key), value: row.value, documents: 0 };
        }
        self.documents += 1;
    }

    /// The set of a row behind its documents.
    fn of(&self, key: i64) -> Result<&Self, LookalikeError> {
        let found = Some(self).filter(|own| own.set == Some(key));
        found.ok_or_else(|| damaged("a set has no documents: the engine lost rows"))
    }
}

/// Documents, and rows of [`ValueEdges`], by set and sorted by (key, kind): the value and the number of documents of
/// a set, for the set that it matches.
#[derive(Default)]
pub(super) struct ValueEnds(SetValue);

impl RowStep<Member<'static>, Member<'static>> for ValueEnds {
    fn row(&mut self, row: Member<'_>, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        match row.kind {
            member::DOCUMENT => self.0.add(&row),
            member::MATCH => {
                let &SetValue { value, documents: size, .. } = self.0.of(row.key)?;
                let (key, kind) = (row.other, member::END);
                out.push(Member { key, kind, value, size, ..Member::default() })?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Documents, and what [`ValueEnds`] makes, by set and sorted by (key, kind): the numbers by pair of values.
pub(super) struct ValuePairs {
    places: HashMap<i64, usize>,
    set: SetValue,
    /// The values that the documents of the set match.
    matched: BTreeSet<usize>,
    counts: Counts,
}

impl ValuePairs {
    /// `named` are the keys of the values that are named.
    pub(super) fn new(named: &[i64]) -> Self {
        let places = named.iter().copied().zip(0..).collect();
        let (set, matched, counts) = Default::default();
        Self { places, set, matched, counts }
    }

    fn place(&self, value: i64) -> usize {
        self.places.get(&value).copied().unwrap_or(self.places.len())
    }

    /// Ends a set.
    fn end_set(&mut self) {
        let of = self.place(self.set.value);
        for with in std::mem::take(&mut self.matched) {
            self.counts.entry((of, with)).or_default().0 += self.set.documents as u64;
        }
    }
}

impl RowStep<Member<'static>, ValuePair<'static>> for ValuePairs {
    fn row(&mut self, row: Member<'_>, _: &mut ValuePairWriter) -> Result<(), LookalikeError> {
        match row.kind {
            member::DOCUMENT => {
                if self.set.set != Some(row.key) {
                    self.end_set();
                }
                self.set.add(&row);
            }
            member::END => {
                let pairs = (self.set.of(row.key)?.documents * row.size) as u64;
                let (of, with) = (self.place(self.set.value), self.place(row.value));
                *self.counts.entry((of, with)).or_default().1.get_or_insert(0) += pairs;
                self.matched.insert(with);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, out: &mut ValuePairWriter) -> Result<(), LookalikeError> {
        self.end_set();
        for (&(of, with), &(documents, pairs)) in &self.counts {
            let (of, with, documents) = (of as i64, with as i64, documents as i64);
            let pairs = pairs.unwrap_or(0) as i64;
            out.push(ValuePair { of, with, documents, pairs, ..ValuePair::default() })?;
        }
        Ok(())
    }
}

/// The values of all tasks, with the names of the largest by key.
fn values_of(rows: &[RecordBatch]) -> Result<(Values, HashMap<u64, String>), LookalikeError> {
    let (mut all, mut others, mut names) = (Vec::new(), (0, 0), HashMap::new());
    for batch in rows {
        ValueCount::each(batch, |row| {
            let (key, documents) = (row.value as u64, row.documents as u64);
            if key == 0 {
                others = (others.0 + row.values as u64, others.1 + documents);
            } else {
                all.push(Value { key, documents, first: row.first as u64 });
                names.insert(key, row.name.unwrap_or_default().to_owned());
            }
            Ok(())
        })?;
    }
    Ok((Values::new(all, others), names))
}

/// The keys of the values that are named, for `value_pairs`, from what `largest_values` made.
///
/// # Errors
/// Rows of other columns.
pub fn value_keys(values: &[RecordBatch]) -> Result<Vec<u64>, LookalikeError> {
    Ok(values_of(values)?.0.largest().iter().map(|value| value.key).collect())
}

/// The numbers of a run by pair of values, as JSON, from what `largest_values` and `value_pairs` made. `complete`: of
/// all matches; else of removals.
///
/// # Errors
/// Rows of other columns; settings without `across`.
pub fn across_summary(
    settings: &Settings,
    complete: bool,
    values: &[RecordBatch],
    pairs: &[RecordBatch],
) -> Result<String, LookalikeError> {
    let across = settings.across().ok_or_else(|| damaged("documents match whatever they are"))?;
    let (values, mut names) = values_of(values)?;
    let mut counts = Counts::new();
    for batch in pairs {
        ValuePair::each(batch, |row| {
            let found = counts.entry((row.of as usize, row.with as usize)).or_default();
            found.0 += row.documents as u64;
            if complete {
                *found.1.get_or_insert(0) += row.pairs as u64;
            }
            Ok(())
        })?;
    }
    for ((of, with), (_, pairs)) in &mut counts {
        if let Some(pairs) = pairs.as_mut().filter(|_| of == with) {
            *pairs /= 2;
        }
    }
    let name = |value: &Value| names.remove(&value.key).unwrap_or_default();
    let names = values.largest().iter().map(name).collect();
    let counted = if complete { CountedBy::Matches } else { CountedBy::Removals };
    Ok(serde_json::to_string(&values.summary(&across, names, counted, counts))?)
}
