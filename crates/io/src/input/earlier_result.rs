//! Results of earlier runs, which are no collections: their tables hold no texts.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{InputError, name};

/// Files that identify a directory as a result of lookalike.
pub(crate) const MARKS_OF_A_RESULT: [&str; 2] = ["summary.json", "evaluation.json"];

/// How these files begin, without white space. Others of the same name may be documents.
const HEAD: &[u8] = br#"{"tool":{"name":"lookalike","#;

/// Bytes that are read of such a file, which has white space.
pub(super) const READ: usize = 256;

/// Names of files and directories of documents in a result, up to their extension.
const DOCUMENTS: [&str; 3] = ["kept", "kept-files", "marked"];

/// Refuses a directory that is the result of a run as an input.
///
/// # Errors
/// [`InputError::Result`].
pub(super) fn refuse(directory: &Path) -> Result<(), InputError> {
    if !is_result(directory) {
        return Ok(());
    }
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut documents: Vec<String> = entries
        .map(|entry| entry.path())
        .filter(|path| is_of_documents(path))
        .map(|path| name::readable(&path))
        .collect();
    documents.sort();
    Err(InputError::Result { path: directory.to_path_buf(), documents })
}

/// Whether a directory is the result of a run: its summary says so.
#[must_use]
pub fn is_result(directory: &Path) -> bool {
    MARKS_OF_A_RESULT.iter().any(|mark| is_summary(&directory.join(mark)))
}

/// Whether a file has the name of a summary, so that its first bytes decide.
pub(super) fn is_mark(file: &Path) -> bool {
    file.file_name().is_some_and(|name| MARKS_OF_A_RESULT.iter().any(|mark| name == *mark))
}

/// Whether a file is the summary of a run.
pub(super) fn is_summary(file: &Path) -> bool {
    let mut head = Vec::new();
    // A directory or pipe of that name is none, and a pipe would never end.
    let read = std::fs::metadata(file).is_ok_and(|found| found.is_file())
        && File::open(file).and_then(|file| file.take(READ as u64).read_to_end(&mut head)).is_ok();
    read && begins_summary(&head)
}

/// Whether these are the first bytes of the summary of a run.
pub(super) fn begins_summary(head: &[u8]) -> bool {
    let mut head = head.to_vec();
    head.retain(|byte| !byte.is_ascii_whitespace());
    head.starts_with(HEAD)
}

/// Whether an entry of a result has documents. Lists of files have none.
pub(super) fn is_of_documents(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    let is_directory = extension.is_empty();
    DOCUMENTS.contains(&stem) && (is_directory || !stem.ends_with("-files"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_known_by_its_summary_and_names_its_documents() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            std::fs::write(folder.path().join(name), content).unwrap();
        };
        for name in ["kept.jsonl.gz", "removed.jsonl.gz", "kept-files.txt", "clusters.parquet"] {
            write(name, "");
        }
        refuse(folder.path()).unwrap();
        // A document of that name, and the summary of exported documents.
        for own in ["{\"text\": \"words\"}", "{\"documents\": 3}\n", ""] {
            write("summary.json", own);
            refuse(folder.path()).unwrap();
        }
        write("summary.json", "{\n  \"tool\": {\n    \"name\": \"lookalike\",\n");
        std::fs::create_dir(folder.path().join("kept-files")).unwrap();
        let InputError::Result { documents, .. } = refuse(folder.path()).unwrap_err() else {
            panic!("it is a result");
        };
        let ends = ["/kept-files", "/kept.jsonl.gz"];
        assert_eq!(documents.len(), 2);
        assert!(documents.iter().zip(ends).all(|(name, end)| name.ends_with(end)), "{documents:?}");
    }
}
