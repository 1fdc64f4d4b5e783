//! JSON lines on standard error, with `--log json`. docs/reference/logging.md describes the events.

use crate::progress::Reached;
use crate::visible::write_json;
use lookalike::results::Summary;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

/// What is written on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Log {
    /// Messages for people, and on a terminal a progress line
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// For the whole process, because messages come from every part of it.
static IS_JSON: AtomicBool = AtomicBool::new(false);

/// Chooses the form of everything that follows.
pub(crate) fn choose(log: Log) {
    IS_JSON.store(log == Log::Json, Ordering::Relaxed);
}

/// The chosen form.
pub(crate) fn form() -> Log {
    if IS_JSON.load(Ordering::Relaxed) { Log::Json } else { Log::Text }
}

/// Writes an event. Errors are ignored: a closed or full standard error must not fail a run.
fn event(name: &str, fields: Value) {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut line = Map::new();
    line.insert("event".into(), name.into());
    line.insert("time".into(), ((since.as_millis() as f64) / 1000.0).into());
    if let Value::Object(fields) = fields {
        line.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
    }
    let mut bytes = Vec::new();
    // One write, so that lines of several threads do not mix.
    if write_json(&mut bytes, &Value::Object(line).to_string()).is_ok() {
        bytes.push(b'\n');
        let _ = std::io::stderr().write_all(&bytes);
    }
}

/// A phase started or finished.
pub(crate) fn phase(state: &str, reached: &Reached) {
    let mut fields = place(reached);
    fields.insert("state".into(), state.into());
    if state == "finished" {
        fields.extend(counts(reached));
    }
    event("phase", Value::Object(fields));
}

/// How far a phase is.
pub(crate) fn progress(reached: &Reached) {
    let mut fields = place(reached);
    fields.extend(counts(reached));
    fields.insert("seconds_left".into(), json!(reached.seconds_left().map(rounded)));
    event("progress", Value::Object(fields));
}

fn place(reached: &Reached) -> Map<String, Value> {
    let unit = if reached.is_bytes { "bytes" } else { "units" };
    let (step, steps) = reached.step.unzip();
    let fields = json!({
        "phase": reached.name, "step": step, "steps": steps, "total": reached.total, "unit": reached.total.map(|_| unit),
    });
    match fields {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn counts(reached: &Reached) -> impl Iterator<Item = (String, Value)> {
    let records = (reached.documents > 0).then_some(reached.documents);
    [
        ("seconds", json!(rounded(reached.seconds))),
        ("done", json!(reached.total.map(|_| reached.done))),
        ("per_second", json!(reached.total.map(|_| rounded(reached.rate())))),
        ("records", json!(records)),
        ("records_per_second", json!(records.map(|_| rounded(reached.document_rate())))),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// A message that would be a line of text. Its level is what its first words say.
pub(crate) fn message(text: &str) {
    let (level, text) = match text.strip_prefix("lookalike: warning: ") {
        Some(rest) => ("warning", rest),
        None => match text.strip_prefix("lookalike: ") {
            Some(rest) => ("error", rest),
            None => ("info", text),
        },
    };
    event("message", json!({"level": level, "text": text}));
}

/// A warning of the summary.
pub(crate) fn warning(text: &str) {
    event("message", json!({"level": "warning", "text": text}));
}

/// The number of records and files that could not be used.
pub(crate) fn problems(count: u64) {
    event("problems", json!({"count": count}));
}

/// The result of a run.
pub(crate) fn result(summary: &Summary) {
    event(
        "result",
        json!({
            "command": summary.command,
            "digest": summary.digest,
            "documents": summary.documents,
            "kept": summary.kept,
            "removed": summary.removed.total(),
            "clusters": summary.clusters,
            "pairs": summary.pairs.listed,
            "problems": summary.problems,
            "seconds": summary.run.as_ref().map(|run| rounded(run.seconds)),
        }),
    );
}

/// A request that a service answered.
#[cfg(feature = "service")]
pub(crate) fn request(request: &lookalike_server::RequestLog<'_>) {
    event("request", json!(request));
}

/// A message that a milter answered.
#[cfg(feature = "service")]
pub(crate) fn mail(message: &lookalike_server::MilterLog<'_>) {
    event("mail", json!(message));
}

/// The result of a command that makes no summary.
pub(crate) fn other_result(fields: Value) {
    event("result", fields);
}
