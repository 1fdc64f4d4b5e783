//! Clusters files and writes a result directory: `cargo run -p lookalike --example cluster_files`.

use lookalike::{Job, Silent, run_cluster};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    for (name, text) in
        [("a.txt", "one two three four five six"), ("b.txt", "One two three four five six.")]
    {
        std::fs::write(folder.path().join(name), text)?;
    }
    let output = folder.path().join("result");
    let job = Job::new(vec![format!("{}/*.txt", folder.path().display())], &output);
    let outcome = run_cluster(&job, &Silent)?;
    println!("{} clusters, in {}", outcome.summary.clusters, output.display());
    assert_eq!(outcome.summary.clusters, 1);
    assert!(output.join("summary.json").is_file());
    Ok(())
}
