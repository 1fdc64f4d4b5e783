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
        let job = PlanJob { sample, ..PlanJob::new(self.job.clone()) };
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

#[test]
fn another_seed_is_another_sample_and_the_same_seed_the_same() {
    let case = Case::new(3000);
    let of = |seed| {
        let job = PlanJob { sample: 256 << 10, seed, ..PlanJob::new(case.job.clone()) };
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
        let sampled = PlanJob { sample: 300_000, ..PlanJob::new(job.clone()) };
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
    let said = plan(&PlanJob::new(job.clone()), &Silent).unwrap().plan;
    assert_eq!(said.removed.expected, removed);
}
