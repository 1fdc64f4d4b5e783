//! Chowdhury et al. 2002, section 4.5, Tables VII and VIII: seconds of DSC, DSC-SS, I-Match and syntactic
//! filtering.

use super::{Collections, Experiment};
use crate::corpus::Corpus;
use crate::page::Page;
use crate::row;
use crate::run::{approach, resemblance, search};
use anyhow::Result;
use lookalike_core::fingerprint::token;
use lookalike_engine::Approach;
use lookalike_methods::imatch::Filter;
use lookalike_methods::{Document, Method, Scratch, Signature};
use lookalike_text::{AnalysisSettings, Analyzer, FilterScratch, TermFilter};
use std::hint::black_box;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "run-time",
    title: "Run time (Chowdhury et al. 2002, Tables VII and VIII)",
    needs: &[],
    run,
};

/// Mean seconds for 18 577 pages (Excite@Home) and for 247 491 (WT2G).
const PAPER: [(&str, f64, f64); 4] = [
    ("DSC", 595.4, 31838.2),
    ("DSC-SS", 587.6, 24514.7),
    ("I-Match", 96.9, 3815.8),
    ("Syntactic", 5.0, 65.0),
];

/// The super shingles of Table XI and the thresholds of DSC.
const SIZES: [u32; 10] = [2, 4, 5, 10, 15, 20, 25, 50, 75, 100];
const THRESHOLDS: [&str; 5] = ["0.5", "0.6", "0.7", "0.8", "0.9"];

/// Seconds of one run.
#[derive(Debug, Clone, Copy)]
struct Seconds {
    /// Documents, as token hashes in memory, signed.
    signing: f64,
    /// From signatures to clusters.
    matching: f64,
    /// The whole road from the file: reading, tokenising, signing and matching.
    whole: f64,
}

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let all = collections.all()?;
    let lexicon = all.lexicon("nosc+stem")?;
    let families: [(&str, Vec<String>); 4] = [
        ("DSC", THRESHOLDS.map(|t| format!("dsc:w=10,m=25,t={t}")).into()),
        ("DSC-SS", SIZES.map(|n| format!("dsc-ss:w=10,m=25,n={n}")).into()),
        // The paper's mean is over all 52 filters, and so are our signing times. Whole runs, which are
        // mostly reading, are of the two best.
        (
            "I-Match",
            Filter::table_ix()
                .skip(1)
                .map(|f| format!("imatch:filter={f},terms=nosc+stem"))
                .collect(),
        ),
        ("Syntactic", vec!["syntactic:filter=nosc+stem".into()]),
    ];
    let (plain, filtered) = (Tokens::new(&all, ""), Tokens::new(&all, "nosc+stem"));
    page.say(format_args!(
        "The largest collection there is: all of ours but the campaigns, {} documents, {} tokens, of which \
         {} are left by `nosc+stem`; one thread. As in the paper, reading and tokenising are not counted \
         in *signing* (from token hashes in memory to signatures) and *matching* (from signatures to \
         clusters). *Whole* is the road from the file to the clusters, reading and tokenising included. \
         Mean of DSC at five thresholds, DSC-SS with ten sizes and I-Match with 52 filters (matching and \
         whole: its two best).",
        all.len(), plain.hashes.len(), filtered.hashes.len(),
    ));
    let mut means = Vec::new();
    for (name, specs) in &families {
        let mut runs = Vec::new();
        for spec in specs {
            let approach = approach(spec, Some(&lexicon))?;
            let tokens = if spec.contains("nosc") { &filtered } else { &plain };
            let signing = tokens.signing(&approach)?;
            let once =
                *name != "I-Match" || spec.contains("doc-l-90") || spec.contains("=idf-l-10,");
            let whole = if once { Some(whole(&all, approach)?) } else { None };
            runs.push((signing, whole));
        }
        let signing = average(runs.iter().map(|run| run.0));
        let matching = average(runs.iter().filter_map(|run| run.1).map(|run| run.0));
        let whole = average(runs.iter().filter_map(|run| run.1).map(|run| run.1));
        means.push(Seconds { signing, matching, whole });
    }
    let syntactic_filter = means[2];
    let rows = PAPER.iter().zip(&means).map(|(paper, ours)| {
        let both = |s: &Seconds| s.signing + s.matching;
        row![
            paper.0,
            paper.1,
            format!("{:.1} ×", paper.1 / PAPER[2].1),
            paper.2,
            format!("{:.1} ×", paper.2 / PAPER[2].2),
            format!("{:.3}", ours.signing),
            format!("{:.3}", ours.matching),
            format!("{:.1} ×", both(ours) / both(&syntactic_filter)),
            format!("{:.2}", ours.whole),
        ]
    });
    let header = [
        "method",
        "Excite@Home, s (paper)",
        "to I-Match",
        "WT2G, s (paper)",
        "to I-Match",
        "signing, s",
        "matching, s",
        "to I-Match",
        "whole, s",
    ];
    page.times(&header, rows.collect::<Vec<_>>());
    Ok(())
}

fn average(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Seconds for matching, and for all.
fn whole(corpus: &Corpus, approach: Approach) -> Result<(f64, f64)> {
    let found = search(corpus, approach, resemblance("0.8")?, false)?;
    let all: f64 = found.matches.phases.iter().map(|(_, seconds)| seconds).sum();
    Ok((all - found.signed.seconds, all))
}

/// A collection's token hashes, one document after the other.
struct Tokens {
    hashes: Vec<u64>,
    ends: Vec<usize>,
}

impl Tokens {
    fn new(corpus: &Corpus, filter: &str) -> Self {
        let filter: TermFilter = filter.parse().unwrap_or(TermFilter::ALL);
        let analyzer = Analyzer::new(&AnalysisSettings::default());
        let mut scratch = FilterScratch::default();
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        for text in &corpus.texts {
            filter.terms(&analyzer, &text.text, &mut scratch, |term| hashes.push(token(term)));
            ends.push(hashes.len());
        }
        Self { hashes, ends }
    }

    /// Seconds to sign all documents: the least of three runs, as what disturbs only ever adds.
    fn signing(&self, approach: &Approach) -> Result<f64> {
        let method: &dyn Method =
            approach.method.as_deref().ok_or_else(|| anyhow::anyhow!("nothing to sign with"))?;
        let (mut scratch, mut out) = (Scratch::default(), Signature::default());
        let seconds = (0..3).map(|_| {
            let started = Instant::now();
            let mut start = 0;
            for &end in &self.ends {
                out.clear();
                let document = Document { tokens: &self.hashes[start..end], ..Document::default() };
                // Documents that cannot be signed cost their time, too.
                let _ = black_box(method.sign(&document, &mut scratch, &mut out));
                black_box(&out);
                start = end;
            }
            started.elapsed().as_secs_f64()
        });
        Ok(seconds.fold(f64::INFINITY, f64::min))
    }
}
