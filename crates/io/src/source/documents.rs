//! One-document files: chunks of several of them, and their records.

use crate::formats::{self, Visit, message};
use crate::mail::MailReader;
use crate::{Format, InputFile, Inputs, Item, Problem, ReadFailure, RecordView};

use super::detach::Detached;
use super::position::{RecordPosition, bare};
use super::scratch::VisitScratch;
use super::{Body, Chunk, LARGE};

/// Most files of a chunk.
const RUN: usize = 64;

/// The chunk of one-document files that starts at this file. A file that a command reads is a chunk by
/// itself: commands run in parallel, and a cancelled run waits for no more than those that run.
pub(crate) fn run(files: &[InputFile], first: usize, bytes: u64) -> Chunk {
    let (mut count, mut size) = (0, 0);
    for file in files[first..].iter().take(RUN) {
        let is_alone = count > 0 && (file.format == Format::EXTRACTED || size + file.size > bytes);
        if !file.format.is_document() || is_alone {
            break;
        }
        count += 1;
        size += file.size;
        if file.format == Format::EXTRACTED {
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
pub(crate) fn visit(chunk: &Chunk, count: u32, visit: &mut Visit<'_>) {
    let (inputs, wanted) = (visit.inputs, visit.wanted);
    for file in (chunk.file..).take(count as usize).filter(|&file| wanted(file, 1)) {
        let Some(input) = inputs.files.get(file as usize) else { return };
        let Some(format) = formats::document(input.format) else { continue };
        let bytes = &mut visit.scratch.bytes;
        bytes.clear();
        match format.read(input, inputs, bytes) {
            Ok(()) if input.format.is_message() => visit_message(file, input, visit),
            Ok(()) => {
                // A large file is owned, so that it can be freed once it is tokenised.
                let content = match bytes.len() > LARGE {
                    true => format.content(std::mem::take(bytes).into()),
                    false => format.content(bytes.as_slice().into()),
                };
                let record = bare(content);
                (visit.each)(Item::Record(RecordView { file, record: 1, line: 1, ..record }));
            }
            Err((message, unreadable)) => {
                let problem = Problem::of_file(file, &input.name, None, message);
                let problem = Problem { record: 1, unreadable, ..problem };
                (visit.each)(match unreadable {
                    true => Item::Failed(ReadFailure::from(problem)),
                    false => Item::Bad(problem),
                });
            }
        }
        if visit.scratch.bytes.capacity() > 2 * LARGE {
            visit.scratch.bytes = Vec::new();
        }
    }
}

/// The names of the fields of this file if it is a message, in lower case.
pub(crate) fn names(
    file: u32,
    inputs: &Inputs,
    reader: &mut MailReader,
) -> Result<Vec<String>, ReadFailure> {
    let mut bytes = Vec::new();
    let message = inputs.files.get(file as usize).filter(|input| input.format.is_message());
    let Some(input) = message else { return Ok(Vec::new()) };
    let Some(format) = formats::document(input.format) else { return Ok(Vec::new()) };
    match format.read(input, inputs, &mut bytes) {
        Ok(()) => Ok(message::names(reader, &bytes).unwrap_or_default()),
        Err((message, true)) => Err(ReadFailure::of_file(file, &input.name, None, message)),
        Err((_, false)) => Ok(Vec::new()),
    }
}

/// Parses the message that was read. Of a large one, all but its text is freed first.
fn visit_message(file: u32, input: &InputFile, visit: &mut Visit<'_>) {
    let Visit { inputs, fields, scratch, each, .. } = visit;
    let place = RecordPosition { record: 1, line: 1, offset: 0 };
    let bytes = std::mem::take(&mut scratch.bytes);
    let VisitScratch { mail, extra, given, .. } = &mut **scratch;
    let limits = message::limits(inputs.options.max_record());
    mail.set_options(limits, (&inputs.options.formats).into());
    let record = mail
        .read(&bytes)
        .map_err(|error| error.to_string())
        .and_then(|mail| message::record(mail, fields, (extra, given)));
    let detached = match record {
        Ok(record) if bytes.len() <= LARGE => {
            each(Item::Record(place.record(file, record)));
            None
        }
        Ok(record) => Some(Detached::of(&place.record(file, record))),
        Err(message) => {
            let problem = Problem::of_file(file, &input.name, None, message);
            each(Item::Bad(Problem { record: 1, unreadable: false, ..problem }));
            None
        }
    };
    match detached {
        Some(record) => {
            let text = scratch.take_text(bytes, &record);
            each(Item::Record(record.with(text)));
        }
        None => scratch.bytes = bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_command_reads_is_a_chunk_by_itself() {
        let file = |format| InputFile { format, size: 10, ..InputFile::in_memory("a") };
        let files: Vec<InputFile> = [
            Format::TEXT,
            Format::TEXT,
            Format::EXTRACTED,
            Format::EXTRACTED,
            Format::DOCX,
            Format::EML,
            Format::HTML,
            Format::JSONL,
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
