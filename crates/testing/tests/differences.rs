//! Kinds of differences on labelled collections: in what removals of another label than their
//! witness (*wrong*) differ, and the others (*right*).
//!
//! The collections are not part of this repository: [`data`] says where they are, and when the
//! tests are skipped.

#![allow(clippy::unwrap_used)]

use lookalike::settings::AnalysisSettings;
use lookalike::{Record, Resources, Settings, Silent, Source, dedup};
use lookalike_engine::differences::{
    DifferenceKind, DifferenceProfile, DifferenceReader, DifferenceScratch,
};
use lookalike_testing::data;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::Range;

struct Labelled {
    label: String,
    title: Option<String>,
    text: String,
}

fn documents(collection: &str) -> Option<BTreeMap<String, Labelled>> {
    let folder = data::folder(collection)?;
    let file = std::fs::File::open(folder.join("docs.jsonl.zst")).unwrap();
    let lines = BufReader::new(zstd::Decoder::new(file).unwrap()).lines();
    // Licences under several ids: `GPL-2.0`, `GPL-2.0-only`, `GPL-2.0+` and `GPL-2.0-or-later` are one.
    let label = |label: String| {
        let ends = ["-only", "-or-later", "+"];
        let end = ends.into_iter().find_map(|end| label.strip_suffix(end));
        end.map_or(label.clone(), str::to_owned)
    };
    let document = |line: String| {
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        let field = |name: &str| value[name].as_str().map(str::to_owned);
        let (label, title) = (label(field("cluster").unwrap()), field("title"));
        (field("id").unwrap(), Labelled { label, title, text: field("text").unwrap() })
    };
    Some(lines.map(|line| document(line.unwrap())).collect())
}

/// The removals of a collection, wrong and right ones apart, with what differs.
fn removals(documents: &BTreeMap<String, Labelled>) -> [Vec<DifferenceProfile>; 2] {
    let records: Vec<Record> = documents
        .iter()
        .map(|(id, document)| Record::new(document.text.as_str()).id(id.as_str()))
        .collect();
    let (settings, resources) = (Settings::default(), Resources::default());
    let answer = dedup(Source::records(records), &settings, &resources, &Silent).unwrap();
    let reader = DifferenceReader::new(&AnalysisSettings::default());
    let mut scratch = DifferenceScratch::default();
    let mut found = [Vec::new(), Vec::new()];
    for removal in answer.removals() {
        let [a, b] = [removal.removed.id, removal.kept.id].map(|id| &documents[id]);
        let [of_a, of_b] = [a, b].map(|d| reader.parts(&d.text, d.title.as_deref(), &mut scratch));
        let is_right = a.label == b.label;
        found[usize::from(is_right)].push(DifferenceProfile::new(&of_a, &of_b, &mut scratch));
    }
    found
}

/// In percent: wrong removals, and for each property the wrong and the right ones that have it.
fn table(collection: &str) -> Option<(f64, BTreeMap<String, [f64; 2]>)> {
    let found = removals(&documents(collection)?);
    let percent = |some: usize, of: usize| 100.0 * some as f64 / of.max(1) as f64;
    let share = percent(found[0].len(), found[0].len() + found[1].len());
    let mut rows = BTreeMap::new();
    let mut row = |name: &str, has: &dyn Fn(&DifferenceProfile) -> bool| {
        let shares = [0, 1].map(|side: usize| {
            percent(found[side].iter().filter(|found| has(found)).count(), found[side].len())
        });
        println!("{collection}: {name:14} {:5.1} / {:5.1} %", shares[0], shares[1]);
        rows.insert(name.to_owned(), shares);
    };
    for kind in DifferenceKind::ALL {
        row(kind.name(), &|difference| difference.kinds.has(kind));
    }
    row("10 words lost", &|difference| difference.lost >= 10);
    println!("{collection}: wrong {share:.1} % of {:?}", [found[0].len(), found[1].len()]);
    Some((share, rows))
}

/// Shares of wrong and of right removals that have a property, each within bounds.
fn check(rows: &BTreeMap<String, [f64; 2]>, name: &str, wrong: Range<f64>, right: Range<f64>) {
    let [of_wrong, of_right] = rows[name];
    assert!(wrong.contains(&of_wrong) && right.contains(&of_right), "{name}: {:?}", rows[name]);
}

#[test]
fn licences_differ_in_numbers_and_identifiers() {
    let Some((wrong, rows)) = table("lic_multi") else { return };
    assert!((25.0..40.0).contains(&wrong), "{wrong}");
    check(&rows, "numbers", 60.0..85.0, 0.0..15.0);
    check(&rows, "identifiers", 55.0..80.0, 0.0..12.0);
    check(&rows, "10 words lost", 45.0..70.0, 0.0..8.0);
}

#[test]
fn pages_of_documentation_differ_in_titles() {
    let Some((wrong, rows)) = table("web_seaborn_versions") else { return };
    assert!((25.0..40.0).contains(&wrong), "{wrong}");
    check(&rows, "title", 95.0..100.0, 0.0..2.0);
    check(&rows, "numbers", 60.0..80.0, 85.0..101.0);
    check(&rows, "identifiers", 90.0..101.0, 85.0..101.0);
    check(&rows, "10 words lost", 80.0..101.0, 30.0..50.0);
}
