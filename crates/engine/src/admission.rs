//! How much of the input is in flight: read, and not yet dealt with.
//!
//! The pipeline bounds the number of chunks on their way. Chunks of ordinary records have some
//! megabytes, one large record may have hundreds, so their bytes are bounded here: nothing more is read
//! while more than a limit is in flight. What is read next may pass the limit, as its size is not known
//! before; so of records above the limit one is in flight at a time, with small ones up to the limit.

use lookalike_io::source::Chunk;
use lookalike_io::{Inputs, Problem};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Admits chunks while no more than so many bytes of them are in flight.
#[derive(Debug, Default)]
struct Admission {
    limit: u64,
    in_flight: Mutex<u64>,
    lowered: Condvar,
}

impl Admission {
    fn in_flight(&self) -> MutexGuard<'_, u64> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no more than the limit is in flight.
    fn wait(&self) {
        let mut bytes = self.in_flight();
        while *bytes > self.limit {
            bytes = self.lowered.wait(bytes).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The bytes of a chunk that is in flight, until this is dropped.
#[derive(Debug)]
pub struct Permit {
    admission: Arc<Admission>,
    bytes: u64,
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.admission.in_flight() -= self.bytes;
        self.admission.lowered.notify_all();
    }
}

/// A chunk, or what is wrong in its place.
type Read = Result<Chunk, Problem>;

/// Gives chunks with permits, and reads the next one only while no more than `limit` bytes are in flight.
///
/// A permit that goes with its chunk through the pipeline is dropped with it, whatever ends the run:
/// reading never waits for what is gone.
pub fn admitted<'a>(
    inputs: &'a Inputs,
    limit: u64,
    mut chunks: impl Iterator<Item = Read> + Send + 'a,
) -> impl Iterator<Item = (Read, Permit)> + Send + 'a {
    let admission = Arc::new(Admission { limit, ..Admission::default() });
    std::iter::from_fn(move || {
        admission.wait();
        let chunk = chunks.next()?;
        let bytes = chunk.as_ref().map_or(0, |chunk| chunk.bytes(inputs));
        *admission.in_flight() += bytes;
        Some((chunk, Permit { admission: Arc::clone(&admission), bytes }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline;
    use lookalike_io::source::Body;
    use std::sync::atomic::{AtomicU64, Ordering};

    fn chunks(sizes: Vec<usize>) -> impl Iterator<Item = Read> + Send {
        sizes.into_iter().map(|size| {
            let body = Body::Lines(vec![b'x'; size]);
            Ok(Chunk { file: 0, first_record: 1, first_line: 1, offset: 0, consumed: 0, body })
        })
    }

    fn inputs() -> Inputs {
        Inputs::from_files(Vec::new(), Default::default())
    }

    /// Large ones are never in flight with others, however many threads there are.
    #[test]
    fn no_more_is_in_flight_than_the_limit_and_one_chunk() {
        let sizes: Vec<usize> = (0..200).map(|n| if n % 7 == 3 { 1000 } else { n % 13 }).collect();
        for threads in [1, 2, 8] {
            let (inputs, now) = (inputs(), AtomicU64::new(0));
            let mut done = 0;
            let chunks = admitted(&inputs, 30, chunks(sizes.clone())).map(|(chunk, permit)| {
                let before = now.fetch_add(permit.bytes, Ordering::SeqCst);
                assert!(before <= 30, "{before} bytes were in flight");
                (chunk, permit)
            });
            pipeline::ordered(
                threads,
                chunks,
                || (),
                |(), (_, permit)| permit,
                |permit| {
                    now.fetch_sub(permit.bytes, Ordering::SeqCst);
                    done += 1;
                    true
                },
            );
            assert_eq!(done, sizes.len());
        }
    }

    #[test]
    fn a_run_that_stops_early_does_not_wait_for_permits() {
        // Whether chunks are left in the channel depends on timing.
        for threads in [1, 2, 8].repeat(200) {
            let (inputs, mut seen) = (inputs(), 0);
            let chunks = admitted(&inputs, 250, chunks(vec![100; 50]));
            pipeline::ordered(
                threads,
                chunks,
                || (),
                |(), (_, permit)| permit,
                |_| {
                    seen += 1;
                    seen < 3
                },
            );
            assert_eq!(seen, 3);
        }
    }
}
