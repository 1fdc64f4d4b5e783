//! Decisions about sets to the rows of the result tables.

use super::rows::no_column;
use super::step::{Step, StepContext};
use super::tables::{
    DocumentReader, EdgeReader, Found, FoundReader, FoundWriter, Member, MemberReader,
    MemberWriter, edge, member, result,
};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::{DataType, SchemaRef};
use lookalike_core::{Measure, Overlap};
use lookalike_decide::{
    CLUSTERS, Compared, DocumentName, Identity, LEDGER, Measures, Member as ClusterRow, PAIRS,
    Represented, Rule, TableDigest, Written, run_digest,
};
use lookalike_engine::Linkage;
use lookalike_methods::Evidence;
use lookalike_run::LookalikeError;
use std::cmp::Ordering;

/// Rows of [`super::tables::Edge`] about removed sets, or matches: as rows of [`Member`] by the
/// removed set, or by the earlier set of a match.
#[derive(Default)]
pub(super) struct MemberEdges(MemberWriter);

impl Step for MemberEdges {
    fn schema(&self) -> SchemaRef {
        MemberWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in EdgeReader::new(batch)?.iter() {
            let (later, earlier) = (row.later, row.earlier);
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
                _ => continue,
            };
            self.0.push(Member { rank: -1, shared: row.shared, ..own })?;
        }
        Ok(self.0.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.0.finish()
    }
}

/// Decisions and documents by set, sorted by (key, kind, rank): each document by the leader of its
/// cluster, or as a leader.
#[derive(Default)]
pub(super) struct Assign {
    removed: Option<Member<'static>>,
    out: MemberWriter,
}

impl Step for Assign {
    fn schema(&self) -> SchemaRef {
        MemberWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MemberReader::new(batch)?.iter() {
            match row.kind {
                member::REMOVED => {
                    let Member { key, other, shared, size_other, .. } = row;
                    self.removed =
                        Some(Member { key, other, shared, size_other, ..Member::default() });
                }
                member::DOCUMENT => {
                    let removed = self.removed.filter(|removed| removed.key == row.key);
                    self.out.push(match removed {
                        // In `other` the set of the document.
                        Some(Member { other, shared, size_other, .. }) => Member {
                            key: other,
                            kind: member::FOLLOWER,
                            other: row.key,
                            shared,
                            size_other,
                            ..row
                        },
                        None => Member {
                            kind: if row.rank == row.key {
                                member::LEADER
                            } else {
                                member::FOLLOWER
                            },
                            other: row.key,
                            shared: row.size,
                            size_other: row.size,
                            ..row
                        },
                    })?;
                }
                _ => {}
            }
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
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

/// Makes rows of [`Found`].
struct Rows {
    names: [String; 2],
    measure: Measure,
    /// Columns of the ledger and of the pairs.
    columns: [Written<Compared<'static>>; 2],
    cross: bool,
    leaders: bool,
    bytes: Vec<u8>,
    out: FoundWriter,
}

impl Rows {
    fn new(context: &StepContext) -> Self {
        let measure = context.criterion.measure;
        Self {
            names: [0, 1].map(|side| context.name(side).to_owned()),
            measure,
            columns: [LEDGER, PAIRS].map(|table| table.of(Measures::of_sets(measure))),
            cross: context.cross,
            leaders: context.settings.linkage() == Linkage::Leaders,
            bytes: Vec::new(),
            out: FoundWriter::default(),
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
        let name = self.name(row);
        Owned {
            rank: row.rank,
            side: row.side,
            name: DocumentName {
                id: name.id.into_owned().into(),
                file: name.file.into_owned().into(),
                record: name.record,
                protected: name.protected,
            },
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
        counts: Overlap,
    ) -> Result<(), LookalikeError> {
        let evidence = Evidence::Exact(counts);
        let columns = &self.columns[usize::from(rule.is_none())];
        let row = Compared { a, b, rule, evidence, whole: None };
        let hash = columns.hash(&row, &mut self.bytes);
        self.out.push(Found {
            table,
            side,
            a_id: Some(&a.id),
            a_file: Some(&a.file),
            a_record: a.record.into(),
            b_id: Some(&b.id),
            b_file: Some(&b.file),
            b_record: Some(b.record.into()),
            rule,
            compared: Some(row),
            hash_high: (hash >> 64) as i64,
            hash_low: hash as i64,
            ..Found::default()
        })
    }

    /// A pair, in the order of its documents; of two collections that of the call first, and no pair
    /// within one.
    fn pair(
        &mut self,
        x: (&DocumentName<'_>, i64),
        y: (&DocumentName<'_>, i64),
        counts: Overlap,
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
                self.compared(result::PAIR, y.1, [y.0, x.0], None, counts.swapped())
            }
            _ => self.compared(result::PAIR, x.1, [x.0, y.0], None, counts),
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

fn overlap_of(shared: i64, a: i64, b: i64) -> Overlap {
    Overlap { shared: shared as u32, a: a as u32, b: b as u32 }
}

/// Leaders and followers sorted by (key, kind, rank): the ledger, the clusters, the documents that
/// are kept, and the pairs of removed sets with their witnesses where not all pairs are listed.
pub(super) struct Results {
    rows: Rows,
    complete: bool,
    list: bool,
    only_against: bool,
    by_match: Rule,
    leader: Option<Owned>,
}

impl Results {
    /// With `list`, nothing is removed: there is no ledger.
    pub(super) fn new(context: &StepContext, list: bool) -> Self {
        Self {
            rows: Rows::new(context),
            complete: context.complete,
            list,
            only_against: context.only_against,
            by_match: Rule::by_match(context.settings.linkage(), None),
            leader: None,
        }
    }

    fn kept(&mut self, row: &Member<'_>) -> Result<(), LookalikeError> {
        if row.side != 0 {
            return Ok(());
        }
        let rows = &self.rows;
        let DocumentName { id, file, record, .. } = rows.name(row);
        let (id, file) = (id.into_owned(), file.into_owned());
        self.rows.out.push(Found {
            table: result::KEPT,
            side: row.side,
            a_id: Some(&id),
            a_file: Some(&file),
            a_record: record.into(),
            ..Found::default()
        })
    }

    fn follower(&mut self, row: &Member<'_>) -> Result<(), LookalikeError> {
        let Some(mut leader) = self.leader.take().filter(|leader| leader.rank == row.key) else {
            return Err(LookalikeError::Settings(
                "a duplicate has no leader: the engine lost rows".into(),
            ));
        };
        if self.rows.leaders && row.side == 1 {
            // It is kept, and represented by no other of its collection.
            self.leader = Some(leader);
            return Ok(());
        }
        if self.only_against && leader.side == 0 {
            self.leader = Some(leader);
            return self.kept(row);
        }
        let rule = Rule::of(&identity(row), &leader.identity, self.by_match);
        let counts = overlap_of(row.shared, row.size, row.size_other);
        let name = self.rows.own(row);
        if !self.list && row.side == 0 {
            self.rows.compared(
                result::LEDGER,
                row.side,
                [&name.name, &leader.name],
                Some(rule.name()),
                counts,
            )?;
        }
        if !self.complete && row.other != leader.identity.set {
            self.rows.pair((&name.name, row.side), (&leader.name, leader.side), counts)?;
        }
        let measure = self.rows.measure.value(counts);
        let of_cluster = |table, document: &'_ Owned| Found {
            table,
            side: document.side,
            a_record: document.name.record.into(),
            leader: leader.rank,
            ..Found::default()
        };
        if !leader.written {
            let row = of_cluster(result::LEADER, &leader);
            self.rows.out.push(Found {
                a_id: Some(&leader.name.id),
                a_file: Some(&leader.name.file),
                measure: Some(1.0),
                ..row
            })?;
        }
        let row = of_cluster(result::MEMBER, &name);
        self.rows.out.push(Found {
            a_id: Some(&name.name.id),
            a_file: Some(&name.name.file),
            rule: Some(rule.name()),
            measure: Some(measure),
            ..row
        })?;
        leader.written = true;
        self.leader = Some(leader);
        Ok(())
    }
}

impl Step for Results {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MemberReader::new(batch)?.iter() {
            if row.kind == member::LEADER {
                self.leader = Some(self.rows.own(&row));
                self.kept(&row)?;
            } else {
                self.follower(&row)?;
            }
        }
        Ok(self.rows.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.rows.out.finish()
    }
}

/// Documents without features that can be used: they are kept.
pub(super) struct KeptAlone {
    names: [String; 2],
    out: FoundWriter,
}

impl KeptAlone {
    pub(super) fn new(context: &StepContext) -> Self {
        Self {
            names: [0, 1].map(|side| context.name(side).to_owned()),
            out: FoundWriter::default(),
        }
    }
}

impl Step for KeptAlone {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in DocumentReader::new(batch)?.iter() {
            if row.problem.is_none() && row.unit_high.is_none() && row.side == 0 {
                self.out.push(Found {
                    table: result::KEPT,
                    a_id: row.id,
                    a_file: Some(&self.names[0]),
                    a_record: row.row.unwrap_or_default() + 1,
                    ..Found::default()
                })?;
            }
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Documents by set, sorted by (key, kind, rank): pairs of documents with equal sets. All pairs, or
/// each document with the first.
pub(super) struct EqualPairs {
    rows: Rows,
    complete: bool,
    set: i64,
    documents: Vec<Owned>,
}

impl EqualPairs {
    pub(super) fn new(context: &StepContext) -> Self {
        Self {
            rows: Rows::new(context),
            complete: context.complete,
            set: -1,
            documents: Vec::new(),
        }
    }
}

impl Step for EqualPairs {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MemberReader::new(batch)?.iter().filter(|row| row.kind == member::DOCUMENT) {
            if row.key != self.set {
                self.set = row.key;
                self.documents.clear();
            }
            let own = self.rows.own(&row);
            let counts = overlap_of(own.size, own.size, own.size);
            for other in &self.documents {
                self.rows.pair((&own.name, own.side), (&other.name, other.side), counts)?;
            }
            if self.complete || self.documents.is_empty() {
                self.documents.push(own);
            }
        }
        Ok(self.rows.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.rows.out.finish()
    }
}

/// Documents and matches by the earlier set, sorted by (key, kind): each document with each set that
/// matches its own, by that set.
pub(super) struct PairEnds {
    rows: Vec<Owned>,
    names: Rows,
    set: i64,
    out: MemberWriter,
}

impl PairEnds {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { rows: Vec::new(), names: Rows::new(context), set: -1, out: MemberWriter::default() }
    }
}

impl Step for PairEnds {
    fn schema(&self) -> SchemaRef {
        MemberWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MemberReader::new(batch)?.iter() {
            if row.key != self.set {
                self.set = row.key;
                self.rows.clear();
            }
            match row.kind {
                member::DOCUMENT => self.rows.push(self.names.own(&row)),
                member::MATCH => {
                    for document in &self.rows {
                        self.out.push(Member {
                            key: row.other,
                            kind: member::END,
                            rank: document.rank,
                            side: document.side,
                            row: i64::from(document.name.record) - 1,
                            id: Some(&document.name.id),
                            size: row.size,
                            shared: row.shared,
                            size_other: row.size_other,
                            ..Member::default()
                        })?;
                    }
                }
                _ => {}
            }
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.out.finish()
    }
}

/// Documents, and those that match their set, by set and sorted by (key, kind): the pairs.
pub(super) struct MatchPairs {
    rows: Rows,
    set: i64,
    documents: Vec<Owned>,
}

impl MatchPairs {
    pub(super) fn new(context: &StepContext) -> Self {
        Self { rows: Rows::new(context), set: -1, documents: Vec::new() }
    }
}

impl Step for MatchPairs {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in MemberReader::new(batch)?.iter() {
            if row.key != self.set {
                self.set = row.key;
                self.documents.clear();
            }
            match row.kind {
                member::DOCUMENT => self.documents.push(self.rows.own(&row)),
                member::END => {
                    // The document of the row has the earlier set.
                    let earlier = self.rows.own(&row);
                    let counts = overlap_of(row.shared, row.size_other, row.size);
                    for later in &self.documents {
                        let (x, y) = ((&later.name, later.side), (&earlier.name, earlier.side));
                        self.rows.pair(x, y, counts)?;
                    }
                }
                _ => {}
            }
        }
        Ok(self.rows.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.rows.out.finish()
    }
}

/// Leaders with the number of their cluster as `place`, and members, sorted by (leader, table): the
/// rows of the table `clusters`. The row of a leader comes after those of its members.
pub(super) struct ClusterRows {
    leader: Option<ClusterLeader>,
    columns: Written<ClusterRow<'static>>,
    bytes: Vec<u8>,
    out: FoundWriter,
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
        Self {
            leader: None,
            columns: CLUSTERS.of(Measures::ALL),
            bytes: Vec::new(),
            out: FoundWriter::default(),
        }
    }

    /// Ends a cluster: writes the row of its leader.
    fn end_cluster(&mut self) -> Result<(), LookalikeError> {
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
        self.out.push(Found {
            table: result::CLUSTER,
            side,
            a_id: Some(&name.id),
            a_file: Some(&name.file),
            a_record: name.record.into(),
            b_id: Some(&name.id),
            b_file: Some(&name.file),
            b_record: Some(name.record.into()),
            leader: rank,
            measure,
            place: Some(number),
            size: Some(represented.size as i64),
            duplicates: Some(&represented.duplicates),
            hash_high: (hash >> 64) as i64,
            hash_low: hash as i64,
            ..Found::default()
        })
    }
}

impl Step for ClusterRows {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in FoundReader::new(batch)?.iter() {
            if row.table == result::LEADER {
                self.end_cluster()?;
                let number = row.place.ok_or_else(|| {
                    LookalikeError::Settings(
                        "a cluster has no number: the engine did not sort the rows".into(),
                    )
                })?;
                let name = DocumentName {
                    id: row.a_id.unwrap_or_default().to_owned().into(),
                    file: row.a_file.unwrap_or_default().to_owned().into(),
                    record: row.a_record as u32,
                    protected: row.side == 1,
                };
                let (rank, side, measure) = (row.leader, row.side, row.measure);
                let represented = Represented::default();
                self.leader =
                    Some(ClusterLeader { rank, number, side, name, measure, represented });
                continue;
            }
            let Some(leader) = self.leader.as_mut().filter(|leader| leader.rank == row.leader)
            else {
                return Err(LookalikeError::Settings(
                    "a cluster has no leader: the engine lost rows".into(),
                ));
            };
            let file = row.a_file.unwrap_or_default();
            leader.represented.add_copied(file);
            let name = DocumentName {
                id: row.a_id.unwrap_or_default().into(),
                file: file.into(),
                record: row.a_record as u32,
                protected: row.side == 1,
            };
            let of_cluster = ClusterRow {
                member: &name,
                cluster: leader.number as u64,
                leader: &leader.name,
                value: row.measure,
                represented: None,
            };
            let hash = self.columns.hash(&of_cluster, &mut self.bytes);
            self.out.push(Found {
                table: result::CLUSTER,
                b_id: Some(&leader.name.id),
                b_file: Some(&leader.name.file),
                b_record: Some(leader.name.record.into()),
                place: Some(leader.number),
                hash_high: (hash >> 64) as i64,
                hash_low: hash as i64,
                ..row
            })?;
        }
        Ok(self.out.take())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        self.end_cluster()?;
        self.out.finish()
    }
}

/// Rows of results: their number and the sum of their hashes by table, in `place`, `hash_high` and
/// `hash_low`; those of members of the call's own documents by rule.
#[derive(Default)]
pub(super) struct SumHashes {
    sums: std::collections::BTreeMap<(i64, Option<String>), (i64, u128)>,
    out: FoundWriter,
}

impl Step for SumHashes {
    fn schema(&self) -> SchemaRef {
        FoundWriter::schema()
    }

    fn push(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, LookalikeError> {
        for row in FoundReader::new(batch)?.iter() {
            let counts = row.table == result::MEMBER && row.side == 0;
            let rule = row.rule.filter(|_| counts).map(str::to_owned);
            let (rows, sum) = self.sums.entry((row.table, rule)).or_default();
            *rows += 1;
            *sum = sum.wrapping_add(
                u128::from(row.hash_high as u64) << 64 | u128::from(row.hash_low as u64),
            );
        }
        Ok(Vec::new())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>, LookalikeError> {
        for ((table, rule), (rows, sum)) in std::mem::take(&mut self.sums) {
            self.out.push(Found {
                table,
                rule: rule.as_deref(),
                place: Some(rows),
                hash_high: (sum >> 64) as i64,
                hash_low: sum as i64,
                ..Found::default()
            })?;
        }
        self.out.finish()
    }
}

/// The digest of a run from the sums of its rows, as of `sum_hashes`; the ledger is left out where
/// nothing is removed (`list`).
///
/// # Errors
/// Rows of other columns.
pub fn digest_of_sums(sums: &[RecordBatch], list: bool) -> Result<String, LookalikeError> {
    let mut tables = [
        (result::LEDGER, LEDGER.name),
        (result::CLUSTER, CLUSTERS.name),
        (result::PAIR, PAIRS.name),
    ]
    .map(|(table, name)| (table, TableDigest::new(name)));
    for batch in sums {
        let rows = batch.column_by_name("place");
        let rows = rows.and_then(|column| column.as_primitive_opt::<Int64Type>());
        let rows = rows.ok_or_else(|| no_column("place", &DataType::Int64))?;
        for (row, count) in FoundReader::new(batch)?.iter().zip(rows.values()) {
            let sum = u128::from(row.hash_high as u64) << 64 | u128::from(row.hash_low as u64);
            let tables = tables.iter_mut().filter(|(table, _)| *table == row.table);
            tables.for_each(|(_, digest)| digest.add_sum(*count as u64, sum));
        }
    }
    let [ledger, clusters, pairs] = tables.map(|(_, digest)| digest);
    Ok(match list {
        true => run_digest(&[&clusters, &pairs]),
        false => run_digest(&[&ledger, &clusters, &pairs]),
    })
}
