//! Calls of the library that are cancelled at random moments: they end as cancelled or with the
//! whole answer, and leave no thread and no file.

#![allow(clippy::unwrap_used)]

use lookalike::{
    Answer, ErrorKind, LookalikeError, Progress, Record, Resources, Settings, Silent, Source,
    cluster, dedup,
};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One test at a time: they count the threads of the process.
static ALONE: Mutex<()> = Mutex::new(());

/// A sequence of numbers that a seed decides (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }
}

/// Cancels at a call of any of its functions, or when it is told to.
struct Cancels {
    at_call: u64,
    calls: AtomicU64,
    told: AtomicBool,
    /// The phase that runs, and when the cancellation became visible in it.
    phase: Mutex<&'static str>,
    since: Mutex<Option<(&'static str, Instant)>>,
}

impl Cancels {
    fn at_call(at_call: u64) -> Self {
        let (calls, told) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { at_call, calls, told, phase: Mutex::new("start"), since: Mutex::default() }
    }

    fn cancel(&self) {
        let phase = *self.phase.lock().unwrap();
        self.since.lock().unwrap().get_or_insert((phase, Instant::now()));
        self.told.store(true, Ordering::SeqCst);
    }

    fn count(&self) {
        if self.calls.fetch_add(1, Ordering::SeqCst) == self.at_call {
            self.cancel();
        }
    }
}

impl Progress for Cancels {
    fn phase(&self, name: &'static str, _: Option<u64>) {
        *self.phase.lock().unwrap() = name;
        self.count();
    }

    fn advance(&self, _: u64, _: u64) {
        self.count();
    }

    fn cancelled(&self) -> bool {
        self.count();
        self.told.load(Ordering::SeqCst)
    }
}

/// Families of variants of Zipfian texts: many candidates, many removals, chains.
fn records(count: u64) -> Vec<Record> {
    let mut random = Random(7);
    let mut texts: Vec<Vec<u64>> = Vec::new();
    for number in 0..count {
        let mut words = match number % 3 {
            0 => (0..120).map(|_| 4000 / (1 + random.below(4000))).collect(),
            _ => texts[random.below(number) as usize].clone(),
        };
        for _ in 0..random.below(6) {
            let at = random.below(120) as usize;
            words[at] = 4000 + random.below(100_000);
        }
        texts.push(words);
    }
    let text = |words: &Vec<u64>| words.iter().map(|w| format!("w{w} ")).collect::<String>();
    (0u64..).zip(&texts).map(|(n, words)| Record::new(text(words)).id(format!("{n:06}"))).collect()
}

type Call = fn(Source<'_>, &Settings, &Resources, &dyn Progress) -> Result<Answer, LookalikeError>;
const CALLS: [(&str, Call); 2] = [("dedup", dedup as Call), ("cluster", cluster as Call)];

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// Whether the threads of a call are gone: the system lists one for a moment after it was joined.
fn are_threads_gone(before: usize) -> bool {
    (0..500).any(|_| {
        let gone = threads() <= before;
        if !gone {
            std::thread::sleep(Duration::from_millis(10));
        }
        gone
    })
}

/// Runs a call that is cancelled after a time, too, if there is one. The phase of the cancellation,
/// and how long the call went on after it.
fn cancel(
    call: impl FnOnce(&Cancels) -> Result<Answer, LookalikeError>,
    at_call: u64,
    after: Option<Duration>,
) -> (Result<Answer, LookalikeError>, Option<(&'static str, Duration)>) {
    let progress = Cancels::at_call(at_call);
    let result = std::thread::scope(|scope| {
        let (done, ended) = std::sync::mpsc::channel::<()>();
        let timer = scope.spawn(|| {
            if let (Some(after), ended) = (after, ended)
                && ended.recv_timeout(after).is_err()
            {
                progress.cancel();
            }
        });
        let result = call(&progress);
        let returned = Instant::now();
        drop(done);
        timer.join().unwrap();
        (result, returned)
    });
    let (result, returned) = result;
    let since = progress.since.into_inner().unwrap();
    (result, since.map(|(phase, at)| (phase, returned.saturating_duration_since(at))))
}

fn files(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

fn settings_of(kind: u64) -> Settings {
    let mut settings = Settings { threshold: "0.6".into(), ..Settings::default() };
    match kind % 4 {
        0 | 1 => {}
        2 => settings.measure = lookalike::settings::Measure::Containment,
        _ => settings.linkage = Some(lookalike::settings::Linkage::Components),
    }
    settings
}

#[test]
fn at_random_moments() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let records = records(1500);
    let before = threads();
    for (name, call) in CALLS {
        for threads in [1, 8] {
            let mut random = Random(threads as u64 + name.len() as u64);
            for kind in 0..4 {
                let settings = settings_of(kind);
                let folder = tempfile::tempdir().unwrap();
                // With little memory, keys and sets go to temporary files.
                let memory = (kind == 1).then_some(1 << 18);
                let scratch = Some(folder.path().to_owned());
                let resources = Resources { threads, memory, scratch, ..Resources::default() };
                let run = |progress: &dyn Progress| {
                    call(Source::records(records.clone()), &settings, &resources, progress)
                };
                let never = Cancels::at_call(u64::MAX);
                let started = Instant::now();
                let whole = run(&never).unwrap();
                let (calls, time) = (never.calls.into_inner(), started.elapsed());
                let mut cancelled = 0;
                for round in 0..12 {
                    let (at_call, after) = match round % 2 {
                        0 => (random.below(calls), None),
                        _ => {
                            let micros = random.below(time.as_micros() as u64);
                            (u64::MAX, Some(Duration::from_micros(micros)))
                        }
                    };
                    let (result, _) = cancel(|progress| run(progress), at_call, after);
                    match result {
                        Ok(answer) => assert_eq!(answer.summary, whole.summary),
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
                            cancelled += 1;
                        }
                    }
                    assert!(are_threads_gone(before), "{name} on {threads}: a thread is left");
                    assert_eq!(files(folder.path()), 0, "{name} on {threads}: a file is left");
                }
                assert!(cancelled > 3, "{name} on {threads}: {cancelled} of 12 were cancelled");
                let again = run(&Silent).unwrap();
                assert_eq!(again.summary, whole.summary);
                assert_eq!(again.kept(), whole.kept());
                assert_eq!(again.pairs().batches(), whole.pairs().batches());
            }
        }
    }
}

/// Every poll on one thread is looked at: whatever the last one is, the call ends as cancelled.
#[test]
fn at_every_poll() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let records = records(150);
    let resources = Resources { threads: 1, ..Resources::default() };
    for (name, call) in CALLS {
        for kind in 1..4 {
            let settings = settings_of(kind);
            let run = |progress: &dyn Progress| {
                call(Source::records(records.clone()), &settings, &resources, progress)
            };
            let never = Cancels::at_call(u64::MAX);
            run(&never).unwrap();
            let calls = never.calls.into_inner();
            assert!(calls > 500, "{name}: the build of the index polls for each bucket: {calls}");
            for at_call in (0..calls).step_by(7) {
                let (result, _) = cancel(|progress| run(progress), at_call, None);
                let kind = result.map(|_| ()).map_err(|error| error.kind());
                assert_eq!(kind, Err(ErrorKind::Cancelled), "{name} at {at_call} of {calls}");
            }
        }
    }
}

/// `cargo test --release -p lookalike --test cancel_embedded -- --ignored --nocapture`
#[test]
#[ignore = "measures"]
fn latencies() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let records = records(20_000);
    println!("cancelled after (ms): median, 95 %, most (phase)");
    for (name, call) in CALLS {
        for threads in [1, 8] {
            let mut random = Random(threads as u64);
            let settings = Settings::default();
            let resources = Resources { threads, ..Resources::default() };
            let run = |progress: &dyn Progress| {
                call(Source::records(records.clone()), &settings, &resources, progress)
            };
            let started = Instant::now();
            run(&Silent).unwrap();
            let time = started.elapsed();
            let mut found = Vec::new();
            for _ in 0..60 {
                let after = Duration::from_micros(random.below(time.as_micros() as u64));
                let (result, since) = cancel(|progress| run(progress), u64::MAX, Some(after));
                if let (Err(_), Some((phase, latency))) = (result, since) {
                    found.push((latency, phase));
                }
            }
            found.sort_unstable();
            let at = |share: f64| found[((found.len() - 1) as f64 * share) as usize];
            let ms = |(latency, _): (Duration, _)| latency.as_secs_f64() * 1e3;
            let most = at(1.0);
            println!(
                "{name} on {threads} threads, {} cancelled of {:.0} ms: {:.0} {:.0} {:.0} ({})",
                found.len(),
                time.as_secs_f64() * 1e3,
                ms(at(0.5)),
                ms(at(0.95)),
                ms(most),
                most.1
            );
            for &(latency, phase) in found.iter().rev().take(5) {
                println!("    {:.0} ms in {phase}", ms((latency, phase)));
            }
        }
    }
}
