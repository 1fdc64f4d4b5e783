//! What formats of record batches have in common: rows are parsed from columns.

use crate::source::{Chunk, columns};
use crate::{InputFile, Inputs};

use super::item::{Modelled, OpenedReader, Opening, RecordFormat, Visit};

/// A format of record batches, by what differs.
pub(super) struct Columns {
    /// See [`RecordFormat::open`].
    pub(super) open: fn(&Opening<'_>) -> OpenedReader,
    /// See [`RecordFormat::model`].
    pub(super) model: fn(&InputFile) -> Modelled,
}

impl RecordFormat for Columns {
    fn open(&self, opening: &Opening<'_>) -> OpenedReader {
        (self.open)(opening)
    }

    fn visit(&self, chunk: &Chunk, visit: &mut Visit<'_>) {
        columns::visit(chunk, visit.inputs, visit.fields, visit.scratch, visit.wanted, visit.each);
    }

    fn names(&self, chunk: &Chunk, _: &Inputs, each: &mut dyn FnMut(&[String]) -> bool) {
        columns::names(chunk, each);
    }

    fn model(&self, input: &InputFile) -> Modelled {
        (self.model)(input)
    }
}
