//! Parses records of web archives into documents.

use crate::web::{self, Entry};
use crate::{Beside, Content, FieldNumber, FieldTexts, Inputs, Item, RecordView};

use super::Chunk;
use super::fields::{Fields, non_empty};
use super::position::RecordPosition;
use super::record_limit::too_long_in_stream;
use super::scratch::VisitScratch;
use super::suggest::shown;

/// Parses the records of a chunk of a WARC file.
pub(super) fn visit(
    chunk: &Chunk,
    starts: &[usize],
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let limit = inputs.options.max_record();
    for ((record, raw), start) in chunk.raw_records().zip(starts) {
        if !wanted(chunk.file, record) {
            continue;
        }
        let place = RecordPosition { record, line: 0, offset: chunk.offset + *start as u64 };
        let VisitScratch { pages, extra, given, skipped, .. } = &mut *scratch;
        let entry = match raw.len() > limit {
            true => Err(too_long_in_stream(limit)),
            false => web::classify(raw, &inputs.options.formats.warc_status),
        };
        let read = match entry {
            Ok(Entry::Page(page)) => self::record(&page, fields, pages, limit, (extra, given)),
            Ok(Entry::Other(kind)) => {
                skipped.add(&kind, 1);
                continue;
            }
            Err(words) => Err(words),
        };
        match read {
            Ok(record) => visit(Item::Record(place.record(chunk.file, record))),
            Err(words) => visit(Item::Bad(place.problem(chunk, inputs, 0, words))),
        }
    }
}

/// Makes a record of a page. Fields are those of [`web::Page::field`]; `text` is the text of the page.
fn record<'a>(
    page: &web::Page<'a>,
    fields: &Fields<'_>,
    buffers: &'a mut web::PageBuffers,
    limit: usize,
    (extra, given): (&'a mut Vec<FieldNumber>, &'a mut FieldTexts),
) -> Result<RecordView<'a>, String> {
    let value = |slot: usize| page.field(fields.names[slot]).and_then(non_empty);
    fields.read_named(value, extra, given);
    let (id, url) = (value(fields.id), value(fields.url));
    let (title, date) = (value(fields.title), value(fields.date));
    let content = match fields.names[fields.text] {
        "text" => page.content(buffers, limit)?,
        name => match page.field(name) {
            Some(text) => Content::Text(text),
            None => {
                return Err(format!(
                    "the page has no header field `{}`; name another one, or `text` for its text, with \
                     the setting text_field",
                    shown(name)
                ));
            }
        },
    };
    Ok(RecordView {
        file: 0,
        record: 0,
        line: 0,
        id,
        content,
        url,
        title,
        date,
        extra,
        given,
        beside: Beside::default(),
    })
}

/// The names of the fields of a record, in lower case; none if it is no document.
pub(super) fn names(raw: &[u8], inputs: &Inputs) -> Vec<String> {
    web::names(raw, &inputs.options.formats.warc_status)
}
