//! Pages over time: Broder et al. 1997, "Lost and found"; Seshasai 2009, section 2.6.1.

use super::{Collections, Experiment, Kind};
use crate::page::{Page, mean, percent};
use crate::row;
use anyhow::{Context, Result, ensure};
use lookalike::{
    Index, IndexWriter, Settings, Silent, Source,
    index::{AddOptions, IndexSettings},
    methods::MethodSettings,
    settings::Verify,
    sweeps::{Change, DiffOptions, PageChange, SweepDiff},
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "change",
    title: "Pages over time (Broder et al. 1997, \"Lost and found\"; Seshasai 2009, section 2.6.1)",
    needs: &[Kind::Versions],
    run,
};

/// Intervals of the past that predict the next one, as in the paper.
const PAST: usize = 3;

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    page.say(
        "Each collection is an index of sweeps, in which every page that changed, or whose address \
         is gone, is looked for by its content in the next sweep (`lookalike index diff`, threshold \
         0.5). The papers give no figures for this; they say what should hold.",
    );
    let (mut lost, mut bands) = (Vec::new(), BTreeMap::<usize, Vec<u32>>::new());
    let mut past = [[0u64; 2]; PAST + 1];
    for folder in &collections.versions {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let diffs = diffs(folder)?;
        for diff in &diffs {
            lost.push(lost_and_found(&name, diff));
            for changed in &diff.pages {
                if let (Some(band), Some(bits)) = (band(changed), changed.distance) {
                    bands.entry(band).or_default().push(bits);
                }
            }
        }
        for (before, changed) in series(&diffs) {
            past[before][usize::from(changed)] += 1;
        }
    }
    page.say(
        "*Lost and found*: pages whose address was gone in the next sweep, and those that were found \
         under another one by their content; pages whose content moved while their address got other \
         content; copies that moved as they were, and those that were edited on the way.",
    );
    let header = [
        "collection, sweeps",
        "addresses gone",
        "found again",
        "of those, the same words",
        "moved, address kept",
        "changed in place",
    ];
    page.table(&header, lost);
    page.say(
        "Seshasai: \"the larger the simhash changes, the larger the document has changed\". Versions \
         of a page by their resemblance (word 5-shingles, exact), and the bits in which their \
         simhashes (term frequencies) differ:",
    );
    let rows = bands.iter().map(|(&band, bits)| {
        let mut bits = bits.clone();
        bits.sort_unstable();
        let (n, sum) = (bits.len(), bits.iter().sum::<u32>());
        let within = bits.iter().filter(|&&bits| bits <= 3).count() as u64;
        row![
            BANDS[band].2,
            n,
            mean(f64::from(sum), n, 1),
            bits[n / 2],
            bits[n * 9 / 10],
            percent(within, n as u64)
        ]
    });
    let header = ["resemblance", "versions", "mean bits", "median", "90 %", "at most 3 bits"];
    page.table(&header, rows);
    page.say(
        "\"If the previous three times a simhash was calculated were all the same, then it should \
         decrease the frequency with which that document is downloaded\": how often a page changed in \
         an interval, by the number of the three intervals before in which it had changed.",
    );
    let rows = past.iter().enumerate().map(|(before, [same, changed])| {
        row![format!("{before} of {PAST}"), same + changed, percent(*changed, same + changed)]
    });
    page.table(&["changed before", "intervals", "changed in the next"], rows);
    Ok(())
}

/// Bounds of resemblance, the highest first, and their names.
const BANDS: [(f64, f64, &str); 5] = [
    (1.0, 2.0, "the same shingles"),
    (0.9, 1.0, "0.9 to 1"),
    (0.7, 0.9, "0.7 to 0.9"),
    (0.5, 0.7, "0.5 to 0.7"),
    (0.0, 0.5, "below 0.5"),
];

/// The band of two versions at one address.
fn band(page: &PageChange) -> Option<usize> {
    let in_place =
        matches!(page.change, Change::Same | Change::SameWords | Change::Slight | Change::Heavy);
    let resemblance = page.resemblance.filter(|_| in_place)?;
    BANDS.iter().position(|&(low, high, _)| low <= resemblance && resemblance < high)
}

/// Indexes the sweeps of a directory, and compares each with the next.
fn diffs(folder: &Path) -> Result<Vec<SweepDiff>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| path.to_string_lossy().contains(".jsonl"));
    files.sort();
    ensure!(files.len() > 1, "{} holds no two sweeps", folder.display());
    let work = tempfile::tempdir()?;
    let dir = work.path().join("index");
    let method = MethodSettings {
        spec: "simhash:weights=tf".into(),
        verify: Verify::Sketch,
        lexicon: None,
        lexicon_checksum: None,
        key_limit: None,
    };
    let settings = IndexSettings { methods: vec![method], ..IndexSettings::default() };
    let mut index = IndexWriter::create(&dir, settings, 1)?;
    let mut names = Vec::new();
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.split(".jsonl").next().unwrap_or_default().to_owned();
        let options = AddOptions { sweep: Some((name.clone(), None)), ..AddOptions::default() };
        let source = Source::files([file.display().to_string()]);
        index.add(source, &Settings::default(), &options, &Silent, |_| {})?;
        names.push(name);
    }
    drop(index);
    let index = Index::open(&dir)?;
    let options = DiffOptions { threads: 1, ..DiffOptions::default() };
    let pairs = names.windows(2);
    pairs
        .map(|pair| Ok(lookalike::sweeps::diff(&index, &pair[0], &pair[1], &options, &Silent)?))
        .collect()
}

fn lost_and_found(name: &str, diff: &SweepDiff) -> Vec<String> {
    let count = |change: Change| diff.counts.get(change.name()).copied().unwrap_or(0);
    let (moved, gone) = (count(Change::Moved), count(Change::Gone));
    let same = diff
        .pages
        .iter()
        .filter(|page| page.change == Change::Moved && page.resemblance == Some(1.0))
        .count() as u64;
    row![
        format!("{name}, {} to {}", diff.from, diff.to),
        moved + gone,
        percent(moved, moved + gone),
        percent(same, moved),
        count(Change::MovedAddressKept),
        count(Change::Slight) + count(Change::Heavy) + count(Change::SameWords)
    ]
}

/// For each page and interval with [`PAST`] before it: in how many of those the page changed, and
/// whether it changed in it.
fn series(diffs: &[SweepDiff]) -> Vec<(usize, bool)> {
    let mut changes: BTreeMap<&str, Vec<Option<bool>>> = BTreeMap::new();
    for (at, diff) in diffs.iter().enumerate() {
        for page in &diff.pages {
            let Some(url) = page.url.as_deref() else { continue };
            let changed = match page.change {
                Change::Same => Some(page.distance.is_some_and(|bits| bits > 0)),
                Change::SameWords | Change::Slight | Change::Heavy | Change::MovedAddressKept => {
                    Some(page.distance.is_none_or(|bits| bits > 0))
                }
                Change::Moved | Change::Gone | Change::New => None,
            };
            let of_page = changes.entry(url).or_default();
            of_page.resize(at, None);
            of_page.push(changed);
        }
    }
    let mut found = Vec::new();
    for of_page in changes.values() {
        for window in of_page.windows(PAST + 1) {
            if let Some(known) = window.iter().copied().collect::<Option<Vec<bool>>>() {
                let (last, before) = (known[PAST], &known[..PAST]);
                found.push((before.iter().filter(|&&changed| changed).count(), last));
            }
        }
    }
    found
}
