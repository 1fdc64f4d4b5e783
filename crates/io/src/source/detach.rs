//! Separates a large record from the buffer that it was read from.
//!
//! A record borrows from its chunk, which lives until the record was processed. Of a record of a
//! hundred megabytes only the text is needed, and only until it is tokenised: it is moved to the
//! front of its buffer, and the receiver can free it.

use std::borrow::Cow;
use std::ops::Range;

use crate::{Beside, Content, FieldNumber, FieldTexts, RecordView};

/// All of a record but its text, owned.
pub(crate) struct Detached {
    file: u32,
    record: u32,
    line: u64,
    /// Id, url, title, date.
    fields: [Option<String>; 4],
    extra: Vec<FieldNumber>,
    given: FieldTexts,
    beside: Beside,
    is_html: bool,
    /// Address and length of the text, to find the buffer that contains it after the borrow ended.
    text: (usize, usize),
}

impl Detached {
    pub(crate) fn of(record: &RecordView<'_>) -> Self {
        let RecordView {
            file,
            record: number,
            line,
            id,
            content,
            url,
            title,
            date,
            extra,
            given,
            beside,
        } = record;
        let owned = |field: &Option<Cow<'_, str>>| field.as_deref().map(str::to_owned);
        let (text, is_html) = match content {
            Content::Text(text) => (text.as_ref(), false),
            Content::Html(html) => (html.as_ref(), true),
            // Whole files, which are not detached from a chunk, and features, which are not either.
            Content::TextBytes(_) | Content::Features(_) => ("", false),
            Content::HtmlBytes(_) => ("", true),
        };
        Self {
            file: *file,
            record: *number,
            line: *line,
            fields: [owned(id), owned(url), owned(title), owned(date)],
            extra: extra.to_vec(),
            given: FieldTexts::clone(given),
            beside: *beside,
            is_html,
            text: (text.as_ptr().addr(), text.len()),
        }
    }

    /// The range of the text in some bytes, if it is there.
    pub(crate) fn place(&self, bytes: &[u8]) -> Option<Range<usize>> {
        within(self.text, bytes)
    }

    /// The record with this text.
    pub(crate) fn with(&self, text: String) -> RecordView<'_> {
        let [id, url, title, date] =
            self.fields.each_ref().map(|field| field.as_deref().map(Cow::Borrowed));
        let content = match self.is_html {
            true => Content::Html(text.into()),
            false => Content::Text(text.into()),
        };
        let Self { file, record, line, beside, .. } = *self;
        let (extra, given) = (self.extra.as_slice(), &self.given);
        RecordView { file, record, line, id, content, url, title, date, extra, given, beside }
    }
}

/// The range of a text, given by address and length, in some bytes, if it is there.
fn within((address, length): (usize, usize), bytes: &[u8]) -> Option<Range<usize>> {
    let start = address.checked_sub(bytes.as_ptr().addr())?;
    let end = start.checked_add(length)?;
    (length > 0 && end <= bytes.len()).then_some(start..end)
}

/// A range of some bytes that is UTF-8, in place.
pub(crate) fn cut(mut bytes: Vec<u8>, place: Range<usize>) -> String {
    bytes.truncate(place.end);
    bytes.drain(..place.start.min(place.end));
    bytes.shrink_to_fit();
    match String::from_utf8(bytes) {
        Ok(text) => text,
        // Unreachable: the range is that of a `str`.
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
