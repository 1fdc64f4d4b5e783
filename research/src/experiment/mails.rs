//! Spam as queries against the other mail of its collection: Kołcz & Chowdhury 2008, section 6.

use super::Collections;
use crate::corpus::{Corpus, Text};
use crate::page::Page;
use crate::row;
use crate::run::{Neighbours, cosine, search};
use crate::signatures::Signatures;
use crate::tokens::Tokens;
use anyhow::Result;
use lookalike_core::{Overlap, overlap};
use lookalike_engine::{Approach, DocumentId, Signer};
use lookalike_lexicon::Lexicon;
use lookalike_testing::prng::Prng;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a legitimate mail that is taken for spam costs, in spam found (section 6.4).
pub(super) const COST: f64 = 100.0;
/// The queries, by chance, and how often others are drawn; the copies are drawn anew with them.
pub(super) const ONE_IN: usize = 10;
pub(super) const DRAWINGS: u64 = 3;
/// Mails of fewer unique words are ignored (section 6.3).
const FEWEST_WORDS: u32 = 5;

/// How the page describes the queries.
pub(super) fn conditions(lexicon: &Corpus, drawings: u64) -> String {
    format!(
        "A mail is its subject and its body, as in section 6.3 of the paper (the files of CSDMC2010 have no \
         field for the subject; their text begins with it). \
         One spam in {ONE_IN}, drawn at random, is a query against all other spam and all legitimate mail \
         of its collection; {drawings} drawings of queries and copies (p = 0.33; seeds 1 to {drawings} of \
         both) are averaged, legitimate mails found are added. Trivial duplicates (the same set of terms) \
         are removed first, as are mails of fewer than {FEWEST_WORDS} unique words. Words are the paper's: \
         four characters or more, at most one digit. All mails are compared, however few their words \
         (`--min-features 1` of the command). Recall is against cosine ≥ 0.9 and over the queries \
         that have such a neighbour; utility is the mean over all queries of |spam found| − {COST} · \
         |legitimate found|. The lexicon is of {} ({} documents).",
        lexicon.name,
        lexicon.len(),
    )
}

/// Table 1, and the number of queries that each collection's figures rest on.
pub(super) fn table_of_queries(all: &[Mails], drawings: u64, page: &mut Page) {
    let queried: Vec<Queried> = all.iter().map(|mails| mails.queried(drawings)).collect();
    let rows = all.iter().zip(&queried).map(|(mails, queried)| {
        let subjects = mails.corpus.texts.iter().filter(|text| has_subject(text)).count();
        row![
            mails.corpus.name,
            mails.spam.len(),
            mails.corpus.len() - mails.spam.len(),
            subjects,
            queried.queries,
            queried.with_neighbours,
        ]
    });
    let header = [
        "collection",
        "spam",
        "legitimate",
        "with a field of the subject",
        "queries, all drawings",
        "of them with a neighbour",
    ];
    page.table(&header, rows);
    let names = all.iter().map(|mails| mails.corpus.name.as_str());
    if let Some((name, queried)) = names.zip(queried).min_by_key(|(_, q)| q.with_neighbours) {
        page.say(fewest(name, queried));
    }
}

/// How far the recall of the collection with the fewest answers can be relied on.
fn fewest(name: &str, Queried { queries, with_neighbours }: Queried) -> String {
    format!(
        "Utility is a mean over the queries, recall over those with a neighbour. {name} has the fewest: of its \
         {queries} queries {with_neighbours} have a neighbour, and each of them is {:.3} of its recall.",
        1.0 / with_neighbours.max(1) as f64,
    )
}

/// Queries, added over drawings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Queried {
    queries: usize,
    /// Those with another spam at a cosine of 0.9 or more: recall is over them.
    with_neighbours: usize,
}

/// Subject and body as one text (section 6.3).
fn with_subject(mail: &Text) -> Text {
    let subject = mail.title.as_deref().unwrap_or_default();
    Text { text: format!("{subject}\n{}", mail.text), ..mail.clone() }
}

fn has_subject(mail: &Text) -> bool {
    mail.title.as_deref().is_some_and(|title| !title.trim().is_empty())
}

/// Means over queries, and over drawings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Score {
    /// Share of the true neighbours among spam that are found.
    pub(super) recall: f64,
    /// Share of what is found that is a true neighbour, over the queries that find anything.
    pub(super) precision: f64,
    /// Formula (5).
    pub(super) utility: f64,
    /// Legitimate mails that any query met; added over drawings.
    pub(super) false_matches: usize,
    /// Share of the mails that have no signature.
    pub(super) ignored: f64,
}

/// A collection of mails without trivial duplicates.
pub(super) struct Mails {
    pub(super) corpus: Corpus,
    /// Numbers of the spam, ascending.
    pub(super) spam: Vec<u32>,
    truth: Neighbours,
    tokens: Tokens,
}

impl Mails {
    /// The collections that have spam.
    pub(super) fn of(collections: &Collections) -> Result<Vec<Self>> {
        let corpora = collections.mail.iter().chain(&collections.campaigns);
        corpora.map(Self::new).filter_map(Result::transpose).collect()
    }

    /// `None` if no mail is labelled as spam.
    fn new(corpus: &Corpus) -> Result<Option<Self>> {
        let labelled = |label: &str| matches!(label, "spam" | "ham");
        let whole = corpus.texts.iter().map(with_subject).collect();
        let corpus = Corpus::new(corpus.name.clone(), whole)?;
        let found = search(&corpus, Approach::default(), cosine("1")?, false)?;
        let clusters = found.clusters();
        let texts: Vec<_> = (0u32..)
            .zip(&corpus.texts)
            .filter(|(number, text)| {
                let terms = found
                    .units
                    .of_document(DocumentId(*number))
                    .map_or(0, |unit| found.units.size(unit));
                clusters[*number as usize] == *number
                    && terms >= FEWEST_WORDS
                    && text.label.as_deref().is_some_and(labelled)
            })
            .map(|(_, text)| text.clone())
            .collect();
        if !texts.iter().any(|text| text.label.as_deref() == Some("spam")) {
            return Ok(None);
        }
        let corpus = Corpus::new(corpus.name.clone(), texts)?;
        let spam = (0u32..)
            .zip(&corpus.texts)
            .filter(|(_, text)| text.label.as_deref() == Some("spam"))
            .map(|(number, _)| number)
            .collect();
        let truth = search(&corpus, Approach::default(), cosine("0.9")?, true)?.neighbours();
        let tokens = Tokens::new(&corpus, "kolcz");
        Ok(Some(Self { corpus, spam, truth, tokens }))
    }

    /// The score for each of these numbers of copies, with the lexicon `nidf` and a rule; the
    /// legitimate mails that are found with any of them are described in `wrong`.
    pub(super) fn measure(
        &self,
        nidf: &str,
        rule: &str,
        copies: &[usize],
        lexicon: &Arc<Lexicon>,
        drawings: u64,
        wrong: &mut BTreeSet<String>,
    ) -> Result<Vec<Score>> {
        let most = copies.iter().max().copied().unwrap_or(0);
        let mut scores = vec![Score::default(); copies.len()];
        for seed in 1..=drawings {
            let spec = format!(
                "imatch-random:nidf={nidf},copies={most},drop=0.33,seed={seed},terms=kolcz,{rule}"
            );
            let signatures = Signatures::new(&self.tokens, &spec, lexicon)?;
            let queries = self.queries(seed);
            let met = signatures.met(&queries);
            for (sum, &copies) in scores.iter_mut().zip(copies) {
                let found = met.with(copies);
                let score = self.score(&queries, &found);
                let mean = |of: f64| of / drawings as f64;
                sum.recall += mean(score.recall);
                sum.precision += mean(score.precision);
                sum.utility += mean(score.utility);
                sum.false_matches += score.false_matches;
                sum.ignored += mean(signatures.ignored(copies) as f64 / self.corpus.len() as f64);
            }
            wrong.extend(self.wrong(&queries, &met.with(most)));
        }
        Ok(scores)
    }

    fn queries(&self, seed: u64) -> Vec<u32> {
        let mut random = Prng::new(seed);
        self.spam.iter().copied().filter(|_| random.below(ONE_IN) == 0).collect()
    }

    fn queried(&self, drawings: u64) -> Queried {
        let queries: Vec<u32> = (1..=drawings).flat_map(|seed| self.queries(seed)).collect();
        let with_neighbours =
            queries.iter().filter(|&&query| self.near_spam(query).next().is_some()).count();
        Queried { queries: queries.len(), with_neighbours }
    }

    /// The spam that a query should find.
    fn near_spam(&self, query: u32) -> impl Iterator<Item = u32> {
        self.truth.of(query).iter().copied().filter(|&mail| self.is_spam(mail))
    }

    fn is_spam(&self, mail: u32) -> bool {
        self.spam.binary_search(&mail).is_ok()
    }

    /// What legitimate mail is found, and how much of it is in the spam that found it.
    fn wrong(&self, queries: &[u32], found: &Neighbours) -> Vec<String> {
        let Ok(settings) = cosine("0.9") else { return Vec::new() };
        let signer = Signer::new(&settings);
        let mut wrong = Vec::new();
        for &query in queries {
            for &mail in found.of(query).iter().filter(|&&mail| !self.is_spam(mail)) {
                let [spam, legitimate] = [query, mail].map(|at| &self.corpus.texts[at as usize]);
                let (a, b) = (signer.sorted_set(&legitimate.text), signer.sorted_set(&spam.text));
                let counts =
                    Overlap { shared: overlap(&a, &b), a: a.len() as u32, b: b.len() as u32 };
                wrong.push(format!(
                    "`{}` by `{}` ({} of its {} terms are in the spam, which has {})",
                    legitimate.id, spam.id, counts.shared, counts.a, counts.b,
                ));
            }
        }
        wrong
    }

    fn score(&self, queries: &[u32], found: &Neighbours) -> Score {
        let (mut score, mut with_neighbours, mut answered) = (Score::default(), 0, 0);
        let mut wrong: BTreeSet<u32> = BTreeSet::new();
        for &query in queries {
            let met = found.of(query);
            let spam = met.iter().filter(|&&mail| self.is_spam(mail)).count();
            wrong.extend(met.iter().copied().filter(|&mail| !self.is_spam(mail)));
            score.utility += spam as f64 - COST * (met.len() - spam) as f64;
            if !met.is_empty() {
                answered += 1;
                let right = met.iter().filter(|&&mail| self.truth.has(query, mail)).count();
                score.precision += right as f64 / met.len() as f64;
            }
            let near: Vec<u32> = self.near_spam(query).collect();
            if !near.is_empty() {
                with_neighbours += 1;
                let hits = near.iter().filter(|&&mail| found.has(query, mail)).count();
                score.recall += hits as f64 / near.len() as f64;
            }
        }
        Score {
            recall: score.recall / f64::from(with_neighbours.max(1)),
            precision: score.precision / f64::from(answered.max(1)),
            utility: score.utility / queries.len().max(1) as f64,
            false_matches: wrong.len(),
            ignored: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legitimate_mail_costs_a_hundred_spams() {
        let mail = |text: &str, label: &str| Text {
            id: text.to_owned(),
            text: text.to_owned(),
            label: Some(label.to_owned()),
            ..Text::default()
        };
        let words = "alpha beta gamma delta epsilon zeta theta iota kappa lambda";
        let corpus = Corpus::new(
            "test".into(),
            vec![
                mail(words, "spam"),
                mail(&format!("{words} extra"), "spam"),
                mail(&format!("{words}!"), "spam"),
                mail(&format!("{words} other"), "ham"),
                mail("short short short short short", "ham"),
                mail("none of the labels that count here", "unknown"),
            ],
        )
        .unwrap();
        let mails = Mails::new(&corpus).unwrap().unwrap();
        // The third is a trivial duplicate, the fifth too short, the last not labelled.
        assert_eq!((mails.corpus.len(), &mails.spam[..]), (3, &[0, 1][..]));
        let score = mails.score(&[0], &mails.truth);
        let (recall, precision, utility) = (1.0, 1.0, 1.0 - COST);
        let expected = Score { recall, precision, utility, false_matches: 1, ignored: 0.0 };
        assert_eq!(score, expected);
        assert_eq!(mails.wrong(&[0], &mails.truth).len(), 1);
        // A query that finds nothing.
        let nothing = Neighbours::new(vec![Vec::new(); 3]);
        assert_eq!(mails.score(&[0], &nothing), Score::default());
        // Each spam that is drawn has the other as its neighbour; the legitimate one does not count.
        let drawn: usize = (1..=50).map(|seed| mails.queries(seed).len()).sum();
        assert!(drawn > 0);
        assert_eq!(mails.queried(50), Queried { queries: drawn, with_neighbours: drawn });
        assert_eq!(mails.near_spam(0).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn a_mail_is_its_subject_and_its_body() {
        let mail = |subject: Option<&str>, label: &str| Text {
            text: "these five words are equal alike".into(),
            title: subject.map(str::to_owned),
            label: Some(label.to_owned()),
            ..Text::default()
        };
        let texts = vec![
            mail(Some("first offer"), "spam"),
            mail(Some("second"), "spam"),
            mail(None, "ham"),
            mail(Some(" "), "ham"),
        ];
        let mails = Mails::new(&Corpus::new("test".into(), texts).unwrap()).unwrap().unwrap();
        // The two without a subject have the same terms; the others have words of their own.
        assert_eq!((mails.corpus.len(), &mails.spam[..]), (3, &[0, 1][..]));
        assert!(mails.corpus.texts[0].text.starts_with("first offer\nthese"));
        // Of seven and six terms they share five: a cosine of 0.77, and no neighbour.
        let mut queried = mails.queried(20);
        assert!(queried.queries > 0);
        queried.queries = 0;
        assert_eq!(queried, Queried { queries: 0, with_neighbours: 0 });
        let mut page = Page::default();
        table_of_queries(&[mails], 0, &mut page);
        let text = page.into_text();
        assert!(text.contains("| test | 2 | 1 | 2 | 0 | 0 |"), "{text}");
        let queried = Queried { queries: 76, with_neighbours: 25 };
        assert!(fewest("few", queried).contains("of its 76 queries 25 have a neighbour, and each"));
        assert!(fewest("few", queried).contains("is 0.040 of its recall"));
    }
}
