//! Damaged and malicious files: `dedup` says what is wrong and where, uses what is good, loses no
//! record, and gives the same bytes on one thread and on two.
//!
//! The files are not part of this repository: [`data`] says where they are, and when the tests are
//! skipped.

#![allow(clippy::unwrap_used)]

use lookalike::{Job, LookalikeError, Outcome, Silent, results::TableFormat, settings::Normalize};
use lookalike_testing::data;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Name, documents, problems, and how the first problem begins behind the name.
const KNOWN: &[(&str, u64, u64, &str)] = &[
    ("bad_attributes.html", 1, 0, ""),
    ("bad_crc.jsonl.gz", 5, 1, ": byte 1155: the gzip data is damaged"),
    ("bom.jsonl", 5, 0, ""),
    ("charset_lies.html", 1, 0, ""),
    ("charset_sjis.html", 1, 0, ""),
    ("control_chars.jsonl", 5, 1, ":1: invalid JSON at column 27: control character"),
    ("corrupt_footer.parquet", 0, 1, ": the Parquet footer cannot be read"),
    ("corrupt_page.parquet", 0, 1, ": row group 1 of the Parquet file cannot be read"),
    ("csv_quotes.csv", 2, 1, ":5: a quote is not closed before the end"),
    ("deep_html_20k.html", 1, 0, ""),
    ("duplicate_ids.jsonl", 6, 0, ""),
    ("empty.html", 1, 0, ""),
    ("empty.jsonl.gz", 0, 0, ""),
    ("empty_docs.jsonl", 9, 0, ""),
    ("empty_file.jsonl", 0, 0, ""),
    ("entities_flood.html", 1, 0, ""),
    ("footer_len_huge.parquet", 0, 1, ": the Parquet footer cannot be read"),
    ("garbage_lines.jsonl", 6, 15, ":1: invalid JSON at column 2"),
    ("good.parquet", 200, 0, ""),
    ("gz_of_empty.jsonl.gz", 0, 0, ""),
    ("int_id_binary_text.parquet", 1, 2, ": record 1: `text` is not UTF-8"),
    ("invalid_utf8.jsonl", 2, 3, ":2: invalid UTF-8 at column 25"),
    ("invalid_utf8.txt", 1, 0, ""),
    ("json_bignum.jsonl", 2, 0, ""),
    ("json_deep.jsonl", 2, 0, ""),
    ("lone_surrogates.jsonl", 1, 3, ":1: invalid JSON at column 36: half of a surrogate pair"),
    ("mixed_newlines.jsonl", 5, 0, ""),
    ("mixed_newlines.txt", 1, 0, ""),
    ("multi_member.jsonl.gz", 6, 0, ""),
    ("no_final_newline.jsonl", 5, 0, ""),
    ("no_magic.parquet", 0, 1, ": the Parquet footer cannot be read"),
    ("not_gzip.jsonl.gz", 5, 0, ""),
    ("not_zstd.jsonl.zst", 5, 0, ""),
    ("nul_bytes.jsonl", 2, 2, ":2: invalid JSON at column 26: control character"),
    ("nul_bytes.txt", 1, 0, ""),
    ("nulls.parquet", 2, 1, ": record 2: `text` is null"),
    ("only_newlines.jsonl", 0, 0, ""),
    ("only_tags.html", 1, 0, ""),
    ("table_hell.html", 1, 0, ""),
    ("trailing_garbage.jsonl.gz", 5, 1, ": byte 1155: something that is not gzip data"),
    ("truncated.jsonl.gz", 4, 1, ": byte 1150: the gzip data is cut off"),
    ("truncated.jsonl.zst", 0, 1, ": byte 0: the zstd data is cut off"),
    ("truncated.parquet", 0, 1, ": the Parquet footer cannot be read"),
    ("truncated_last_line.jsonl", 5, 1, ":6: the line ends inside a JSON value"),
    ("truncated_middle_line.jsonl", 3, 2, ":2: the line ends inside a JSON value"),
    ("two_frames.jsonl.zst", 6, 0, ""),
    ("u2028_in_jsonl.jsonl", 2, 0, ""),
    ("unclosed_comment.html", 1, 0, ""),
    ("unclosed_script.html", 1, 0, ""),
    ("unclosed_tag.html", 1, 0, ""),
    ("unicode_zoo.jsonl", 26, 0, ""),
    ("utf16be_nobom.jsonl", 0, 1, ": is UTF-16, not UTF-8"),
    ("utf16le_bom.jsonl", 0, 1, ": is UTF-16, not UTF-8"),
    ("window_1gib.jsonl.zst", 0, 1, ": byte 0: unpacking the zstd data needs a larger window"),
    ("wrong_columns.parquet", 0, 1, ": has no column `text` or `html`, but body, doc"),
    ("zero_rows.parquet", 0, 0, ""),
];

/// The folder of the files; `None` skips the test.
fn files() -> Option<PathBuf> {
    data::folder("hostile/files")
}

fn job(input: &Path, output: &Path) -> Job {
    let mut job = Job::new(vec![input.display().to_string()], output);
    job.tables = TableFormat::Tsv;
    job.threads = 2;
    // What is lost of an unreadable file is counted, and the rest is compared.
    job.skip_unreadable = true;
    job
}

/// All files of a result but the report, which shows times, and the summary.
fn bytes_of(output: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![output.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("report.html") && !path.ends_with("summary.json") {
                found.insert(
                    path.strip_prefix(output).unwrap().into(),
                    std::fs::read(path).unwrap(),
                );
            }
        }
    }
    found
}

/// Lines that are not blank, in the order of their bytes.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).collect();
    lines.sort_unstable();
    lines
}

/// Runs a job on one thread, on two and strictly, and says what is wrong with the results.
fn complaints(input: &Path, folder: &Path) -> Result<(Outcome, Vec<String>), LookalikeError> {
    let [one, two, strict] = ["one", "two", "strict"].map(|name| folder.join(name));
    let mut complaints = Vec::new();
    let outcome = lookalike::run_dedup(&job(input, &two), &Silent)?;
    let alone = lookalike::run_dedup(&Job { threads: 1, ..job(input, &one) }, &Silent)?;
    if bytes_of(&one) != bytes_of(&two) || outcome.summary.digest != alone.summary.digest {
        complaints.push("one thread gives another result than two".to_owned());
    }
    let summary = &outcome.summary;
    if summary.kept + summary.removed.total() != summary.documents {
        complaints.push("kept and removed documents are not all".to_owned());
    }
    let stopped = lookalike::run_dedup(&Job { strict: true, ..job(input, &strict) }, &Silent);
    // Files of no known format stop it as well, before anything is read.
    let skips = matches!(stopped, Err(LookalikeError::Skipped { .. }));
    match (outcome.problems.first(), stopped) {
        (None, Ok(_)) => {}
        (None, Err(_)) if skips => {}
        (Some(first), Err(error)) if error.to_string().starts_with(&first.to_string()) => {}
        (first, stopped) => complaints.push(format!(
            "the first problem is {first:?}, and a strict run ends with {:?}",
            stopped.map(|outcome| outcome.summary.documents)
        )),
    }
    if strict.exists() != (outcome.problems.is_empty() && !skips) {
        complaints.push("a strict run leaves something behind, or nothing".to_owned());
    }
    // A file that is given up as a whole has no records that could be passed on.
    let whole = outcome.problems.iter().all(|problem| problem.record > 0);
    if whole && input.extension().is_some_and(|extension| extension == "jsonl") {
        let parts = ["kept", "removed", "rejected"]
            .map(|part| std::fs::read(two.join(part).with_extension("jsonl")).unwrap_or_default());
        // The last line of a file may lack its end.
        let parts = parts.join(&b'\n');
        if lines(&parts) != lines(&std::fs::read(input).unwrap()) {
            complaints.push("kept, removed and rejected records are not those of the file".into());
        }
    }
    Ok((outcome, complaints))
}

#[test]
fn every_small_file_gives_what_it_should() {
    let Some(files) = files() else { return };
    let known: BTreeMap<&str, _> = KNOWN.iter().map(|known| (known.0, known)).collect();
    let mut failures = Vec::new();
    let mut checked = BTreeSet::new();
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(files).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let folder = tempfile::tempdir().unwrap();
        let mut fail = |complaint: String| failures.push(format!("{name}: {complaint}"));
        match (complaints(&path, folder.path()), known.get(name.as_str())) {
            (Ok((outcome, complaints)), known) => {
                complaints.into_iter().for_each(&mut fail);
                let said = outcome.problems.first().map(ToString::to_string).unwrap_or_default();
                let Some((_, documents, problems, words)) = known else { continue };
                let found = (outcome.summary.documents, outcome.summary.problems);
                if found != (*documents, *problems) {
                    fail(format!("{found:?} documents and problems, not {documents}, {problems}"));
                }
                let place = format!("{name}{words}");
                if *problems > 0 && !said.contains(&place) {
                    fail(format!("says {said:?}, not {place:?}"));
                }
                checked.insert(name.clone());
            }
            // Of a form that is not read: the message says so and what to do.
            (Err(error), None) => {
                let said = error.to_string();
                if !said.contains(&name) || !said.contains("the setting input_format") {
                    fail(format!("says {said:?}"));
                }
            }
            (Err(error), Some(_)) => fail(format!("should be read: {error}")),
        }
    }
    let missing = known.keys().filter(|name| !checked.contains(**name));
    failures.extend(missing.map(|name| format!("{name}: not checked; is the file missing?")));
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), failures.join("\n"));
}

/// The ids of both documents of each row.
fn ids(table: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(table).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        (cells[0].to_owned(), cells[3].to_owned())
    });
    rows.collect()
}

#[test]
fn documents_without_words_are_not_duplicates_of_each_other() {
    let Some(files) = files() else { return };
    let folder = tempfile::tempdir().unwrap();
    let job = job(&files.join("empty_docs.jsonl"), &folder.path().join("out"));
    let outcome = lookalike::run_dedup(&job, &Silent).unwrap();
    assert_eq!((outcome.summary.documents, outcome.summary.kept), (9, 9));
    assert_eq!(outcome.summary.without_features.no_words, 5);
}

#[test]
fn an_id_may_occur_twice_and_numbers_are_ids_as_they_are_written() {
    let Some(files) = files() else { return };
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let outcome =
        lookalike::run_dedup(&job(&files.join("duplicate_ids.jsonl"), &output), &Silent).unwrap();
    assert_eq!((outcome.summary.kept, outcome.summary.duplicate_ids), (2, 3));
    let removed: Vec<String> =
        ids(&output.join("ledger.tsv")).into_iter().map(|(id, _)| id).collect();
    assert_eq!(removed, ["1", "1", "other", "same"]);
}

#[test]
fn disguised_texts_are_found_with_nfkc_and_equivalent_ones_always() {
    let Some(files) = files() else { return };
    let found = |normalize| {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out");
        let mut job = job(&files.join("unicode_zoo.jsonl"), &output);
        job.settings.analysis.normalize = normalize;
        lookalike::run_cluster(&job, &Silent).unwrap();
        ids(&output.join("pairs.tsv"))
    };
    let equivalent = ("nfc".to_owned(), "nfd".to_owned());
    let zero_width = ("plain_of_zero_width".to_owned(), "zero_width".to_owned());
    assert_eq!(found(Normalize::Nfc), [equivalent.clone(), zero_width.clone()]);
    let all = |disguised: &[&str]| {
        let mut expected = vec![equivalent.clone()];
        for (at, a) in disguised.iter().enumerate() {
            expected.extend(disguised[at + 1..].iter().map(|b| (a.to_string(), b.to_string())));
        }
        expected.sort();
        expected
    };
    // All that look alike but for letters of another script, and with these.
    let disguised = ["fullwidth", "homoglyph", "math_alnum", "plain_of_zero_width", "zero_width"];
    let of_one_script = disguised.into_iter().filter(|&name| name != "homoglyph");
    assert_eq!(found(Normalize::Nfkc), all(&of_one_script.collect::<Vec<_>>()));
    assert_eq!(found(Normalize::Confusables), all(&disguised));
    assert_eq!(found(Normalize::None), [zero_width]);
}

#[test]
fn odd_file_names_are_read_from_their_directory() {
    let Some(names) = data::folder("hostile/files/names") else { return };
    let folder = tempfile::tempdir().unwrap();
    let (outcome, complaints) = complaints(&names, folder.path()).unwrap();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    let kept = std::fs::read_to_string(folder.path().join("one/kept-files.txt")).unwrap();
    let removed = std::fs::read_to_string(folder.path().join("one/removed-files.txt")).unwrap();
    let all = format!("{kept}{removed}");
    assert_eq!(all.lines().count() as u64, outcome.summary.documents);
    for name in ["-dash.txt", "with space.txt", "ünïcode.txt", r"new\nline.txt"] {
        assert!(all.lines().any(|line| line.ends_with(name)), "{name} is not in {all}");
    }
}
