//! Merges counts of parts, sorted by fingerprint.

use crate::error::TOO_MANY_DOCUMENTS;
use crate::run::{Record, RunReader};
use crate::table::Table;
use crate::write::Writer;
use crate::{Lexicon, LexiconError, Terms};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

/// A source of records.
pub(crate) enum Source<'a> {
    Run(RunReader<'a>),
    /// A sorted table, and the number of records already read.
    Table(&'a Table, usize),
    Lexicon(Terms<'a>),
}

impl Source<'_> {
    fn read(&mut self, record: &mut Record) -> Result<bool, LexiconError> {
        match self {
            Self::Run(run) => run.read(record),
            Self::Table(table, at) => {
                *at += 1;
                Ok(table.record(*at - 1, record))
            }
            Self::Lexicon(terms) => Ok(terms.next().is_some_and(|term| {
                record.fingerprint = term.fingerprint;
                record.frequency = term.frequency;
                record.name.clear();
                record.name.extend_from_slice(term.name);
                true
            })),
        }
    }
}

/// Pushes every term once, with the sum of its counts and the smallest of its names.
/// O(records · log sources).
pub(crate) fn merge_sources(
    mut sources: Vec<Source<'_>>,
    mut emit: impl FnMut(&Record) -> Result<(), LexiconError>,
) -> Result<(), LexiconError> {
    let mut heads = vec![Record::default(); sources.len()];
    let mut queue = BinaryHeap::with_capacity(sources.len());
    for (index, source) in sources.iter_mut().enumerate() {
        if source.read(&mut heads[index])? {
            queue.push(Reverse((heads[index].fingerprint, index)));
        }
    }
    let mut sum = Record::default();
    while let Some(Reverse((fingerprint, first))) = queue.pop() {
        std::mem::swap(&mut sum, &mut heads[first]);
        if sources[first].read(&mut heads[first])? {
            queue.push(Reverse((heads[first].fingerprint, first)));
        }
        while let Some(&Reverse((same, index))) = queue.peek()
            && same == fingerprint
        {
            queue.pop();
            let head = &mut heads[index];
            sum.frequency = sum.frequency.checked_add(head.frequency).ok_or(TOO_MANY_DOCUMENTS)?;
            if head.name < sum.name {
                std::mem::swap(&mut sum.name, &mut head.name);
            }
            if sources[index].read(head)? {
                queue.push(Reverse((head.fingerprint, index)));
            }
        }
        emit(&sum)?;
    }
    Ok(())
}

/// Writes the lexicon of all documents of several lexicons to `path`: the same bytes as from one
/// builder of all documents. The documents are assumed to be distinct.
///
/// # Errors
/// Parts with different descriptions, no part, or files that cannot be written.
pub fn merge(parts: &[Lexicon], path: &Path) -> Result<Lexicon, LexiconError> {
    let [first, rest @ ..] = parts else {
        return Err(LexiconError::Io {
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, "no parts to merge"),
        });
    };
    rest.iter().try_for_each(|part| part.expect(first.description()))?;
    let mut documents = 0u64;
    for part in parts {
        documents += part.header().documents;
    }
    let mut writer = Writer::new(first.description().clone(), path)?;
    let sources = parts.iter().map(|part| Source::Lexicon(part.terms())).collect();
    merge_sources(sources, |record| writer.push(record))?;
    writer.finish(documents)
}
