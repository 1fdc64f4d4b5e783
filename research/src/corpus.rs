//! The files of a collection in; its documents in memory, a file of texts alone and its lexicons
//! out.
//!
//! Experiments run one method after the other over the same documents. They are read once, and
//! written once more without what no experiment looks at (raw mails and pages are ten times the
//! size of their texts); everything after that goes the engine's own way from that file.

use anyhow::{Context, Result, ensure};
use lookalike::{
    Settings,
    lexicon::{LexiconJob, build_lexicon},
};
use lookalike_engine::Silent;
use lookalike_engine::signer::plain_text;
use lookalike_io::source::VisitScratch;
use lookalike_io::{DiscoverOptions, FieldNames, FieldNumber, Inputs, Item};
use lookalike_lexicon::Lexicon;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

mod links;

use links::{Pages, link_weight};

/// A document, as far as any experiment looks at it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// Its name in the collection.
    pub(crate) id: String,
    /// The text without markup.
    pub(crate) text: String,
    /// The title, or the subject of a mail.
    pub(crate) title: Option<String>,
    /// The date, as written.
    pub(crate) date: Option<String>,
    /// What people said that it is: `spam`, `ham`, …
    pub(crate) label: Option<String>,
    /// A digest of its URL, for comparison.
    pub(crate) address: Option<u64>,
    /// A digest of the name of the documents that people said belong together, for comparison.
    pub(crate) cluster: Option<u64>,
    /// How many other documents of its collection link to it; `None` if it is no page with an
    /// address.
    pub(crate) links: Option<u32>,
}

/// A collection.
#[derive(Debug)]
pub(crate) struct Corpus {
    /// What it is called on the page.
    pub(crate) name: String,
    /// Its documents: number i here is number i of every collection that the engine makes of it.
    pub(crate) texts: Vec<Text>,
    folder: TempDir,
    lexicons: RefCell<BTreeMap<String, Arc<Lexicon>>>,
    /// Lexicons that were counted so far, each a file of its own.
    counted: Cell<usize>,
}

impl Corpus {
    /// Reads a file or directory that `lookalike` reads.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let mut texts = Vec::new();
        // The label lies in no field that a record has, so the field of the address is lent to it.
        let extra = vec!["url".into(), "cluster".into()];
        let given = vec!["url".into(), "html".into()];
        let fields = FieldNames { url: "label".into(), extra, given, ..FieldNames::default() };
        let options = DiscoverOptions { fields, ..DiscoverOptions::default() };
        let inputs = Inputs::discover(&[path.display().to_string()], options)?;
        let mut visit = VisitScratch::default();
        let mut pages = Pages::default();
        for chunk in inputs.chunks() {
            let mut problem = None;
            chunk.whole()?.visit(&inputs, &mut visit, &mut |item| match item {
                Item::Bad(found) => problem = Some(found),
                Item::Failed(failure) => problem = Some(failure.into_problem()),
                Item::Record(record) => {
                    let owned = |value: Option<Cow<'_, str>>| value.map(Cow::into_owned);
                    let digest = |at: usize| match record.extra.get(at) {
                        Some(&FieldNumber::Text(digest)) => Some(digest),
                        Some(&FieldNumber::Number(number)) => Some(number.to_bits()),
                        _ => None,
                    };
                    let of = |field: usize| record.given.of(field).next();
                    pages.add(of(0), of(1).unwrap_or_default());
                    texts.push(Text {
                        id: owned(record.id).unwrap_or_else(|| record.record.to_string()),
                        text: plain_text(&record.content).into_owned(),
                        title: owned(record.title),
                        date: owned(record.date),
                        label: owned(record.url),
                        address: digest(0),
                        cluster: digest(1),
                        links: None,
                    });
                }
            });
            if let Some(problem) = problem {
                return Err(problem.into());
            }
        }
        for (text, links) in texts.iter_mut().zip(pages.count()) {
            text.links = links;
        }
        Self::new(name_of(path), texts)
    }

    /// A collection of these documents.
    pub(crate) fn new(name: String, texts: Vec<Text>) -> Result<Self> {
        ensure!(!texts.is_empty(), "{name} holds no documents");
        let folder = tempfile::tempdir()?;
        let mut out = BufWriter::new(File::create(folder.path().join("texts.jsonl"))?);
        let most = texts.iter().filter_map(|text| text.links).max().unwrap_or(0);
        for text in &texts {
            let mut fields = serde_json::Map::new();
            fields.insert("id".into(), text.id.as_str().into());
            fields.insert("text".into(), text.text.as_str().into());
            for (name, value) in [("title", &text.title), ("date", &text.date)] {
                if let Some(value) = value {
                    fields.insert(name.into(), value.as_str().into());
                }
            }
            if let Some(links) = text.links.filter(|_| most > 0) {
                fields.insert("links".into(), link_weight(links, most).into());
            }
            serde_json::to_writer(&mut out, &fields)?;
            out.write_all(b"\n")?;
        }
        out.flush()?;
        Ok(Self { name, texts, folder, lexicons: RefCell::default(), counted: Cell::default() })
    }

    /// All documents of several collections, as one.
    pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Result<Self> {
        let (mut names, mut texts) = (Vec::new(), Vec::new());
        for part in parts {
            names.push(part.name.as_str());
            let named = part.texts.iter().map(|text| {
                let id = format!("{}/{}", part.name, text.id);
                Text { id, ..text.clone() }
            });
            texts.extend(named);
        }
        Self::new(names.join(", "), texts)
    }

    /// Number of documents.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether most documents are linked to by another.
    pub(crate) fn has_links(&self) -> bool {
        let linked = self.texts.iter().filter(|text| text.links.is_some_and(|links| links > 0));
        2 * linked.count() > self.len()
    }

    /// The file of texts, for the engine.
    pub(crate) fn inputs(&self) -> Result<Inputs> {
        Ok(Inputs::discover(&[self.file()], DiscoverOptions::default())?)
    }

    /// In how many documents each term is, of those that come through the filter. Counted once.
    pub(crate) fn lexicon(&self, term_filter: &str) -> Result<Arc<Lexicon>> {
        if let Some(lexicon) = self.lexicons.borrow().get(term_filter) {
            return Ok(lexicon.clone());
        }
        let lexicon = self.count(term_filter)?;
        self.lexicons.borrow_mut().insert(term_filter.to_owned(), lexicon.clone());
        Ok(lexicon)
    }

    /// The same, counted anew.
    pub(crate) fn count(&self, term_filter: &str) -> Result<Arc<Lexicon>> {
        let job = LexiconJob {
            inputs: vec![self.file()],
            output: self.folder.path().join(format!("{}.lexicon", self.counted.get())),
            settings: Settings::default(),
            term_filter: term_filter.to_owned(),
            memory: 256 << 20,
            threads: 1,
            strict: true,
            skip_unreadable: false,
        };
        self.counted.set(self.counted.get() + 1);
        let built = build_lexicon(&job, &Silent)
            .with_context(|| format!("the lexicon of {} for {term_filter:?}", self.name))?;
        Ok(Arc::new(built.lexicon))
    }

    fn file(&self) -> String {
        self.folder.path().join("texts.jsonl").display().to_string()
    }
}

/// `news/docs.jsonl.zst` is called `news`; any other file by its own name.
fn name_of(path: &Path) -> String {
    let name = |path: &Path| {
        path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    };
    let own = name(path);
    let own = own.split('.').next().unwrap_or_default();
    match path.parent().map(name) {
        Some(parent) if own == "docs" && !parent.is_empty() => parent,
        _ => own.to_owned(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use lookalike_methods::Statistics;

    /// A collection of these texts, named by their numbers.
    pub(crate) fn corpus(texts: &[&str]) -> Corpus {
        let text = |(number, text): (usize, &&str)| Text {
            id: number.to_string(),
            text: (*text).to_owned(),
            ..Text::default()
        };
        Corpus::new("test".into(), texts.iter().enumerate().map(text).collect()).unwrap()
    }

    #[test]
    fn what_is_read_is_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs.jsonl");
        let line = r#"{"id":"a","text":"b c","title":"t","date":"2020-01-01","label":"spam","url":"http://e/","cluster":"k"}"#;
        let link = r#"{"id":"b","text":"d","html":"<a href='/'>d</a>","url":"http://e/f"}"#;
        std::fs::write(&path, format!("{line}\n{link}\n")).unwrap();
        let corpus = Corpus::read(&path).unwrap();
        let some = |text: &str| Some(text.to_owned());
        let (id, text) = ("a".to_owned(), "b c".to_owned());
        let (title, date, label) = (some("t"), some("2020-01-01"), some("spam"));
        let Text { address, cluster, .. } = corpus.texts[0];
        assert!(address.is_some() && cluster.is_some() && address != cluster);
        let links = Some(1);
        let expected = Text { id, text, title, date, label, address, cluster, links };
        assert_eq!(corpus.texts[0], expected);
        assert!(!corpus.has_links() && corpus.texts[1].links == Some(0));
        assert_eq!(corpus.name, folder.path().file_name().unwrap().to_string_lossy());
        // And once more through the file of texts, which has neither label, URL nor cluster, and of
        // links their weight.
        let again = Corpus::read(Path::new(&corpus.file())).unwrap();
        let (label, address, cluster, links) = (None, None, None, None);
        assert_eq!(again.texts[0], Text { label, address, cluster, links, ..expected });
        assert!(std::fs::read_to_string(corpus.file()).unwrap().contains("\"links\":1.0"));
    }

    #[test]
    fn lexicons_differ_by_filter() {
        let corpus = corpus(&["tall trees", "a tree"]);
        assert_eq!(corpus.lexicon("").unwrap().len(), 4);
        assert_eq!(corpus.lexicon("stem").unwrap().len(), 3);
        assert_eq!(corpus.lexicon("stem").unwrap().documents(), 2);
        assert_eq!(
            corpus.count("stem").unwrap().checksum(),
            corpus.lexicon("stem").unwrap().checksum()
        );
    }
}
