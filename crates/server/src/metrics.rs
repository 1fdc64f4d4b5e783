//! Figures of the service, in the text format of Prometheus.

use lookalike::index::Cost;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

/// Of which requests.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Endpoint {
    method: &'static str,
    /// As in the description, `/v1/documents/{id}`.
    path: &'static str,
}

/// Of which answers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    path: &'static str,
    status: u16,
}

/// Of which verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfVerdict {
    verdict: &'static str,
}

/// Figures of the service.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<Endpoint, Histogram, fn() -> Histogram>,
    cost: [Counter; 4],
    verdicts: Family<OfVerdict, Counter>,
    pub(crate) writing: WritingMetrics,
    documents: Gauge,
    commit: Gauge,
    pub(crate) connections: Gauge,
}

/// Figures of the thread that writes.
#[derive(Clone)]
pub(crate) struct WritingMetrics {
    pub(crate) commits: Counter,
    pub(crate) changes: Histogram,
    pub(crate) seconds: Histogram,
}

/// From 0.1 ms to 13 s.
fn seconds() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 2.0, 18))
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let new = Self {
            registry: Registry::with_prefix("lookalike"),
            requests: Family::default(),
            seconds: Family::new_with_constructor(seconds),
            cost: Default::default(),
            verdicts: Family::default(),
            writing: WritingMetrics {
                commits: Counter::default(),
                changes: Histogram::new(exponential_buckets(1.0, 2.0, 11)),
                seconds: seconds(),
            },
            documents: Gauge::default(),
            commit: Gauge::default(),
            connections: Gauge::default(),
        };
        new.registered()
    }

    fn registered(mut self) -> Self {
        let registry = &mut self.registry;
        registry.register("requests", "Requests that were answered", self.requests.clone());
        registry.register_with_unit(
            "request",
            "Time from the head of a request to the head of its answer",
            Unit::Seconds,
            self.seconds.clone(),
        );
        let of_questions = [
            ("question_lookups", "Elements and keys that were looked up"),
            ("question_entries", "Entries of posting lists that were read"),
            ("question_candidates", "Sets that counts did not rule out"),
            ("question_verified", "Sets that were compared as a whole"),
        ];
        for ((name, help), counter) in of_questions.into_iter().zip(&self.cost) {
            registry.register(name, help, counter.clone());
        }
        registry.register("verdicts", "Verdicts on messages", self.verdicts.clone());
        let writing = &self.writing;
        registry.register("commits", "Durable commits", writing.commits.clone());
        registry.register("commit_changes", "Changes of a commit", writing.changes.clone());
        let (help, of_commits) =
            ("Time to make a group of changes durable", writing.seconds.clone());
        registry.register_with_unit("commit", help, Unit::Seconds, of_commits);
        registry.register("documents", "Documents of the last commit", self.documents.clone());
        registry.register("last_commit", "Number of the last commit", self.commit.clone());
        registry.register("connections", "Open connections", self.connections.clone());
        self
    }

    /// A request was answered.
    pub(crate) fn answered(
        &self,
        (method, path): (&'static str, &'static str),
        status: u16,
        seconds: f64,
    ) {
        self.requests.get_or_create(&Answered { method, path, status }).inc();
        self.seconds.get_or_create(&Endpoint { method, path }).observe(seconds);
    }

    /// A question was answered.
    pub(crate) fn asked(&self, cost: Cost) {
        let Cost { lookups, entries, candidates, verified } = cost;
        for (counter, count) in self.cost.iter().zip([lookups, entries, candidates, verified]) {
            counter.inc_by(count);
        }
    }

    /// A verdict was given.
    pub(crate) fn judged(&self, verdict: &'static str) {
        self.verdicts.get_or_create(&OfVerdict { verdict }).inc();
    }

    /// All figures as text.
    pub(crate) fn text(&self, documents: u64, commit: u64) -> String {
        self.documents.set(documents as i64);
        self.commit.set(commit as i64);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
