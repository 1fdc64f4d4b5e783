//! Committed samples of every format that lookalike writes and reads again: `tests/formats/v2`.
//! Those before it, in `v1`, have another analysis, and are refused.
//!
//! The present version opens each sample and finds what it should, or refuses it and names what
//! differs. FORMAT.md describes the formats; `tests/python/check_formats.py` reads the same samples
//! by that description. `cargo test -p lookalike-testing --test formats -- --ignored` writes the
//! samples anew: for a new version, into a new directory.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Job, Progress, Settings, Silent,
    lexicon::{Lexicon, LexiconJob},
    methods::{MethodSettings, Statistics},
    results::{ReclusterJob, TableFormat},
    settings::Verify,
};
use lookalike_io::table::{Column, TableReader, Value};
use lookalike_text::ANALYSIS_NAME;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The samples of the present formats.
const SAMPLES: &str = "../../tests/formats/v2";

/// The samples before them, and what they name that has changed since.
const EARLIER: &str = "../../tests/formats/v1";
const EARLIER_ANALYSIS: &str = "words/2 (Unicode 18.0 classes, 17.0 lower case)";

/// What a checkpoint names that decides whether a later run can read it.
const IDENTITY: [&str; 4] = ["version", "layout", "hash", "analysis"];

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES)
}

fn earlier() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(EARLIER)
}

/// Six documents, of which three are like others, and a record that cannot be read.
fn input() -> String {
    let text = |n: usize| (0..30).map(|i| format!("word{} ", (n * 7 + i) % 97)).collect::<String>();
    let line = |id: &str, text: &str| format!("{}\n", json!({"id": id, "text": text.trim_end()}));
    [
        line("d0", &text(0)),
        line("d1", &text(1)),
        line("d2", &text(0)),
        line("d3", &(text(0) + "tail")),
        line("d4", &text(1).replace("word7 ", "Word7, ")),
        line("tab\t\"quoted\" é", &text(3)),
        "{\"id\": broken\n".to_owned(),
    ]
    .concat()
}

fn job(output: &Path, tables: TableFormat) -> Job {
    let mut job = Job::new(vec!["input.jsonl".into()], output);
    (job.tables, job.threads) = (tables, 1);
    job
}

/// Writes all samples into a directory, which becomes the working directory.
fn write_samples(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    std::env::set_current_dir(folder).unwrap();
    fs::write("input.jsonl", input()).unwrap();
    for format in TableFormat::ALL {
        let output = PathBuf::from(format!("cluster-{format}"));
        lookalike::run_cluster(&job(&output, format), &Silent).unwrap();
    }
    lookalike::run_dedup(&job(Path::new("dedup"), TableFormat::Tsv), &Silent).unwrap();
    let marked = Job { mark: Some("dup_".into()), ..job(Path::new("mark"), TableFormat::Tsv) };
    lookalike::run_dedup(&marked, &Silent).unwrap();
    build_lexicon("terms.lexicon");
    fs::create_dir("scratch").unwrap();
    interrupted(&folder.join("out"), &folder.join("scratch"), &folder.join("checkpoint"));
    // Nothing of the machine that wrote them.
    for run in TableFormat::ALL
        .map(|format| format!("cluster-{format}"))
        .into_iter()
        .chain(["dedup", "mark"].map(String::from))
    {
        let path = Path::new(&run).join("summary.json");
        let summary = fs::read_to_string(&path).unwrap();
        let here = json!(folder).to_string();
        fs::write(path, summary.replace(&here, "\"/collections\"")).unwrap();
    }
    let path = Path::new("checkpoint/job.json");
    let mut description: Json = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    description["output"] = json!("/out");
    description["inputs"][0][2] = json!("0");
    fs::write(path, format!("{description:#}\n")).unwrap();
    for left in ["process", "lock"] {
        let _ = fs::remove_file(Path::new("checkpoint").join(left));
    }
    fs::remove_dir_all("out").unwrap();
    fs::remove_dir_all("scratch").unwrap();
    for output in ["cluster-tsv", "cluster-jsonl", "cluster-parquet", "dedup", "mark"] {
        fs::remove_file(Path::new(output).join("report.html")).unwrap();
    }
}

fn build_lexicon(path: &str) {
    let job = LexiconJob {
        inputs: vec!["input.jsonl".into()],
        output: path.into(),
        settings: Settings::default(),
        term_filter: String::new(),
        memory: 1 << 20,
        threads: 1,
        strict: false,
        skip_unreadable: false,
    };
    lookalike::lexicon::build_lexicon(&job, &Silent).unwrap();
}

/// Copies the scratch directory whenever a phase begins: the last copy has all steps.
struct Copy<'a> {
    from: PathBuf,
    to: &'a Path,
}

impl Progress for Copy<'_> {
    fn phase(&self, _: &'static str, _: Option<u64>) {
        if self.from.is_dir() {
            copy_files(&self.from, self.to);
        }
    }
}

/// A run whose checkpoint is copied while it runs.
fn interrupted(output: &Path, scratch: &Path, checkpoint: &Path) {
    let name = format!("{}.scratch", output.file_name().unwrap().to_string_lossy());
    let job = Job { scratch: Some(scratch.to_owned()), ..job(output, TableFormat::Tsv) };
    lookalike::run_dedup(&job, &Copy { from: scratch.join(name), to: checkpoint }).unwrap();
}

fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn json_of(path: &Path) -> Json {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The kinds of all columns of all tables.
fn column(name: &str) -> Column {
    const TEXTS: &[&str] = &[
        "id",
        "a_id",
        "b_id",
        "removed_id",
        "removed_file",
        "kept_id",
        "leader_id",
        "rule",
        "file",
        "message",
        "kept_file",
        "leader_file",
        "a_file",
        "b_file",
        "duplicates",
    ];
    const RATIOS: &[&str] = &[
        "resemblance",
        "containment_a_in_b",
        "containment_b_in_a",
        "cosine",
        "resemblance_low",
        "resemblance_high",
    ];
    let name: &'static str = name.to_owned().leak();
    match () {
        () if TEXTS.contains(&name) => Column::text(name),
        () if RATIOS.contains(&name) => Column::ratio(name),
        () => Column::count(name),
    }
}

/// Rows of a table by column name. The columns are those of the TSV table of that name.
fn rows(run: &str, name: &str, like: &str) -> Vec<BTreeMap<String, Value>> {
    let header = fs::read_to_string(samples().join(like).join(name).with_extension("tsv")).unwrap();
    let columns: Vec<Column> = header.lines().next().unwrap().split('\t').map(column).collect();
    let mut table = TableReader::open(&samples().join(run), name, &columns).unwrap();
    let names: Vec<String> = table.columns().iter().map(|column| column.name.to_owned()).collect();
    assert!(names.iter().eq(columns.iter().map(|column| column.name)), "{run} {name}: {names:?}");
    table.by_ref().map(|row| names.iter().cloned().zip(row.unwrap()).collect()).collect()
}

fn text(row: &BTreeMap<String, Value>, name: &str) -> String {
    row[name].as_text().unwrap().to_owned()
}

#[test]
#[ignore = "writes the samples anew"]
fn write_the_samples() {
    let folder = samples();
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    write_samples(&folder.canonicalize().unwrap());
}

#[test]
fn the_samples_are_of_the_present_formats() {
    let found = json_of(&samples().join("checkpoint/job.json"));
    let folder = tempfile::tempdir().unwrap();
    let (_, present) = begun(folder.path());
    for name in IDENTITY {
        assert_eq!(
            found[name], present[name],
            "{name}: the samples are of an older version; keep them, write new ones into another \
             directory (see the head of this file), and name it in SAMPLES"
        );
    }
}

#[test]
fn tables_of_every_form_have_the_expected_rows() {
    for name in ["pairs", "clusters", "documents", "problems"] {
        let tsv = rows("cluster-tsv", name, "cluster-tsv");
        for form in ["cluster-jsonl", "cluster-parquet"] {
            assert_eq!(rows(form, name, "cluster-tsv"), tsv, "{form} {name}");
        }
    }
    let ledger = rows("dedup", "ledger", "dedup");
    let decided: Vec<[String; 3]> = ledger
        .iter()
        .map(|row| ["removed_id", "kept_id", "rule"].map(|name| text(row, name)))
        .collect();
    assert_eq!(
        decided,
        [["d2", "d0", "identical"], ["d3", "d0", "near"], ["d4", "d1", "lexically_equivalent"]]
            .map(|row| row.map(str::to_owned))
    );
    let near = ["shared", "size_a", "size_b"].map(|name| ledger[1][name].as_count());
    assert_eq!(near, [Some(26), Some(27), Some(26)]);
    assert_eq!(ledger[1]["resemblance"].as_ratio(), Some(26.0 / 27.0));
    let problems = rows("dedup", "problems", "dedup");
    assert_eq!((problems.len(), problems[0]["line"].as_count()), (1, Some(7)));
}

#[test]
fn a_sample_result_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let results = TableFormat::ALL.map(|format| {
        let output = folder.path().join(format!("again-{format}"));
        let run = samples().join(format!("cluster-{format}"));
        let mut job = ReclusterJob::new(run, "0.97", &output);
        job.tables = TableFormat::Tsv;
        lookalike::results::recluster(&job, &Silent).unwrap();
        fs::read_to_string(output.join("pairs.tsv")).unwrap()
    });
    assert_eq!(results[0].lines().count(), 3, "{}", results[0]);
    assert!(results.iter().all(|result| *result == results[0]));
}

#[test]
fn a_summary_of_another_hash_or_analysis_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    for name in ["hash", "analysis"] {
        copy_files(&samples().join("cluster-tsv"), &run);
        let mut summary = json_of(&run.join("summary.json"));
        summary["settings"][name] = json!("other/9");
        fs::write(run.join("summary.json"), summary.to_string()).unwrap();
        let job = ReclusterJob::new(&run, "0.9", folder.path().join("again"));
        let error = lookalike::results::recluster(&job, &Silent).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("other/9"), "{error}");
    }
    copy_files(&samples().join("cluster-tsv"), &run);
    let pairs = fs::read_to_string(run.join("pairs.tsv")).unwrap();
    fs::write(run.join("pairs.tsv"), pairs.replacen("shared", "common", 1)).unwrap();
    let job = ReclusterJob::new(&run, "0.9", folder.path().join("again"));
    let error = lookalike::results::recluster(&job, &Silent).unwrap_err().to_string();
    assert!(error.contains("pairs.tsv") && error.contains("`common`"), "{error}");
}

#[test]
fn earlier_results_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for format in TableFormat::ALL {
        let run = earlier().join(format!("cluster-{format}"));
        let job = ReclusterJob::new(run, "0.9", folder.path().join("again"));
        let error = lookalike::results::recluster(&job, &Silent).unwrap_err().to_string();
        let named = [EARLIER_ANALYSIS, ANALYSIS_NAME, "summary.json"];
        assert!(named.iter().all(|name| error.contains(name)), "{error}");
    }
    // The format of a lexicon is the same: it can be opened, but not used.
    let lexicon = Lexicon::open(&earlier().join("terms.lexicon")).unwrap();
    assert_eq!((lexicon.documents(), lexicon.len()), (6, 52));
    fs::write(folder.path().join("input.jsonl"), input()).unwrap();
    let mut job = job(&folder.path().join("out"), TableFormat::Tsv);
    job.inputs = vec![folder.path().join("input.jsonl").display().to_string()];
    job.settings.method = Some(MethodSettings {
        spec: "imatch".into(),
        verify: Verify::Sketch,
        lexicon: Some(earlier().join("terms.lexicon").display().to_string()),
        lexicon_checksum: None,
        key_limit: None,
    });
    let error = lookalike::run_dedup(&job, &Silent).unwrap_err().to_string();
    let named = [EARLIER_ANALYSIS, ANALYSIS_NAME, "terms.lexicon"];
    assert!(named.iter().all(|name| error.contains(name)), "{error}");
}

#[test]
fn the_sample_lexicon_is_read_and_others_are_refused() {
    let path = samples().join("terms.lexicon");
    let lexicon = Lexicon::open(&path).unwrap();
    assert_eq!((lexicon.documents(), lexicon.len()), (6, 52));
    let term = lexicon.terms().find(|term| term.name == b"word7").unwrap();
    assert_eq!((term.frequency, lexicon.frequency(term.fingerprint)), (5, 5));
    let bytes = fs::read(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.lexicon");
    let refused = |bytes: &[u8]| {
        fs::write(&other, bytes).unwrap();
        Lexicon::open(&other).unwrap_err().to_string()
    };
    let mut version = bytes.clone();
    version[8] = 9;
    let error = refused(&version);
    assert!(error.contains("format 9") && error.contains("format 1"), "{error}");
    let mut hash = bytes.clone();
    hash[70] ^= 1;
    let lookalike_core::TextDigest(checksum) = lookalike_core::TextDigest::of(&hash[32..]);
    hash[16..32].copy_from_slice(&checksum.to_le_bytes());
    let error = refused(&hash);
    assert!(error.contains("the hashes") && error.contains(lookalike_core::HASH_NAME), "{error}");
    let wanted = lookalike_lexicon::Description {
        analysis: "other/9".into(),
        ..lexicon.description().clone()
    };
    let error = lexicon.expect(&wanted).unwrap_err().to_string();
    assert!(error.contains("analysis") && error.contains("other/9"), "{error}");
}

/// A run of the sample's job in another directory: its result, and its description of itself.
fn begun(folder: &Path) -> (PathBuf, Json) {
    let (output, scratch) = (folder.join("out"), folder.join("scratch"));
    fs::create_dir_all(&scratch).unwrap();
    fs::write(folder.join("input.jsonl"), input()).unwrap();
    let mut job = job(&output, TableFormat::Tsv);
    job.inputs = vec![folder.join("input.jsonl").display().to_string()];
    job.scratch = Some(scratch.clone());
    let copy = Copy { from: scratch.join("out.scratch"), to: &folder.join("copy") };
    lookalike::run_dedup(&job, &copy).unwrap();
    (output, json_of(&folder.join("copy/job.json")))
}

#[test]
fn a_run_goes_on_from_the_sample_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (output, description) = begun(folder.path());
    let ledger = fs::read(output.join("ledger.tsv")).unwrap();
    let scratch = folder.path().join("scratch/out.scratch");
    let resume = |description: &Json, steps: &[&str]| {
        let _ = fs::remove_dir_all(&output);
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).unwrap();
        for name in steps {
            fs::copy(samples().join("checkpoint").join(name), scratch.join(name)).unwrap();
        }
        fs::write(scratch.join("job.json"), description.to_string()).unwrap();
        let mut job = job(&output, TableFormat::Tsv);
        job.inputs = vec![folder.path().join("input.jsonl").display().to_string()];
        (job.scratch, job.resume) = (Some(folder.path().join("scratch")), true);
        lookalike::run_dedup(&job, &Silent)
    };
    // Nothing of a run with another analysis is taken over, whatever else is the same.
    let mut before = description.clone();
    before["analysis"] = json_of(&earlier().join("checkpoint/job.json"))["analysis"].clone();
    let error = resume(&before, &["chunks", "units"]).unwrap_err().to_string();
    assert!(error.contains(EARLIER_ANALYSIS) && error.contains(ANALYSIS_NAME), "{error}");
    // A run that has a step does not read those before it.
    for steps in [&["chunks", "units", "postings"][..], &["chunks", "units", "postings", "matches"]]
    {
        resume(&description, steps).unwrap();
        assert_eq!(fs::read(output.join("ledger.tsv")).unwrap(), ledger);
        let run = &json_of(&output.join("summary.json"))["run"];
        let resumed: Vec<&str> =
            run["resumed"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
        for step in ["reading", "units", steps[steps.len() - 1]] {
            assert!(resumed.contains(&step), "{step} was done again: {run}");
        }
        assert!(run.get("redone").is_none_or(|redone| redone == &json!([])), "{run}");
    }
    for name in IDENTITY {
        let mut other = description.clone();
        other[name] = json!("other/9");
        let error = resume(&other, &["chunks"]).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("other/9"), "{name}: {error}");
    }
}
