//! Kołcz & Chowdhury 2008, figure 1: messages in another language with the same banner, which a
//! lexicon that knows the banner alone takes for duplicates.

use super::{Collections, Experiment, Kind};
use crate::corpus::{Corpus, Text};
use crate::page::{Page, mean};
use crate::row;
use crate::run::approach;
use crate::signatures::Signatures;
use crate::tokens::Tokens;
use anyhow::{Context, Result};
use lookalike_core::fingerprint::finalise;
use lookalike_lexicon::Lexicon;
use lookalike_methods::{Document, MethodScratch, Statistics};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "banner",
    title: "Reliability: one banner, different messages (Kołcz & Chowdhury 2008, figure 1)",
    needs: &[Kind::Web, Kind::News],
    run,
};

const COPIES: usize = 10;
/// Words of the banner.
const BANNER: usize = 40;
/// A page is in another language if it has so many distinct words and the lexicon knows at most
/// this share of them.
const FEWEST_WORDS: usize = 50;
const KNOWN: f64 = 0.25;
/// Pages are different if their binary cosine is less.
const DIFFERENT: f64 = 0.5;
/// Lower bounds of |S| and |S|/|U|, without and with the secondary lexicon.
const RULES: [&str; 9] = [
    "min=1",
    "min=5",
    "min=5,fill=1",
    "min=1,share=0.05",
    "min=1,share=0.05,fill=1",
    "min=1,share=0.1",
    "min=1,share=0.1,fill=1",
    "min=1,share=0.2",
    "min=1,share=0.2,fill=1",
];

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let web = Corpus::joined(&collections.web)?;
    let news = Corpus::joined(&collections.news)?;
    let lexicon = news.lexicon("kolcz")?;
    let foreign = foreign(&web.texts, &lexicon);
    let banner = banner(&news.texts, &lexicon)?;
    page.say(format_args!(
        "The paper shows two German messages above the same English banner; their signatures are equal, \
         because a lexicon of English news knows the banner alone. Here the messages are the {} pages of {} \
         with at least {FEWEST_WORDS} distinct words of which the lexicon of {} ({} documents) knows at most \
         {:.0} %; the banner below each is the first {BANNER} words of the story that puts most words of the \
         lexicon's window into them: `{banner}`. A pair of *different* messages (cosine of the pages below \
         {DIFFERENT}) with a signature in common is a false match. nidf 0.2 to 0.3, words as in the paper, \
         p = 0.33, seed 1. |S|/|U| is the mean over messages with a signature, of the first signature. \
         The second lexicon is that of the pages themselves, which has words of their languages beyond its \
         window.",
        foreign.len(), web.name, news.name, news.len(), 100.0 * KNOWN,
    ));
    let different = different(&foreign);
    let messages: Vec<String> =
        foreign.iter().map(|text| format!("{}\n{banner}", text.text)).collect();
    let tokens = Tokens::of_texts(messages.iter().map(String::as_str), "kolcz");
    let own = web.lexicon("kolcz")?;
    let mut first_rule = Vec::new();
    for (name, lexicon) in [("news", &lexicon), ("the pages", &own)] {
        let rows = RULES
            .iter()
            .map(|rule| {
                let spec =
                    format!("imatch-random:nidf=0.2..0.3,copies={COPIES},drop=0.33,seed=1,terms=kolcz,{rule}");
                let signatures = Signatures::new(&tokens, &spec, lexicon)?;
                let all: Vec<u32> = (0..messages.len() as u32).collect();
                let met = signatures.met(&all);
                let [none, most] = [0, COPIES].map(|copies| {
                    let found = met.with(copies);
                    different.iter().filter(|&&(a, b)| found.has(a, b)).count()
                });
                first_rule.push(none);
                Ok(row![
                    format!("`{rule}`"),
                    share_of_terms(&tokens, &spec, lexicon)?,
                    signatures.ignored(0),
                    none,
                    signatures.ignored(COPIES),
                    most,
                ])
            })
            .collect::<Result<Vec<_>>>()?;
        page.say(format_args!(
            "Lexicon of {name}; {} messages, {} pairs of different ones:",
            messages.len(),
            different.len()
        ));
        let header = [
            "rule",
            "|S|/|U|",
            "no signature, K = 0",
            "false matches, K = 0",
            "no signature, K = 10",
            "false matches, K = 10",
        ]
        .map(|name| name.replace('|', "&#124;"));
        page.table(&header.each_ref().map(String::as_str), rows);
    }
    page.say(conclusion(&first_rule));
    Ok(())
}

fn conclusion(false_matches: &[usize]) -> String {
    let clean = |from: usize| {
        let rules = RULES.iter().zip(&false_matches[from..]).filter(|&(_, &count)| count == 0);
        let names: Vec<String> = rules.map(|(rule, _)| format!("`{rule}`")).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    };
    format!(
        "Rules without a false match at K = 0: with the lexicon of news {}, with that of the pages {}. A \
         fewest number of terms does not help where the banner alone has them; their share of the message \
         shows that it is not about them, which is the paper's reason for |S|/|U|. The secondary lexicon \
         turns rejected messages into ones with signatures of their own, where it knows their words.",
        clean(0),
        clean(RULES.len()),
    )
}

/// Distinct terms as the paper has them.
fn terms(text: &str) -> BTreeSet<u64> {
    let tokens = Tokens::of_texts([text], "kolcz");
    tokens.documents().flatten().map(|&token| finalise(token)).collect()
}

/// Texts with enough words of which the lexicon knows few.
fn foreign<'a>(texts: &'a [Text], lexicon: &Lexicon) -> Vec<&'a Text> {
    let is_foreign = |text: &&Text| {
        let terms = terms(&text.text);
        let known = terms.iter().filter(|&&term| lexicon.frequency(term) > 0).count();
        terms.len() >= FEWEST_WORDS && known as f64 <= KNOWN * terms.len() as f64
    };
    texts.iter().filter(is_foreign).collect()
}

/// The first words of the story that has most terms of the lexicon's window in them.
fn banner(texts: &[Text], lexicon: &Lexicon) -> Result<String> {
    let share = |text: &str| text.parse().map_err(|()| anyhow::anyhow!("{text} is a share"));
    let window: BTreeSet<u64> = lexicon
        .window(share("0.2")?, share("0.3")?)
        .map(|term| finalise(lookalike_core::fingerprint::token(term.name)))
        .collect();
    let starts = texts
        .iter()
        .map(|text| text.text.split_whitespace().take(BANNER).collect::<Vec<_>>().join(" "));
    // The first of the best.
    let best = starts.map(|start| (terms(&start).intersection(&window).count(), start));
    let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
    Ok(best.context("there are news")?.1)
}

/// Pairs of pages that have little in common.
fn different(pages: &[&Text]) -> Vec<(u32, u32)> {
    let sets: Vec<BTreeSet<u64>> = pages.iter().map(|text| terms(&text.text)).collect();
    let mut pairs = Vec::new();
    for (b, second) in sets.iter().enumerate() {
        for (a, first) in sets[..b].iter().enumerate() {
            let shared = first.intersection(second).count() as f64;
            if shared < DIFFERENT * ((first.len() * second.len()) as f64).sqrt() {
                pairs.push((a as u32, b as u32));
            }
        }
    }
    pairs
}

/// The mean share of a message's distinct terms in its first signature.
fn share_of_terms(tokens: &Tokens, spec: &str, lexicon: &Arc<Lexicon>) -> Result<String> {
    let approach = approach(spec, Some(lexicon))?;
    let method = approach.method.as_deref().context("nothing to sign with")?;
    let (mut scratch, mut chosen) = (MethodScratch::default(), Vec::new());
    let (mut sum, mut signed) = (0.0, 0);
    for tokens in tokens.documents() {
        let document = Document { tokens, ..Document::default() };
        method.signature_terms(&document, 0, &mut scratch, &mut chosen);
        if !chosen.is_empty() {
            let distinct: BTreeSet<&u64> = tokens.iter().collect();
            sum += chosen.len() as f64 / distinct.len() as f64;
            signed += 1;
        }
    }
    Ok(mean(sum, signed, 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::tests::corpus;

    #[test]
    fn foreign_pages_are_those_with_few_known_words() {
        let known: Vec<String> = (0..60).map(|n| format!("known{}", "x".repeat(n))).collect();
        let other: Vec<String> = (0..60).map(|n| format!("other{}", "x".repeat(n))).collect();
        let lexicon = corpus(&[&known.join(" "), "known"]).lexicon("kolcz").unwrap();
        let half = format!("{} {}", known[..30].join(" "), other[..30].join(" "));
        let few = format!("{} {}", known[..10].join(" "), other.join(" "));
        let (known, short) = (known.join(" "), other[..20].join(" "));
        let pages = corpus(&[&known, &half, &few, &short]);
        let foreign = foreign(&pages.texts, &lexicon);
        assert_eq!(foreign.iter().map(|text| &*text.id).collect::<Vec<_>>(), ["2"]);
        let all: Vec<&Text> = pages.texts.iter().collect();
        // Half of the words are shared by 0 and 1, a sixth by 0 and 2; 20 of 60 by 1 and 3.
        let pairs = different(&all);
        assert!(!pairs.contains(&(0, 1)) && pairs.contains(&(0, 2)) && pairs.contains(&(0, 3)));
    }
}
