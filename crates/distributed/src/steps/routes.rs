//! Candidate pairs to the sets that are compared.

use super::damaged;
use super::step::RowStep;
use super::tables::{Message, MessageWriter, message};
use lookalike_join::shuffle::{Part, decode_pairs, decode_ranks, encode_pairs, encode_ranks};
use lookalike_run::LookalikeError;

/// Sets as messages for their parts.
pub(super) struct PartSets {
    pub(super) parts: u32,
}

impl RowStep<Message<'static>, Message<'static>> for PartSets {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind != message::SET {
            return Ok(());
        }
        let Part(part) = Part::of(row.rank as u64, self.parts);
        out.push(Message { part: part.into(), ..row })
    }
}

/// Pairs of sets: says which sets each set is compared with. The earlier set of a pair stays in its
/// own part; the later one goes there once, however many sets of that part it is compared with.
#[derive(Default)]
struct Routes {
    pairs: Vec<(u64, u64)>,
    /// Sets that are the earlier of a pair.
    wanted: Vec<u64>,
}

impl Routes {
    fn sort(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.wanted.sort_unstable();
        self.wanted.dedup();
    }

    /// Sends a set to the parts of those that it is compared with.
    fn set(
        &self,
        row: Message<'_>,
        parts: u32,
        out: &mut MessageWriter,
    ) -> Result<(), LookalikeError> {
        let rank = row.rank as u64;
        if self.wanted.binary_search(&rank).is_ok() {
            let Part(part) = Part::of(rank, parts);
            out.push(Message { part: part.into(), kind: message::SET, ..row })?;
        }
        let start = self.pairs.partition_point(|pair| pair.0 < rank);
        let own = self.pairs[start..].iter().take_while(|pair| pair.0 == rank);
        let mut others: Vec<(Part, u64)> =
            own.map(|&(_, earlier)| (Part::of(earlier, parts), earlier)).collect();
        others.sort_unstable();
        let (mut ranks, mut list) = (Vec::new(), Vec::new());
        for together in others.chunk_by(|a, b| a.0 == b.0) {
            ranks.clear();
            ranks.extend(together.iter().map(|&(_, earlier)| earlier));
            list.clear();
            encode_ranks(&ranks, &mut list);
            let part = together[0].0.0.into();
            out.push(Message { part, kind: message::PROBE, list: &list, ..row })?;
        }
        Ok(())
    }
}

/// Pairs and sets of parts, sorted by (part, kind): brings each set to the parts of those that it
/// is compared with.
pub(super) struct Route {
    parts: u32,
    part: Option<i64>,
    routes: Routes,
    sorted: bool,
}

impl Route {
    pub(super) fn new(parts: u32) -> Self {
        Self { parts, part: None, routes: Routes::default(), sorted: false }
    }
}

impl RowStep<Message<'static>, Message<'static>> for Route {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind == message::COUNTS {
            return Ok(());
        }
        if self.part != Some(row.part) {
            (self.part, self.sorted) = (Some(row.part), false);
            self.routes.pairs.clear();
            self.routes.wanted.clear();
        }
        let Routes { pairs, wanted } = &mut self.routes;
        match row.kind {
            message::PAIRS => decode_pairs(row.blob, pairs).map_err(damaged),
            message::WANTED => decode_ranks(row.blob, wanted).map_err(damaged),
            _ => {
                if !self.sorted {
                    self.routes.sort();
                    self.sorted = true;
                }
                self.routes.set(row, self.parts, out)
            }
        }
    }
}

/// Pairs of numbers of many rows in one, for [`RouteAll`] and [`super::units::DistinctSets`].
#[derive(Default)]
pub(super) struct GatherPairs(Routes);

impl RowStep<Message<'static>, Message<'static>> for GatherPairs {
    fn row(&mut self, row: Message<'_>, _: &mut MessageWriter) -> Result<(), LookalikeError> {
        match row.kind {
            message::PAIRS => decode_pairs(row.blob, &mut self.0.pairs).map_err(damaged),
            _ => Ok(()),
        }
    }

    fn end(&mut self, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        self.0.sort();
        let mut blob = Vec::new();
        encode_pairs(&self.0.pairs, &mut blob);
        out.push(Message { kind: message::PAIRS, blob: &blob, ..Message::default() })
    }
}

/// Sets, where all pairs are few enough to be known beforehand: brings each set to the parts of
/// those that it is compared with.
pub(super) struct RouteAll {
    parts: u32,
    routes: Routes,
}

impl RouteAll {
    /// # Errors
    /// Damaged pairs.
    pub(super) fn new(parts: u32, pairs: &[u8]) -> Result<Self, LookalikeError> {
        let mut routes = Routes::default();
        decode_pairs(pairs, &mut routes.pairs).map_err(damaged)?;
        routes.wanted.extend(routes.pairs.iter().map(|pair| pair.1));
        routes.sort();
        Ok(Self { parts, routes })
    }
}

impl RowStep<Message<'static>, Message<'static>> for RouteAll {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        match row.kind {
            message::SET => self.routes.set(row, self.parts, out),
            _ => Ok(()),
        }
    }
}
