//! A build without the feature `office` says so of each document that needs it, and reads the others.

#![cfg(all(feature = "files", not(feature = "office")))]
#![allow(clippy::unwrap_used)]

use lookalike::{Resources, Settings, Silent, Source, dedup};

#[test]
fn documents_of_word_processors_and_books_name_the_feature() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.docx", "b.odt", "c.epub", "d.txt"] {
        std::fs::write(folder.path().join(name), "a rose is a rose is a rose").unwrap();
    }
    let source = Source::files([folder.path().display().to_string()]);
    let answer = dedup(source, &Settings::default(), &Resources::default(), &Silent).unwrap();
    assert_eq!(answer.kept().len(), 1);
    assert_eq!(answer.problems.len(), 3);
    for problem in &answer.problems {
        assert!(problem.message.contains("build lookalike with the cargo feature office"));
    }
}
