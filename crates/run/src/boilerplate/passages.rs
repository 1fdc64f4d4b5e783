//! The boilerplate of a site as text: consecutive shingles merged into passages.

use crate::reading::{DocumentChunks, Documents, Reading};
use crate::{Job, LookalikeError};
use lookalike_core::{CommonElements, FeatureKind, fingerprint};
use lookalike_engine::boilerplate::SiteElement;
use lookalike_engine::signer::plain_text;
use lookalike_engine::site::{SiteRule, site};
use lookalike_engine::{Collection, DocumentId, EngineError, Progress, pipeline};
use lookalike_io::Item;
use lookalike_io::source::VisitScratch;
use lookalike_report::BoilerplatePassage;
use lookalike_text::Analyzer;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

/// Passages that are listed of each site.
const LISTED: usize = 20;

/// Bytes of a passage that are quoted.
const QUOTED: usize = 300;

/// The boilerplate of a site, and the documents in which it is looked for.
pub(super) struct SitePages<'f> {
    pub(super) site: u32,
    /// Ordered by element.
    pub(super) elements: &'f [SiteElement],
    pub(super) documents: Vec<DocumentId>,
}

impl SitePages<'_> {
    /// In how many documents of the site a shingle is, if it is boilerplate.
    fn pages(&self, element: u64) -> Option<u32> {
        let at = self.elements.binary_search_by_key(&element, |one| one.element).ok()?;
        Some(self.elements[at].pages)
    }
}

/// The passages of a site.
#[derive(Default)]
pub(super) struct SitePassages {
    /// Number of passages.
    pub(super) found: u64,
    /// The most frequent ones, the longest of these first.
    pub(super) listed: Vec<BoilerplatePassage>,
}

/// A run of consecutive shingles that are boilerplate.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    shingles: Range<usize>,
    /// The fewest documents that one of them is in.
    pages: u32,
}

/// Finds the passages of a text whose shingles are these, in order: maximal runs of boilerplate
/// that no earlier text had, in which no shingle is in more than twice as many documents as another
/// one (where the navigation of a whole site borders on that of a section).
fn runs(
    shingles: &[u64],
    pages: impl Fn(u64) -> Option<u32>,
    known: &mut HashSet<u64>,
) -> Vec<Run> {
    let mut runs = Vec::new();
    // The run that may go on, and the most documents that one of its shingles is in.
    let mut open: Option<(Run, u32)> = None;
    for (at, &shingle) in shingles.iter().enumerate() {
        let new = pages(shingle).filter(|_| known.insert(shingle));
        let Some(count) = new else {
            runs.extend(open.take().map(|(run, _)| run));
            continue;
        };
        match &mut open {
            Some((run, most)) if (*most).max(count) <= run.pages.min(count).saturating_mul(2) => {
                run.shingles.end = at + 1;
                run.pages = run.pages.min(count);
                *most = (*most).max(count);
            }
            open => {
                let run = Run { shingles: at..at + 1, pages: count };
                runs.extend(open.replace((run, count)).map(|(run, _)| run));
            }
        }
    }
    runs.extend(open.map(|(run, _)| run));
    runs
}

/// The names of sites and their passages, in the order of the sites.
///
/// # Errors
/// Documents that cannot be read again; an interruption.
pub(super) fn find_passages(
    documents: Documents<'_>,
    rule: SiteRule,
    collection: &Collection,
    sites: &[SitePages<'_>],
    (analyzer, size): (&Analyzer, usize),
    job: &Job,
    progress: &dyn Progress,
) -> Result<Vec<(String, SitePassages)>, LookalikeError> {
    let texts = read_again(documents, rule, collection, sites, job, progress)?;
    let mut found = Vec::new();
    for site in sites {
        let (mut name, mut known, mut passages) = (String::new(), HashSet::new(), Vec::new());
        for document in &site.documents {
            let Some((of_site, text)) = texts.get(document) else {
                return Err(documents.changed());
            };
            name.clone_from(of_site);
            let located = LocatedShingles::of(text, analyzer, size);
            for run in runs(&located.shingles, |shingle| site.pages(shingle), &mut known) {
                passages.push(BoilerplatePassage {
                    documents: run.pages.into(),
                    words: located.tokens(&run.shingles) as u64,
                    text: quoted(&text[located.range(&run.shingles)]),
                });
            }
        }
        let key =
            |passage: &BoilerplatePassage| (u64::MAX - passage.documents, u64::MAX - passage.words);
        passages.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.text.cmp(&b.text)));
        let all = passages.len() as u64;
        passages.truncate(LISTED);
        found.push((name, SitePassages { found: all, listed: passages }));
    }
    Ok(found)
}

/// The passages of a text that consist of removed shingles, in its order, each once.
pub(crate) fn removed_passages(
    text: &str,
    removed: &CommonElements,
    analyzer: &Analyzer,
    features: FeatureKind,
) -> Vec<String> {
    let FeatureKind::Shingles { size, .. } = features else { return Vec::new() };
    let located = LocatedShingles::of(text, analyzer, size);
    let pages = |shingle| removed.contains(shingle).then_some(1);
    let runs = runs(&located.shingles, pages, &mut HashSet::new());
    runs.into_iter().map(|run| quoted(&text[located.range(&run.shingles)])).collect()
}

/// The shingles of a text with their places.
struct LocatedShingles {
    shingles: Vec<u64>,
    /// Where each token is.
    places: Vec<Range<usize>>,
    size: usize,
}

impl LocatedShingles {
    fn of(text: &str, analyzer: &Analyzer, size: usize) -> Self {
        let (mut tokens, mut places, mut shingles) = (Vec::new(), Vec::new(), Vec::new());
        analyzer.located_tokens(text, |token, place| {
            tokens.push(fingerprint::token(token.as_bytes()));
            places.push(place);
        });
        fingerprint::shingles(&tokens, size, |shingle| shingles.push(shingle));
        Self { shingles, places, size }
    }

    /// Number of tokens of consecutive shingles.
    fn tokens(&self, shingles: &Range<usize>) -> usize {
        shingles.len() + self.size - 1
    }

    /// The bytes of consecutive shingles in the text.
    fn range(&self, shingles: &Range<usize>) -> Range<usize> {
        self.places[shingles.start].start..self.places[shingles.end + self.size - 2].end
    }
}

/// A passage on one line, its middle left out if it is long.
fn quoted(passage: &str) -> String {
    let line = passage.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= QUOTED {
        return line;
    }
    let (begin, end) = (
        line.floor_char_boundary(QUOTED * 2 / 3),
        line.ceil_char_boundary(line.len() - QUOTED / 3),
    );
    format!("{} … {}", line[..begin].trim_end(), line[end..].trim_start())
}

/// The site and the text of each document in which passages are looked for.
fn read_again(
    documents: Documents<'_>,
    rule: SiteRule,
    collection: &Collection,
    sites: &[SitePages<'_>],
    job: &Job,
    progress: &dyn Progress,
) -> Result<BTreeMap<DocumentId, (String, String)>, LookalikeError> {
    let mut wanted: Vec<DocumentId> =
        sites.iter().flat_map(|site| site.documents.iter().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut of_places = BTreeMap::new();
    for &document in &wanted {
        let row = collection.document(document)?;
        of_places.insert((row.file, row.record), document);
    }
    let (inputs, mut texts) = (documents.inputs, BTreeMap::new());
    let mut outcome: Result<(), LookalikeError> = Ok(());
    let mut read = |chunks: DocumentChunks<'_>| {
        pipeline::ordered(
            job.thread_count(),
            chunks,
            VisitScratch::default,
            |scratch, piece| {
                let mut found = Vec::new();
                let (chunk, problem) = piece.into_parts();
                let mut failed = problem.filter(|problem| problem.unreadable);
                let Some(chunk) = chunk else { return (found, failed) };
                let is_wanted = |file, record| of_places.contains_key(&(file, record));
                chunk.visit_some(inputs, scratch, &is_wanted, &mut |item| {
                    let record = match item {
                        Item::Record(record) => record,
                        // These are no documents.
                        Item::Bad(_) => return,
                        Item::Failed(failure) => {
                            failed.get_or_insert_with(|| failure.problem().clone());
                            return;
                        }
                    };
                    if let Some(&document) = of_places.get(&(record.file, record.record)) {
                        let site = site(&record, inputs, rule).into_owned();
                        found.push((document, (site, plain_text(&record.content).into_owned())));
                    }
                });
                (found, failed)
            },
            |(found, failed)| {
                texts.extend(found);
                // The documents could be read when they were counted.
                outcome = match failed {
                    Some(problem) => Err(EngineError::Unreadable(problem).into()),
                    None if progress.cancelled() => Err(EngineError::Cancelled.into()),
                    None => Ok(()),
                };
                outcome.is_ok()
            },
        );
        Ok(())
    };
    match documents.reading {
        Reading::Files => {
            let mut chunks: Vec<_> = wanted.iter().map(|&one| collection.chunk_of(one)).collect();
            chunks.dedup();
            let places: Vec<_> =
                chunks.into_iter().map(|one| collection.chunk_place(one)).collect();
            read(Box::new(inputs.chunks_at(places)))?;
        }
        Reading::Caller(_) => documents.with_chunks(read)?,
    }
    outcome.map(|()| texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_run_ends_where_counts_differ_by_more_than_two_times() {
        let pages =
            |shingle: u64| [None, Some(100), Some(60), Some(51), Some(49)][shingle as usize];
        let run = |shingles, pages| Run { shingles, pages };
        let mut known = HashSet::new();
        let found = runs(&[1, 2, 3, 4, 0, 4, 0, 0, 1], pages, &mut known);
        // The second 4 and the last 1 are known.
        assert_eq!(found, [run(0..3, 51), run(3..4, 49)]);
        assert_eq!(runs(&[1, 2, 3, 4], pages, &mut known), []);
    }

    #[test]
    fn a_long_passage_is_cut_in_the_middle() {
        assert_eq!(quoted(" a\n\n b\tc "), "a b c");
        let long = "wörter ".repeat(400);
        let cut = quoted(&long);
        assert!(cut.len() < QUOTED + 10 && cut.contains(" … ") && cut.starts_with("wörter w"));
    }

    proptest! {
        /// Every shingle that is boilerplate is in exactly one run, the first time that it occurs;
        /// no run could be longer.
        #[test]
        fn runs_cover_boilerplate_once(
            texts in prop::collection::vec(prop::collection::vec(0u64..12, 0..40), 0..5),
            counts in prop::collection::vec(prop::option::of(1u32..40), 12),
        ) {
            let pages = |shingle: u64| counts[shingle as usize];
            let (mut known, mut covered) = (HashSet::new(), Vec::new());
            for text in &texts {
                let before = known.clone();
                let found = runs(text, pages, &mut known);
                for run in &found {
                    let inside = &text[run.shingles.clone()];
                    let counts: Vec<u32> = inside.iter().map(|&one| pages(one).unwrap()).collect();
                    let (least, most) = (*counts.iter().min().unwrap(), *counts.iter().max().unwrap());
                    prop_assert!(run.pages == least && most <= 2 * least);
                    covered.extend_from_slice(inside);
                }
                for pair in found.windows(2).filter(|pair| pair[0].shingles.end == pair[1].shingles.start) {
                    let next = pages(text[pair[1].shingles.start]).unwrap();
                    let inside = text[pair[0].shingles.clone()].iter().map(|&one| pages(one).unwrap());
                    let most = inside.max().unwrap().max(next);
                    prop_assert!(most > 2 * pair[0].pages.min(next));
                }
                let mut truth: Vec<u64> = text.iter().copied().filter(|&one| pages(one).is_some() && !before.contains(&one)).collect();
                truth.sort_unstable();
                truth.dedup();
                prop_assert!(truth.iter().all(|one| covered.contains(one)));
            }
            let distinct: HashSet<u64> = covered.iter().copied().collect();
            prop_assert_eq!(distinct.len(), covered.len());
        }
    }
}
