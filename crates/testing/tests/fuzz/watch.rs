//! A watchdog: ends the process if a run of a target hangs, and measures its memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Time after which a run hangs. Runs take milliseconds; a loaded machine is no fault.
const HANGS: Duration = Duration::from_secs(300);

struct Running {
    since: Instant,
    input: Vec<u8>,
}

static RUNNING: Mutex<BTreeMap<String, Running>> = Mutex::new(BTreeMap::new());
static WATCHDOG: Once = Once::new();

fn running() -> MutexGuard<'static, BTreeMap<String, Running>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run that is watched until this is dropped.
pub(crate) struct Watched(String);

impl Drop for Watched {
    fn drop(&mut self) {
        running().remove(&self.0);
    }
}

/// Watches a run of a target; a target has one run at a time.
pub(crate) fn begin(name: &str, input: &[u8]) -> Watched {
    WATCHDOG.call_once(|| drop(std::thread::spawn(watch)));
    let run = Running { since: Instant::now(), input: input.to_vec() };
    running().insert(name.to_owned(), run);
    Watched(name.to_owned())
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(1));
        for (name, run) in running().iter() {
            if run.since.elapsed() > HANGS {
                eprintln!("{name} hangs on {}", super::save(name, &run.input).display());
                std::process::abort();
            }
        }
    }
}

/// The most memory that this process had, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kilobytes.unwrap_or(0u64) << 10
}
