//! JSON lines, CSV, TSV and mbox: chunks of any size give the same records, and what is written is what was
//! read.

use lookalike_io::source::VisitScratch;
use lookalike_io::{
    Compression, Content, DiscoverOptions, DocumentsWriter, Fate, Fates, Inputs, Item, MarkValue,
    RouteOptions, Routed, Staging,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Any bytes as a file of JSON lines.
pub fn json(data: &[u8]) {
    check(data, "in.jsonl");
}

/// Any bytes as CSV, or as TSV if the first byte is odd.
pub fn csv(data: &[u8]) {
    let Some((form, data)) = data.split_first() else { return };
    check(data, if form % 2 == 0 { "in.csv" } else { "in.tsv" });
}

/// Any bytes after the beginning of a separator line, as an mbox.
pub fn mbox(data: &[u8]) {
    check(&[b"From ", data].concat(), "in.mbox");
}

/// A usable record: id, text, and the other fields, printed.
type Record = (Option<String>, String, String);

/// What a file holds.
#[derive(Debug, PartialEq)]
struct Read {
    records: Vec<(u32, Record)>,
    problems: Vec<String>,
    /// Numbers of the records that are problems; 0 for the rest of a file.
    bad: BTreeSet<u32>,
}

fn check(data: &[u8], name: &str) {
    let folder = super::folder();
    let path = folder.path().join(name);
    std::fs::write(&path, data).unwrap();
    let Some(inputs) = discover(&path) else { return };
    // What is compressed is the part of another target.
    if inputs.files[0].compression != Compression::None {
        return;
    }
    let whole = read(&inputs, 2 << 20);
    for size in [1, 61] {
        assert_eq!(read(&inputs, size), whole, "chunks of {size} bytes");
    }
    // An invalid byte becomes a character of three bytes; nothing else grows.
    let text: usize = whole.records.iter().map(|(_, (_, text, _))| text.len()).sum();
    assert!(text <= 3 * data.len(), "{text} bytes of text from {} bytes", data.len());
    let numbers: Vec<u32> = whole.records.iter().map(|(number, _)| *number).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "record numbers {numbers:?}");
    assert!(numbers.iter().all(|number| !whole.bad.contains(number)), "usable and not");
    // The rest of a file that is given up is in no output.
    if !whole.bad.contains(&0) {
        written_is_read(&inputs, &whole, folder.path());
    }
}

/// Routes usable records to `kept`, and reads them again.
fn written_is_read(inputs: &Inputs, whole: &Read, folder: &Path) {
    struct ByNumber<'a>(&'a BTreeSet<u32>);
    impl Fates for ByNumber<'_> {
        fn fate(&self, _: u32, record: u32) -> Fate {
            if self.0.contains(&record) { Fate::Rejected } else { Fate::Kept }
        }

        fn mark(&self, _: u32, _: u32) -> Vec<MarkValue<'_>> {
            Vec::new()
        }
    }
    let output = folder.join("out");
    let staging = Staging::create(&output, false).unwrap();
    let options = RouteOptions::default();
    let mut writer = DocumentsWriter::new(inputs, &staging, &options);
    let mut routed = Routed::default();
    for chunk in inputs.chunks().with_size(61).filter_map(|piece| piece.into_parts().0) {
        chunk.route(inputs, &ByNumber(&whole.bad), &options, &mut routed).unwrap();
        writer.write(&routed).unwrap();
    }
    writer.finish().unwrap();
    staging.commit().unwrap();
    let kept = output.join(Path::new("kept").with_extension(extension(inputs)));
    let again = discover(&kept).filter(|_| kept.exists());
    let again = again.map(|inputs| read(&inputs, 2 << 20));
    let fields = |read: &Read| read.records.iter().map(|(_, r)| r.clone()).collect::<Vec<_>>();
    let found = again.as_ref().map(fields).unwrap_or_default();
    assert_eq!(found, fields(whole), "kept records");
    assert_eq!(again.map(|read| read.problems).unwrap_or_default(), [""; 0], "kept records");
}

fn extension(inputs: &Inputs) -> String {
    let path = &inputs.files[0].path;
    path.extension().unwrap_or_default().to_string_lossy().into_owned()
}

fn discover(path: &Path) -> Option<Inputs> {
    Inputs::discover(&[path.display().to_string()], DiscoverOptions::default()).ok()
}

fn read(inputs: &Inputs, size: usize) -> Read {
    let mut read = Read { records: Vec::new(), problems: Vec::new(), bad: BTreeSet::new() };
    let mut scratch = VisitScratch::default();
    let Read { records, problems, bad } = &mut read;
    let mut note = |problem: lookalike_io::Problem| {
        bad.insert(problem.record);
        problems.push(problem.to_string());
    };
    for chunk in inputs.chunks().with_size(size) {
        let (chunk, problem) = chunk.into_parts();
        if let Some(chunk) = chunk {
            chunk.visit(inputs, &mut scratch, &mut |item| match item {
                Item::Bad(problem) => note(problem),
                Item::Failed(failure) => note(failure.into_problem()),
                Item::Record(record) => {
                    let text = match &record.content {
                        Content::Text(text) | Content::Html(text) => text.to_string(),
                        Content::TextBytes(bytes) | Content::HtmlBytes(bytes) => {
                            String::from_utf8_lossy(bytes).into_owned()
                        }
                        Content::Features(list) => list.to_string(),
                    };
                    let (title, url, date) = (&record.title, &record.url, &record.date);
                    let rest = format!("{title:?} {url:?} {date:?}");
                    let id = record.id.as_deref().map(str::to_owned);
                    records.push((record.record, (id, text, rest)));
                }
            });
        }
        problem.into_iter().for_each(&mut note);
    }
    read
}
