//! Renders an invented run, to inspect the page during development: `cargo run -p lookalike-report
//! --example report_preview -- /tmp/report.html`

use lookalike_report::{
    Action, AlignedPair, ClusterExhibit, DifferenceExample, DifferenceSummary, Differing,
    DocExhibit, Explanation, Features, FoundRule, InputSummary, JudgedRemovals, Measures,
    MemberExhibit, Output, PairDifference, PairExhibit, Pairs, Phase, Question, Removed, Report,
    Run, SettingsSummary, SimilarityHistogram, SizeHistogram, Summary, TextStyle, Tool,
    WithoutFeatures,
};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Range;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: report_preview OUTPUT.html")?;
    let mut summary = summary();
    summary.warnings = summary.find_warnings();
    let samples = samples();
    let clusters = clusters();
    let align = |pair| AlignedPair::new(pair, &summary.settings, &words, &|| false);
    let aligned = samples.iter().map(align).collect::<Result<Vec<_>, _>>()?;
    let report = Report { summary: &summary, clusters: &clusters, samples: &aligned, losses: &[] };
    let html = report.html()?;
    std::fs::write(&path, &html)?;
    for (name, value) in summary.table() {
        println!("{name:<24}{value}");
    }
    println!("\n{path}: {}\n", lookalike_report::human::bytes(html.len() as u64));
    let pair = &samples[3];
    let question = Question {
        a: &pair.a,
        b: &pair.b,
        measures: pair.measures,
        reaches: true,
        with_boilerplate: None,
        settings: &summary.settings,
        decision: Some("news/0731 was removed as a near-duplicate of news/0012."),
    };
    let colour = std::env::args().nth(2).as_deref() == Some("colour");
    print!(
        "{}",
        Explanation::new(question, &words).text(&TextStyle {
            width: 100,
            colour,
            ..TextStyle::default()
        })
    );
    Ok(())
}

fn summary() -> Summary {
    let mut similarity = SimilarityHistogram::new(0.8);
    for i in 0..23_410u32 {
        let x = f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        similarity.add(if i % 3 == 0 { 0.8 + 0.2 * x } else { 1.0 - 0.2 * x * x * 0.6 - 0.0001 });
    }
    (0..53_134).for_each(|_| similarity.add(1.0));
    let mut sizes = SizeHistogram::default();
    let mut add = |number, size| (0..number).for_each(|_| sizes.add(size));
    for (number, size) in
        [(9210, 2), (3011, 3), (2204, 5), (801, 11), (240, 20), (61, 45), (19, 99)]
    {
        add(number, size);
    }
    for (number, size) in [(7, 160), (3, 400), (1, 1900), (1, 11_204)] {
        add(number, size);
    }
    let input =
        |name: &str, compression: Option<&str>, bytes, documents: u64, removed: u64, problems| {
            InputSummary {
                name: name.into(),
                format: if name.ends_with("parquet") { "parquet" } else { "jsonl" }.into(),
                compression: compression.map(str::to_owned),
                bytes,
                documents,
                kept: documents - removed,
                removed,
                problems,
                ..InputSummary::default()
            }
        };
    Summary {
        mostly_skipped: Vec::new(),
        left_out: Vec::new(),
        skipped_kinds: BTreeMap::new(),
        keys_ignored: 0,
        unreadable_inputs: 0,
        confusables: None,
        common_features: 0,
        few_terms: None,
        common_method_shingles: 0,
        boilerplate: None,
        template_sites: Vec::new(),
        tool: Tool { name: "lookalike".into(), version: "0.1.0".into() },
        command: "dedup".into(),
        action: Action::Remove,
        settings: SettingsSummary {
            measure: "resemblance".into(),
            threshold: "0.8".into(),
            shingle: Some(5),
            unit: "word".into(),
            normalize: "nfc".into(),
            tokens: None,
            case: None,
            short_documents: "whole".into(),
            keep: vec!["newest".into(), "longest".into()],
            linkage: "leaders".into(),
            analysis: "words/1".into(),
            hash: "xxh3-64".into(),
            ..SettingsSummary::default()
        },
        inputs: vec![
            input("crawl/2026-10/part-0000.jsonl.zst", Some("zstd"), 61_200_311, 60_112, 18_230, 0),
            input("crawl/2026-10/part-0001.jsonl.zst", Some("zstd"), 60_904_882, 59_870, 19_004, 3),
            input("crawl/2026-11/part-0000.jsonl.zst", Some("zstd"), 62_000_120, 60_018, 30_411, 0),
            input("wire/agency.parquet", None, 12_803_113, 17_300, 8_822, 0),
            input("letters.jsonl.gz", Some("gzip"), 1_200_311, 2_700, 77, 12),
        ],
        documents: 200_000,
        kept: 123_456,
        removed: Removed {
            identical: 40_118,
            lexically_equivalent: 9_204,
            feature_equivalent: 3_812,
            near: 23_410,
            component: 0,
            ..Removed::default()
        },
        without_features: WithoutFeatures { no_words: 112, ..WithoutFeatures::default() },
        skipped_files: 3,
        passages: None,
        symbol_differences: None,
        differences: Some(differences()),
        source_code_inputs: 0,
        duplicate_ids: 0,
        keep_values: Vec::new(),
        problems: 15,
        clusters: 15_558,
        documents_in_clusters: 92_102,
        largest_cluster: 11_204,
        pairs: Pairs { listed: 1_204_310, complete: true },
        across: None,
        ignored_texts: None,
        near_misses: None,
        candidates: 49_218,
        verified: 31_002,
        tokens: 96_402_113,
        features: Features { total: 95_602_012, distinct_approximately: Some(61_000_000) },
        text_bytes: 590_311_204,
        histogram_similarity: similarity,
        histogram_cluster_size: sizes,
        warnings: Vec::new(),
        digest: "xxh3-128:5d0c8f0e6a7b41f29be1a2c3d4e5f607".into(),
        documents_digest: None,
        outputs: vec![
            output("kept/", 123_456, 120_311_000),
            output("removed/", 76_544, 70_311_000),
            output("ledger.parquet", 76_544, 3_104_221),
            output("clusters.parquet", 92_102, 1_904_221),
            output("pairs.parquet", 1_204_310, 22_104_221),
        ],
        run: Some(Run {
            directory: None,
            command_line:
                "lookalike dedup crawl wire/agency.parquet letters.jsonl.gz --threshold 0.8 \
                           --keep newest,longest --output clean"
                    .into(),
            threads: 8,
            seconds: 4.31,
            phases: ["reading", "collapsing", "prefixes", "matching", "writing"]
                .into_iter()
                .zip([2.04, 0.12, 0.61, 0.33, 1.21])
                .map(|(name, seconds)| Phase {
                    name: name.into(),
                    seconds,
                    megabytes_per_second: (name == "reading" || name == "writing")
                        .then_some(590.3 / seconds),
                    cpu_seconds: None,
                })
                .collect(),
            peak_memory_bytes: Some(812_000_000),
            scratch_bytes: None,
            intersected: Some(3_208),
            resumed: Vec::new(),
            redone: Vec::new(),
            plan: None,
        }),
    }
}

fn output(name: &str, rows: u64, bytes: u64) -> Output {
    Output { name: name.into(), rows: Some(rows), bytes: Some(bytes) }
}

const STORY: &str = "The harbour master of Lindesund has closed the old ferry pier after divers found \
that ship worms had eaten through eleven of its forty oak piles. \"It looked sound from above, and that \
is what makes it dangerous,\" said Ingrid Aas, who has run the port since 2019. Until spring the morning \
boat to the islands will leave from the fish quay, ten minutes earlier than the printed timetable says.\n\n\
Residents of the outer islands, some of whom commute to the mainland daily, were told on Tuesday evening \
by a letter in their postboxes. Several said that they would have liked to hear of it sooner. The \
municipality expects repairs to cost four million kroner, of which the county is to pay one half. Oak \
from the same forest that supplied the first builders in 1911 has been ordered; the trees will be felled \
in January, when there is least sap in the wood.\n\nShip worms, which are in truth a kind of clam, have \
spread northward along the coast as winters have grown milder. Researchers at the marine station count \
them every autumn on pine boards that they hang from buoys. In 2008 they found none north of the strait. \
Last year there was hardly a board without them. Steel and concrete are safe, but the conservation \
office would like to see the pier, one of the last of its kind, rebuilt as it was.";

const RECIPE: &str = "Soak the beans overnight in plenty of cold water. Next day drain them, cover them \
with fresh water by two fingers, add a bay leaf and simmer without salt until they are tender, which may \
take from forty minutes to two hours depending on their age. Meanwhile cut the onions into thin rings and \
let them soften in olive oil over the lowest heat. Do not let them brown. Stir in the paprika off the \
heat, or it will burn and turn bitter. Salt the beans only now, pour off most of the broth but keep it, \
and mix in the onions. Bake in an earthenware dish for half an hour, adding a ladle of broth whenever the \
top looks dry. Serve with bread and pickled peppers.";

const NOTICE: &str = "Permission is hereby granted to copy and to pass on this timetable in any form, \
provided that this notice and the date of issue are kept. The carrier does not warrant that boats leave \
as printed, and is not liable for missed connections, lost cargo or ruined holidays. In fog, ask at the \
quay. Dogs travel free of charge if they are led; bicycles pay half. Tickets are sold on board, in coins.";

fn samples() -> Vec<PairExhibit> {
    type Edits = &'static [(&'static str, &'static str)];
    let edits: [(&str, &str, Edits); 8] = [
        (
            STORY,
            "near",
            &[
                ("eleven of its forty", "nine of its forty"),
                ("Until spring the", "For the time being the"),
                ("ten minutes earlier than the printed timetable says", "at ten to seven"),
                ("Several said that they would have liked to hear of it sooner. ", ""),
                (
                    "four million kroner, of which the county is to pay one half",
                    "5.2 million kroner",
                ),
            ],
        ),
        (
            RECIPE,
            "near",
            &[
                ("Soak the beans overnight", "Grandmother's way: soak the beans overnight"),
                ("Do not let them brown. ", ""),
                ("bread and pickled peppers", "rye bread, pickles and a glass of red wine"),
            ],
        ),
        (NOTICE, "near", &[("In fog, ask at the quay.", "In fog or ice, ask at the quay office.")]),
        (
            STORY,
            "near",
            &[
                ("Ingrid Aas, who has run the port since 2019", "harbour master Ingrid Aas"),
                (
                    "Last year there was hardly a board without them.",
                    "Last year they were on every board but two.",
                ),
            ],
        ),
        (
            STORY,
            "near",
            &[
                ("Tuesday evening", "Wednesday"),
                ("the conservation office", "the county's conservator"),
            ],
        ),
        (RECIPE, "near", &[("half an hour", "thirty minutes")]),
        (STORY, "near", &[("In 2008", "In 2009")]),
        (
            NOTICE,
            "lexically_equivalent",
            &[("Permission is hereby granted", "PERMISSION IS HEREBY GRANTED")],
        ),
    ];
    let titles = [
        "Ferry pier closed: ship worms in eleven piles",
        "Baked beans the slow way",
        "Timetable, notice",
    ];
    edits
        .iter()
        .enumerate()
        .map(|(n, (text, rule, changes))| {
            let edited =
                changes.iter().fold((*text).to_owned(), |text, (from, to)| text.replace(from, to));
            let title = titles[if *text == STORY {
                0
            } else if *text == RECIPE {
                1
            } else {
                2
            }];
            let doc = |id: String, title: &str, text: String| DocExhibit {
                url: Some(format!("https://news.example/{}/{id}", text.len())),
                id,
                title: Some(title.to_owned()),
                text,
                cut_from: None,
            };
            PairExhibit {
                measures: measures(&edited, text),
                a: doc(format!("news/{:04}", 731 + 97 * n), title, edited),
                b: doc(format!("news/{:04}", 12 + n), title, (*text).to_owned()),
                estimate: None,
                rule: (*rule).to_owned(),
                difference: Some(PairDifference {
                    lost: 3 + n as u64,
                    added: 2,
                    kinds: vec![["numbers", "title", "names"][n % 3].to_owned()],
                }),
            }
        })
        .collect()
}

fn differences() -> DifferenceSummary {
    let kind = |(kind, documents): (&str, u64)| Differing {
        kind: kind.into(),
        documents,
        near: documents,
        example: DifferenceExample { removed: "news/0731".into(), kept: "news/0012".into() },
    };
    DifferenceSummary {
        compared: 2000,
        of: 36_426,
        near: 1500,
        losing_words: 812,
        losing_ten_words: 190,
        kinds: [("numbers", 530), ("title", 312), ("names", 77), ("case", 401)].map(kind).into(),
        judged: Some(JudgedRemovals { right: 1180, wrong: 320 }),
        rules: vec![FoundRule {
            distinct_by: vec!["title".into()],
            kept_apart: 312,
            left: Some(JudgedRemovals { right: 1171, wrong: 17 }),
            ..FoundRule::default()
        }],
    }
}

fn clusters() -> Vec<ClusterExhibit> {
    let rows = [
        (
            11_204,
            "Enable JavaScript to continue",
            "Please enable JavaScript and cookies to continue. Checking your browser.",
        ),
        (
            1900,
            "Page not found",
            "We are sorry, the page that you are looking for has moved or never was.",
        ),
        (400, "Ferry pier closed: ship worms in eleven piles", STORY),
        (387, "Timetable, notice", NOTICE),
        (160, "Baked beans the slow way", RECIPE),
    ];
    rows.iter()
        .zip(1..)
        .map(|(&(size, title, text), number)| ClusterExhibit {
            number,
            size,
            least: 0.8014 + 0.01 * number as f64,
            mean: 0.93 + 0.01 * number as f64,
            leader: DocExhibit {
                id: format!("crawl/{:06}", number * 7919),
                title: Some(title.to_owned()),
                url: Some(format!("https://www.example/{number}/index.html")),
                text: text.to_owned(),
                cut_from: None,
            },
            members: (0..20)
                .map(|m| MemberExhibit {
                    id: format!("crawl/{:06}", number * 7919 + m * 31 + 1),
                    title: Some(title.to_owned()),
                    similarity: Some(1.0 - 0.008 * m as f64),
                    rule: if m == 0 { "identical" } else { "near" }.into(),
                    ..MemberExhibit::default()
                })
                .collect(),
            ..ClusterExhibit::default()
        })
        .collect()
}

fn measures(a: &str, b: &str) -> Measures {
    let shingles = |text: &str| -> BTreeSet<Vec<String>> {
        let mut all = Vec::new();
        words(text, &mut |word, _| all.push(word.to_owned()));
        all.windows(5).map(<[String]>::to_vec).collect()
    };
    let (a, b) = (shingles(a), shingles(b));
    let shared = a.intersection(&b).count() as u64;
    let (size_a, size_b) = (a.len() as u64, b.len() as u64);
    let ratio = |whole: u64| shared as f64 / whole as f64;
    Measures {
        resemblance: ratio(size_a + size_b - shared),
        containment_a_in_b: ratio(size_a),
        containment_b_in_a: ratio(size_b),
        cosine: None,
        shared,
        size_a,
        size_b,
    }
}

/// Runs of letters and digits, lower-cased.
fn words(text: &str, emit: &mut dyn FnMut(&str, Range<usize>)) {
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                emit(&text[from..at].to_lowercase(), from..at);
                start = None;
            }
            _ => {}
        }
    }
}
