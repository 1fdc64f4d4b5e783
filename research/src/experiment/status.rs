//! Broder et al. 1997, "Status": clusters at 50 % resemblance and the time of each phase.

use super::{Collections, Experiment, storage};
use crate::page::Page;
use crate::row;
use crate::run::{approach, common_shingles, resemblance, search};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Instant;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "status",
    title: "Clustering everything (Broder et al. 1997, \"Status\")",
    needs: &[],
    run,
};

/// "Shingles shared by more than 1000 documents" are ignored.
const MOST: u32 = 1000;

fn run(collections: &Collections, page: &mut Page) -> Result<()> {
    let all = collections.all()?;
    let mut approach = approach("dsc:w=10,m=25,t=0.5", None)?;
    let started = Instant::now();
    let common = common_shingles(&all, &approach, MOST)?;
    let counting =
        ("counting common shingles, by one more reading", started.elapsed().as_secs_f64());
    approach.common = Some(common.clone());
    let found = search(&all, approach, resemblance("0.5")?, false)?;
    let mut documents = Vec::new();
    found.signed.collection.for_each(|_, document| documents.push(*document))?;
    let mut clusters: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (document, cluster) in found.clusters().into_iter().enumerate() {
        clusters.entry(cluster).or_default().push(document);
    }
    clusters.retain(|_, members| members.len() > 1);
    let members = |wanted: &dyn Fn(&[usize]) -> bool| {
        let of = clusters.values().filter(|members| wanted(members));
        of.fold((0, 0), |(count, sum), members| (count + 1, sum + members.len()))
    };
    let every = members(&|_| true);
    let identical = members(&|m| m.iter().all(|&d| documents[d].text == documents[m[0]].text));
    let lexical =
        members(&|m| m.iter().all(|&d| documents[d].sequence == documents[m[0]].sequence));
    let share = |count: usize, of: f64| format!("{:.1} %", 100.0 * count as f64 / of);
    let n = all.len();
    page.say(format_args!(
        "DSC as in the paper: 10 words to a shingle, one shingle in 25 kept, shingles of more than \
         {MOST} distinct documents removed from every sketch (`--ignore-common {MOST}`; {} such shingles), \
         clusters the connected components at an estimated resemblance of 0.5. {n} documents here, 30 \
         million there.",
        common.elements().len(),
    ));
    let million = 1e6;
    let rows = [
        row!["documents", "30 million", "", n, ""],
        row![
            "documents in clusters",
            "12.3 million",
            share(12_300_000, 30.0 * million),
            every.1,
            share(every.1, n as f64)
        ],
        row!["clusters", "3.6 million", "", every.0, ""],
        row![
            "… of identical documents only",
            "2.1 million",
            share(2_100_000, 3.6 * million),
            identical.0,
            share(identical.0, every.0 as f64)
        ],
        row![
            "documents in those",
            "5.3 million",
            share(5_300_000, 12.3 * million),
            identical.1,
            share(identical.1, every.1 as f64)
        ],
        row![
            "… of lexically equivalent documents only",
            "–",
            "",
            lexical.0,
            share(lexical.0, every.0 as f64)
        ],
        row![
            "documents in a cluster, on the average",
            "3.4",
            "",
            format!("{:.1}", every.1 as f64 / every.0.max(1) as f64),
            ""
        ],
        row![
            "too short for a sampled shingle",
            "–",
            "",
            found.signed.ignored(),
            share(found.signed.ignored() as usize, n as f64)
        ],
    ];
    page.table(&["", "paper", "", "ours", ""], rows);
    storage::table(page, &all, &found);
    let bytes: usize = all.texts.iter().map(|text| text.text.len()).sum();
    let phases = || std::iter::once(&counting).chain(&found.matches.phases);
    let seconds: f64 = phases().map(|(_, seconds)| seconds).sum();
    let days = |name: &str| match name {
        "reading and signing" => "sketching, 4.6",
        "collapsing" => "duplicate elimination, 0.3",
        "indexing" => "shingle merging, 1.7",
        "comparing" => "pairs, their merging and clusters, 3.8",
        _ => "",
    };
    let mut rows: Vec<Vec<String>> = phases()
        .map(|&(name, seconds)| {
            row![
                name,
                days(name),
                format!("{seconds:.3}"),
                format!("{:.1}", seconds / n as f64 * million)
            ]
        })
        .collect();
    rows.push(row![
        "total",
        "10.5",
        format!("{seconds:.3}"),
        format!("{:.1}", seconds / n as f64 * million)
    ]);
    page.times(
        &["phase", "paper, CPU days for 30 million", "s", "s for a million documents"],
        rows,
    );
    page.say(format_args!(
        "The paper's 10.5 CPU days are 30 000 s for a million documents of about 5 kB; ours have \
         {:.1} kB of text on the average. Clusters hold {} of the documents (41.0 % there) and {:.1} \
         documents each (3.4). Of the clusters {} are of identical documents only (58.3 % there): a \
         crawl of the web has the same page under several addresses, while our collections of mail \
         and news mostly hold each message once.",
        bytes as f64 / n as f64 / 1e3,
        share(every.1, n as f64),
        every.1 as f64 / every.0.max(1) as f64,
        share(identical.0, every.0 as f64),
    ));
    Ok(())
}
