//! A directory with a collection in, its documents and the pairs that others computed for it out.
//!
//! The form is that of the shared collections: `docs.jsonl.zst` with `id` and `text`, and beside it
//! `ref_jac08.pairs.tsv.zst` (resemblance of word 5-shingles ≥ 0.8) and `ref_cos09.pairs.tsv.zst`
//! (binary cosine of distinct terms ≥ 0.9) with the columns `id1`, `id2`, `sim`, `n1`, `n2`. Files
//! may also lie there unpacked. They are read without `lookalike-io`, which they are used to check.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The largest window of the packed files: 128 MiB.
const WINDOW_LOG: u32 = 27;

/// A document of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub id: String,
    /// Its text.
    pub text: String,
}

/// Two documents and the value that the reference states for them.
#[derive(Debug, Clone, PartialEq)]
pub struct ReferencePair {
    /// Name of the one.
    pub a: String,
    /// Name of the other.
    pub b: String,
    /// Resemblance or cosine, rounded to six digits.
    pub value: f64,
    /// Number of features of the one.
    pub size_a: usize,
    /// Number of features of the other.
    pub size_b: usize,
}

/// Which pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// Resemblance of word 5-shingles at least 0.8.
    Resemblance,
    /// Binary cosine of terms of at least four characters with at most one digit, at least 0.9.
    Cosine,
}

impl Definition {
    /// How the files are called.
    #[must_use]
    pub fn stem(self) -> &'static str {
        match self {
            Self::Resemblance => "ref_jac08",
            Self::Cosine => "ref_cos09",
        }
    }
}

/// A collection could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct ReferenceError {
    path: String,
    reason: String,
}

impl ReferenceError {
    fn new(path: &Path, reason: impl ToString) -> Self {
        Self { path: path.display().to_string(), reason: reason.to_string() }
    }
}

/// The file with this name in a directory, packed or not.
#[must_use]
pub fn find(directory: &Path, name: &str) -> Option<PathBuf> {
    [format!("{name}.zst"), name.to_string()]
        .map(|name| directory.join(name))
        .into_iter()
        .find(|path| path.is_file())
}

/// The documents of a collection, in the order of the file.
///
/// # Errors
/// A file that cannot be read, or a line that is no object with an `id` and a `text`.
pub fn documents(directory: &Path) -> Result<Vec<Document>, ReferenceError> {
    let path = required(directory, "docs.jsonl")?;
    let parse = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let mut take = |field: &str| match value.get_mut(field).map(serde_json::Value::take) {
            Some(serde_json::Value::String(text)) => Ok(text),
            _ => Err(format!("no string `{field}`")),
        };
        Ok(Document { id: take("id")?, text: take("text")? })
    };
    lines(&path)?
        .map(|line| parse(&line?).map_err(|reason: String| ReferenceError::new(&path, reason)))
        .collect()
}

/// The pairs of a collection, or `None` if it has no such file.
///
/// # Errors
/// A file that cannot be read or whose rows are not as described; or pairs that are listed by
/// groups of equal documents, a form that no collection has had so far.
pub fn pairs(
    directory: &Path,
    definition: Definition,
) -> Result<Option<Vec<ReferencePair>>, ReferenceError> {
    let stem = definition.stem();
    let Some(path) = find(directory, &format!("{stem}.pairs.tsv")) else {
        if let Some(groups) = find(directory, &format!("{stem}.groups.tsv")) {
            return Err(ReferenceError::new(&groups, "pairs given by groups cannot be read yet"));
        }
        return Ok(None);
    };
    let mut lines = lines(&path)?;
    match lines.next().transpose()? {
        Some(header) if header == "id1\tid2\tsim\tn1\tn2" => {}
        header => return Err(ReferenceError::new(&path, format!("header is {header:?}"))),
    }
    let row = |line: Result<String, ReferenceError>| {
        let line = line?;
        parse_pair(&line).ok_or_else(|| ReferenceError::new(&path, format!("no pair: {line}")))
    };
    lines.map(row).collect::<Result<_, _>>().map(Some)
}

fn parse_pair(line: &str) -> Option<ReferencePair> {
    let cells: Vec<&str> = line.split('\t').collect();
    let &[a, b, value, size_a, size_b] = cells.as_slice() else { return None };
    Some(ReferencePair {
        a: a.to_string(),
        b: b.to_string(),
        value: value.parse().ok()?,
        size_a: size_a.parse().ok()?,
        size_b: size_b.parse().ok()?,
    })
}

fn required(directory: &Path, name: &str) -> Result<PathBuf, ReferenceError> {
    find(directory, name).ok_or_else(|| ReferenceError::new(&directory.join(name), "is not there"))
}

/// The lines of a file, packed or not.
fn lines(
    path: &Path,
) -> Result<impl Iterator<Item = Result<String, ReferenceError>> + use<'_>, ReferenceError> {
    let open = || -> io::Result<Box<dyn BufRead>> {
        let file = File::open(path)?;
        if path.extension().is_none_or(|extension| extension != "zst") {
            return Ok(Box::new(BufReader::new(file)));
        }
        let mut decoder = zstd::stream::read::Decoder::new(file)?;
        decoder.window_log_max(WINDOW_LOG)?;
        Ok(Box::new(BufReader::new(decoder)))
    };
    let reader = open().map_err(|e| ReferenceError::new(path, e))?;
    Ok(reader.lines().map(move |line| line.map_err(|e| ReferenceError::new(path, e))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: &str = "id1\tid2\tsim\tn1\tn2\na/1\tb 2\t0.912345\t12\t13\n";

    fn expected() -> ReferencePair {
        ReferencePair { a: "a/1".into(), b: "b 2".into(), value: 0.912_345, size_a: 12, size_b: 13 }
    }

    #[test]
    fn pairs_are_read_packed_and_unpacked() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(pairs(folder.path(), Definition::Cosine).unwrap(), None);
        let path = folder.path().join("ref_cos09.pairs.tsv");
        std::fs::write(&path, PAIRS).unwrap();
        assert_eq!(pairs(folder.path(), Definition::Cosine).unwrap().unwrap(), [expected()]);

        // The largest window that is to be read.
        let mut packed = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        packed.window_log(WINDOW_LOG).unwrap();
        io::Write::write_all(&mut packed, PAIRS.as_bytes()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let path = folder.path().join("ref_jac08.pairs.tsv.zst");
        std::fs::write(path, packed.finish().unwrap()).unwrap();
        assert_eq!(pairs(folder.path(), Definition::Resemblance).unwrap().unwrap(), [expected()]);
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, content: &str| {
            std::fs::write(folder.path().join(name), content).unwrap();
        };
        write("ref_cos09.pairs.tsv", "a\tb\n");
        assert!(pairs(folder.path(), Definition::Cosine).is_err());
        write("ref_cos09.pairs.tsv", "id1\tid2\tsim\tn1\tn2\na\tb\n");
        assert!(pairs(folder.path(), Definition::Cosine).is_err());
        write("ref_jac08.groups.tsv", "");
        assert!(pairs(folder.path(), Definition::Resemblance).is_err());
        assert!(documents(folder.path()).is_err());
        write("docs.jsonl", "{\"id\":\"a\",\"text\":\"b\"}\n");
        let document = Document { id: "a".into(), text: "b".into() };
        assert_eq!(documents(folder.path()).unwrap(), [document]);
        write("docs.jsonl", "{\"id\":\"a\"}\n");
        assert!(documents(folder.path()).is_err());
    }
}
