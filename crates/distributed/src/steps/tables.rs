//! The tables that travel between steps.

use super::rows::{Tail, rows};
use arrow_array::ArrayRef;
use arrow_schema::FieldRef;
use lookalike_core::Measure;
use lookalike_decide::name::{A, B, DOCUMENT, KEPT, LEADER, REMOVED};
use lookalike_decide::tables::COMPARISON;
use lookalike_decide::{CLUSTERS, Compared, LEDGER, Layout, Measures, PAIRS, Written};
use lookalike_io::table::{Cell, Column, TableWriter};
use lookalike_run::{LookalikeError, Settings};

/// Columns of a document, and more that are written only.
macro_rules! document_rows {
    ($(#[$doc:meta])* $row:ident, $writer:ident, $reader:ident $(, $(#[$more_doc:meta])* $more:ident: $kind:ident)*) => {
        rows! {
            $(#[$doc])*
            $row, $writer, $reader {
                /// Number of the document, unique in the run: of the task that signed it, and in it.
                doc: Int,
                /// 0 for the documents of the call, 1 for the other collection.
                side: Int,
                /// Number of its row, from 0.
                row: MaybeInt,
                /// What tables call it; before it has a row, its id, if it has one.
                id: Text,
                /// Why it cannot be used.
                problem: Text,
                /// The order of precedence before ties, as bytes that compare like it.
                precedence: Blob,
                /// What decides ties of precedence before the row.
                tie: Blob,
                /// Digest of its text.
                text_high: Int,
                text_low: Int,
                /// Digest of the sequence of its tokens.
                tokens_high: Int,
                tokens_low: Int,
                /// Digest of its feature set; none without features.
                unit_high: MaybeInt,
                unit_low: MaybeInt,
                /// Number of its features.
                size: Int,
                /// 1 if its set is compared, 0 if only equal ones match it.
                compared: Int,
                /// Number of its tokens.
                tokens: Int,
                /// Bytes of its text.
                text_bytes: Int,
                /// The given fields that it has: a bit for each, in the order of the settings.
                given: Int,
                /// Key of the value by which it differs from those that it may match; 0 where values do not count.
                value: Int,
                /// That value, as it is shown.
                value_name: Text,
                /// Its place in the order of a sort of the engine.
                place: MaybeInt,
                $($(#[$more_doc])* $more: $kind,)*
            }
        }
    };
}

document_rows! {
    /// A document after signing, with its set; its other columns are those of [`Document`].
    Signed, SignedWriter, SignedReader,
    /// Its features, ascending, as 64-bit numbers.
    set: Blob
}

document_rows! {
    /// A document in which passages are looked for, with its text; its other columns are those of
    /// [`Document`]. The digest of a feature set is given if it has a window.
    TextDocument, TextDocumentWriter, TextDocumentReader,
    /// 1 if it cannot be cut.
    fixed: Int,
    /// Its text.
    read: Blob
}

document_rows! {
    /// A document without its set.
    Document, DocumentWriter, DocumentReader
}

rows! {
    /// The set of a document: columns of [`Signed`].
    DocumentSet, DocumentSetWriter, DocumentSetReader {
        doc: Int,
        set: Blob,
    }
}

rows! {
    /// The value of a document: columns of [`Document`].
    DocumentValue, DocumentValueWriter, DocumentValueReader {
        row: MaybeInt,
        value: Int,
        value_name: Text,
    }
}

rows! {
    /// A value, or several together.
    ValueCount, ValueCountWriter, ValueCountReader {
        /// Its key; 0 of several.
        value: Int,
        name: Text,
        /// Row of the first document with it.
        first: Int,
        documents: Int,
        /// Number of values.
        values: Int,
    }
}

rows! {
    /// How many documents of one value match those of another.
    ValuePair, ValuePairWriter, ValuePairReader {
        /// Index of the value, among those that are named.
        of: Int,
        with: Int,
        documents: Int,
        /// Pairs of documents; of a value with itself each counts twice.
        pairs: Int,
    }
}

rows! {
    /// A document as a member of a distinct set, or what was decided about a set.
    Member, MemberWriter, MemberReader {
        /// What the rows are brought together by: the rank of a set.
        key: Int,
        /// Which rows of a key come first: see [`super::member`].
        kind: Int,
        /// Rank of the document.
        rank: Int,
        doc: Int,
        side: Int,
        row: Int,
        id: Text,
        text_high: Int,
        text_low: Int,
        tokens_high: Int,
        tokens_low: Int,
        size: Int,
        /// Rank of another set.
        other: Int,
        /// Elements that both sets have.
        shared: Int,
        /// Size of the other set.
        size_other: Int,
        /// Where texts are ignored, elements that both complete documents have.
        whole_shared: Int,
        /// Where texts are ignored, elements that at least one of the complete documents has.
        whole_union: Int,
        /// Of a distinct set: a bit for each side that has it.
        sides: Int,
        compared: Int,
        /// Key of the value of its documents.
        value: Int,
    }
}

rows! {
    /// Bytes for a task: postings for a bucket, pairs or sets for a part.
    Message, MessageWriter, MessageReader {
        /// Number of the task.
        part: Int,
        /// Which messages of a task come first: see [`super::message`].
        kind: Int,
        /// A set.
        rank: Int,
        number: Int,
        other: Int,
        blob: Blob,
        list: Blob,
    }
}

rows! {
    /// A pair of sets, or what is known of one: see [`super::edge`].
    Edge, EdgeWriter, EdgeReader {
        component: Int,
        later: Int,
        kind: Int,
        earlier: Int,
        shared: Int,
        size_later: Int,
        size_earlier: Int,
        /// Where texts are ignored, elements that both complete documents have.
        whole_shared: Int,
        /// Where texts are ignored, elements that at least one of the complete documents has.
        whole_union: Int,
    }
}

rows! {
    /// A row of the results: see [`super::result`].
    Found, FoundWriter, FoundReader & compared: Comparison {
        table: Int,
        /// Side of the first document.
        side: Int,
        a_id: Text,
        a_file: Text,
        a_record: Int,
        b_id: Text,
        b_file: Text,
        b_record: MaybeInt,
        rule: Text,
        /// Rank of the leader of the cluster.
        leader: Int,
        /// The measure of the run.
        measure: Ratio,
        /// Number of the cluster; set by a sort of the engine.
        place: MaybeInt,
        /// In the row of a leader, the number of documents of its cluster.
        size: MaybeInt,
        /// In the row of a leader, the files of the other documents.
        duplicates: Text,
        /// Hash of what the row says.
        hash_high: Int,
        hash_low: Int,
    }
}

rows! {
    /// A row of the tables of passages: see [`super::passages`].
    PassageRow, PassageRowWriter, PassageRowReader {
        table: Int,
        id: Text,
        file: Text,
        record: MaybeInt,
        unit: MaybeInt,
        byte: MaybeInt,
        end_byte: MaybeInt,
        /// The document of the first place, or of the witness.
        other_id: Text,
        other_file: Text,
        other_record: MaybeInt,
        other_unit: MaybeInt,
        other_byte: MaybeInt,
        other_end_byte: MaybeInt,
        units: MaybeInt,
        copies: MaybeInt,
        most_copies: MaybeInt,
        /// Of near passages.
        other_units: MaybeInt,
        same: MaybeInt,
        digest: Text,
        put: Text,
        text: Text,
        /// Hash of what the row says.
        hash_high: Int,
        hash_low: Int,
    }
}

/// The columns that compare two documents, of runs over sets by any measure.
pub(crate) struct Comparison {
    columns: Written<Compared<'static>>,
    none: Vec<Cell<'static>>,
    rows: TableWriter,
}

impl Default for Comparison {
    fn default() -> Self {
        let layout = Layout { name: "", groups: &[COMPARISON] };
        let written = layout.of(Measures { whole: true, ..Measures::of_sets(Measure::Cosine) });
        let columns = written.columns();
        let none = vec![Cell::Null; columns.len()];
        Self { columns: written, none, rows: TableWriter::in_memory(&columns) }
    }
}

impl Tail for Comparison {
    type Row<'a> = Compared<'a>;

    fn fields() -> Vec<FieldRef> {
        let batches = Self::default().rows.into_batches().unwrap_or_default();
        batches.iter().flat_map(|batch| batch.schema().fields().to_vec()).collect()
    }

    fn push(&mut self, row: Option<Compared<'_>>) -> Result<(), LookalikeError> {
        match row {
            Some(row) => self.rows.row(&self.columns.cells(&row))?,
            None => self.rows.row(&self.none)?,
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<ArrayRef>, LookalikeError> {
        let batches = std::mem::take(self).rows.into_batches()?;
        Ok(batches.first().map(|batch| batch.columns().to_vec()).unwrap_or_default())
    }
}

/// The measures of runs with these settings.
pub(super) fn measures(settings: &Settings) -> Measures {
    Measures { whole: !settings.ignore_text.is_empty(), ..Measures::of_sets(settings.measure) }
}

/// The columns of a result table, in their order: each as rows of `Found` call it, and its name.
///
/// # Errors
/// There is no such table.
pub fn result_columns(
    table: &str,
    settings: &Settings,
) -> Result<Vec<(String, &'static str)>, LookalikeError> {
    let measures = measures(settings);
    let columns = match table {
        "ledger" => LEDGER.of(measures).columns(),
        "pairs" => PAIRS.of(measures).columns(),
        "clusters" => CLUSTERS.of(measures).columns(),
        _ => return Err(LookalikeError::Settings(format!("there is no result table `{table}`"))),
    };
    let roles = [(DOCUMENT, "a"), (A, "a"), (REMOVED, "a"), (B, "b"), (KEPT, "b"), (LEADER, "b")];
    let named = |name: &str| {
        roles.iter().find_map(|(role, side)| {
            let at = role.iter().position(|column| column.name == name)?;
            Some(format!("{side}_{}", DOCUMENT[at].name))
        })
    };
    let own = |column: &Column| match (named(column.name), column.name) {
        (Some(own), _) => own,
        (None, "cluster") => "place".to_owned(),
        (None, "resemblance") if table == CLUSTERS.name => "measure".to_owned(),
        (None, name) => name.to_owned(),
    };
    Ok(columns.iter().map(|column| (own(column), column.name)).collect())
}

impl Edge<'_> {
    /// The row without its batch: it has numbers only.
    pub(super) fn owned(self) -> Edge<'static> {
        let Self { component, later, kind, earlier, shared, size_later, size_earlier, .. } = self;
        Edge {
            component,
            later,
            kind,
            earlier,
            shared,
            size_later,
            size_earlier,
            whole_shared: self.whole_shared,
            whole_union: self.whole_union,
            ..Edge::default()
        }
    }
}

/// Kinds of [`Message`].
pub(super) mod message {
    /// Candidate pairs, for the part of the later set. Comes first.
    pub(crate) const PAIRS: i64 = 0;
    /// Sets that are the earlier of a pair, for their own part.
    pub(crate) const WANTED: i64 = 1;
    /// A set: `rank`, its sides in `number`, its elements in `blob`.
    pub(crate) const SET: i64 = 2;
    /// A set with the sets that it is compared with, in `list`.
    pub(crate) const PROBE: i64 = 3;
    /// Keys of a set in the element order in `blob`, its size in `number`, its sides in `other`, and
    /// its value in `list`, if values count.
    pub(crate) const KEYS: i64 = 4;
    /// Postings for a bucket in `blob`, their number in `number`.
    pub(crate) const POSTINGS: i64 = 5;
    /// A df sketch, or the element order.
    pub(crate) const SKETCH: i64 = 6;
    /// Role of a set in `number`, and its witness in `other`. Comes before its keys.
    pub(crate) const ROLE: i64 = 0;
    /// The distinct set of a document, by the number of the document. Comes before its elements.
    pub(crate) const UNIT: i64 = 0;
    /// Counts of a task, as JSON in `blob`.
    pub(crate) const COUNTS: i64 = 99;
}

/// Kinds of [`Edge`]. Those below 10 are states of sets: `later` is the set, `earlier` its witness
/// with the counts of both, or −1.
pub(super) mod edge {
    /// Nothing is known of the set.
    pub(crate) const OPEN: i64 = 0;
    /// The set is kept, as far as is known.
    pub(crate) const KEPT: i64 = 1;
    /// A kept set before it matches.
    pub(crate) const REMOVED: i64 = 2;
    /// Its witness was removed.
    pub(crate) const PENDING: i64 = 3;
    /// It is compared with the other selected sets in this round.
    pub(crate) const SELECTED: i64 = 4;
    /// It was selected, and is kept.
    pub(crate) const NEW: i64 = 5;
    /// It was selected, and a selected set before it that is kept matches.
    pub(crate) const REMOVED_NOW: i64 = 6;
    /// A set was kept, and is no longer. Comes before the sets whose witness it was.
    pub(crate) const FLIPPED: i64 = -1;
    /// In how many posting lists a set is (`shared`), and in how many of them late (`size_later`).
    pub(crate) const LATE: i64 = 10;
    /// The later set is connected with the earlier one. Comes before its matches.
    pub(crate) const LINK: i64 = 11;
    /// The sets match.
    pub(crate) const MATCH: i64 = 12;
    /// The later set is removed; the earlier one is its witness.
    pub(crate) const DECISION: i64 = 13;
    /// Counts of a task: `component` is the number of the count, `later` its value.
    pub(crate) const COUNT: i64 = 99;
}

/// Kinds of [`Member`].
pub(super) mod member {
    /// A document; its set is `key`.
    pub(crate) const DOCUMENT: i64 = 1;
    /// A distinct set: `key` and `rank` are its first document.
    pub(crate) const UNIT: i64 = 9;
    /// The set `key` is the witness of a removed set. Comes before its documents.
    pub(crate) const WITNESS: i64 = -1;
    /// The set `key` is removed; `other` is its witness. Comes before the documents of the set.
    pub(crate) const REMOVED: i64 = 0;
    /// The document leads the cluster `key`. Comes before those that follow it.
    pub(crate) const LEADER: i64 = 2;
    /// The document duplicates the leader `key`, by its set or a match.
    pub(crate) const FOLLOWER: i64 = 3;
    /// A match of the set `key` with the set `other`. Comes after the documents of the set.
    pub(crate) const MATCH: i64 = 4;
    /// A document, or a value, and the set `key` that its own set matches. Comes after the documents of the set.
    pub(crate) const END: i64 = 5;
}

/// Tables of [`Found`].
pub(super) mod result {
    pub(crate) const LEDGER: i64 = 0;
    pub(crate) const PAIR: i64 = 1;
    /// A leader of a cluster. Comes before its members when sorted by (leader, table).
    pub(crate) const LEADER: i64 = 2;
    /// A member of a cluster, without its leader.
    pub(crate) const MEMBER: i64 = 3;
    pub(crate) const KEPT: i64 = 4;
    /// A row of the finished table `clusters`.
    pub(crate) const CLUSTER: i64 = 5;
}
