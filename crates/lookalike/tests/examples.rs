//! Runs the examples: each asserts what it shows.

#[path = "../examples/batches.rs"]
mod batches;
#[path = "../examples/cancel.rs"]
mod cancel;
#[path = "../examples/cluster_files.rs"]
mod cluster_files;
#[path = "../examples/records.rs"]
mod records;
#[path = "../examples/two_texts.rs"]
mod two_texts;

#[test]
fn every_example_runs() {
    records::main().unwrap();
    batches::main().unwrap();
    cluster_files::main().unwrap();
    two_texts::main().unwrap();
    cancel::main();
}

#[test]
fn every_example_is_among_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let this = include_str!("examples.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(this.contains(&format!("../examples/{name}")), "{name} is not run");
    }
}
