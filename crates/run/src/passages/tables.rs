//! The tables of a search for passages, and the numbers of its summary.

use super::cutting::{differ, goes};
use super::placing::PlacedDocument;
use super::search::Found;
use super::settings::PassageSettings;
use super::stretches::{Located, Stretches, sides_of_cut, sides_of_run};
use super::totals::RunTotals;
use crate::LookalikeError;
use crate::readings::second::Written;
use crate::run_tables::filled;
use crate::table_store::TableStore;
use lookalike_decide::{
    CUTS, CutPassage, DocumentName, EDITS, Edit, Measures, PASSAGES, Passage, PassagePlace, Table,
    TableDigest, run_digest,
};
use lookalike_engine::Progress;
use std::collections::BTreeMap;
use std::ops::Range;

/// The tables, in the order in which a summary lists them.
pub(super) struct Tables<T> {
    pub(super) passages: T,
    /// Of a search that cuts.
    pub(super) cuts: Option<T>,
    /// Of one that writes what is left.
    pub(super) edits: Option<T>,
}

/// The numbers of all tables.
#[derive(Debug, Default)]
pub(super) struct Totals {
    pub(super) of_runs: RunTotals,
    pub(super) cut_documents: u64,
    pub(super) cut_units: u64,
    /// Units that go besides.
    pub(super) rest_units: u64,
    /// Both, by file.
    pub(super) of_files: BTreeMap<u32, u64>,
    pub(super) cuts: u64,
    pub(super) digest: String,
}

/// What the last reading says of the documents with passages.
#[derive(Default)]
pub(super) struct Placed {
    /// By document.
    documents: Vec<PlacedName>,
}

struct PlacedName {
    document: u32,
    name: DocumentName<'static>,
    /// Of its stretches, in order.
    located: Vec<Located>,
    gone: Vec<Range<usize>>,
}

impl Placed {
    pub(super) fn add(&mut self, document: PlacedDocument) {
        let PlacedDocument { document, name, located, gone, .. } = document;
        self.documents.push(PlacedName { document, name, located, gone });
    }

    /// Sorts the documents, which are not read in the order of their numbers.
    pub(super) fn sort(&mut self) {
        self.documents.sort_unstable_by_key(|placed| placed.document);
    }

    fn of(&self, document: u32) -> &PlacedName {
        let number = self.documents.binary_search_by_key(&document, |placed| placed.document);
        &self.documents[number.expect("a document that was read again")]
    }

    /// A stretch: its document, and its place there.
    pub(super) fn place(
        &self,
        stretches: &Stretches,
        of: super::stretches::Stretch,
    ) -> (&DocumentName<'static>, PassagePlace, Located) {
        let document = self.of(of.place.document);
        let located = document.located[stretches.number(of)];
        let place = PassagePlace { unit: of.place.unit.into(), bytes: located.bytes };
        (&document.name, place, located)
    }
}

impl<T> Tables<T> {
    /// Writes the tables, of documents that `read` gives in order. Returns what it returns.
    ///
    /// # Errors
    /// A table that cannot be written, a cancellation, units of a cut that are not those of its witness;
    /// errors of `read`.
    pub(super) fn write(
        store: &impl TableStore<Done = T>,
        found: &Found,
        stretches: &Stretches,
        passages: &PassageSettings,
        read: impl FnOnce(
            &mut dyn FnMut(PlacedDocument) -> Result<(), LookalikeError>,
        ) -> Result<Written, LookalikeError>,
        progress: &dyn Progress,
    ) -> Result<(Self, Totals, Written), LookalikeError> {
        let mut placed = Placed::default();
        let mut totals = Totals::of_runs(found, passages);
        let mut of_edits = TableDigest::new(EDITS.name);
        let mut of_cuts = TableDigest::new(CUTS.name);
        let mut of_passages = TableDigest::new(PASSAGES.name);
        let mut take = |document: PlacedDocument| {
            let cut = document.gone.iter().map(Range::len).sum::<usize>() as u64;
            totals.rest_units += document.rests;
            totals.cut_units += cut;
            let (file, _) = found.numbers.place(document.document);
            *totals.of_files.entry(file).or_default() += cut + document.rests;
            placed.add(document);
        };
        let (edits, written) = if passages.writes_documents() {
            let mut written = Written::default();
            let fill = |table: &mut Table<'_, Edit<'static>>| {
                written = read(&mut |document| {
                    for (edit, text) in &document.edits {
                        let bytes = [edit.bytes.start as u64, edit.bytes.end as u64];
                        table.add(&Edit {
                            document: &document.name,
                            bytes,
                            put: &edit.put,
                            text,
                        })?;
                    }
                    take(document);
                    Ok(())
                })?;
                Ok(())
            };
            let table = filled(store, EDITS.of(Measures::ALL), &mut of_edits, progress, fill)?;
            (Some(table), written)
        } else {
            let written = read(&mut |document| {
                take(document);
                Ok(())
            })?;
            (None, written)
        };
        placed.sort();
        let fill = |table: &mut Table<'_, _>| {
            for run in found.later() {
                let [at, first] = sides_of_run(run, found.lengths);
                let units = u64::from(at.units);
                let (document, at, _) = placed.place(stretches, at);
                let (first_document, first, _) = placed.place(stretches, first);
                let copies = run.copies.map(u64::from);
                table.add(&Passage { document, at, first_document, first, units, copies })?;
            }
            Ok(())
        };
        let listed = filled(store, PASSAGES.of(Measures::ALL), &mut of_passages, progress, fill)?;
        let mut cuts = None;
        if passages.cuts() {
            let fill = |table: &mut Table<'_, _>| {
                let rows = write_cuts(found, stretches, &placed, table)?;
                totals.cuts = rows;
                Ok(())
            };
            cuts = Some(filled(store, CUTS.of(Measures::ALL), &mut of_cuts, progress, fill)?);
        }
        totals.cut_documents = placed.documents.iter().filter(|of| !of.gone.is_empty()).count()
            as u64
            - written.removed.len() as u64;
        let digests = [
            Some(&of_passages),
            Some(&of_cuts).filter(|_| passages.cuts()),
            Some(&of_edits).filter(|_| passages.writes_documents()),
        ];
        totals.digest = run_digest(&digests.into_iter().flatten().collect::<Vec<_>>());
        Ok((Self { passages: listed, cuts, edits }, totals, written))
    }
}

/// Writes the cuts of which something goes; returns how many.
fn write_cuts(
    found: &Found,
    stretches: &Stretches,
    placed: &Placed,
    table: &mut Table<'_, CutPassage<'static>>,
) -> Result<u64, LookalikeError> {
    let mut rows = 0;
    for cut in &found.cuts {
        let [at, witness] = sides_of_cut(cut);
        if !goes(cut, &placed.of(at.place.document).gone) {
            continue;
        }
        let (document, at, own) = placed.place(stretches, at);
        let (kept_document, kept, of_witness) = placed.place(stretches, witness);
        if own.digest != of_witness.digest {
            return Err(differ(cut, &document.id, &kept_document.id));
        }
        let digest = own.digest.map(|digest| format!("{:032x}", digest.0)).unwrap_or_default();
        let units = u64::from(cut.units);
        table.add(&CutPassage { document, at, kept_document, kept, units, digest: &digest })?;
        rows += 1;
    }
    Ok(rows)
}

impl Totals {
    /// What runs say.
    fn of_runs(found: &Found, passages: &PassageSettings) -> Self {
        let mut totals = Self::default();
        let own = found.runs.partition_point(|run| run.at.document < found.numbers.beside());
        for runs in found.runs[own..].chunk_by(|a, b| a.at.document == b.at.document) {
            let is_fixed = found.numbers.is_fixed(runs[0].at.document);
            totals.of_runs += RunTotals::of_document(runs, is_fixed, found.lengths, passages);
        }
        totals
    }
}
