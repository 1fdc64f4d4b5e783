//! Requests to a service at a rate, the time of each out, as JSON: for `benchmarks/service.py`.
//!
//! Requests have their times from the start: one that is sent late because the answers before it
//! were late counts from the time at which it was due, so that a service that stalls cannot hide
//! it. With a rate of 0 each connection sends its next request when it has the answer: what the
//! service can do at most.
//!
//! Beside them a thread sleeps a millisecond, again and again, and tells how late it woke up: a tail of
//! the answers' times that is not longer is the machine's.

use anyhow::{Context, Result, ensure};
use clap::Parser;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Sends questions and documents to a service.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Where the service is.
    #[arg(long)]
    url: String,
    /// JSONL whose field `text` is what is asked about.
    #[arg(long)]
    queries: PathBuf,
    /// What the resemblance has to reach.
    #[arg(long, default_value = "0.8")]
    threshold: String,
    /// Questions a second; 0 for as many as it answers.
    #[arg(long, default_value_t = 0.0)]
    rate: f64,
    /// Connections for questions.
    #[arg(long, default_value_t = 2)]
    connections: usize,
    /// JSONL of documents with ids that are put beside the questions, as often as there is time.
    #[arg(long)]
    documents: Option<PathBuf>,
    /// Documents a second; 0 for as many as it takes.
    #[arg(long, default_value_t = 0.0)]
    insert_rate: f64,
    /// Connections for documents.
    #[arg(long, default_value_t = 8)]
    insert_connections: usize,
    /// For how long.
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,
}

/// A request: a method, a path and a body.
struct Request {
    is_put: bool,
    path: String,
    body: String,
}

/// Requests of one kind and when they are sent.
struct Stream {
    requests: Vec<Request>,
    rate: f64,
    connections: usize,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut streams = vec![Stream {
        requests: questions(&arguments.queries, &arguments.threshold)?,
        rate: arguments.rate,
        connections: arguments.connections,
    }];
    if let Some(path) = &arguments.documents {
        streams.push(Stream {
            requests: documents(path)?,
            rate: arguments.insert_rate,
            connections: arguments.insert_connections,
        });
    }
    let length = Duration::from_secs_f64(arguments.seconds);
    let stop = AtomicBool::new(false);
    let start = Instant::now();
    let figures = std::thread::scope(|scope| -> Result<Value> {
        let running: Vec<_> = streams
            .iter()
            .map(|stream| {
                let connections = 0..stream.connections;
                let send = |number| {
                    let (url, stop) = (&arguments.url, &stop);
                    scope.spawn(move || send(url, stream, number, start, stop))
                };
                connections.map(send).collect::<Vec<_>>()
            })
            .collect();
        let late = late(length);
        stop.store(true, Ordering::Relaxed);
        let figures = running.into_iter().map(|threads| -> Result<Value> {
            let mut all = Sent::default();
            for thread in threads {
                let sent = thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?;
                all.micros.extend(sent.micros);
                all.refused += sent.refused;
            }
            Ok(all.figures(length))
        });
        let figures = figures.collect::<Result<Vec<_>>>()?;
        let [questions, documents] = [figures.first(), figures.get(1)];
        let late = late.figures(length);
        Ok(json!({"questions": questions, "documents": documents, "late": late}))
    })?;
    println!("{figures}");
    Ok(())
}

/// By how much sleeps of a millisecond are longer, for a time.
fn late(length: Duration) -> Sent {
    const SLEEP: Duration = Duration::from_millis(1);
    let (start, mut sent) = (Instant::now(), Sent::default());
    while start.elapsed() < length {
        let begun = Instant::now();
        std::thread::sleep(SLEEP);
        sent.micros.push(begun.elapsed().saturating_sub(SLEEP).as_secs_f64() * 1e6);
    }
    sent
}

fn lines(path: &Path) -> Result<Vec<Value>> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<_>, _>>()?;
    ensure!(!lines.is_empty(), "{}: nothing in it", path.display());
    Ok(lines)
}

fn questions(path: &Path, threshold: &str) -> Result<Vec<Request>> {
    let request = |line: Value| Request {
        is_put: false,
        path: "/v1/query".to_owned(),
        body: json!({"text": line["text"], "threshold": threshold}).to_string(),
    };
    Ok(lines(path)?.into_iter().map(request).collect())
}

fn documents(path: &Path) -> Result<Vec<Request>> {
    let request = |(number, line): (usize, Value)| Request {
        is_put: true,
        path: format!("/v1/documents/load-{number}"),
        body: json!({"text": line["text"]}).to_string(),
    };
    Ok(lines(path)?.into_iter().enumerate().map(request).collect())
}

/// What was sent by a connection.
#[derive(Default)]
struct Sent {
    micros: Vec<f64>,
    refused: u64,
}

/// Sends every `connections`-th request from `number` on, until it is to stop.
fn send(url: &str, stream: &Stream, number: usize, start: Instant, stop: &AtomicBool) -> Sent {
    let agent = ureq::Agent::new_with_defaults();
    let mut sent = Sent::default();
    for at in (number..).step_by(stream.connections) {
        let mut due = Instant::now();
        if stream.rate > 0.0 {
            due = start + Duration::from_secs_f64(at as f64 / stream.rate);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let Request { is_put, path, body } = &stream.requests[at % stream.requests.len()];
        let to = format!("{url}{path}");
        let request = if *is_put { agent.put(to) } else { agent.post(to) };
        let answer = request.header("content-type", "application/json").send(body);
        match answer.and_then(|mut answer| answer.body_mut().read_to_vec()) {
            Ok(_) => sent.micros.push(due.elapsed().as_secs_f64() * 1e6),
            Err(_) => sent.refused += 1,
        }
    }
    sent
}

impl Sent {
    fn figures(mut self, length: Duration) -> Value {
        self.micros.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (self.micros.len() as f64 * share).ceil() as usize;
            self.micros.get(place.max(1) - 1)
        };
        json!({
            "answered": self.micros.len(), "refused": self.refused,
            "per_second": self.micros.len() as f64 / length.as_secs_f64(),
            "p50_us": at(0.5), "p99_us": at(0.99), "p999_us": at(0.999), "max_us": self.micros.last(),
        })
    }
}
