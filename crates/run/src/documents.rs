//! The table `documents`: for each document in a pair, the data needed to recompute phase 4.
//!
//! Written from an analysis, and read back. Broder 1997 ("The clustering algorithm", "Query
//! support") keeps ⟨id, id, count⟩ and auxiliary maps, so that clusters at another threshold come
//! from the last phase alone. The counts are in `pairs`; this table adds the order of precedence,
//! which copies are identical and which only equivalent, and the position of each document in the
//! collection. Documents in no pair are in no cluster at any higher threshold either, so they are
//! omitted.

use crate::LookalikeError;
use crate::analysis::Analysis;
use crate::result_tables::Named;
use lookalike_cluster::KeepRule;
use lookalike_decide::name::WIDTH;
use lookalike_decide::{DOCUMENTS, DocumentName, DocumentRow, Listed, Table, TableDigest};
use lookalike_engine::DocumentId;
use lookalike_engine::try_sort::par_sort_cancellable;
use lookalike_engine::units::rules_order;
use lookalike_io::table::{TableError, TableReader, Value};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::Path;

/// Adds the rows of a run that listed all pairs.
pub(crate) fn fill_documents(
    analysis: &Analysis,
    keep: &[KeepRule],
    table: &mut Table<'_, Listed<'static>>,
) -> Result<(), LookalikeError> {
    let Analysis { collection, units, matches, .. } = analysis;
    let in_pairs = units.in_pairs(collection, matches);
    let members = units.ids().filter(|unit| in_pairs[unit.index()]);
    let listed: Vec<DocumentId> = members.flat_map(|unit| units.members(unit)).copied().collect();

    let named = |&document: &DocumentId| Named::of(analysis, document);
    let mut order: Vec<Named> = listed.par_iter().map(named).collect();
    par_sort_cancellable(&mut order, table.progress(), |x, y| {
        match rules_order(collection, keep, x.a, y.a) {
            Ordering::Equal => x.compare(*y, collection),
            order => Ok(order),
        }
    })?;
    let mut precedence = vec![0; collection.len() as usize];
    for (number, &Named { a: document, .. }) in (1u32..).zip(&order) {
        precedence[document.index()] = number;
    }
    let gathered = collection.gather(|document| precedence[document.index()] > 0)?;
    let of = |document: DocumentId| gathered.get(document);
    let unit = |document: DocumentId| units.of_document(document).unwrap_or_default();
    let sequence = |document| of(document).map_or(0, |row| row.sequence.0);
    let text = |document| of(document).map_or(0, |row| row.text.0);
    let first_unit =
        firsts(&listed, precedence.len(), |document| u128::from(unit(document).0) << 64);
    let first_words = firsts(&listed, precedence.len(), sequence);
    let first_text = firsts(&listed, precedence.len(), text);

    par_sort_cancellable(&mut order, table.progress(), |x, y| x.compare(*y, collection))?;
    for Named { a: document, .. } in order {
        let at = document.index();
        let row = DocumentRow {
            place: document.0 + 1,
            precedence: precedence[at],
            text_bytes: of(document).map_or(0, |row| row.text_bytes),
            size: units.size(unit(document)),
            feature_equivalent: first_unit[at].0 + 1,
            lexically_equivalent: first_words[at].0 + 1,
            identical: first_text[at].0 + 1,
        };
        table.add(&Listed { name: &collection.document_name(document)?, row })?;
    }
    Ok(())
}

/// For each document, the first document with the same key. Equal texts have equal words and equal
/// words equal features, so all equal documents are listed if one is.
fn firsts(
    listed: &[DocumentId],
    documents: usize,
    key: impl Fn(DocumentId) -> u128 + Sync,
) -> Vec<DocumentId> {
    // The upper half of a key is in memory, and nearly always decides.
    let with_head = |&document: &DocumentId| ((key(document) >> 64) as u64, document);
    let mut order: Vec<(u64, DocumentId)> = listed.par_iter().map(with_head).collect();
    order.par_sort_unstable_by(|a, b| {
        let whole = || key(a.1).cmp(&key(b.1));
        a.0.cmp(&b.0).then_with(whole).then(a.1.cmp(&b.1))
    });
    let mut firsts = vec![DocumentId(0); documents];
    for group in order.chunk_by(|a, b| a.0 == b.0 && key(a.1) == key(b.1)) {
        group.iter().for_each(|&(_, document)| firsts[document.index()] = group[0].1);
    }
    firsts
}

/// The documents of a finished run, numbered in the order of the table.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    ids: String,
    ends: Vec<usize>,
    /// Names of the files, and the number of each.
    files: Vec<String>,
    numbers: HashMap<String, u32>,
    /// File and record of each document.
    places: Vec<(u32, u32)>,
    /// Documents in the order of `places`.
    by_place: Vec<u32>,
    pub(crate) rows: Vec<DocumentRow>,
}

impl Documents {
    /// Reads the table of a run, and adds it to a digest.
    pub(crate) fn read(run: &Path, digest: &mut TableDigest) -> Result<Self, LookalikeError> {
        let mut table = TableReader::open(run, DOCUMENTS.name, &DOCUMENTS.all())?;
        let path = table.path().to_path_buf();
        let wrong = |row: usize, reason: &str| TableError::Malformed {
            path: path.clone(),
            row: row as u64 + 1,
            reason: reason.to_owned(),
        };
        let mut documents = Self::default();
        for row in &mut table {
            let (at, cells) = (documents.rows.len(), row?);
            digest.add(cells.iter().map(Value::as_cell));
            let (name, counts) = cells.split_at(WIDTH.min(cells.len()));
            let [Value::Text(id), Value::Text(file), record] = name else {
                return Err(wrong(at, "it does not name a document by id, file and record").into());
            };
            let record = record.as_count().and_then(|record| u32::try_from(record).ok());
            let (Some(record), Some(row)) = (record, DocumentRow::read(counts)) else {
                return Err(wrong(at, "a number is missing").into());
            };
            if let Some(last) = at.checked_sub(1) {
                let before = (documents.id(last as u32), documents.rows[last].place);
                if before >= (id.as_str(), row.place) {
                    return Err(wrong(at, "it is not in the order of ids and places").into());
                }
            }
            documents.push(id, file, record, row);
        }
        if let Some(document) = documents.index_places() {
            return Err(wrong(document as usize, "its document is in the table twice").into());
        }
        Ok(documents)
    }

    fn push(&mut self, id: &str, file: &str, record: u32, row: DocumentRow) {
        self.ids.push_str(id);
        self.ends.push(self.ids.len());
        let number = match self.numbers.get(file) {
            Some(&number) => number,
            None => {
                let number = self.files.len() as u32;
                self.files.push(file.to_owned());
                self.numbers.insert(file.to_owned(), number);
                number
            }
        };
        self.places.push((number, record));
        self.rows.push(row);
    }

    /// Sorts the documents by file and record; returns a document whose position another one has,
    /// if any.
    fn index_places(&mut self) -> Option<u32> {
        let place = |&document: &u32| self.places[document as usize];
        let mut order: Vec<u32> = (0..self.len()).collect();
        order.sort_unstable_by_key(|document| (place(document), *document));
        let twice = order.windows(2).find(|pair| place(&pair[0]) == place(&pair[1]));
        let twice = twice.map(|pair| pair[1]);
        self.by_place = order;
        twice
    }

    /// Number of documents.
    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    /// A document's id.
    fn id(&self, document: u32) -> &str {
        let at = document as usize;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.ids[start..self.ends[at]]
    }

    /// The name of a document in the tables.
    pub(crate) fn name(&self, document: u32) -> DocumentName<'_> {
        let (file, record) = self.places[document as usize];
        let file = self.files[file as usize].as_str().into();
        DocumentName { id: self.id(document).into(), file, record, protected: false }
    }

    /// The name of a document's file.
    pub(crate) fn file(&self, document: u32) -> &str {
        &self.files[self.places[document as usize].0 as usize]
    }

    /// Names of the files.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    /// The number of the document's file among [`Documents::files`], and that of its record.
    pub(crate) fn place(&self, document: u32) -> (u32, u32) {
        self.places[document as usize]
    }

    /// The document named by cells of a table, if there is one.
    pub(crate) fn find(&self, name: &[Value]) -> Option<u32> {
        let [id, file, record] = name else { return None };
        let number = *self.numbers.get(file.as_text()?)?;
        let wanted = (number, u32::try_from(record.as_count()?).ok()?);
        let place = |&document: &u32| self.places[document as usize];
        let at = self.by_place.binary_search_by_key(&wanted, place).ok()?;
        let document = self.by_place[at];
        (self.id(document) == id.as_text()?).then_some(document)
    }
}
