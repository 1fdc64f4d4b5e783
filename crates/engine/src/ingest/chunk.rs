//! Reads one chunk: tokens, features and signatures of its documents.

use super::observer::{ChunkObserver, TokenObserver};
use super::options::Takes;
use crate::block::{Block, HeldSets, SharedSets};
use crate::collection::{Document, SetRef};
use crate::signer::LargeSet;
use crate::site::{SiteRule, site, site_key};
use crate::store::ChunkMetadata;
use crate::stored_sets::StoredSets;
use crate::{EngineError, Signer, SignerScratch, keep_value, limits};
use lookalike_cluster::KeepRule;
use lookalike_core::TokenDigest;
use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{Inputs, Item, RecordView};
use lookalike_join::ChunkId;
use lookalike_methods::Unsigned;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

#[derive(Default)]
pub(super) struct State {
    pub(super) visit: VisitScratch,
    pub(super) scratch: SignerScratch,
    /// The elements of the chunk's sets up to the bound and above it: buffers reused for every
    /// chunk.
    pub(super) low: Vec<u64>,
    pub(super) high: Vec<u64>,
    /// Token sequences of the chunk that no committed chunk has, with their sets.
    pub(super) new: NewSets,
}

/// The sets of token sequences, or why they have none.
type NewSets = HashMap<TokenDigest, Result<SetRef, Unsigned>, foldhash::fast::FixedState>;

/// Destination of the sets of a chunk.
pub(super) struct Sets<'s> {
    pub(super) low: &'s mut Vec<u64>,
    pub(super) low_ends: &'s mut Vec<u32>,
    pub(super) high: &'s mut Vec<u64>,
    /// Destination of a large set, which is the only one of its chunk.
    pub(super) large: Option<&'s mut Option<LargeSet>>,
}

/// The chunk being read: its number is known once all earlier chunks are committed.
pub(super) const OWN: ChunkId = ChunkId(u32::MAX);

/// Capacity that buffers keep between chunks, in elements: few chunks have more.
pub(super) const USUAL: usize = 1 << 20;

/// The result of reading one chunk.
#[derive(Default)]
pub(super) struct ChunkResult<'a> {
    pub(super) block: Block,
    pub(super) metadata: ChunkMetadata,
    /// Why the chunk cannot be appended.
    pub(super) failed: Option<EngineError>,
    pub(super) observer: Option<Box<dyn ChunkObserver + 'a>>,
}

impl ChunkResult<'_> {
    /// A checked offset. The first one that is too large is recorded as the error of the chunk.
    pub(super) fn checked(&mut self, offset: Result<u32, EngineError>) -> u32 {
        offset.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            u32::MAX
        })
    }
}

pub(super) struct Reader<'a> {
    pub(super) inputs: &'a Inputs,
    pub(super) signer: &'a Signer,
    pub(super) keep: &'a [KeepRule],
    /// How sites are named, if they are collected.
    pub(super) sites: Option<SiteRule>,
    pub(super) fields: Vec<&'a str>,
    pub(super) sets: StoredSets,
    /// Which documents are taken, if not all are.
    pub(super) takes: Option<Takes<'a>>,
    pub(super) observer: Option<&'a dyn TokenObserver>,
}

impl<'a> Reader<'a> {
    /// Columns of values: one for each keep rule, one for replaced characters, and one for the values
    /// across which documents match.
    pub(super) fn columns(&self) -> usize {
        self.replaced_at().map_or(self.keep.len(), |at| at + 1)
            + usize::from(self.signer.matches_across())
    }

    /// The column for replaced characters, if they are replaced.
    pub(super) fn replaced_at(&self) -> Option<usize> {
        self.signer.replaces_confusables().then_some(self.keep.len())
    }

    /// The column for the values across which documents match, if they do.
    pub(super) fn values_at(&self) -> Option<usize> {
        self.signer.matches_across().then(|| self.columns() - 1)
    }

    pub(super) fn nothing(&self) -> ChunkResult<'a> {
        let mut result = ChunkResult::default();
        result.metadata.attributes = vec![Vec::new(); self.columns()];
        result
    }

    pub(super) fn read(&self, chunk: Chunk, state: &mut State) -> ChunkResult<'a> {
        let mut result = self.nothing();
        result.observer = self.observer.map(TokenObserver::chunk);
        result.metadata.consumed = chunk.consumed;
        result.metadata.place = chunk.place();
        let State { visit, scratch, low, high, new } = state;
        new.clear();
        let mut low_ends = Vec::new();
        let (alone, mut large) = (chunk.is_large(), None);
        chunk.visit_once(self.inputs, visit, &mut |item| match item {
            Item::Record(record) if self.takes.is_some_and(|takes| !takes(&record)) => {}
            Item::Record(mut record) => {
                let (low_ends, large) = (&mut low_ends, alone.then_some(&mut large));
                let sets = Sets { low, low_ends, high, large };
                self.document(&mut record, scratch, new, sets, &mut result);
            }
            Item::Bad(problem) => result.metadata.problems.push(problem),
            Item::Failed(failure) => result.metadata.problems.push(failure.into_problem()),
        });
        result.metadata.skipped = visit.take_skipped();
        scratch.free_large();
        low_ends.shrink_to_fit();
        let held = match large {
            Some(LargeSet { set, low, .. }) => HeldSets::large(set, low),
            None => HeldSets::new(low, low_ends, high),
        };
        result.block.sets = SharedSets::new(held);
        for elements in [low, high] {
            elements.clear();
            elements.shrink_to(USUAL);
        }
        result.block.signatures.shrink_to_fit();
        result
    }

    pub(super) fn document(
        &self,
        record: &mut RecordView<'_>,
        scratch: &mut SignerScratch,
        new: &mut NewSets,
        Sets { low, low_ends, high, large }: Sets<'_>,
        result: &mut ChunkResult<'a>,
    ) {
        if let Some(observer) = &mut result.observer {
            observer.begin(record);
        }
        let seen = self.signer.read(record, scratch);
        if let Some(observer) = &mut result.observer {
            observer.tokens(record, scratch.tokens(), seen.text_bytes);
        }
        let here = SetRef { chunk: OWN, index: result.block.ends.len() as u32 };
        let store = || {
            // A large set is alone in its chunk and is not copied.
            if let Some(large) = large
                && let Some(set) = self.signer.large_features(&seen, scratch)
            {
                let set = large.insert(set?);
                result.block.ends.push(set.set.len() as u32);
                result.block.digests.push(set.digest);
                result.metadata.sequences.push(seen.signed);
                return Ok(here);
            }
            let digest = self.signer.features(&seen, scratch, low, high)?;
            self.signer.sign(scratch, &mut result.block.signatures);
            let end = limits::in_chunk("features", low.len() + high.len(), limits::MOST);
            let end = result.checked(end);
            result.block.ends.push(end);
            if self.signer.arranged().is_some() {
                low_ends.push(low.len() as u32);
            }
            result.block.digests.push(digest);
            result.metadata.sequences.push(seen.signed);
            Ok(here)
        };
        let set = match seen.is_blank() {
            true => Err(Unsigned::Empty),
            false => match new.entry(seen.signed) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => match self.sets.get(seen.signed) {
                    Some(place) => Ok(place),
                    None => *entry.insert(store()),
                },
            },
        };
        for (column, rule) in result.metadata.attributes.iter_mut().zip(self.keep) {
            // The order of the collection needs no values.
            if !rule.is_by_order() {
                column.push(keep_value(rule, record, &self.fields, seen.text_bytes));
            }
        }
        let columns = &mut result.metadata.attributes;
        if let Some(at) = self.replaced_at() {
            columns[at].push(scratch.replaced_value());
        }
        if let Some(at) = self.values_at() {
            columns[at].push(scratch.value_key() as f64);
        }
        if let Some(rule) = self.sites {
            result.metadata.sites.push(site_key(&site(record, self.inputs, rule)));
        }
        result.block.rows.ids.push(record.id.as_deref());
        let ids = result.block.rows.ids.bytes();
        result.checked(limits::in_chunk("bytes of ids", ids, limits::MOST));
        result.block.rows.documents.push(Document {
            file: record.file,
            record: record.record,
            tokens: seen.tokens,
            set,
            text_bytes: seen.text_bytes,
            text: seen.text,
            sequence: seen.sequence,
        });
    }
}
