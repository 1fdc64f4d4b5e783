//! The rows of the tables of passages.

use super::super::damaged;
use super::super::step::{RowStep, StepContext};
use super::super::summed::{Sum, TableRow, digest_of, halves, whole};
use super::super::tables::{Message, PassageRow, PassageRowWriter};
use super::blobs::{Reader, read_all};
use super::kind;
use super::place::AskedStretch;
use super::runs::read_numbers;
use arrow_array::RecordBatch;
use lookalike_core::fingerprint::TextDigest;
use lookalike_decide::{
    CUTS, CutPassage, DocumentName, EDITS, Edit, Measures, NEAR, NearStretches, PASSAGES, Passage,
    PassagePlace, Written,
};
use lookalike_io::table::Column;
use lookalike_passages::near::NearPassage;
use lookalike_passages::{Cut, Lengths, Record, Run};
use lookalike_run::passages::cutting::{differ, goes};
use lookalike_run::passages::stretches::{
    Located, Stretch, sides_of_cut, sides_of_near, sides_of_run,
};
use lookalike_run::passages::totals::RunTotals;
use lookalike_run::{LookalikeError, PassageSettings};
use serde_json::json;
use std::ops::Range;

/// Tables of [`PassageRow`].
mod table {
    pub(super) const PASSAGE: i64 = 0;
    pub(super) const CUT: i64 = 1;
    pub(super) const EDIT: i64 = 2;
    /// What is left of the text of a document; none of one that is removed.
    pub(super) const LEFT: i64 = 3;
    pub(super) const NEAR: i64 = 4;
    /// What a task counted, as JSON in `text`.
    pub(super) const COUNTS: i64 = 99;
}

/// Runs, cuts, near passages, places and what goes, sorted by (part, kind): the rows of the tables
/// `passages`, `cuts` and `near`.
pub(in super::super) struct PassageRows {
    settings: PassageSettings,
    lengths: Lengths,
    file: String,
    part: Option<i64>,
    of_part: OfPart,
    totals: RunTotals,
    passages: Written<Passage<'static>>,
    cuts: Written<CutPassage<'static>>,
    near: Written<NearStretches<'static>>,
    /// Documents with near passages of earlier ones.
    near_documents: u64,
    bytes: Vec<u8>,
}

/// What the rows of a part say.
#[derive(Default)]
struct OfPart {
    runs: Vec<Run>,
    fixed: Vec<u32>,
    cuts: Vec<Cut>,
    near: Vec<NearPassage>,
    names: Vec<DocumentName<'static>>,
    /// Stretches, whether they are compared, and the numbers of their names.
    located: Vec<((Stretch, bool), Located, usize)>,
    /// Documents and what goes of each.
    gone: Vec<(u32, Vec<Range<usize>>)>,
}

impl OfPart {
    /// # Errors
    /// Damaged records.
    fn read(&mut self, row: &Message<'_>, file: &str) -> Result<(), LookalikeError> {
        let mut reader = Reader(row.blob);
        match row.kind {
            kind::RUNS => {
                read_all(row.blob, &mut self.runs)?;
                read_numbers(row.list, &mut self.fixed)?;
            }
            kind::CUTS => read_all(row.blob, &mut self.cuts)?,
            kind::NEAR => read_all(row.blob, &mut self.near)?,
            kind::LOCATED => {
                while !reader.is_empty() {
                    let [_, record] = reader.record()?;
                    let id = reader.text()?.to_owned().into();
                    let file = file.to_owned().into();
                    self.names.push(DocumentName { id, file, record, protected: false });
                    for _ in 0..reader.number()? {
                        let asked = AskedStretch::of_record(reader.record()?);
                        let bytes = [reader.long()?, reader.long()?];
                        let (low, high) = (reader.long()?, reader.long()?);
                        let digest = TextDigest(u128::from(low) | u128::from(high) << 64);
                        let digest = asked.is_compared.then_some(digest);
                        let of = (asked.stretch, asked.is_compared);
                        self.located.push((of, Located { bytes, digest }, self.names.len() - 1));
                    }
                }
            }
            kind::GONE => {
                while !reader.is_empty() {
                    let [document, runs] = reader.record()?;
                    let mut gone = Vec::new();
                    for _ in 0..runs {
                        let [start, end] = reader.record()?;
                        gone.push(start as usize..end as usize);
                    }
                    self.gone.push((document, gone));
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn sort(&mut self) {
        self.runs.sort_unstable_by_key(|run| run.at);
        self.fixed.sort_unstable();
        self.cuts.sort_unstable_by_key(|cut| cut.at);
        self.near.sort_unstable();
        self.located.sort_unstable_by_key(|(of, ..)| *of);
        self.gone.sort_unstable_by_key(|(document, _)| *document);
    }

    /// The name of the document of a stretch, and its place there.
    fn place(
        &self,
        stretch: Stretch,
        is_compared: bool,
    ) -> Result<(&DocumentName<'static>, PassagePlace, Located), LookalikeError> {
        let found = self.located.binary_search_by_key(&(stretch, is_compared), |(of, ..)| *of);
        let found = found.map_err(|_| damaged("a passage has no place: the engine lost rows"))?;
        let (_, located, name) = self.located[found];
        let place = PassagePlace { unit: stretch.place.unit.into(), bytes: located.bytes };
        Ok((&self.names[name], place, located))
    }

    /// What goes of a document.
    fn gone(&self, document: u32) -> &[Range<usize>] {
        let found = self.gone.binary_search_by_key(&document, |(document, _)| *document);
        found.map_or(&[], |number| &self.gone[number].1)
    }
}

impl PassageRows {
    /// # Errors
    /// Settings that make no sense.
    pub(in super::super) fn new(context: &StepContext) -> Result<Self, LookalikeError> {
        let passages = context.passages()?;
        Ok(Self {
            settings: passages.clone(),
            lengths: passages.check()?,
            file: context.name(0).to_owned(),
            part: None,
            of_part: OfPart::default(),
            totals: RunTotals::default(),
            passages: PASSAGES.of(Measures::ALL),
            cuts: CUTS.of(Measures::ALL),
            near: NEAR.of(Measures::ALL),
            near_documents: 0,
            bytes: Vec::new(),
        })
    }

    /// Makes the rows of the part that ends.
    fn make(&mut self, out: &mut PassageRowWriter) -> Result<(), LookalikeError> {
        let mut of_part = std::mem::take(&mut self.of_part);
        of_part.sort();
        for runs in of_part.runs.chunk_by(|a, b| a.at.document == b.at.document) {
            let is_fixed = of_part.fixed.binary_search(&runs[0].at.document).is_ok();
            self.totals += RunTotals::of_document(runs, is_fixed, self.lengths, &self.settings);
        }
        let scope = self.settings.scope.scope();
        for run in of_part.runs.iter().filter(|run| run.is_later(scope)) {
            let [at, first] = sides_of_run(run, self.lengths);
            let units = u64::from(at.units);
            let (document, at, _) = of_part.place(at, false)?;
            let (first_document, first, _) = of_part.place(first, false)?;
            let copies = run.copies.map(u64::from);
            let row = Passage { document, at, first_document, first, units, copies };
            let hash = self.passages.hash(&row, &mut self.bytes);
            let [least, most] = copies.map(|copies| Some(copies as i64));
            let row = of_sides(table::PASSAGE, [(document, at), (first_document, first)], units);
            out.push(PassageRow { copies: least, most_copies: most, ..row }.hashed(hash))?;
        }
        for cut in &of_part.cuts {
            if !goes(cut, of_part.gone(cut.at.document)) {
                continue;
            }
            let [at, witness] = sides_of_cut(cut);
            let (document, at, own) = of_part.place(at, true)?;
            let (kept_document, kept, of_witness) = of_part.place(witness, true)?;
            if own.digest != of_witness.digest {
                return Err(differ(cut, &document.id, &kept_document.id));
            }
            let digest = own.digest.map(|digest| format!("{:032x}", digest.0)).unwrap_or_default();
            let units = u64::from(cut.units);
            let row = CutPassage { document, at, kept_document, kept, units, digest: &digest };
            let hash = self.cuts.hash(&row, &mut self.bytes);
            let row = of_sides(table::CUT, [(document, at), (kept_document, kept)], units);
            out.push(PassageRow { digest: Some(&digest), ..row }.hashed(hash))?;
        }
        let later = of_part.near.chunk_by(|a, b| a.places[0].document == b.places[0].document);
        self.near_documents += later.count() as u64;
        for near in &of_part.near {
            let [at, first] = sides_of_near(near);
            let (document, at, _) = of_part.place(at, false)?;
            let (first_document, first, _) = of_part.place(first, false)?;
            let (units, same) = (near.units.map(u64::from), near.same.into());
            let row = NearStretches { document, at, first_document, first, units, same };
            let hash = self.near.hash(&row, &mut self.bytes);
            let (other_units, same) = (Some(units[1] as i64), Some(same as i64));
            let row = of_sides(table::NEAR, [(document, at), (first_document, first)], units[0]);
            out.push(PassageRow { other_units, same, ..row }.hashed(hash))?;
        }
        Ok(())
    }
}

/// A row about two places.
fn of_sides<'r>(
    table: i64,
    [(document, at), (other, other_at)]: [(&'r DocumentName<'_>, PassagePlace); 2],
    units: u64,
) -> PassageRow<'r> {
    let number = |number: u64| Some(number as i64);
    PassageRow {
        unit: number(at.unit),
        byte: number(at.bytes[0]),
        end_byte: number(at.bytes[1]),
        other_id: Some(&other.id),
        other_file: Some(&other.file),
        other_record: number(other.record.into()),
        other_unit: number(other_at.unit),
        other_byte: number(other_at.bytes[0]),
        other_end_byte: number(other_at.bytes[1]),
        units: number(units),
        ..PassageRow::of(table, document)
    }
}

impl<'r> PassageRow<'r> {
    /// A row about a document.
    fn of(table: i64, document: &'r DocumentName<'_>) -> Self {
        let record = Some(document.record.into());
        Self {
            table,
            id: Some(&document.id),
            file: Some(&document.file),
            record,
            ..Self::default()
        }
    }

    /// The row with the hash of what it says.
    fn hashed(self, hash: u128) -> Self {
        let (hash_high, hash_low) = halves(hash);
        Self { hash_high, hash_low, ..self }
    }
}

impl RowStep<Message<'static>, PassageRow<'static>> for PassageRows {
    fn row(&mut self, row: Message<'_>, out: &mut PassageRowWriter) -> Result<(), LookalikeError> {
        if self.part.replace(row.part) != Some(row.part) {
            self.make(out)?;
        }
        self.of_part.read(&row, &self.file)
    }

    fn end(&mut self, out: &mut PassageRowWriter) -> Result<(), LookalikeError> {
        self.make(out)?;
        for counts in [json!(self.totals), json!({"near_documents": self.near_documents})] {
            let counts = counts.to_string();
            let text = Some(&counts[..]);
            out.push(PassageRow { table: table::COUNTS, text, ..PassageRow::default() })?;
        }
        Ok(())
    }
}

/// The edits of documents: the rows of the table `edits`, and what is left of each text.
pub(in super::super) struct EditRows {
    file: String,
    edits: Written<Edit<'static>>,
    bytes: Vec<u8>,
}

impl EditRows {
    pub(in super::super) fn new(context: &StepContext) -> Self {
        let (file, edits) = (context.name(0).to_owned(), EDITS.of(Measures::ALL));
        Self { file, edits, bytes: Vec::new() }
    }
}

impl RowStep<Message<'static>, PassageRow<'static>> for EditRows {
    fn row(&mut self, row: Message<'_>, out: &mut PassageRowWriter) -> Result<(), LookalikeError> {
        if row.kind != kind::EDITED {
            return Ok(());
        }
        let mut reader = Reader(row.blob);
        let (id, [record, stays]) = (reader.text()?, reader.record()?);
        let file = self.file.as_str().into();
        let name = DocumentName { id: id.into(), file, record, protected: false };
        while !reader.is_empty() {
            let bytes = [reader.long()?, reader.long()?];
            let (put, text) = (reader.text()?, reader.text()?);
            let edit = Edit { document: &name, bytes, put, text };
            let hash = self.edits.hash(&edit, &mut self.bytes);
            let [byte, end_byte] = bytes.map(|byte| Some(byte as i64));
            let row = PassageRow::of(table::EDIT, &name).hashed(hash);
            out.push(PassageRow { byte, end_byte, put: Some(put), text: Some(text), ..row })?;
        }
        let left = super::blobs::text_of(row.list)?;
        let text = Some(left).filter(|_| stays != 0);
        out.push(PassageRow { text, ..PassageRow::of(table::LEFT, &name) })
    }
}

impl TableRow for PassageRow<'static> {
    fn sum<'a>(row: &Self::Row<'a>) -> Option<Sum<'a>> {
        let rows = row.record.unwrap_or_default();
        let sum =
            Sum { table: row.table, rule: None, rows, hash: whole(row.hash_high, row.hash_low) };
        Some(sum).filter(|sum| sum.table != table::COUNTS)
    }

    fn push(sum: Sum<'_>, out: &mut PassageRowWriter) -> Result<(), LookalikeError> {
        let (table, record) = (sum.table, Some(sum.rows));
        out.push(PassageRow { table, record, ..PassageRow::default() }.hashed(sum.hash))
    }
}

/// The digest of a run from the sums of its rows, which steps give at their end.
///
/// # Errors
/// Rows of other columns.
pub fn passage_digest(
    sums: &[RecordBatch],
    settings: &PassageSettings,
) -> Result<String, LookalikeError> {
    let mut tables = vec![(table::PASSAGE, PASSAGES.name)];
    tables.extend(settings.cuts().then_some((table::CUT, CUTS.name)));
    tables.extend(settings.writes_documents().then_some((table::EDIT, EDITS.name)));
    digest_of::<PassageRow<'static>>(sums, &tables)
}

/// The digest of near passages from the sums of the rows of a run.
///
/// # Errors
/// Rows of other columns.
pub fn near_digest(sums: &[RecordBatch]) -> Result<String, LookalikeError> {
    digest_of::<PassageRow<'static>>(sums, &[(table::NEAR, NEAR.name)])
}

/// The columns of a table of passages, in their order: each as rows of steps call it, and its name.
///
/// # Errors
/// There is no such table.
pub fn passage_columns(name: &str) -> Result<Vec<(String, &'static str)>, LookalikeError> {
    let columns: Vec<Column> = match name {
        "passages" => PASSAGES.of(Measures::ALL).columns(),
        "cuts" => CUTS.of(Measures::ALL).columns(),
        "edits" => EDITS.of(Measures::ALL).columns(),
        "near" => NEAR.of(Measures::ALL).columns(),
        _ => return Err(LookalikeError::Settings(format!("there is no result table `{name}`"))),
    };
    let own = |name: &str| {
        let other = ["first_", "kept_"].iter().find_map(|role| name.strip_prefix(role));
        other.map_or_else(|| name.to_owned(), |name| format!("other_{name}"))
    };
    Ok(columns.iter().map(|column| (own(column.name), column.name)).collect())
}
