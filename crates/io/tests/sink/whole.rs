//! The reading half and the writing half together: what is written can be read again, and is what
//! was decided.

use std::collections::BTreeMap;
use std::path::Path;

use lookalike_io::source::{Chunk, VisitScratch};
use lookalike_io::{
    Cell, Column, Compression, Content, DiscoverOptions, DocumentsWriter, Fate, Inputs, Item,
    MarkNames, Role, RouteOptions, Routed, Staging, TableFormat, TableWriter,
};

use crate::help::{COMPRESSIONS, Decide, decoded, tree};

/// Small enough for several chunks a file.
const CHUNK: usize = 96;

fn discover(path: &Path) -> Inputs {
    Inputs::discover(&[path.display().to_string()], DiscoverOptions::default()).unwrap()
}

fn read_chunks(inputs: &Inputs) -> Vec<Chunk> {
    inputs.chunks().with_size(CHUNK).map(|piece| piece.whole().unwrap()).collect()
}

/// Id and text of every usable record by file and number; the others as `None`.
fn records(inputs: &Inputs, chunks: &[Chunk]) -> BTreeMap<(u32, u32), Option<(String, String)>> {
    let mut scratch = VisitScratch::default();
    let mut found = BTreeMap::new();
    for chunk in chunks {
        chunk.visit(inputs, &mut scratch, &mut |item| match item {
            Item::Record(record) => {
                let text = match record.content {
                    Content::Text(text) | Content::Html(text) => text.into_owned(),
                    Content::TextBytes(bytes) | Content::HtmlBytes(bytes) => {
                        String::from_utf8_lossy(&bytes).into_owned()
                    }
                    Content::Features(list) => list.to_string(),
                };
                let id = record.id.unwrap_or_default().into_owned();
                found.insert((record.file, record.record), Some((id, text)));
            }
            Item::Bad(problem) => {
                found.insert((problem.file, problem.record), None);
            }
            Item::Failed(failure) => panic!("{failure}"),
        });
    }
    found
}

/// A folder with every form in every compression, with bad records, blank lines and a byte order
/// mark.
fn everything(folder: &Path) {
    let extensions = ["", ".gz", ".zst", ".bz2", ".xz"];
    for (compression, extension) in COMPRESSIONS.into_iter().zip(extensions) {
        let mut jsonl = "\u{feff}".to_string();
        let mut csv = "id,text\r\n".to_string();
        let mut tsv = "text\tid\n".to_string();
        for n in 0..30 {
            jsonl += &match n % 7 {
                3 => "{\"id\": broken\n".to_string(),
                5 => format!("\r\n {{\"id\":\"{n}\",\"text\":\"line {n}\", \"more\":{{}}}} \r\n"),
                _ => format!("{{\"id\":\"{n}\",\"text\":\"line {n}\"}}\n"),
            };
            csv += &match n % 7 {
                3 => format!("{n},too,many\r\n"),
                5 => format!("\r\n{n},\"quoted \"\"{n}\"\"\nin two lines\"\r\n"),
                _ => format!("{n},row {n}\r\n"),
            };
            tsv += &format!("row {n}\t{n}\n");
        }
        jsonl.truncate(jsonl.trim_end().len());
        for (name, text) in
            [("a.jsonl", jsonl), ("b.csv", csv), ("c.tsv", tsv), ("d.csv", "id,text\n".into())]
        {
            pack(&folder.join(format!("{name}{extension}")), text.as_bytes(), compression);
        }
    }
    let columns = [Column::text("id"), Column::text("text"), Column::count("size")];
    for name in ["sub/e", "sub/f"] {
        let mut table =
            TableWriter::create(&folder.join(name), TableFormat::Parquet, &columns).unwrap();
        for n in 0..30 {
            let text = format!("text {n}");
            table.row(&[Cell::Text(&n.to_string()), Cell::Text(&text), Cell::Count(n)]).unwrap();
        }
        table.finish().unwrap();
    }
    for n in 0..5 {
        std::fs::write(folder.join(format!("sub/text{n}.txt")), format!("text {n}")).unwrap();
    }
}

fn pack(path: &Path, data: &[u8], compression: Compression) {
    use std::io::Write;
    let file = std::fs::File::create(path).unwrap();
    match compression {
        Compression::None => std::fs::write(path, data).unwrap(),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap();
        }
        Compression::Zstd => zstd::stream::copy_encode(data, file, 1).unwrap(),
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(file, bzip2::Compression::fast());
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap();
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(1);
            let mut encoder = lzma_rust2::XzWriter::new(file, options).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap();
        }
    }
}

struct Done {
    out: std::path::PathBuf,
    inputs: Inputs,
    records: BTreeMap<(u32, u32), Option<(String, String)>>,
    fates: BTreeMap<(u32, u32), Fate>,
}

/// Keeps every third record and removes the others, but for those that cannot be used.
fn run(folder: &Path, options: &RouteOptions) -> Done {
    let input = folder.join("in");
    std::fs::create_dir_all(input.join("sub")).unwrap();
    everything(&input);
    let inputs = discover(&input);
    let chunks = read_chunks(&inputs);
    let records = records(&inputs, &chunks);
    let fates: BTreeMap<(u32, u32), Fate> = (0..)
        .zip(&records)
        .map(|(n, (place, record))| match record {
            None => (*place, Fate::Rejected),
            Some(_) => (*place, if n % 3 == 0 { Fate::Kept } else { Fate::Removed }),
        })
        .collect();
    let decide = Decide(|file, record| fates[&(file, record)]);
    let out = folder.join("out");
    let staging = Staging::create(&out, false).unwrap();
    staging.conflicts(&inputs).unwrap();
    let mut writer = DocumentsWriter::new(&inputs, &staging, options);
    for chunk in &chunks {
        let mut routed = Routed::default();
        chunk.route(&inputs, &decide, options, &mut routed).unwrap();
        writer.write(&routed).unwrap();
    }
    let written = writer.finish().unwrap();
    let total: u64 = written.files.iter().map(|file| file.records).sum();
    assert_eq!(total, records.len() as u64);
    staging.commit().unwrap();
    Done { out, inputs, records, fates }
}

#[test]
fn kept_and_removed_documents_read_again_are_those_decided_on() {
    let folder = tempfile::tempdir().unwrap();
    let options = RouteOptions { copy_files: true, ..Default::default() };
    let done = run(folder.path(), &options);
    for (role, fate) in [(Role::Kept, Fate::Kept), (Role::Removed, Fate::Removed)] {
        let again = discover(&done.out.join(role.name()));
        let found = records(&again, &read_chunks(&again));
        let found: Vec<_> = found.into_values().collect();
        let expected: Vec<_> = done
            .records
            .iter()
            .filter(|(place, _)| done.fates[place] == fate)
            .filter(|(place, _)| !done.inputs.files[place.0 as usize].name.ends_with(".txt"))
            .map(|(_, record)| record.clone())
            .collect();
        assert_eq!(found, expected, "{fate:?}");
        // Every data file is there again, those without any records included.
        let data = done.inputs.files.iter().filter(|f| !f.name.ends_with(".txt"));
        let expected: Vec<_> = data.map(|f| f.relative.display().to_string()).collect();
        assert_eq!(tree(&done.out.join(role.name())), expected);
    }
    let lists = ["kept-files.txt", "removed-files.txt"];
    let listed: String =
        lists.iter().map(|l| std::fs::read_to_string(done.out.join(l)).unwrap()).collect();
    assert_eq!(listed.lines().count(), 5);
    let kept = std::fs::read_to_string(done.out.join("kept-files.txt")).unwrap();
    assert_eq!(tree(&done.out.join("kept-files")).len(), kept.lines().count());
}

#[test]
fn the_parts_of_a_text_form_are_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), &RouteOptions::default());
    for (index, input) in (0..).zip(&done.inputs.files) {
        if !input.name.contains("a.jsonl") {
            continue;
        }
        let part =
            |role: &str| decoded(&done.out.join(role).join(&input.relative), input.compression);
        let mut parts = ["kept", "removed", "rejected"].map(|role| {
            let lines: Vec<Vec<u8>> =
                part(role).split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            lines.into_iter()
        });
        let mut together = b"\xEF\xBB\xBF".to_vec();
        for (_, fate) in done.fates.iter().filter(|((file, _), _)| *file == index) {
            let at =
                [Fate::Kept, Fate::Removed, Fate::Rejected].iter().position(|f| f == fate).unwrap();
            together.extend(parts[at].next().unwrap());
        }
        // Except for blank lines, which belong to no record.
        let whole = decoded(&input.path, input.compression);
        let lines = whole.split_inclusive(|b| *b == b'\n');
        let whole: Vec<u8> =
            lines.filter(|l| !l.trim_ascii().is_empty()).flatten().copied().collect();
        assert_eq!(String::from_utf8(together).unwrap(), String::from_utf8(whole).unwrap());
    }
}

#[test]
fn marked_documents_read_again_are_all_that_were_usable() {
    let folder = tempfile::tempdir().unwrap();
    let options = RouteOptions { mark: Some(MarkNames::default()), ..Default::default() };
    let done = run(folder.path(), &options);
    let again = discover(&done.out.join("marked"));
    let found = records(&again, &read_chunks(&again));
    let expected: Vec<_> = done
        .records
        .iter()
        .filter(|(place, _)| !done.inputs.files[place.0 as usize].name.ends_with(".txt"))
        .filter_map(|(_, record)| record.clone().map(Some))
        .collect();
    assert_eq!(found.into_values().collect::<Vec<_>>(), expected);
    let marked = std::fs::read_to_string(done.out.join("marked-files.tsv")).unwrap();
    assert_eq!(marked.lines().count(), 6);
}
