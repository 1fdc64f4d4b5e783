//! Shows progress and cancels: `cargo run -p lookalike --example cancel`.

use lookalike::{ErrorKind, Progress, Resources, Settings, Source, dedup};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts documents, and cancels after some of them.
#[derive(Default)]
struct UpTo(AtomicU64);

impl Progress for UpTo {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        println!("{name}");
    }

    fn advance(&self, _: u64, documents: u64) {
        self.0.fetch_add(documents, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 5000
    }
}

pub(crate) fn main() {
    let endless = (0u64..).map(|number| format!("a document with the number {number}"));
    let source = Source::records(endless);
    let result = dedup(source, &Settings::default(), &Resources::default(), &UpTo::default());
    assert!(result.is_err_and(|error| error.kind() == ErrorKind::Cancelled));
}
