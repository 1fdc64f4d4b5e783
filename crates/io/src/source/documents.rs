//! One-document files: chunks of several of them, and their records.

use std::sync::Arc;

use crate::mail::{MailLimits, MailOptions, MailReader};
use crate::office::Office;
use crate::{Content, Format, InputFile, Inputs, Item, Problem, ReadFailure, RecordView};

use super::decompress::Decompressed;
use super::detach::Detached;
use super::extracted::NamedFile;
use super::fields::Fields;
use super::file_copy::FileCopy;
use super::messages;
use super::position::{RecordPosition, bare};
use super::record_limit::too_long;
use super::scratch::VisitScratch;
use super::{Body, Chunk, LARGE, open};

/// Most files of a chunk.
const RUN: usize = 64;

/// The chunk of one-document files that starts at this file. A file that a command reads is a chunk by
/// itself: commands run in parallel, and a cancelled run waits for no more than those that run.
pub(super) fn run(files: &[InputFile], first: usize, bytes: u64) -> Chunk {
    let (mut count, mut size) = (0, 0);
    for file in files[first..].iter().take(RUN) {
        let is_alone = count > 0 && (file.format == Format::Extracted || size + file.size > bytes);
        if !file.format.is_document() || is_alone {
            break;
        }
        count += 1;
        size += file.size;
        if file.format == Format::Extracted {
            break;
        }
    }
    Chunk {
        file: first as u32,
        first_record: 1,
        first_line: 0,
        offset: 0,
        consumed: size,
        body: Body::Files(count),
    }
}

/// Opens and reads the wanted files of a chunk.
pub(super) fn visit(
    chunk: &Chunk,
    count: u32,
    inputs: &Inputs,
    fields: &Fields<'_>,
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let limit = inputs.options.max_record();
    for file in (chunk.file..).take(count as usize).filter(|&file| wanted(file, 1)) {
        let Some(input) = inputs.files.get(file as usize) else { return };
        scratch.bytes.clear();
        let read = match input.format {
            Format::Extracted => extracted(input, inputs, limit, &mut scratch.bytes),
            Format::Docx => office(input, Office::Docx, limit, &mut scratch.bytes),
            Format::Odt => office(input, Office::Odt, limit, &mut scratch.bytes),
            _ => read(input, limit, &mut scratch.bytes),
        };
        match read {
            Ok(()) if input.format.is_message() => {
                let place = RecordPosition { record: 1, line: 1, offset: 0 };
                let mail = (messages::limits(limit), messages::options(&inputs.options.formats));
                visit_message((file, place), input, fields, mail, scratch, visit);
            }
            Ok(()) => {
                let content = match scratch.bytes.len() > LARGE {
                    true => owned(input.format, std::mem::take(&mut scratch.bytes)),
                    false => content(input.format, &scratch.bytes),
                };
                let record = bare(content);
                visit(Item::Record(RecordView { file, record: 1, line: 1, ..record }));
            }
            Err((message, unreadable)) => {
                let problem = Problem::of_file(file, &input.name, None, message);
                let problem = Problem { record: 1, unreadable, ..problem };
                visit(match unreadable {
                    true => Item::Failed(ReadFailure::from(problem)),
                    false => Item::Bad(problem),
                });
            }
        }
        if scratch.bytes.capacity() > 2 * LARGE {
            scratch.bytes = Vec::new();
        }
    }
}

/// The names of the fields of this file if it is a message, in lower case.
pub(super) fn names(
    file: u32,
    inputs: &Inputs,
    reader: &mut MailReader,
) -> Result<Vec<String>, ReadFailure> {
    let mut bytes = Vec::new();
    let message = inputs.files.get(file as usize).filter(|input| input.format.is_message());
    let Some(input) = message else { return Ok(Vec::new()) };
    match read(input, inputs.options.max_record(), &mut bytes) {
        Ok(()) => Ok(messages::names(reader, &bytes).unwrap_or_default()),
        Err((message, true)) => Err(ReadFailure::of_file(file, &input.name, None, message)),
        Err((_, false)) => Ok(Vec::new()),
    }
}

/// Parses the message that was read. Of a large one, all but its text is freed first.
fn visit_message(
    (file, place): (u32, RecordPosition),
    input: &InputFile,
    fields: &Fields<'_>,
    (limits, options): (MailLimits, MailOptions),
    scratch: &mut VisitScratch,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let bytes = std::mem::take(&mut scratch.bytes);
    let VisitScratch { mail, extra, given, .. } = &mut *scratch;
    mail.set_options(limits, options);
    let record = mail
        .read(&bytes)
        .map_err(|error| error.to_string())
        .and_then(|mail| messages::record(mail, fields, (extra, given)));
    let detached = match record {
        Ok(record) if bytes.len() <= LARGE => {
            visit(Item::Record(place.record(file, record)));
            None
        }
        Ok(record) => Some(Detached::of(&place.record(file, record))),
        Err(message) => {
            let problem = Problem::of_file(file, &input.name, None, message);
            visit(Item::Bad(Problem { record: 1, unreadable: false, ..problem }));
            None
        }
    };
    match detached {
        Some(record) => {
            let text = scratch.take_text(bytes, &record);
            visit(Item::Record(record.with(text)));
        }
        None => scratch.bytes = bytes,
    }
}

/// Extracts the text of a document with its command, of an object from a copy. Fails as [`read`].
fn extracted(
    input: &InputFile,
    inputs: &Inputs,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), (String, bool)> {
    if let Some(damage) = &input.damage {
        return Err((damage.clone(), true));
    }
    let formats = &inputs.options.formats;
    let Some(extractor) = formats.extractor(&input.relative) else {
        return Err(("has no command; name one with the setting extract".to_owned(), false));
    };
    let copy = match &input.object {
        None => None,
        Some(object) => {
            let object = Arc::clone(object);
            let copy = FileCopy::of(object, &input.relative, &inputs.options.scratch());
            Some(copy.map_err(|message| (message, true))?)
        }
    };
    let file =
        NamedFile { path: copy.as_ref().map_or(&*input.path, FileCopy::path), name: &input.name };
    let text = super::extracted::text(extractor.command(), &file, limit, formats.timeout());
    *out = text.map_err(|message| (message, false))?;
    Ok(())
}

/// Reads the text of a word processor document. Fails as [`read`].
fn office(
    input: &InputFile,
    kind: Office,
    limit: usize,
    out: &mut Vec<u8>,
) -> Result<(), (String, bool)> {
    read(input, limit, out)?;
    let text = crate::office::text(out, kind, limit).map_err(|message| (message, false))?;
    *out = text.into_bytes();
    Ok(())
}

/// Reads a whole document. Fails with a message, and whether the input is unreadable.
fn read(input: &InputFile, limit: usize, out: &mut Vec<u8>) -> Result<(), (String, bool)> {
    let mut source = Decompressed::open(input).map_err(|e| (open::explain(&e), true))?;
    match source.read_up_to(limit.saturating_add(1), out) {
        Ok(_) if out.len() > limit => Err((too_long(limit), false)),
        Ok(_) => Ok(()),
        Err(e) => source.explain(&e).fatal().map_or(Ok(()), |message| Err((message, true))),
    }
}

fn content(format: Format, bytes: &[u8]) -> Content<'_> {
    match format {
        Format::Html => Content::HtmlBytes(bytes.into()),
        _ => Content::TextBytes(bytes.into()),
    }
}

/// The content of a large file, owned, so that it can be freed once it is tokenised.
fn owned(format: Format, bytes: Vec<u8>) -> Content<'static> {
    match format {
        Format::Html => Content::HtmlBytes(bytes.into()),
        _ => Content::TextBytes(bytes.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_command_reads_is_a_chunk_by_itself() {
        let file = |format| InputFile { format, size: 10, ..InputFile::in_memory("a") };
        let files: Vec<InputFile> = [
            Format::Text,
            Format::Text,
            Format::Extracted,
            Format::Extracted,
            Format::Docx,
            Format::Eml,
            Format::Html,
            Format::Jsonl,
        ]
        .map(file)
        .into();
        let (mut first, mut counts) = (0, Vec::new());
        while files[first].format.is_document() {
            let Body::Files(count) = run(&files, first, 25).body else { panic!("files are files") };
            counts.push(count);
            first += count as usize;
        }
        assert_eq!(counts, [2, 1, 1, 2, 1]);
    }
}
