//! The page: complete, bounded, and safe for any documents.

use lookalike_report::{
    Action, AlignedPair, ClusterData, ClusterExhibit, DocExhibit, InputSummary, Measures,
    MemberExhibit, Output, PairExhibit, Removed, Report, ResemblanceEstimate, Run, SettingsSummary,
    Summary,
};
use std::ops::Range;

fn words(text: &str, emit: &mut dyn FnMut(&str, Range<usize>)) {
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        emit(&word.to_lowercase(), start..start + word.len());
    }
}

fn page(summary: &Summary, clusters: &[ClusterExhibit], samples: &[PairExhibit]) -> String {
    let align = |pair| AlignedPair::new(pair, &summary.settings, &words, &|| false);
    let samples: Vec<AlignedPair> =
        samples.iter().map(|pair| align(pair).expect("nothing stops it")).collect();
    let html = Report { summary, clusters, samples: &samples, losses: &[] }.html();
    html.expect("the template renders whatever comes in")
}

fn small() -> Summary {
    Summary {
        command: "dedup".into(),
        documents: 10,
        kept: 6,
        removed: Removed { identical: 3, near: 1, ..Removed::default() },
        settings: SettingsSummary {
            measure: "resemblance".into(),
            threshold: "0.8".into(),
            shingle: Some(5),
            unit: "word".into(),
            ..SettingsSummary::default()
        },
        clusters: 2,
        digest: "abc123".into(),
        ..Summary::default()
    }
}

fn pair(a: &str, b: &str) -> PairExhibit {
    let document = |id: &str, text: &str| DocExhibit {
        id: id.into(),
        text: text.into(),
        ..DocExhibit::default()
    };
    PairExhibit {
        a: document("left", a),
        b: document("right", b),
        measures: Measures {
            resemblance: 0.8125,
            shared: 13,
            size_a: 14,
            size_b: 15,
            ..Measures::default()
        },
        estimate: None,
        rule: "near".into(),
        difference: None,
    }
}

#[test]
fn it_says_what_was_found() {
    let mut summary = small();
    summary.warnings = vec!["Mind the gap.".into()];
    let html = page(&summary, &[], &[pair("the quick brown fox", "the slow brown fox")]);
    for expected in [
        "<h1>Kept 6 of 10 documents</h1>",
        "resemblance of at least 0.8 over word 5-shingles",
        "Mind the gap.",
        "the <del>quick</del> brown fox",
        "the <ins>slow</ins> brown fox",
        "0.8125 (13 of 16)",
        "abc123",
    ] {
        assert!(html.contains(expected), "missing: {expected}");
    }
    for (action, headline) in [
        (Action::Mark, "Marked 4 of 10 documents as duplicates"),
        (Action::List, "Found 4 duplicates among"),
    ] {
        assert!(page(&Summary { action, ..small() }, &[], &[]).contains(headline));
    }
    assert!(page(&Summary::default(), &[], &[]).contains("No documents were read"));
}

#[test]
fn what_sketches_estimated_has_its_interval() {
    let estimated = PairExhibit {
        estimate: Some(ResemblanceEstimate { value: 0.8, low: 0.669_629, high: 0.887_562 }),
        ..pair("the quick brown fox", "the slow brown fox")
    };
    let html = page(&small(), &[], &[estimated]);
    assert!(html.contains("0.8000 (95 %: 0.6696 to 0.8875)"));
    assert!(!page(&small(), &[], &[pair("a b", "a c")]).contains("by sketches"));
}

#[test]
fn it_needs_no_network_and_no_script() {
    let html = page(&small(), &[], &[pair("a b c", "a b d")]);
    assert!(html.contains("default-src 'none'"));
    for forbidden in
        ["<script", "<img", "<iframe", "<link", "@import", "url(http", "src=", " onclick"]
    {
        assert!(!html.contains(forbidden), "found: {forbidden}");
    }
}

#[test]
fn every_element_that_opens_closes() {
    let mut summary = small();
    (0..40).for_each(|i| summary.histogram_similarity.add(f64::from(i) / 50.0));
    (2..40).for_each(|i| summary.histogram_cluster_size.add(i));
    summary.inputs = vec![InputSummary::default()];
    summary.outputs = vec![Output::default()];
    summary.run = Some(Run::default());
    let clusters = [ClusterExhibit {
        size: 40,
        leader: DocExhibit { text: "x".into(), ..DocExhibit::default() },
        members: vec![MemberExhibit::default()],
        ..ClusterExhibit::default()
    }];
    let html = page(&summary, &clusters, &[pair("a b c d", "a c x d")]);
    let mut open: Vec<&str> = Vec::new();
    for tag in html.split('<').skip(1) {
        let name = tag.split([' ', '>', '/', '\n']).next().unwrap_or_default();
        let closes = tag.split('>').next().is_some_and(|tag| tag.ends_with('/'));
        if let Some(closing) = tag.strip_prefix('/') {
            let closing = closing.split('>').next().unwrap_or_default();
            assert_eq!(open.pop(), Some(closing));
        } else if !closes && !["!doctype", "meta", "br"].contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0]);
}

/// Texts known to break out of HTML, of any length.
fn hostile(length: usize) -> String {
    let seed = "</style></title><script>alert(1)</script>\"'><svg/onload=x>&amp;\0\u{1b}[2J\u{202e}\u{2066}\
                {{ 7*7 }}{% endif %}]]>--><!--\u{feff}\u{ffff}\r\n🏴‍☠️ ";
    seed.chars().cycle().take(length).collect()
}

#[test]
fn hostile_documents_stay_text_and_the_page_stays_small() {
    let text = |n: usize| hostile(1 << 20) + &n.to_string();
    let name = || hostile(100_000);
    let document = |n: usize| DocExhibit {
        id: name(),
        title: Some(name()),
        url: Some(name()),
        text: text(n),
        cut_from: None,
    };
    let mut summary = small();
    summary.settings.measure = name();
    summary.settings.threshold = name();
    summary.settings.keep = vec![name(); 10];
    summary.settings.other = (0..500).map(|i| (format!("{i}{}", name()), name().into())).collect();
    summary.warnings = vec![name(); 100];
    summary.digest = name();
    summary.tool.name = name();
    summary.inputs =
        vec![InputSummary { name: name(), format: name(), ..InputSummary::default() }; 1000];
    summary.outputs = vec![Output { name: name(), ..Output::default() }; 1000];
    summary.run = Some(Run { command_line: name(), ..Run::default() });
    let samples: Vec<PairExhibit> = (0..14)
        .map(|n| PairExhibit {
            a: document(n),
            b: document(n + 1),
            rule: name(),
            ..PairExhibit::default()
        })
        .collect();
    let member =
        MemberExhibit { id: name(), title: Some(name()), rule: name(), ..MemberExhibit::default() };
    let clusters: Vec<ClusterExhibit> = (0..30)
        .map(|n| ClusterExhibit {
            size: u64::MAX,
            leader: document(n),
            members: vec![member.clone(); 40],
            ..ClusterExhibit::default()
        })
        .collect();

    let html = page(&summary, &clusters, &samples);

    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    for forbidden in ["<script", "<svg/", "onload=x>", "</style></title>", "<!--", "href=\"&"] {
        assert!(!html.contains(forbidden), "found: {forbidden}");
    }
    for c in ['\0', '\u{1b}', '\u{202e}', '\u{2066}', '\u{feff}', '\u{ffff}', '\r'] {
        assert!(!html.contains(c), "found: {c:?}");
    }
    assert_eq!(html.matches("</style>").count(), 1);
    assert!(html.contains("{{ 7*7 }}"), "what looks like a template is text");
}

#[test]
fn long_sources_are_capped_and_counted() {
    let mut summary = small();
    summary.inputs = (0..73)
        .map(|i| InputSummary {
            name: format!("f{i}"),
            documents: 100,
            removed: i,
            ..InputSummary::default()
        })
        .collect();
    let html = page(&summary, &[], &[]);
    assert!(html.contains("The 50 that lost most, and 23 more."));
    assert!(html.contains("<bdi>f72</bdi>") && html.contains("<bdi>f23</bdi>"));
    assert!(!html.contains("<bdi>f22</bdi>"));
}

#[test]
fn texts_of_ten_thousand_edits_are_cut_short_and_say_so() {
    let text = |word: &str| format!("{word} one two three four five six seven ").repeat(10_000);
    let html = page(&small(), &[], &[pair(&text("old"), &text("new"))]);
    assert!(html.contains("10,000 differences"));
    assert!(html.contains("more</div>"), "says how many are left out");
    assert!(html.contains("lookalike explain A B"), "and where they are");
    assert!(!page(&small(), &[], &[pair("a b", "a c")]).contains("lookalike explain A B"));
    assert!(html.len() < 200_000, "{} bytes", html.len());
}

#[test]
fn a_source_that_loses_nothing_has_nothing_drawn() {
    let source = |name: &str, removed| InputSummary {
        name: name.into(),
        documents: 10,
        kept: 10 - removed,
        removed,
        ..InputSummary::default()
    };
    let bars = |removed| {
        let summary = Summary { inputs: vec![source("a", removed)], ..small() };
        page(&summary, &[], &[]).matches("<td class=\"loss\"><i class=\"meter\"><i ").count()
    };
    assert_eq!((bars(0), bars(1)), (0, 1));
}

#[test]
fn the_pairs_listed_are_called_what_they_are() {
    let of = |action, linkage: &str| {
        let mut summary = Summary { action, ..small() };
        summary.settings.linkage = linkage.into();
        summary.pairs.listed = 7;
        page(&summary, &[], &[])
    };
    assert!(of(Action::Remove, "leaders").contains("7 (those that caused a removal)"));
    assert!(of(Action::List, "leaders").contains("7 (incomplete)"));
}

/// Texts with more differences than are aligned: the page states what is omitted.
#[test]
fn texts_of_a_hundred_thousand_edits_are_aligned_up_to_a_bound() {
    let text = |word: &str| {
        let line = |n: usize| format!("{word} {n} a{n} b{n} ");
        (0..100_000).map(line).collect::<String>()
    };
    let html = page(&small(), &[], &[pair(&text("old"), &text("new"))]);
    assert!(html.contains("65,536 differences in the part compared here"));
    let rest = "137,856 words on the left and 137,856 words on the right are not compared";
    assert!(html.contains(rest));
    assert!(html.len() < 200_000, "{} bytes", html.len());
}

#[test]
fn a_cancelled_pair_is_not_aligned() {
    use lookalike_report::ReportError;
    let asked = std::cell::Cell::new(0);
    for (allowed, aligned) in [(0, false), (2, false), (3, true)] {
        asked.set(0);
        let cancelled = || {
            asked.set(asked.get() + 1);
            asked.get() > allowed
        };
        let found = AlignedPair::new(&pair("a b", "a c"), &small().settings, &words, &cancelled);
        assert_eq!(found.is_ok(), aligned);
        assert!(aligned || matches!(found, Err(ReportError::Cancelled)));
    }
}

/// The page of `clusters` as data, embedded up to `embed` bytes.
fn with_data(clusters: &[ClusterExhibit], embed: u64) -> lookalike_report::Page {
    let mut data = ClusterData::new(vec!["a.jsonl".into()], 1000);
    clusters.iter().for_each(|cluster| data.push(cluster).expect("it is plain data"));
    let summary = small();
    let report = Report { summary: &summary, clusters, samples: &[], losses: &[] };
    report.page(data, embed).expect("the template renders whatever comes in")
}

fn cluster(text: &str) -> ClusterExhibit {
    ClusterExhibit {
        size: 2,
        leader: DocExhibit { id: text.into(), text: text.into(), ..DocExhibit::default() },
        members: vec![MemberExhibit {
            id: text.into(),
            text: text.into(),
            ..MemberExhibit::default()
        }],
        ..ClusterExhibit::default()
    }
}

#[test]
fn data_are_in_the_page_up_to_a_size_and_beside_it_above() {
    let clusters: Vec<ClusterExhibit> = (0..3000)
        .map(|n| {
            cluster(&(0..40).map(|w| format!("{} ", n * 7919 % (w + 1009))).collect::<String>())
        })
        .collect();
    let inside = with_data(&clusters, 20_000_000);
    assert!(inside.files.is_empty());
    assert!(inside.html.contains("<script type=\"text/plain\" id=\"data-index\">"));
    assert!(inside.html.contains("script-src 'sha256-") && !inside.html.contains("strict-dynamic"));
    let beside = with_data(&clusters, 1000);
    let names: Vec<&str> = beside.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names[..2], ["report-data/index.js", "report-data/0.js"]);
    assert!(beside.html.len() < 200_000 && !beside.html.contains("data-index"));
    assert!(beside.html.contains("' 'strict-dynamic'; "));
    // The same data, whether in the page or beside it.
    for file in &beside.files {
        let content = file.content.split('"').nth(3).expect("a string in base64");
        assert!(inside.html.contains(&format!(">{content}</script>")), "{}", file.name);
    }
}

#[test]
fn data_of_hostile_texts_end_no_element() {
    let clusters: Vec<ClusterExhibit> = (0..3).map(|_| cluster(&hostile(2000))).collect();
    let html = with_data(&clusters, u64::MAX).html;
    assert_eq!(html.matches("<script").count(), 3, "the index, one block, the script");
    assert_eq!(html.matches("</script>").count(), 3);
    assert!(!html.contains("<svg/"));
}

#[test]
fn a_page_without_clusters_has_no_script() {
    assert!(!with_data(&[], 1000).html.contains("<script"));
}
