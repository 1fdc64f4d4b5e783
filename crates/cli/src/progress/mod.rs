//! Progress of a command: a line on a terminal, JSON lines with `--log json`, or nothing.
//!
//! [`TerminalProgress`] counts, on any thread; `line` composes the line that fits the terminal,
//! and [`crate::log`] writes the JSON.

mod line;

use crate::interrupt;
use crate::log::{self, Log};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
pub(crate) use line::Reached;
use line::compose;
use lookalike::Progress;
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Phases that count bytes of input.
const BYTES: [&str; 4] = ["reading", "writing", "picking samples", "counting terms"];

/// Least time between two lines of JSON about one phase.
const INTERVAL: Duration = Duration::from_secs(1);

/// What is counted in a phase.
#[derive(Debug)]
struct Phase {
    name: &'static str,
    /// Number and count of steps.
    step: Option<(u32, u32)>,
    total: Option<u64>,
    started: Instant,
    /// When it was last told of.
    told: Instant,
}

/// Counts and shows progress; also passes Ctrl-C on to the run.
pub(crate) struct TerminalProgress {
    shown: Shown,
    phase: Mutex<Option<Phase>>,
    step: Mutex<Option<(u32, u32)>>,
    done: AtomicU64,
    documents: Arc<AtomicU64>,
}

enum Shown {
    Nothing,
    Line(Mutex<ProgressBar>),
    Json,
}

/// Calls with progress, whose line is removed before an error is told.
pub(crate) fn with_progress<T>(quiet: bool, call: impl FnOnce(&TerminalProgress) -> T) -> T {
    let progress = TerminalProgress::new(quiet);
    let done = call(&progress);
    progress.finish();
    done
}

impl TerminalProgress {
    /// Progress on standard error, if that is a terminal, or as JSON lines if these are asked for;
    /// none with `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        let shown = match (quiet, log::form()) {
            (true, _) => Shown::Nothing,
            (false, Log::Json) => Shown::Json,
            (false, Log::Text) if std::io::stderr().is_terminal() => {
                Shown::Line(Mutex::new(ProgressBar::hidden()))
            }
            (false, Log::Text) => Shown::Nothing,
        };
        Self {
            shown,
            phase: Mutex::default(),
            step: Mutex::default(),
            done: AtomicU64::new(0),
            documents: Arc::default(),
        }
    }

    /// Ends the last phase, and removes the line.
    pub(crate) fn finish(&self) {
        match &self.shown {
            Shown::Nothing => {}
            Shown::Line(bar) => lock(bar).finish_and_clear(),
            Shown::Json => self.end(&mut lock(&self.phase)),
        }
    }

    fn reached(&self, phase: &Phase) -> Reached {
        Reached {
            name: phase.name,
            step: phase.step,
            is_bytes: BYTES.contains(&phase.name),
            done: self.done.load(Ordering::Relaxed),
            total: phase.total,
            documents: self.documents.load(Ordering::Relaxed),
            seconds: phase.started.elapsed().as_secs_f64(),
        }
    }

    fn end(&self, phase: &mut Option<Phase>) {
        if let Some(phase) = phase.take() {
            log::phase("finished", &self.reached(&phase));
        }
    }

    fn begin_line(&self, bar: &Mutex<ProgressBar>, phase: &Phase) {
        let Phase { name, step, total, started, .. } = *phase;
        let documents = Arc::clone(&self.documents);
        let line = move |state: &ProgressState, to: &mut dyn Write| {
            let reached = Reached {
                name,
                step,
                is_bytes: BYTES.contains(&name),
                done: state.pos(),
                total,
                documents: documents.load(Ordering::Relaxed),
                seconds: started.elapsed().as_secs_f64(),
            };
            let width = console::Term::stderr().size_checked().map_or(80, |(_, width)| width);
            let _ = to.write_str(&compose(&reached, width.into()));
        };
        let mut bar = lock(bar);
        bar.finish_and_clear();
        *bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        if let Ok(style) = ProgressStyle::with_template("{line}") {
            bar.set_style(style.with_key("line", line));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

impl Progress for TerminalProgress {
    fn step(&self, number: u32, of: u32) {
        *lock(&self.step) = Some((number, of));
    }

    fn phase(&self, name: &'static str, total: Option<u64>) {
        let mut current = lock(&self.phase);
        if matches!(self.shown, Shown::Json) {
            self.end(&mut current);
        }
        self.done.store(0, Ordering::Relaxed);
        self.documents.store(0, Ordering::Relaxed);
        let now = Instant::now();
        let phase = Phase { name, step: *lock(&self.step), total, started: now, told: now };
        match &self.shown {
            Shown::Nothing => {}
            Shown::Line(bar) => self.begin_line(bar, &phase),
            Shown::Json => log::phase("started", &self.reached(&phase)),
        }
        *current = Some(phase);
    }

    fn advance(&self, amount: u64, documents: u64) {
        self.done.fetch_add(amount, Ordering::Relaxed);
        self.documents.fetch_add(documents, Ordering::Relaxed);
        match &self.shown {
            Shown::Nothing => {}
            Shown::Line(bar) => lock(bar).inc(amount),
            // Another thread tells of it at this moment if the phase is locked.
            Shown::Json => {
                if let Ok(mut current) = self.phase.try_lock()
                    && let Some(phase) = current.as_mut()
                    && phase.told.elapsed() >= INTERVAL
                {
                    phase.told = Instant::now();
                    log::progress(&self.reached(phase));
                }
            }
        }
    }

    fn cancelled(&self) -> bool {
        interrupt::signal().is_some()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
