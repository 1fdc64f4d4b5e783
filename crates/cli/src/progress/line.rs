//! The progress line: what fits the terminal, the most important parts first.

use lookalike::results::human::{bytes, count, duration};

/// How far a phase is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reached {
    pub(crate) name: &'static str,
    /// Number and count of steps of the command.
    pub(crate) step: Option<(u32, u32)>,
    /// Whether `done` and `total` are bytes.
    pub(crate) is_bytes: bool,
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) documents: u64,
    pub(crate) seconds: f64,
}

impl Reached {
    /// Units of `done` in a second; 0 at the beginning.
    pub(crate) fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.done as f64 / self.seconds } else { 0.0 }
    }

    /// Documents in a second.
    pub(crate) fn document_rate(&self) -> f64 {
        if self.seconds > 0.0 { self.documents as f64 / self.seconds } else { 0.0 }
    }

    /// Expected seconds until the end of the phase, at the speed so far; `None` if it is not known.
    pub(crate) fn seconds_left(&self) -> Option<f64> {
        let total = self.total?;
        (self.done > 0).then(|| total.saturating_sub(self.done) as f64 / self.rate())
    }

    fn part(&self) -> Option<f64> {
        self.total
            .filter(|&total| total > 0)
            .map(|total| (self.done as f64 / total as f64).min(1.0))
    }
}

/// A line of less than `width` columns, so that no terminal wraps it. All characters are one column
/// wide.
pub(super) fn compose(reached: &Reached, width: usize) -> String {
    let room = width.saturating_sub(1);
    let Reached { name, step, is_bytes, done, total, documents, .. } = *reached;
    let amount = |number: u64| if is_bytes { bytes(number) } else { count(number) };
    let long_step = step.map(|(number, of)| format!("step {number} of {of}"));
    let short_step = step.map(|(number, of)| format!("{number}/{of}"));
    let percent = reached.part().map(|part| format!("{:.0} %", (part * 100.0).floor()));
    let left = reached.seconds_left().map(|seconds| format!("{} left", duration(seconds)));
    let rate = reached.rate();
    let speed = (rate > 0.0).then(|| match is_bytes {
        true => format!("{}/s", bytes(rate as u64)),
        false => format!("{} units/s", count(rate as u64)),
    });
    let records =
        (documents > 0).then(|| format!("{} records/s", count(reached.document_rate() as u64)));
    let bar = reached.part().map(|part| {
        const CELLS: usize = 20;
        let full = (part * CELLS as f64) as usize;
        format!("[{}{}]", "#".repeat(full), "-".repeat(CELLS - full))
    });
    let of = total.filter(|&total| total > 0).map(|total| {
        format!("{} of {}{}", amount(done), amount(total), if is_bytes { "" } else { " units" })
    });
    let seen = (documents > 0).then(|| format!("{} records", count(documents)));
    let elapsed = total.is_none().then(|| duration(reached.seconds));

    // In the order of display, with the order in which they are left out: the highest first.
    let wide = room >= 60;
    let step = if wide { long_step } else { short_step };
    let parts: [(Option<String>, u8); 9] = [
        (step, 1),
        (Some(name.to_owned()), 0),
        (bar, 6),
        (percent, 2),
        (of, 7),
        (seen, 8),
        (speed, 4),
        (records, 5),
        (left.or(elapsed), 3),
    ];
    let mut chosen = [false; 9];
    let mut used = 0;
    for rank in 0..9 {
        for (at, (part, of_part)) in parts.iter().enumerate() {
            let Some(part) = part.as_ref().filter(|_| *of_part == rank) else { continue };
            let more = part.chars().count() + if used > 0 { 2 } else { 0 };
            if used + more <= room {
                used += more;
                chosen[at] = true;
            }
        }
    }
    let shown = parts.iter().zip(chosen).filter(|(_, chosen)| *chosen);
    let line: Vec<&str> = shown.filter_map(|((part, _), _)| part.as_deref()).collect();
    line.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const READING: Reached = Reached {
        name: "reading",
        step: Some((1, 6)),
        is_bytes: true,
        done: 1_500_000_000,
        total: Some(6_000_000_000),
        documents: 300_000,
        seconds: 5.0,
    };

    #[test]
    fn a_wide_line_has_everything_and_a_narrow_one_the_essential() {
        assert_eq!(
            compose(&READING, 200),
            "step 1 of 6  reading  [#####---------------]  25 %  1.50 GB of 6.00 GB  300,000 records  \
             300 MB/s  60,000 records/s  15.0 s left"
        );
        assert_eq!(
            compose(&READING, 80),
            "step 1 of 6  reading  25 %  300 MB/s  60,000 records/s  15.0 s left"
        );
        assert_eq!(compose(&READING, 42), "1/6  reading  25 %  300 MB/s  15.0 s left");
        assert_eq!(compose(&READING, 20), "1/6  reading  25 %");
        assert_eq!(compose(&READING, 4), "1/6");
    }

    #[test]
    fn no_line_is_as_wide_as_the_terminal() {
        let phases = ["reading", "counting common", "picking samples", "comparing"];
        for width in 0..220 {
            for (at, name) in phases.into_iter().enumerate() {
                for (done, total) in [(0, None), (0, Some(0)), (7, Some(u64::MAX)), (9, Some(5))] {
                    let reached = Reached {
                        name,
                        done,
                        total,
                        is_bytes: at % 2 == 0,
                        documents: u64::MAX / 3,
                        seconds: 1e-3,
                        ..READING
                    };
                    let line = compose(&reached, width);
                    assert!(line.chars().count() < width.max(1), "{width}: {line}");
                }
            }
        }
    }

    #[test]
    fn a_phase_without_a_known_end_has_its_time() {
        let reached = Reached { name: "collapsing", total: None, done: 0, documents: 0, ..READING };
        assert_eq!(compose(&reached, 80), "step 1 of 6  collapsing  5.0 s");
    }
}
