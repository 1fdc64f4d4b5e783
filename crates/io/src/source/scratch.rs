//! Buffers for parsing records.

use crate::mail::MailReader;
use crate::web::PageBuffers;
use crate::{FeatureList, FieldNumber, FieldTexts};

use super::chunk::LARGE;
use super::csv_row::Row;
use super::detach::{self, Detached};
use super::json;
use super::skipped::SkippedRecords;

/// Buffers of one thread, reused for every chunk.
#[derive(Debug, Default)]
pub struct VisitScratch {
    pub(crate) strings: json::Buffers,
    pub(crate) extra: Vec<FieldNumber>,
    pub(crate) given: FieldTexts,
    pub(crate) features: FeatureList,
    pub(crate) row: Row,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mail: MailReader,
    pub(crate) pages: PageBuffers,
    /// Since the last [`VisitScratch::take_skipped`].
    pub(crate) skipped: SkippedRecords,
}

impl VisitScratch {
    /// The skipped records of the chunks that were visited since the last call.
    pub fn take_skipped(&mut self) -> SkippedRecords {
        std::mem::take(&mut self.skipped)
    }

    /// The text of a record that was read from these bytes, in either buffer. Everything else is
    /// freed.
    pub(crate) fn take_text(&mut self, data: Vec<u8>, record: &Detached) -> String {
        if let Some(place) = record.place(&data) {
            self.free_large();
            return detach::cut(data, place);
        }
        drop(data);
        let row = std::mem::take(&mut self.row).into_text();
        let strings = self.strings.iter_mut().map(std::mem::take).chain([row]);
        let buffers = strings.map(String::into_bytes).chain(self.mail.take_buffers());
        let mut buffers = buffers.chain(self.pages.take());
        let text = buffers.find_map(|buffer| {
            let place = record.place(&buffer)?;
            Some(detach::cut(buffer, place))
        });
        let text = text.unwrap_or_default();
        self.free_large();
        text
    }

    /// Frees buffers that a large record has grown.
    pub(crate) fn free_large(&mut self) {
        let large = |buffer: &&mut String| buffer.capacity() > LARGE;
        self.strings.iter_mut().filter(large).for_each(|buffer| *buffer = String::new());
        if self.row.bytes() > LARGE {
            self.row = Row::default();
        }
        if self.given.capacity() > LARGE {
            self.given = FieldTexts::default();
        }
        if self.features.capacity() > LARGE {
            self.features = FeatureList::default();
        }
        self.mail.free_large(LARGE);
        self.pages.free_large(LARGE);
    }
}
