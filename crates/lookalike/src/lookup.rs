//! Names in, the documents of those names out: the inputs are read until all are found.

use crate::error::Unread;
use lookalike_engine::pipeline;
use lookalike_engine::signer::plain_text;
use lookalike_io::source::VisitScratch;
use lookalike_io::{Format, Inputs, Item, RecordView};
use lookalike_report::DocExhibit;

/// Which document is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Name<'n> {
    /// The first with this id, or, where no document has it, the one named `FILE:RECORD`.
    Id(&'n str),
    /// The first with this id, or, where no document has it, the one with this record number.
    IdOrRecord(&'n str),
    /// The only one there is.
    Only,
}

/// How well a document answers to a name: an id goes before a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Id,
    Place,
}

impl Name<'_> {
    fn matches(self, record: &RecordView<'_>, inputs: &Inputs) -> Option<Match> {
        let file = &inputs.files[record.file as usize];
        let (name, place_only) = match self {
            Self::Only => return Some(Match::Id),
            Self::Id(name) => (name, false),
            Self::IdOrRecord(name) => (name, true),
        };
        if record.id.as_deref() == Some(name) {
            return Some(Match::Id);
        }
        let is_place = if place_only {
            name.parse() == Ok(record.record)
        } else if matches!(file.format, Format::Text | Format::Markdown | Format::Html) {
            name == file.name
        } else {
            name.strip_prefix(&file.name)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|number| number.parse() == Ok(record.record))
        };
        is_place.then_some(Match::Place)
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The document of each name, in the order of the names.
    pub(crate) documents: Vec<Option<DocExhibit>>,
    /// Whether a name fits more than one document equally well (only looked for with [`Name::Only`]).
    pub(crate) several: bool,
    /// What could not be read on the way.
    pub(crate) unread: Unread,
}

/// Looks for documents. Reads no further than it must.
pub(crate) fn find(inputs: &Inputs, names: &[Name<'_>], threads: usize) -> Found {
    let mut best: Vec<Option<(Match, DocExhibit)>> = vec![None; names.len()];
    let mut several = false;
    let mut unread = Unread::default();
    pipeline::ordered(
        threads,
        inputs.chunks(),
        VisitScratch::default,
        |scratch, chunk| {
            let (mut hits, mut unread) = (Vec::new(), Unread::default());
            let chunk = match chunk {
                Ok(chunk) => chunk,
                Err(problem) => {
                    unread.add(problem);
                    return (hits, unread);
                }
            };
            chunk.visit(inputs, scratch, &mut |item| {
                let record = match item {
                    Item::Record(record) => record,
                    Item::Bad(problem) => return unread.add(problem),
                };
                for (at, name) in names.iter().enumerate() {
                    if let Some(fit) = name.matches(&record, inputs)
                        // A file of a million records must not be copied to learn that it has many.
                        && hits.iter().filter(|hit: &&(usize, Match, _)| hit.0 == at).count() < 2
                    {
                        hits.push((at, fit, exhibit(&record, inputs)));
                    }
                }
            });
            (hits, unread)
        },
        |(hits, more)| {
            unread.count += more.count;
            unread.first = unread.first.take().or(more.first);
            for (at, fit, document) in hits {
                if matches!(names[at], Name::Only) && best[at].is_some() {
                    several = true;
                } else if best[at].as_ref().is_none_or(|(known, _)| fit < *known) {
                    best[at] = Some((fit, document));
                }
            }
            // A better fit may still come, unless each name was found as an id.
            let done = |(name, best): (&Name<'_>, &Option<(Match, DocExhibit)>)| {
                !matches!(name, Name::Only) && matches!(best, Some((Match::Id, _)))
            };
            !several && !names.iter().zip(&best).all(done)
        },
    );
    Found {
        documents: best.into_iter().map(|best| best.map(|(_, document)| document)).collect(),
        several,
        unread,
    }
}

fn exhibit(record: &RecordView<'_>, inputs: &Inputs) -> DocExhibit {
    let file = &inputs.files[record.file as usize];
    let owned = |field: &Option<std::borrow::Cow<'_, str>>| field.as_deref().map(str::to_owned);
    let id = match &record.id {
        Some(id) => id.to_string(),
        None if matches!(file.format, Format::Text | Format::Markdown | Format::Html) => {
            file.name.clone()
        }
        None => format!("{}:{}", file.name, record.record),
    };
    DocExhibit {
        id,
        title: owned(&record.title),
        url: owned(&record.url),
        text: plain_text(&record.content).into_owned(),
    }
}
