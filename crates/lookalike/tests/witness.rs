//! The witness rule from one end to the other: `dedup`, `cluster` and `recluster` name the same
//! witness for every document, and it is the one of the definition, by every method and
//! verification.
//!
//! The definition is applied to the complete list of pairs of a `cluster` run: leader clustering,
//! then for each removed document the first or the best of its kept matches.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Job, Silent,
    methods::{MethodSettings, methods},
    results::{ReclusterJob, TableFormat, recluster},
    run_cluster, run_dedup,
    settings::{Linkage, Verify, WitnessRule},
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const RULES: [WitnessRule; 2] = [WitnessRule::First, WitnessRule::Best];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Versions of one text with up to `most` edits, and one word of its own each, so that no two
    /// have the same features. Ids are in the order of precedence.
    fn family(&self, versions: usize, most: u64) -> Job {
        let mut state = 7u64;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(0x5851_F42D);
            (state >> 33) % n
        };
        let mut lines = String::new();
        for version in 0..versions {
            let mut words: Vec<String> = (0..120).map(|at| format!("word{at}")).collect();
            for _ in 0..next(most) {
                words[next(120) as usize] = format!("edit{}", next(60));
            }
            words[next(120) as usize] = format!("own{version}");
            lines += &format!("{{\"id\":\"v{version:05}\",\"text\":\"{}\"}}\n", words.join(" "));
        }
        let docs = self.path("docs.jsonl");
        std::fs::write(&docs, lines).unwrap();
        let mut job = Job::new(vec![docs.display().to_string()], self.path("out"));
        (job.tables, job.force, job.settings.linkage) =
            (TableFormat::Jsonl, true, Some(Linkage::Leaders));
        job
    }
}

fn rows(output: &Path, table: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(output.join(table).with_extension("jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap().to_owned()
}

/// The witness of every removed document, by the table of clusters.
fn witnesses(output: &Path) -> BTreeMap<String, String> {
    let named = rows(output, "clusters").into_iter();
    let named = named.map(|row| (text(&row, "id"), text(&row, "leader_id")));
    named.filter(|(id, leader)| id != leader).collect()
}

/// How alike the two of a pair are, as far as its row tells.
fn value(row: &Value) -> f64 {
    let number = |name: &str| row[name].as_f64();
    number("distance").map_or_else(|| number("resemblance").unwrap_or(0.0), |bits| -bits)
}

/// The witnesses by definition, from all pairs of a run.
fn defined(output: &Path, rule: WitnessRule) -> BTreeMap<String, String> {
    let mut earlier: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for row in rows(output, "pairs") {
        let (a, b) = (text(&row, "a_id"), text(&row, "b_id"));
        earlier.entry(b.clone().max(a.clone())).or_default().insert(a.min(b), value(&row));
    }
    let mut removed = BTreeMap::new();
    for (id, matches) in earlier {
        let mut kept = matches.into_iter().filter(|(other, _)| !removed.contains_key(other));
        let first = kept.next();
        let witness = match rule {
            WitnessRule::First => first,
            WitnessRule::Best => first.map(|first| {
                kept.fold(first, |best, next| if next.1 > best.1 { next } else { best })
            }),
        };
        removed.extend(witness.map(|(witness, _)| (id, witness)));
    }
    removed
}

/// 2,600 versions of one text, whose removed documents have hundreds of kept matches.
#[test]
fn cluster_and_recluster_name_the_same_witnesses() {
    let folder = Folder::new();
    let mut job = folder.family(2600, 8);
    job.settings.threshold = "0.75".into();
    let low = Job { output: folder.path("low"), ..job.clone() };
    assert!(run_cluster(&low, &Silent).unwrap().summary.pairs.complete);
    let mut counts = Vec::new();
    for (threshold, rule) in ["0.75", "0.8", "0.85"].into_iter().flat_map(|t| RULES.map(|r| (t, r)))
    {
        job.settings.threshold = threshold.into();
        job.settings.witness = rule;
        let fresh = Job { output: folder.path("fresh"), threads: 3, ..job.clone() };
        run_cluster(&fresh, &Silent).unwrap();
        let mut asked = ReclusterJob::new(&low.output, threshold, folder.path("again"));
        (asked.witness, asked.tables, asked.force) = (Some(rule), TableFormat::Jsonl, true);
        let summary = recluster(&asked, &Silent).unwrap();
        assert_eq!(summary.settings.witness.as_deref(), Some(rule.name()));
        let truth = defined(&fresh.output, rule);
        assert_eq!(witnesses(&fresh.output), truth, "cluster {threshold} {rule:?}");
        assert_eq!(witnesses(&asked.output), truth, "recluster {threshold} {rule:?}");
        let only = Job { output: folder.path("only"), threads: 1, ..job.clone() };
        run_dedup(&only, &Silent).unwrap();
        assert_eq!(witnesses(&only.output), truth, "dedup {threshold} {rule:?}");
        let kept: BTreeSet<_> = truth.values().collect();
        counts.push((truth.len(), kept.len()));
    }
    // Many documents with the same few witnesses, and many witnesses.
    let (removed, kept) = counts
        .iter()
        .fold((0, 0), |most, &(removed, kept)| (most.0.max(removed), most.1.max(kept)));
    assert!(removed > 700 && kept > 70, "{counts:?}");
}

#[test]
fn every_method_and_verification_names_the_witnesses_of_the_definition() {
    let folder = Folder::new();
    let mut job = folder.family(500, 20);
    let mut removed = BTreeMap::new();
    for about in methods() {
        for verify in Verify::ALL {
            job.settings.method = Some(MethodSettings {
                spec: about.name.into(),
                verify,
                lexicon: None,
                lexicon_checksum: None,
                key_limit: None,
            });
            for rule in RULES {
                job.settings.witness = rule;
                job.threads = 2;
                run_cluster(&job, &Silent).unwrap();
                let truth = defined(&job.output, rule);
                let label = format!("{} {verify:?} {rule:?}", about.name);
                assert_eq!(witnesses(&job.output), truth, "{label}");
                for threads in [1, 3] {
                    job.threads = threads;
                    run_dedup(&job, &Silent).unwrap();
                    assert_eq!(witnesses(&job.output), truth, "{label} on {threads} threads");
                }
                *removed.entry(verify.name()).or_insert(0) += truth.len();
            }
        }
    }
    assert!(removed.values().all(|&count| count > 400), "{removed:?}");
}

#[test]
fn a_choice_where_there_is_none_is_an_error() {
    let folder = Folder::new();
    let mut job = folder.family(20, 5);
    job.settings.witness = WitnessRule::Best;
    run_cluster(&job, &Silent).unwrap();
    let mut asked = ReclusterJob::new(&job.output, "0.9", folder.path("again"));
    asked.linkage = Some(Linkage::Components);
    // The rule of the run has no meaning there and was not given.
    assert_eq!(recluster(&asked, &Silent).unwrap().settings.witness, None);
    (asked.witness, asked.force) = (Some(WitnessRule::Best), true);
    job.settings.linkage = Some(Linkage::Components);
    let errors = [run_cluster(&job, &Silent).unwrap_err(), recluster(&asked, &Silent).unwrap_err()];
    for error in errors.map(|error| error.to_string()) {
        assert!(
            error.contains("the setting witness=best needs the setting linkage=leaders"),
            "{error}"
        );
    }
}
