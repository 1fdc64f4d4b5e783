//! Processor time of the thread, which other processes on the machine do not affect.

use std::sync::LazyLock;
use std::time::Instant;

/// Processor time of this thread in seconds, to some milliseconds; if the system does not report
/// it, elapsed time.
pub(crate) fn seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let passed = BEGIN.elapsed().as_secs_f64();
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split(' ').next()?.parse::<f64>().ok())
        .map_or(passed, |nanoseconds| nanoseconds / 1e9)
}
