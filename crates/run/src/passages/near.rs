//! Near passages: a search of their own, for the shorter windows that are their seeds, and their table.

use super::excerpts::ShownPassages;
use super::placing::Placing;
use super::search::{OF_SEEDS, Search};
use super::stretches::{Stretches, sides_of_near};
use super::tables::Placed;
use crate::LookalikeError;
use crate::readings::second::SecondReading;
use crate::run_tables::filled;
use crate::table_store::TableStore;
use lookalike_decide::{Measures, NEAR, NearStretches, Table, TableDigest, run_digest};
use lookalike_engine::Progress;
use lookalike_passages::near::near_passages;
use lookalike_report::NearCounts;

impl Search<'_> {
    /// Lists near passages if some are asked for. The documents are read three times.
    ///
    /// # Errors
    /// Documents that cannot be read or have changed; a table that cannot be written; a cancellation.
    pub(super) fn near<S: TableStore>(
        &self,
        store: &S,
        progress: &dyn Progress,
    ) -> Result<Option<(S::Done, NearCounts)>, LookalikeError> {
        let Self { documents, passages, limits, .. } = *self;
        let Some(search) = passages.near()? else { return Ok(None) };
        let found = self.seek(search.seeds, search.repeated(), OF_SEEDS, None, progress)?;
        let mut near = near_passages(&found.runs, search.seeds, search.rule);
        // Of the other collection, what stands in it alone is not listed.
        near.retain(|near| near.places[0].document >= found.numbers.beside());

        let stretches = Stretches::of_near(&near);
        let wanted = found.numbers.places_of(stretches.documents().into_iter());
        let second = SecondReading { documents, first: &found.first, wanted: &wanted, limits };
        let nothing = ShownPassages::default();
        let visitor = |_: &[(u32, u32)]| {
            Placing::new(documents.inputs, &found, &stretches, passages, &nothing)
        };
        let mut placed = Placed::default();
        let mut each = |document| {
            placed.add(document);
            Ok(())
        };
        second.run("locating", None, &visitor, &mut each, progress)?;
        placed.sort();

        let mut digest = TableDigest::new(NEAR.name);
        let fill = |table: &mut Table<'_, NearStretches<'static>>| {
            for near in &near {
                let [at, first] = sides_of_near(near);
                let (document, at, _) = placed.place(&stretches, at);
                let (first_document, first, _) = placed.place(&stretches, first);
                let units = near.units.map(u64::from);
                let same = near.same.into();
                table.add(&NearStretches { document, at, first_document, first, units, same })?;
            }
            Ok(())
        };
        let table = filled(store, NEAR.of(Measures::ALL), &mut digest, progress, fill)?;
        let mut later: Vec<u32> = near.iter().map(|near| near.places[0].document).collect();
        later.dedup();
        let counts = NearCounts {
            passages: near.len() as u64,
            documents: later.len() as u64,
            digest: run_digest(&[&digest]),
        };
        Ok(Some((table, counts)))
    }
}
