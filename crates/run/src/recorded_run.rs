//! What the summary of every command says: time, memory, and the files of the result.

use crate::memory;
use lookalike_io::sink::WrittenFiles;
use lookalike_io::table::WrittenTable;
use lookalike_report::{InputSummary, Output, Phase, Run};
use std::time::Instant;

/// Time, memory and steps of a run.
pub(crate) fn recorded_run(
    command: &str,
    inputs: &[InputSummary],
    threads: usize,
    phases: &[(&str, f64)],
    started: Instant,
) -> Run {
    let bytes = inputs.iter().map(|input| input.bytes).sum::<u64>() as f64 / 1e6;
    let phase = |&(name, seconds): &(&str, f64)| Phase {
        name: name.to_owned(),
        seconds,
        megabytes_per_second: (seconds > 0.0).then(|| bytes / seconds),
        cpu_seconds: None,
    };
    Run {
        command_line: command.to_owned(),
        directory: working_directory(),
        threads: threads as u64,
        seconds: started.elapsed().as_secs_f64(),
        phases: phases.iter().map(phase).collect(),
        peak_memory_bytes: memory::peak(),
        ..Run::default()
    }
}

/// The working directory, if it has a name that can be written.
pub(crate) fn working_directory() -> Option<String> {
    std::env::current_dir().ok().and_then(|directory| directory.to_str().map(str::to_owned))
}

/// A table, as summaries list it.
pub(crate) fn output(table: &WrittenTable) -> Output {
    let name = table.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let (rows, bytes) = (Some(table.rows), Some(table.bytes));
    Output { name: name.unwrap_or_default(), rows, bytes }
}

/// The files of a result, without the summary and the report.
pub(crate) fn outputs(tables: &[WrittenTable], written: Option<&WrittenFiles>) -> Vec<Output> {
    let tables = tables.iter().map(output);
    let documents = written.into_iter().flat_map(|written| &written.files).map(|file| Output {
        name: file.name(),
        rows: Some(file.records),
        bytes: Some(file.bytes),
    });
    documents.chain(tables).collect()
}
