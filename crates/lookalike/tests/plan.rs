//! Plans of collections whose truth is known because they were made so, beside the runs that
//! follow.

use lookalike::{
    Job, Settings, Silent,
    planning::{Plan, PlanJob, plan, preview},
    run_dedup,
    settings::Linkage,
};
use std::fmt::Write;
use std::path::Path;

/// A number that looks random.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// Documents of a hundred words of their own. Every fourth document is, but for its last word, the
/// one three quarters of the collection before it.
fn write(path: &Path, documents: u64) -> u64 {
    let (mut lines, mut copies) = (String::new(), 0);
    for number in 0..documents {
        let copied = number % 4 == 3 && number >= documents / 4 * 3;
        let seed = if copied { number - documents / 4 * 3 } else { number };
        copies += u64::from(copied);
        let words: Vec<String> =
            (0..100).map(|at| format!("w{:x}", mix(seed * 1000 + at + 1) >> 40)).collect();
        writeln!(lines, "{{\"id\":\"d{number}\",\"text\":\"{} end{number}\"}}", words.join(" "))
            .expect("a string");
    }
    std::fs::write(path, lines).expect("the folder is ours");
    copies
}

struct Case {
    _folder: tempfile::TempDir,
    job: Job,
    copies: u64,
    bytes: u64,
}

impl Case {
    fn new(documents: u64) -> Self {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        let docs = folder.path().join("docs.jsonl");
        let copies = write(&docs, documents);
        let bytes = std::fs::metadata(&docs).expect("it was written").len();
        let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
        (job.threads, job.force) = (2, true);
        Self { _folder: folder, job, copies, bytes }
    }

    fn plan(&self, sample: u64) -> Plan {
        let job = PlanJob { sample: Some(sample), ..PlanJob::new(self.job.clone()) };
        plan(&job, &Silent).expect("the job makes sense").plan
    }
}

#[test]
fn a_quarter_tells_of_the_whole() {
    let mut case = Case::new(8000);
    let said = case.plan(case.bytes / 4);
    assert!(said.documents.abs_diff(8000) < 200, "{}", said.documents);
    let removed = said.removed;
    assert!(
        removed.low <= case.copies && case.copies <= removed.high,
        "{removed:?} {}",
        case.copies
    );
    // What is expected is nearer than what goes within the sample.
    assert!(removed.expected > removed.in_sample * 3, "{removed:?}");

    // Components of pairs are the pairs.
    case.job.settings.linkage = Some(Linkage::Components);
    let removed = case.plan(case.bytes / 4).removed;
    assert!(
        removed.low <= case.copies && case.copies <= removed.high,
        "{removed:?} {}",
        case.copies
    );
}

/// Families of versions of a text, and copies: the truth is in the range for most of the seeds, which is
/// narrower than that of the sample alone, and no seed is far off.
#[test]
fn a_pass_over_all_documents_narrows_the_range() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs.jsonl");
    let mut lines: Vec<String> = Vec::new();
    for family in 0..3_000u64 {
        let words = |changed: u64| -> String {
            let word = |at: u64| {
                let own = if at > 0 && at == changed * 13 { changed } else { 0 };
                format!("w{:x} ", mix((family * 1_000 + at) * 8 + own + 1) >> 40)
            };
            (0..120).map(word).collect()
        };
        // Two of three are alone; others have up to seven versions, every other one twice.
        let versions = if family % 3 == 0 { 1 + family % 7 } else { 1 };
        for version in 0..versions {
            let line = format!("{{\"text\":\"{}\"}}\n", words(version));
            lines.extend(std::iter::repeat_n(line, 1 + (version % 2) as usize));
        }
    }
    // In another order than that of the families.
    lines.sort_by_cached_key(|line| {
        let add = |all: u64, byte| mix(all.wrapping_add(u64::from(byte) + 1));
        line.bytes().fold(7, add)
    });
    std::fs::write(&docs, lines.concat()).unwrap();
    let distinct: std::collections::BTreeSet<&String> = lines.iter().collect();
    let copies = (lines.len() - distinct.len()) as u64;
    let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
    (job.threads, job.report) = (2, false);
    let summary = run_dedup(&job, &Silent).unwrap().summary;
    let (truth, bytes) = (summary.removed.total(), std::fs::metadata(&docs).unwrap().len());
    let mut within = 0;
    for seed in 1..=10 {
        let of = |quick| {
            let sample = Some(bytes / 20);
            let job = PlanJob { sample, seed, quick, ..PlanJob::new(job.clone()) };
            plan(&job, &Silent).unwrap().plan
        };
        let (said, quick) = (of(false), of(true));
        assert_eq!(
            (said.documents, said.documents_range),
            (summary.documents, (summary.documents, summary.documents))
        );
        assert_eq!((said.removed.copies, quick.removed.copies), (Some(copies), None));
        let width = |plan: &Plan| plan.removed.high - plan.removed.low;
        assert!(width(&said) * 2 < width(&quick), "{:?} {:?}", said.removed, quick.removed);
        within += u32::from((said.removed.low..=said.removed.high).contains(&truth));
        assert!(said.removed.expected.abs_diff(truth) * 5 < truth, "{:?} {truth}", said.removed);
    }
    assert!(within >= 8, "{within} of 10");
}

#[test]
fn another_seed_is_another_sample_and_the_same_seed_the_same() {
    let case = Case::new(3000);
    let of = |seed| {
        let job = PlanJob { sample: Some(256 << 10), seed, ..PlanJob::new(case.job.clone()) };
        let mut plan = plan(&job, &Silent).expect("the job makes sense").plan;
        plan.run = None;
        plan
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).sample, of(2).sample);
}

/// Memory, without what the tests beside this one happen to hold: what is said from a quarter is
/// within 15 % of what is said from all. Temporary file: within 20 % of what the run that follows
/// really wrote, which is sets of whole chunks.
#[test]
fn memory_and_scratch_are_those_of_the_run() {
    let case = Case::new(8000);
    let peak = |plan: &Plan| {
        let run = plan.run.as_ref().expect("it has one");
        (run.costs[0].peak_memory_bytes - run.held_before_bytes) as f64
    };
    let (part, whole) = (peak(&case.plan(case.bytes / 4)), peak(&case.plan(case.bytes)));
    assert!((part / whole - 1.0).abs() < 0.15, "{part} of {whole}");

    let mut case = Case::new(24_000);
    case.job.memory = Some(6 << 20);
    let said = case.plan(case.bytes / 4);
    let file = case.job.output.with_extension("plan");
    std::fs::write(&file, said.to_json().expect("plain data")).expect("the folder is ours");
    case.job.plan = Some(file);
    let run = run_dedup(&case.job, &Silent).expect("the job makes sense").summary.run;
    let told = run.and_then(|run| run.plan).expect("there was a plan");
    let scratch = told.scratch_bytes.expect("the exact join is in every plan");
    assert!(scratch.actual > 0.0, "{scratch:?}");
    assert!(scratch.error.is_some_and(|error| error.abs() < 0.2), "{scratch:?}");
    assert!(told.removed_in_range && told.differs.is_empty(), "{told:?}");
}

#[test]
fn ignored_texts_are_left_out_of_the_sample() {
    let folder = tempfile::tempdir().unwrap();
    let words = |seed: u64, count: u64| -> String {
        let word = |at| format!("w{:x} ", mix(seed * 1000 + at + 1) >> 40);
        (0..count).map(word).collect()
    };
    let (docs, handout) = (folder.path().join("docs.jsonl"), folder.path().join("handout.txt"));
    std::fs::write(&handout, words(0, 60)).unwrap();
    let document = |number: u64| {
        // Every fourth one is a copy of the one before, but for a word.
        let own = words(if number % 4 == 3 { number - 1 } else { number } + 1, 30);
        format!("{{\"id\":\"d{number}\",\"text\":\"{}{own}end{number}\"}}\n", words(0, 60))
    };
    std::fs::write(&docs, (0..80).map(document).collect::<String>()).unwrap();
    let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
    (job.threads, job.force, job.settings.threshold) = (2, true, "0.4".into());
    for (ignored, removed) in [(vec![], 79), (vec![handout.display().to_string()], 20)] {
        job.settings.ignore_text = ignored;
        assert_eq!(run_dedup(&job, &Silent).unwrap().summary.removed.total(), removed);
        let said = plan(&PlanJob::new(job.clone()), &Silent).unwrap().plan;
        assert_eq!((said.removed.expected, said.sample.whole), (removed, true));
        // A run refuses methods beside it.
        assert_eq!(said.methods.len() == 1, removed == 20, "{:?}", said.methods);
        let previewed = preview(&job, false, &Silent).unwrap();
        assert_eq!(previewed.planned.map(|found| found.plan.removed.expected), Some(removed));
    }
}

/// Documents of two splits: `families` families of up to four versions each, with copies.
fn write_splits(path: &Path, families: u64) -> std::io::Result<()> {
    let mut chance = 1u64;
    let mut next = |below: u64| {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % below
    };
    let mut lines = Vec::new();
    for family in 0..families {
        let text: String = (0..40).map(|at| format!("w{}x{at} ", family * 7_919)).collect();
        for version in 0..1 + next(4) {
            let split = if next(3) == 0 { "test" } else { "train" };
            let own = if next(2) == 0 { String::new() } else { format!("v{version}") };
            lines.push(format!("{{\"text\":\"{text}{own}\",\"split\":\"{split}\"}}\n"));
        }
    }
    // In another order than that of the families.
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|at| at.wrapping_mul(2_654_435_761) % 1_000_003);
    std::fs::write(path, order.into_iter().map(|at| lines[at].as_str()).collect::<String>())
}

#[test]
fn documents_of_one_value_do_not_match_in_a_sample() {
    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs.jsonl");
    write_splits(&docs, 2_500).unwrap();
    let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
    (job.threads, job.force, job.report) = (2, true, false);
    job.settings.across = Some("split".into());
    for (keep, linkage) in [
        ("first", Linkage::Leaders),
        ("prefer(split=train)", Linkage::Leaders),
        ("prefer(split=test)", Linkage::Components),
    ] {
        job.settings.linkage = Some(linkage);
        job.settings.keep = vec![keep.into()];
        let removed = run_dedup(&job, &Silent).unwrap().summary.removed.total();
        let whole = plan(&PlanJob::new(job.clone()), &Silent).unwrap().plan;
        assert_eq!((whole.removed.expected, whole.sample.whole), (removed, true), "{keep}");
        let sampled = PlanJob { sample: Some(300_000), ..PlanJob::new(job.clone()) };
        let said = plan(&sampled, &Silent).unwrap().plan;
        assert!(!said.sample.whole);
        let (low, high) = (said.removed.low, said.removed.high);
        assert!((low..=high).contains(&removed), "{keep}: {low} {removed} {high}");
    }
    // A field that no document has, and inputs.
    job.settings.keep = Settings::default().keep;
    job.settings.across = Some("nosuch".into());
    let refused = plan(&PlanJob::new(job.clone()), &Silent).unwrap_err().to_string();
    assert!(refused.contains("no document has the field `nosuch`"), "{refused}");
    let other = folder.path().join("other.jsonl");
    std::fs::copy(&docs, &other).unwrap();
    (job.settings.across, job.settings.linkage) = (Some("inputs".into()), None);
    job.inputs.push(other.display().to_string());
    let removed = run_dedup(&job, &Silent).unwrap().summary.removed.total();
    let all = PlanJob { sample: Some(u64::MAX), ..PlanJob::new(job.clone()) };
    assert_eq!(plan(&all, &Silent).unwrap().plan.removed.expected, removed);
}
