//! `summary.json` as it is written, word for word.

use lookalike_report::{
    Features, InputSummary, Output, Pairs, Phase, Removed, Run, SettingsSummary,
    SimilarityHistogram, Summary, Tool,
};

fn summary() -> Summary {
    let mut histogram = SimilarityHistogram::new(0.8);
    histogram.bins.truncate(2);
    histogram.add(0.95);
    histogram.add(1.0);
    let mut summary = Summary {
        tool: Tool { name: "lookalike".into(), version: "0.1.0".into() },
        command: "dedup".into(),
        settings: SettingsSummary {
            measure: "resemblance".into(),
            threshold: "0.80".into(),
            shingle: Some(5),
            unit: "word".into(),
            normalize: "nfc".into(),
            tokens: None,
            case: None,
            short_documents: "whole".into(),
            keep: vec!["first".into()],
            linkage: "leaders".into(),
            analysis: "words/1".into(),
            hash: "xxh3-64".into(),
            other: [("text_field".to_owned(), "text".into())].into_iter().collect(),
            ..SettingsSummary::default()
        },
        inputs: vec![InputSummary {
            name: "a.jsonl.gz".into(),
            format: "jsonl".into(),
            compression: Some("gzip".into()),
            bytes: 99,
            documents: 4,
            kept: 2,
            removed: 2,
            problems: 0,
            unreadable: false,
            skipped_records: Default::default(),
        }],
        documents: 4,
        kept: 2,
        removed: Removed { identical: 1, near: 1, ..Removed::default() },
        clusters: 1,
        documents_in_clusters: 3,
        largest_cluster: 3,
        pairs: Pairs { listed: 3, complete: true },
        candidates: 1,
        verified: 1,
        tokens: 40,
        features: Features { total: 24, distinct_approximately: None },
        text_bytes: 210,
        histogram_similarity: histogram,
        digest: "00ff".into(),
        outputs: vec![Output { name: "kept.jsonl.gz".into(), rows: Some(2), bytes: None }],
        ..Summary::default()
    };
    summary.histogram_cluster_size.add(3);
    summary
}

#[test]
fn the_golden_file_is_what_is_written() {
    let json = summary().to_json().expect("plain data");
    let golden = include_str!("golden/summary.json");
    assert_eq!(
        json, golden,
        "if the change is meant, commit this as tests/golden/summary.json:\n{json}"
    );
}

#[test]
fn what_was_written_can_be_read_back() {
    let mut summary = summary();
    summary.run = Some(Run {
        command_line: "lookalike dedup a.jsonl.gz".into(),
        directory: None,
        threads: 2,
        seconds: 0.25,
        phases: vec![Phase { name: "reading".into(), seconds: 0.125, ..Phase::default() }],
        peak_memory_bytes: None,
        scratch_bytes: None,
        intersected: None,
        resumed: Vec::new(),
        redone: Vec::new(),
        plan: None,
    });
    let json = summary.to_json().expect("plain data");
    let back: Summary = serde_json::from_str(&json).expect("our own file");
    assert_eq!(back, summary);
}

#[test]
fn only_the_object_run_depends_on_the_machine() {
    let (mut fast, mut slow) = (summary(), summary());
    fast.run = Some(Run { seconds: 0.5, threads: 8, ..Run::default() });
    slow.run =
        Some(Run { seconds: 90.0, threads: 1, peak_memory_bytes: Some(1), ..Run::default() });
    assert_ne!(fast, slow);
    (fast.run, slow.run) = (None, None);
    assert_eq!(fast.to_json().ok(), slow.to_json().ok());
}
