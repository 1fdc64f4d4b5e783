//! One-document files: lists, copies, marks.

use lookalike_io::source::Body;
use lookalike_io::{Compression, Fate, Format, InputFile, MarkNames, Role, RouteOptions};

use crate::help::{Decide, chunk, chunks, input, inputs, result, tree};

fn texts(folder: &std::path::Path) -> Vec<InputFile> {
    ["a.txt", "b.md", "c.html"]
        .map(|name| {
            let path = folder.join(name);
            std::fs::write(&path, format!("text of {name}")).unwrap();
            input(path, Format::TEXT, Compression::None)
        })
        .to_vec()
}

/// By file: kept, removed, rejected.
fn by_file(file: u32, _: u32) -> Fate {
    [Fate::Kept, Fate::Removed, Fate::Rejected][file as usize % 3]
}

#[test]
fn one_document_files_are_listed_and_copied_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(texts(folder.path()));
    let chunks = [chunk(0, 1, 1, Body::Files(2)), chunk(2, 1, 1, Body::Files(1))];
    let mut options = RouteOptions::default();
    let (out, written) = result(folder.path(), &inputs, &chunks, &Decide(by_file), &options);
    let lists = ["kept-files.txt", "rejected-files.txt", "removed-files.txt", "summary.json"];
    assert_eq!(tree(&out), lists);
    assert_eq!(std::fs::read_to_string(out.join("kept-files.txt")).unwrap(), "a.txt\n");
    assert_eq!(std::fs::read_to_string(out.join("rejected-files.txt")).unwrap(), "c.html\n");
    assert_eq!(written.copied, 0);

    options.copy_files = true;
    let (out, written) = result(folder.path(), &inputs, &chunks, &Decide(by_file), &options);
    assert_eq!(std::fs::read_to_string(out.join("kept-files/a.txt")).unwrap(), "text of a.txt");
    assert_eq!(tree(&out).len(), 5);
    assert_eq!(written.copied, 1);
}

#[test]
fn lists_exist_even_if_they_are_empty() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(texts(folder.path()));
    let fates = Decide(|_, _| Fate::Kept);
    let chunks = [chunk(0, 1, 1, Body::Files(3))];
    let (out, _) = result(folder.path(), &inputs, &chunks, &fates, &RouteOptions::default());
    assert_eq!(std::fs::read_to_string(out.join("removed-files.txt")).unwrap(), "");
    assert!(!out.join("rejected-files.txt").exists());
}

#[test]
fn a_copy_of_a_file_that_went_away_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(texts(folder.path()));
    std::fs::remove_file(folder.path().join("a.txt")).unwrap();
    let staging = lookalike_io::Staging::create(&folder.path().join("out"), false).unwrap();
    let options = RouteOptions { copy_files: true, ..Default::default() };
    let chunks = [chunk(0, 1, 1, Body::Files(3))];
    let error = crate::help::write(&staging, &inputs, &chunks, &Decide(by_file), &options);
    assert!(error.unwrap_err().to_string().contains("a.txt"));
}

#[test]
fn marked_files_become_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs(texts(folder.path()));
    let options = RouteOptions { mark: Some(MarkNames::new("x_")), ..Default::default() };
    let chunks = [chunk(0, 1, 1, Body::Files(3))];
    let (out, _) = result(folder.path(), &inputs, &chunks, &Decide(by_file), &options);
    assert_eq!(
        std::fs::read_to_string(out.join("marked-files.tsv")).unwrap(),
        "path\tx_duplicate_of\tx_duplicate_of_file\tx_duplicate_of_record\tx_resemblance\tx_cluster\tx_is_duplicate\tx_duplicates\n\
         a.txt\t\t\t\t\t4\tfalse\t1\n\
         b.md\tthe \"first\"\ta.csv\t3\t0.875\t4\ttrue\t\n"
    );
    assert_eq!(std::fs::read_to_string(out.join("rejected-files.txt")).unwrap(), "c.html\n");
}

#[test]
fn a_single_data_file_among_texts_is_still_single() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = texts(folder.path());
    files.insert(1, input("b.jsonl", Format::JSONL, Compression::None));
    let inputs = inputs(files);
    let mut all = vec![chunk(0, 1, 1, Body::Files(1))];
    all.extend(chunks(1, &[b"{}\n".to_vec()], 1, None));
    all.push(chunk(2, 1, 1, Body::Files(2)));
    let fates = Decide(|_, _| Fate::Kept);
    let (out, _) = result(folder.path(), &inputs, &all, &fates, &RouteOptions::default());
    let expected =
        ["kept-files.txt", "kept.jsonl", "removed-files.txt", "removed.jsonl", "summary.json"];
    assert_eq!(tree(&out), expected);
}

#[test]
fn inputs_that_are_only_compared_with_have_no_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let jsonl = |name| input(name, Format::JSONL, Compression::None);
    let mut files = vec![jsonl("own.jsonl"), jsonl("other.jsonl")];
    files.extend(texts(folder.path()));
    files.push(jsonl("last.jsonl"));
    let inputs = inputs(files);
    let mut all = chunks(0, &[b"{}\n".to_vec()], 1, None);
    all.extend(chunks(1, &[b"{}\n".to_vec()], 1, None));
    // One chunk of files may hold both kinds.
    all.push(chunk(2, 1, 1, Body::Files(3)));
    all.extend(chunks(5, &[b"{}\n".to_vec()], 1, None));
    let fates = Decide(|file, _| {
        assert!(file < 4, "asked for a file that is not written");
        Fate::Kept
    });
    let options = RouteOptions { files: Some(4), ..Default::default() };
    let (out, written) = result(folder.path(), &inputs, &all, &fates, &options);
    assert_eq!(std::fs::read_to_string(out.join("kept-files.txt")).unwrap(), "a.txt\nb.md\n");
    assert_eq!(written.records(Role::Kept), 4);
    let options = RouteOptions { files: Some(1), ..Default::default() };
    let (out, _) = result(folder.path(), &inputs, &all, &fates, &options);
    assert_eq!(tree(&out), ["kept.jsonl", "removed.jsonl", "summary.json"]);
}
