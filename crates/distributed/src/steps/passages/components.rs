//! Runs by the connected components of their documents: what is cut of a document depends on those before
//! it with which it has windows in common, which are linked by the documents of their first places.

use super::super::step::RowStep;
use super::super::tables::{Edge, EdgeWriter, Message, MessageWriter, edge};
use super::blobs::{put, put_all, read_all};
use super::kind;
use super::runs::read_numbers;
use lookalike_passages::Run;
use lookalike_run::LookalikeError;

/// The runs of parts: links each document to those of its first places.
pub(in super::super) struct RunLinks;

impl RowStep<Message<'static>, Edge<'static>> for RunLinks {
    fn row(&mut self, row: Message<'_>, out: &mut EdgeWriter) -> Result<(), LookalikeError> {
        let mut runs: Vec<Run> = Vec::new();
        read_all(row.blob, &mut runs)?;
        let ends = |run: &Run| (run.at.document, run.first.document);
        let mut linked: Vec<(u32, u32)> = runs.iter().map(ends).filter(|(a, b)| a != b).collect();
        linked.sort_unstable();
        linked.dedup();
        linked.into_iter().try_for_each(|(later, earlier)| {
            let (later, earlier) = (later.into(), earlier.into());
            out.push(Edge { later, kind: edge::MATCH, earlier, ..Edge::default() })
        })
    }
}

/// Links of documents to their components, as messages for the runs of each.
pub(in super::super) struct LinkMessages;

impl RowStep<Edge<'static>, Message<'static>> for LinkMessages {
    fn row(&mut self, link: Edge<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let (part, rank) = (link.later, link.earlier);
        out.push(Message { part, kind: kind::LINKED, rank, ..Message::default() })
    }
}

/// The runs of parts, document by document.
pub(in super::super) struct DocumentRuns;

impl RowStep<Message<'static>, Message<'static>> for DocumentRuns {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        let (mut runs, mut fixed): (Vec<Run>, _) = (Vec::new(), Vec::new());
        read_all(row.blob, &mut runs)?;
        read_numbers(row.list, &mut fixed)?;
        let (mut blob, mut list) = (Vec::new(), Vec::new());
        for own in runs.chunk_by(|a, b| a.at.document == b.at.document) {
            let document = own[0].at.document;
            blob.clear();
            list.clear();
            put_all(own, &mut blob);
            if fixed.binary_search(&document).is_ok() {
                put(&[document], &mut list);
            }
            let (kind, number) = (kind::RUNS, own.len() as i64);
            let message = Message { kind, number, blob: &blob, list: &list, ..Message::default() };
            out.push(Message { part: document.into(), ..message })?;
        }
        Ok(())
    }
}

/// Links and runs of documents, sorted by (document, kind): the runs by component.
#[derive(Default)]
pub(in super::super) struct ByComponent {
    /// The last document that is linked, and the first one of its component.
    link: Option<(i64, i64)>,
}

impl RowStep<Message<'static>, Message<'static>> for ByComponent {
    fn row(&mut self, row: Message<'_>, out: &mut MessageWriter) -> Result<(), LookalikeError> {
        if row.kind == kind::LINKED {
            self.link = Some((row.part, row.rank));
            return Ok(());
        }
        let link = self.link.filter(|(document, _)| *document == row.part);
        let part = link.map_or(row.part, |(_, component)| component);
        out.push(Message { part, ..row })
    }
}
