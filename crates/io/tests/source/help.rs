//! Reads inputs into plain values.

use std::path::{Path, PathBuf};

use lookalike_io::source::VisitScratch;
use lookalike_io::{
    Content, DiscoverOptions, FieldNumber, FieldTexts, Inputs, Item, Problem, RecordView,
};

/// A record without its borrows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Owned {
    pub(crate) file: u32,
    pub(crate) record: u32,
    pub(crate) line: u64,
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) html: bool,
    pub(crate) url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) extra: Vec<FieldNumber>,
    pub(crate) given: FieldTexts,
}

impl Owned {
    pub(crate) fn of(record: RecordView<'_>) -> Self {
        let (text, html) = match record.content {
            Content::Text(text) => (text.into_owned(), false),
            Content::Html(html) => (html.into_owned(), true),
            Content::TextBytes(bytes) => {
                (lookalike_text::decode_text(&bytes).text.into_owned(), false)
            }
            Content::HtmlBytes(bytes) => (String::from_utf8_lossy(&bytes).into_owned(), true),
            Content::Features(list) => (list.to_string(), false),
        };
        let owned = |value: Option<std::borrow::Cow<'_, str>>| value.map(|v| v.into_owned());
        Self {
            file: record.file,
            record: record.record,
            line: record.line,
            id: owned(record.id),
            text,
            html,
            url: owned(record.url),
            title: owned(record.title),
            date: owned(record.date),
            extra: record.extra.to_vec(),
            given: record.given.clone(),
        }
    }
}

/// All that was read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) records: Vec<Owned>,
    pub(crate) problems: Vec<Problem>,
}

impl Read {
    pub(crate) fn ids(&self) -> Vec<&str> {
        self.records.iter().map(|r| r.id.as_deref().unwrap_or("-")).collect()
    }

    pub(crate) fn messages(&self) -> Vec<String> {
        self.problems.iter().map(Problem::to_string).collect()
    }
}

/// Reads everything in chunks of about this size.
pub(crate) fn read_sized(inputs: &Inputs, size: usize) -> Read {
    read_some(inputs, size, &|_, _| true)
}

/// Reads the wanted records, by file and record, in chunks of about this size.
pub(crate) fn read_some(inputs: &Inputs, size: usize, wanted: &dyn Fn(u32, u32) -> bool) -> Read {
    let (mut read, mut scratch) = (Read::default(), VisitScratch::default());
    for chunk in inputs.chunks().with_size(size) {
        let (chunk, problem) = chunk.into_parts();
        if let Some(chunk) = chunk {
            chunk.visit_some(inputs, &mut scratch, wanted, &mut |item| match item {
                Item::Record(record) => read.records.push(Owned::of(record)),
                Item::Bad(problem) => read.problems.push(problem),
                Item::Failed(failure) => read.problems.push(failure.into_problem()),
            });
        }
        read.problems.extend(problem);
    }
    read
}

pub(crate) fn read(inputs: &Inputs) -> Read {
    read_sized(inputs, 2 << 20)
}

pub(crate) fn discover(path: &Path) -> Inputs {
    Inputs::discover(&[path.display().to_string()], DiscoverOptions::default()).unwrap()
}

/// A folder with one file in it.
pub(crate) struct OneFile {
    _folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl OneFile {
    pub(crate) fn new(name: &str, content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        Self { _folder: folder, path }
    }

    pub(crate) fn inputs(&self, options: DiscoverOptions) -> Inputs {
        Inputs::discover(&[self.path.display().to_string()], options).unwrap()
    }

    pub(crate) fn read(&self) -> Read {
        read(&self.inputs(DiscoverOptions::default()))
    }
}
