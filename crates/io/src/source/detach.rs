//! Large records in; the same without the bytes that they were read from, out.
//!
//! A record is borrowed from its chunk, which is held until the record was dealt with. Of a record
//! of a hundred megabytes nothing but the text is wanted, and that only until it has been
//! tokenised: it is cut out in place, and whoever gets it can free it.

use std::borrow::Cow;
use std::ops::Range;

use crate::{Content, FieldNumber, RecordView};

/// All of a record but its text, in memory of its own.
pub(super) struct Detached {
    file: u32,
    record: u32,
    line: u64,
    /// Id, url, title, date.
    fields: [Option<String>; 4],
    extra: Vec<FieldNumber>,
    is_html: bool,
    /// Address and length of the text, to find which buffer it lies in once nothing borrows from
    /// it.
    text: (usize, usize),
}

impl Detached {
    pub(super) fn of(record: &RecordView<'_>) -> Self {
        let RecordView { file, record: number, line, id, content, url, title, date, extra } =
            record;
        let owned = |field: &Option<Cow<'_, str>>| field.as_deref().map(str::to_owned);
        let (text, is_html) = match content {
            Content::Text(text) => (text.as_ref(), false),
            Content::Html(html) => (html.as_ref(), true),
            // Whole files, which are not detached from a chunk.
            Content::TextBytes(_) => ("", false),
            Content::HtmlBytes(_) => ("", true),
        };
        Self {
            file: *file,
            record: *number,
            line: *line,
            fields: [owned(id), owned(url), owned(title), owned(date)],
            extra: extra.to_vec(),
            is_html,
            text: (text.as_ptr().addr(), text.len()),
        }
    }

    /// Where the text lies in some bytes, if it does.
    pub(super) fn place(&self, bytes: &[u8]) -> Option<Range<usize>> {
        within(self.text, bytes)
    }

    /// The record with this text.
    pub(super) fn with(&self, text: String) -> RecordView<'_> {
        let [id, url, title, date] =
            self.fields.each_ref().map(|field| field.as_deref().map(Cow::Borrowed));
        let content = match self.is_html {
            true => Content::Html(text.into()),
            false => Content::Text(text.into()),
        };
        let Self { file, record, line, .. } = *self;
        RecordView { file, record, line, id, content, url, title, date, extra: &self.extra }
    }
}

/// Where a text, given by address and length, lies in some bytes, if it does.
fn within((address, length): (usize, usize), bytes: &[u8]) -> Option<Range<usize>> {
    let start = address.checked_sub(bytes.as_ptr().addr())?;
    let end = start.checked_add(length)?;
    (length > 0 && end <= bytes.len()).then_some(start..end)
}

/// A part of some bytes that is UTF-8, in place.
pub(super) fn cut(mut bytes: Vec<u8>, place: Range<usize>) -> String {
    bytes.truncate(place.end);
    bytes.drain(..place.start.min(place.end));
    bytes.shrink_to_fit();
    match String::from_utf8(bytes) {
        Ok(text) => text,
        // Does not happen: the place is that of a `str`.
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_out_of_its_bytes() {
        let bytes = "{\"text\": \"ein größerer Text\"}".as_bytes().to_vec();
        let text = std::str::from_utf8(&bytes[10..bytes.len() - 2]).unwrap();
        let place = |text: &str| within((text.as_ptr().addr(), text.len()), &bytes);
        let found = place(text).unwrap();
        assert_eq!(place("elsewhere"), None);
        assert_eq!(cut(bytes, found), "ein größerer Text");
    }
}
