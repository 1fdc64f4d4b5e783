//! A run that goes on from a damaged checkpoint gives the result of an undisturbed run, or an error.

use super::edits;
use lookalike::{Job, Progress, results::TableFormat};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a checkpoint, in the order in which the first byte of the data names them.
const FILES: [&str; 4] = ["chunks", "units", "postings", "matches"];

/// How each frame begins.
const FRAME: &[u8] = b"LKFRAME";

/// Damages one file of a checkpoint: the first byte says which, the rest how.
pub fn checkpoint(data: &[u8]) {
    let Some((file, script)) = data.split_first() else { return };
    let folder = super::folder();
    let input = folder.path().join("in.jsonl");
    fs::write(&input, documents()).unwrap();
    let output = folder.path().join("out");
    let mut job = Job::new(vec![input.display().to_string()], &output);
    job.tables = TableFormat::Tsv;
    job.threads = 1;
    job.scratch = Some(folder.path().join("scratch"));
    fs::create_dir(folder.path().join("scratch")).unwrap();
    let copy = Copy { scratch: folder.path().join("scratch"), to: folder.path().join("copy") };
    lookalike::run_dedup(&job, &copy).unwrap();
    let expected = bytes_of(&output);
    fs::remove_dir_all(&output).unwrap();

    let scratch = copy.scratch.join("out.scratch");
    copy_folder(&copy.to.join("out.scratch"), &scratch);
    let path = scratch.join(FILES[usize::from(*file) % FILES.len()]);
    let mut bytes = fs::read(&path).unwrap();
    let mut pieces: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(FRAME)).collect();
    pieces.push(bytes.len());
    edits::apply(script, &mut bytes, &pieces);
    fs::write(&path, &bytes).unwrap();
    let resumed = Job { resume: true, ..job };
    if lookalike::run_dedup(&resumed, &lookalike::Silent).is_ok() {
        assert_eq!(bytes_of(&output), expected, "another result after damage to {path:?}");
    }
}

/// Copies the scratch directory whenever a phase begins: the last copy has all files.
struct Copy {
    scratch: PathBuf,
    to: PathBuf,
}

impl Progress for Copy {
    fn phase(&self, _: &'static str, _: Option<u64>) {
        copy_folder(&self.scratch, &self.to);
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy_folder(&from, &to),
            false => drop(fs::copy(&from, &to).unwrap()),
        }
    }
}

/// Documents of which some are alike, in more than one chunk.
fn documents() -> String {
    let text = |n: usize| -> String {
        (0..30)
            .map(|word| format!("w{} ", (n % 9) * 17 + word + usize::from(word == n % 40)))
            .collect()
    };
    let padding = "x".repeat(80_000);
    (0..60)
        .map(|n| format!("{{\"id\":\"d{n}\",\"text\":\"{}\",\"more\":\"{padding}\"}}\n", text(n)))
        .collect()
}

/// The files of a result that do not tell of times.
fn bytes_of(output: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(output).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("report.html") && !path.ends_with("summary.json") {
            found.insert(path.strip_prefix(output).unwrap().to_owned(), fs::read(&path).unwrap());
        }
    }
    found
}
