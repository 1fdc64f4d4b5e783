//! One-document files: chunks of several of them, and their records.

use crate::{Content, Format, InputFile, Inputs, Item, Problem, RecordView};

use super::decompress::Decompressed;
use super::position::bare;
use super::record_limit::too_long;
use super::scratch::VisitScratch;
use super::{Body, Chunk, LARGE, open};

/// Most files of a chunk.
const RUN: usize = 64;

/// Whether a file of this format is one document.
pub(super) fn is_document(format: Format) -> bool {
    matches!(format, Format::Text | Format::Markdown | Format::Html)
}

/// The chunk of one-document files that starts at this file.
pub(super) fn run(files: &[InputFile], first: usize, bytes: u64) -> Chunk {
    let (mut count, mut size) = (0, 0);
    for file in files[first..].iter().take(RUN) {
        if !is_document(file.format) || (count > 0 && size + file.size > bytes) {
            break;
        }
        count += 1;
        size += file.size;
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
    scratch: &mut VisitScratch,
    wanted: &dyn Fn(u32, u32) -> bool,
    visit: &mut dyn FnMut(Item<'_>),
) {
    let limit = inputs.options.max_record();
    for file in (chunk.file..).take(count as usize).filter(|&file| wanted(file, 1)) {
        let Some(input) = inputs.files.get(file as usize) else { return };
        scratch.bytes.clear();
        match read(input, limit, &mut scratch.bytes) {
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
                visit(Item::Bad(Problem { record: 1, unreadable, ..problem }));
            }
        }
        if scratch.bytes.capacity() > 2 * LARGE {
            scratch.bytes = Vec::new();
        }
    }
}

/// Reads a whole document. Fails with a message, and whether the input is unreadable.
fn read(input: &InputFile, limit: usize, out: &mut Vec<u8>) -> Result<(), (String, bool)> {
    let mut source = Decompressed::open(&input.path, input.compression)
        .map_err(|e| (open::explain(&e), true))?;
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
