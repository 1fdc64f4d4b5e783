//! Decisions about sets to the rows of the result tables.

use super::damaged;
use super::step::{RowStep, StepContext};
use super::summed::{Sum, TableRow, digest_of, halves, whole};
use super::tables::{
    Document, Edge, Found, FoundWriter, Member, MemberWriter, edge, measures, member, result,
};
use arrow_array::RecordBatch;
use lookalike_core::{Measure, Overlap};
use lookalike_decide::{
    CLUSTERS, Compared, DocumentName, Identity, LEDGER, Measures, Member as ClusterRow, PAIRS,
    Represented, Rule, Written,
};
use lookalike_engine::Linkage;
use lookalike_methods::Evidence;
use lookalike_run::LookalikeError;
use std::cmp::Ordering;

/// Rows of [`super::tables::Edge`] about removed sets, or matches: as rows of [`Member`] by the
/// removed set, or by the earlier set of a match.
/// With `names_witnesses` also a row by the witness of a removed set.
pub(super) struct MemberEdges {
    names_witnesses: bool,
}

impl MemberEdges {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { names_witnesses: context.connects_units() }
    }
}

impl RowStep<Edge<'static>, Member<'static>> for MemberEdges {
    fn row(&mut self, row: Edge<'_>, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        let (later, earlier) = (row.later, row.earlier);
        if self.names_witnesses && row.kind == edge::DECISION {
            let kind = member::WITNESS;
            out.push(Member { key: earlier, kind, rank: -1, ..Member::default() })?;
        }
        let own = match row.kind {
            edge::DECISION => Member {
                key: later,
                kind: member::REMOVED,
                other: earlier,
                size: row.size_later,
                size_other: row.size_earlier,
                ..Member::default()
            },
            // By the earlier set; its documents are the second of the pair.
            edge::MATCH => Member {
                key: earlier,
                kind: member::MATCH,
                other: later,
                size: row.size_earlier,
                size_other: row.size_later,
                ..Member::default()
            },
            _ => return Ok(()),
        };
        let (whole_shared, whole_union) = (row.whole_shared, row.whole_union);
        out.push(Member { rank: -1, shared: row.shared, whole_shared, whole_union, ..own })
    }
}

/// Decisions and documents by set, sorted by (key, kind, rank): each document by the leader of its
/// cluster, or as a leader.
///
/// Where documents match only across values, those of a set do not match each other: each leads, unless
/// other sets of the component connect them.
pub(super) struct Assign {
    across: bool,
    removed: Option<Member<'static>>,
    /// The last set that is a witness.
    witness: Option<i64>,
}

impl Assign {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { across: context.settings.across.is_some(), removed: None, witness: None }
    }
}

impl RowStep<Member<'static>, Member<'static>> for Assign {
    fn row(&mut self, row: Member<'_>, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        match row.kind {
            member::WITNESS => self.witness = Some(row.key),
            member::REMOVED => {
                let Member { key, other, shared, size_other, .. } = row;
                let Member { whole_shared, whole_union, .. } = row;
                self.removed = Some(Member {
                    key,
                    other,
                    shared,
                    size_other,
                    whole_shared,
                    whole_union,
                    ..Member::default()
                });
            }
            member::DOCUMENT => {
                let removed = self.removed.filter(|removed| removed.key == row.key);
                let alone = self.across && self.witness != Some(row.key);
                let leads = alone || row.rank == row.key;
                out.push(match removed {
                    // In `other` the set of the document.
                    Some(Member {
                        other, shared, size_other, whole_shared, whole_union, ..
                    }) => Member {
                        key: other,
                        kind: member::FOLLOWER,
                        other: row.key,
                        shared,
                        size_other,
                        whole_shared,
                        whole_union,
                        ..row
                    },
                    None => Member {
                        key: if leads { row.rank } else { row.key },
                        kind: if leads { member::LEADER } else { member::FOLLOWER },
                        other: row.key,
                        shared: row.size,
                        size_other: row.size,
                        // Documents of equal sets have equal complete sets, or the same words.
                        whole_shared: 1,
                        whole_union: 1,
                        ..row
                    },
                })?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// A document of a row, owned.
#[derive(Debug, Clone)]
struct Owned {
    rank: i64,
    side: i64,
    name: DocumentName<'static>,
    identity: Identity<(i64, i64), (i64, i64), i64>,
    size: i64,
    /// Whether it follows the leader before it.
    written: bool,
}

/// The documents of the set whose rows are read.
#[derive(Default)]
struct OfSet {
    set: Option<i64>,
    documents: Vec<Owned>,
}

impl OfSet {
    /// The documents of a set: none yet, if another one came before.
    fn of(&mut self, set: i64) -> &mut Vec<Owned> {
        if self.set.replace(set) != Some(set) {
            self.documents.clear();
        }
        &mut self.documents
    }
}

impl<'n> Found<'n> {
    /// A row about a document of a side.
    fn of(table: i64, side: i64, a: &'n DocumentName<'_>) -> Self {
        let a_record = a.record.into();
        Self { table, side, a_id: Some(&a.id), a_file: Some(&a.file), a_record, ..Self::default() }
    }

    /// The row with a second document.
    fn and(self, b: &'n DocumentName<'_>) -> Self {
        let b_record = Some(b.record.into());
        Self { b_id: Some(&b.id), b_file: Some(&b.file), b_record, ..self }
    }

    /// The row with the hash of what it says.
    fn hashed(self, hash: u128) -> Self {
        let (hash_high, hash_low) = halves(hash);
        Self { hash_high, hash_low, ..self }
    }

    /// The name of the first document.
    fn a(&self) -> DocumentName<'n> {
        DocumentName {
            id: self.a_id.unwrap_or_default().into(),
            file: self.a_file.unwrap_or_default().into(),
            record: self.a_record as u32,
            protected: self.side == 1,
        }
    }
}

/// Makes rows of [`Found`].
struct Rows {
    names: [String; 2],
    measure: Measure,
    /// Columns of the ledger and of the pairs.
    columns: [Written<Compared<'static>>; 2],
    cross: bool,
    leaders: bool,
    /// Whether texts are ignored, so that complete documents are compared as well.
    whole: bool,
    bytes: Vec<u8>,
}

/// The counts of two sets, and of the complete documents, where texts are ignored.
#[derive(Clone, Copy)]
struct Counts {
    sets: Overlap,
    whole: Overlap,
}

impl Counts {
    /// Of sets with these sizes.
    fn of(row: &Member<'_>, [a, b]: [i64; 2]) -> Self {
        let [shared, a, b] = [row.shared, a, b].map(|count| count as u32);
        let [common, union] = [row.whole_shared, row.whole_union].map(|count| count as u32);
        // Their resemblance is that of the complete documents.
        let whole = Overlap { shared: common, a: union, b: common };
        Self { sets: Overlap { shared, a, b }, whole }
    }

    /// Of equal sets.
    fn equal(size: i64) -> Self {
        let row = Member { shared: size, whole_shared: 1, whole_union: 1, ..Member::default() };
        Self::of(&row, [size, size])
    }

    fn swapped(self) -> Self {
        Self { sets: self.sets.swapped(), ..self }
    }
}

impl Rows {
    fn new(context: &StepContext) -> Self {
        let measure = context.criterion.measure;
        Self {
            names: [0, 1].map(|side| context.name(side).to_owned()),
            measure,
            columns: [LEDGER, PAIRS].map(|table| table.of(measures(&context.settings))),
            cross: context.cross,
            leaders: context.settings.linkage() == Linkage::Leaders,
            whole: measures(&context.settings).whole,
            bytes: Vec::new(),
        }
    }

    fn name<'n>(&'n self, row: &'n Member<'_>) -> DocumentName<'n> {
        let file = &self.names[row.side.clamp(0, 1) as usize];
        DocumentName {
            id: row.id.unwrap_or_default().into(),
            file: file.as_str().into(),
            record: (row.row + 1) as u32,
            protected: row.side == 1 && !self.cross,
        }
    }

    fn own(&self, row: &Member<'_>) -> Owned {
        Owned {
            rank: row.rank,
            side: row.side,
            name: self.name(row).into_owned(),
            identity: identity(row),
            size: row.size,
            written: false,
        }
    }

    /// A row of the ledger or of the pairs.
    fn compared(
        &mut self,
        table: i64,
        side: i64,
        [a, b]: [&DocumentName<'_>; 2],
        rule: Option<&str>,
        counts: Counts,
        out: &mut FoundWriter,
    ) -> Result<(), LookalikeError> {
        let evidence = Evidence::Exact(counts.sets);
        let whole = self.whole.then(|| counts.whole.resemblance());
        let columns = &self.columns[usize::from(rule.is_none())];
        let row = Compared { a, b, rule, evidence, whole, difference: None };
        let hash = columns.hash(&row, &mut self.bytes);
        let found = Found::of(table, side, a).and(b).hashed(hash);
        out.push(Found { rule, compared: Some(row), ..found })
    }

    /// A pair, in the order of its documents; of two collections that of the call first, and no pair
    /// within one.
    fn pair(
        &mut self,
        x: (&DocumentName<'_>, i64),
        y: (&DocumentName<'_>, i64),
        counts: Counts,
        out: &mut FoundWriter,
    ) -> Result<(), LookalikeError> {
        // With leaders, a pair of the other collection has no part in what is removed.
        if (self.cross && x.1 == y.1) || (self.leaders && x.0.protected && y.0.protected) {
            return Ok(());
        }
        let place = |(name, side): (&DocumentName<'_>, i64)| (side, name.record);
        let order = match self.cross {
            true => x.1.cmp(&y.1),
            false => x.0.id.as_bytes().cmp(y.0.id.as_bytes()).then(place(x).cmp(&place(y))),
        };
        match order {
            Ordering::Greater => {
                self.compared(result::PAIR, y.1, [y.0, x.0], None, counts.swapped(), out)
            }
            _ => self.compared(result::PAIR, x.1, [x.0, y.0], None, counts, out),
        }
    }
}

/// What decides whether the documents of two rows are equal.
fn identity(row: &Member<'_>) -> Identity<(i64, i64), (i64, i64), i64> {
    Identity {
        content: (row.text_high, row.text_low),
        tokens: (row.tokens_high, row.tokens_low),
        set: row.other,
    }
}

/// Leaders and followers sorted by (key, kind, other, rank): the ledger, the clusters, the documents
/// that are kept, the pairs of documents with equal sets, and the pairs of removed sets with their
/// witnesses where not all pairs are listed.
pub(super) struct Results {
    rows: Rows,
    complete: bool,
    list: bool,
    only_against: bool,
    across: bool,
    by_match: Rule,
    leader: Option<Owned>,
    equal: EqualPairs,
}

impl Results {
    /// With `list`, nothing is removed: there is no ledger.
    pub(super) fn new(context: &StepContext, list: bool) -> Self {
        Self {
            rows: Rows::new(context),
            complete: context.complete,
            list,
            only_against: context.only_against,
            across: context.settings.across.is_some(),
            by_match: Rule::by_match(context.settings.linkage(), None),
            leader: None,
            equal: EqualPairs::new(context),
        }
    }

    fn kept(&self, row: &Member<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        match row.side {
            0 => out.push(Found::of(result::KEPT, row.side, &self.rows.name(row))),
            _ => Ok(()),
        }
    }

    /// Why a follower goes.
    fn rule(&self, row: &Member<'_>, leader: &Owned) -> Rule {
        let own = identity(row);
        let is_same = own.set == leader.identity.set;
        let are_equal = row.shared == row.size && row.shared == row.size_other;
        match self.across {
            // Documents of one set do not match each other: others connect them.
            true if is_same => self.by_match,
            // Equal sets of documents of different values are different ones here.
            true if are_equal && !self.rows.whole => {
                let set = leader.identity.set;
                Rule::of(&Identity { set, ..own }, &leader.identity, self.by_match)
            }
            _ => Rule::of(&own, &leader.identity, self.by_match),
        }
    }

    fn follower(&mut self, row: &Member<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        let Some(mut leader) = self.leader.take().filter(|leader| leader.rank == row.key) else {
            return Err(damaged("a duplicate has no leader: the engine lost rows"));
        };
        if self.rows.leaders && row.side == 1 {
            // It is kept, and represented by no other of its collection.
            self.leader = Some(leader);
            return Ok(());
        }
        if self.only_against && leader.side == 0 {
            self.leader = Some(leader);
            return self.kept(row, out);
        }
        let rule = self.rule(row, &leader);
        let counts = Counts::of(row, [row.size, row.size_other]);
        let name = self.rows.own(row);
        if !self.list && row.side == 0 {
            self.rows.compared(
                result::LEDGER,
                row.side,
                [&name.name, &leader.name],
                Some(rule.name()),
                counts,
                out,
            )?;
        }
        if !self.complete && row.other != leader.identity.set {
            self.rows.pair((&name.name, row.side), (&leader.name, leader.side), counts, out)?;
        }
        let measure = self.rows.measure.value(counts.sets);
        if !leader.written {
            let row = Found::of(result::LEADER, leader.side, &leader.name);
            out.push(Found { leader: leader.rank, measure: Some(1.0), ..row })?;
        }
        let (rule, measure) = (Some(rule.name()), Some(measure));
        let row = Found::of(result::MEMBER, name.side, &name.name);
        out.push(Found { leader: leader.rank, rule, measure, ..row })?;
        leader.written = true;
        self.leader = Some(leader);
        Ok(())
    }
}

impl RowStep<Member<'static>, Found<'static>> for Results {
    fn row(&mut self, row: Member<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        // Sets come after that of their leader, so the documents of each are together.
        self.equal.document(row.other, &row, out)?;
        if row.kind == member::LEADER {
            self.leader = Some(self.rows.own(&row));
            self.kept(&row, out)
        } else {
            self.follower(&row, out)
        }
    }
}

/// Documents without features that can be used: they are kept.
pub(super) struct KeptAlone(String);

impl KeptAlone {
    pub(super) fn new(context: &StepContext) -> Self {
        Self(context.name(0).to_owned())
    }
}

impl RowStep<Document<'static>, Found<'static>> for KeptAlone {
    fn row(&mut self, row: Document<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        if row.problem.is_none() && row.unit_high.is_none() && row.side == 0 {
            out.push(Found {
                table: result::KEPT,
                a_id: row.id,
                a_file: Some(&self.0),
                a_record: row.row.unwrap_or_default() + 1,
                ..Found::default()
            })?;
        }
        Ok(())
    }
}

/// Documents by set, sorted by (key, kind, rank): pairs of documents with equal sets. All pairs, or
/// each document with the first.
pub(super) struct EqualPairs {
    rows: Rows,
    complete: bool,
    /// Documents of a set do not match each other.
    across: bool,
    documents: OfSet,
}

impl EqualPairs {
    pub(super) fn new(context: &StepContext) -> Self {
        let (rows, documents) = (Rows::new(context), OfSet::default());
        let across = context.settings.across.is_some();
        Self { rows, complete: context.complete, across, documents }
    }

    /// Takes a document with a set.
    fn document(
        &mut self,
        set: i64,
        row: &Member<'_>,
        out: &mut FoundWriter,
    ) -> Result<(), LookalikeError> {
        if self.across {
            return Ok(());
        }
        let documents = self.documents.of(set);
        let own = self.rows.own(row);
        let counts = Counts::equal(own.size);
        for other in &*documents {
            self.rows.pair((&own.name, own.side), (&other.name, other.side), counts, out)?;
        }
        if self.complete || documents.is_empty() {
            documents.push(own);
        }
        Ok(())
    }
}

impl RowStep<Member<'static>, Found<'static>> for EqualPairs {
    fn row(&mut self, row: Member<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        match row.kind {
            member::DOCUMENT => self.document(row.key, &row, out),
            _ => Ok(()),
        }
    }
}

/// Documents and matches by the earlier set, sorted by (key, kind): each document with each set that
/// matches its own, by that set.
pub(super) struct PairEnds {
    rows: Rows,
    documents: OfSet,
}

impl PairEnds {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { rows: Rows::new(context), documents: OfSet::default() }
    }
}

impl RowStep<Member<'static>, Member<'static>> for PairEnds {
    fn row(&mut self, row: Member<'_>, out: &mut MemberWriter) -> Result<(), LookalikeError> {
        let documents = self.documents.of(row.key);
        match row.kind {
            member::DOCUMENT => documents.push(self.rows.own(&row)),
            member::MATCH => {
                for document in &*documents {
                    out.push(Member {
                        key: row.other,
                        kind: member::END,
                        rank: document.rank,
                        side: document.side,
                        row: i64::from(document.name.record) - 1,
                        id: Some(&document.name.id),
                        size: row.size,
                        shared: row.shared,
                        size_other: row.size_other,
                        whole_shared: row.whole_shared,
                        whole_union: row.whole_union,
                        ..Member::default()
                    })?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Documents, and those that match their set, by set and sorted by (key, kind): the pairs.
pub(super) struct MatchPairs {
    rows: Rows,
    documents: OfSet,
}

impl MatchPairs {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { rows: Rows::new(context), documents: OfSet::default() }
    }
}

impl RowStep<Member<'static>, Found<'static>> for MatchPairs {
    fn row(&mut self, row: Member<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        let documents = self.documents.of(row.key);
        match row.kind {
            member::DOCUMENT => documents.push(self.rows.own(&row)),
            member::END => {
                // The document of the row has the earlier set.
                let earlier = self.rows.own(&row);
                let counts = Counts::of(&row, [row.size_other, row.size]);
                for later in documents {
                    let (x, y) = ((&later.name, later.side), (&earlier.name, earlier.side));
                    self.rows.pair(x, y, counts, out)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Leaders with the number of their cluster as `place`, and members, sorted by (leader, table): the
/// rows of the table `clusters`. The row of a leader comes after those of its members.
pub(super) struct ClusterRows {
    leader: Option<ClusterLeader>,
    columns: Written<ClusterRow<'static>>,
    bytes: Vec<u8>,
}

/// The leader of the cluster whose rows are being read.
struct ClusterLeader {
    rank: i64,
    number: i64,
    side: i64,
    name: DocumentName<'static>,
    measure: Option<f64>,
    represented: Represented<'static>,
}

impl ClusterRows {
    pub(super) fn new() -> Self {
        Self { leader: None, columns: CLUSTERS.of(Measures::ALL), bytes: Vec::new() }
    }
}

impl RowStep<Found<'static>, Found<'static>> for ClusterRows {
    fn row(&mut self, row: Found<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        if row.table == result::LEADER {
            self.end(out)?;
            let number = row.place.ok_or_else(|| {
                damaged("a cluster has no number: the engine did not sort the rows")
            })?;
            let name = row.a().into_owned();
            let (rank, side, measure) = (row.leader, row.side, row.measure);
            let represented = Represented::default();
            self.leader = Some(ClusterLeader { rank, number, side, name, measure, represented });
            return Ok(());
        }
        let Some(leader) = self.leader.as_mut().filter(|leader| leader.rank == row.leader) else {
            return Err(damaged("a cluster has no leader: the engine lost rows"));
        };
        leader.represented.add_copied(row.a_file.unwrap_or_default());
        let name = row.a();
        let of_cluster = ClusterRow {
            member: &name,
            cluster: leader.number as u64,
            leader: &leader.name,
            value: row.measure,
            represented: None,
        };
        let hash = self.columns.hash(&of_cluster, &mut self.bytes);
        let place = Some(leader.number);
        let row = Found { table: result::CLUSTER, place, ..row };
        out.push(row.and(&leader.name).hashed(hash))
    }

    /// Ends a cluster: writes the row of its leader.
    fn end(&mut self, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        let Some(ClusterLeader { rank, number, side, name, measure, represented }) =
            self.leader.take()
        else {
            return Ok(());
        };
        let represented = represented.finish();
        let row = ClusterRow {
            member: &name,
            cluster: number as u64,
            leader: &name,
            value: measure,
            represented: Some(&represented),
        };
        let hash = self.columns.hash(&row, &mut self.bytes);
        out.push(Found {
            leader: rank,
            measure,
            place: Some(number),
            size: Some(represented.size as i64),
            duplicates: Some(&represented.duplicates),
            ..Found::of(result::CLUSTER, side, &name).and(&name).hashed(hash)
        })
    }
}

impl TableRow for Found<'static> {
    fn sum<'a>(row: &Self::Row<'a>) -> Option<Sum<'a>> {
        // Members among the documents of the call are counted by rule.
        let rule = row.rule.filter(|_| row.table == result::MEMBER && row.side == 0);
        let rows = row.place.unwrap_or_default();
        Some(Sum { table: row.table, rule, rows, hash: whole(row.hash_high, row.hash_low) })
    }

    fn push(sum: Sum<'_>, out: &mut FoundWriter) -> Result<(), LookalikeError> {
        let Sum { table, rule, rows, hash } = sum;
        out.push(Found { table, rule, place: Some(rows), ..Found::default() }.hashed(hash))
    }
}

/// The digest of a run from the sums of its rows, which steps give at their end; the ledger is left out
/// where nothing is removed (`list`).
///
/// # Errors
/// Rows of other columns.
pub fn digest_of_sums(sums: &[RecordBatch], list: bool) -> Result<String, LookalikeError> {
    let tables = [
        (result::LEDGER, LEDGER.name),
        (result::CLUSTER, CLUSTERS.name),
        (result::PAIR, PAIRS.name),
    ];
    digest_of::<Found<'static>>(sums, &tables[usize::from(list)..])
}
