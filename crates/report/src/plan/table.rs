//! The tables of a plan on the terminal.

use super::{Plan, PlanSpark, PlanStep};
use crate::human::{bytes, count, duration, share};

/// Numbers of cores for which times are told.
const CORES: [f64; 3] = [8.0, 32.0, 96.0];

/// Characters of the longest bar.
const BAR: f64 = 30.0;

impl Plan {
    /// Predictions, as names and values.
    #[must_use]
    pub fn table(&self) -> Vec<(String, String)> {
        let about = if self.sample.whole { "" } else { "about " };
        let known = self.sample.whole || self.removed.copies.is_some();
        let of_all = |part: u64| share(part.min(self.documents), self.documents);
        let removed = self.removed;
        let range = match self.sample.whole {
            true => String::new(),
            false => format!(
                "; between {} and {} ({} to {})",
                count(removed.low),
                count(removed.high),
                of_all(removed.low),
                of_all(removed.high)
            ),
        };
        let sample = match self.sample.whole {
            true => format!("all of it, {}", bytes(self.sample.input_bytes)),
            false => format!(
                "{} of {}, {} documents",
                bytes(self.sample.input_bytes),
                bytes(self.input_bytes),
                count(self.sample.documents)
            ),
        };
        let rows = [
            ("sample", sample),
            ("documents", format!("{}{}", if known { "" } else { about }, count(self.documents))),
            ("text", format!("{about}{}, {} tokens", bytes(self.text_bytes), count(self.tokens))),
            (
                "removed",
                format!("{about}{} ({}){range}", count(removed.expected), of_all(removed.expected)),
            ),
            (
                "  in the sample",
                format!(
                    "{} ({})",
                    count(removed.in_sample),
                    share(removed.in_sample, self.sample.documents)
                ),
            ),
        ];
        let copies = removed
            .copies
            .map(|copies| ("  copies", format!("{} ({})", count(copies), of_all(copies))));
        let rows = rows.into_iter().chain(copies);
        rows.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What the recommended method takes on one machine, and the run on Spark: names and values.
    #[must_use]
    pub fn machines(&self) -> Vec<(String, String)> {
        let run = self.run.iter();
        let cost = run.flat_map(|run| {
            let cost = run.costs.iter().find(|cost| Some(&cost.method) == run.recommended.as_ref());
            cost.map(|cost| (cost, run.threads as f64))
        });
        let one = cost.map(|(cost, threads)| {
            let all = cost.seconds * threads;
            let on = |cores: f64| format!("{} on {cores}", duration(all / cores));
            format!(
                "{} of one core: {}; {} of memory, {} of disk",
                duration(all),
                CORES.map(on).join(", "),
                bytes(cost.peak_memory_bytes),
                bytes(cost.scratch_bytes)
            )
        });
        let PlanSpark { core_seconds, shuffled_bytes, stage_bytes } = self.spark;
        let spark = format!(
            "{} of one core; {} shuffled, {} of stages",
            duration(core_seconds as f64),
            bytes(shuffled_bytes),
            bytes(stage_bytes)
        );
        let one = one.map(|one| ("on one machine".to_owned(), one));
        one.chain((core_seconds > 0).then(|| ("on Spark".to_owned(), spark))).collect()
    }

    /// The pairs by similarity: lower bound, in the sample, expected in the collection, a bar.
    #[must_use]
    pub fn similarity_rows(&self) -> Vec<[String; 4]> {
        let most = self.similarity.iter().map(|step| step.expected).fold(0.0, f64::max);
        let row = |step: &PlanStep| {
            let bar = if most > 0.0 { (step.expected / most * BAR).ceil() as usize } else { 0 };
            let from = if step.from >= 1.0 { "1".to_owned() } else { format!("{:.1}", step.from) };
            [from, count(step.in_sample), count(step.expected.round() as u64), "█".repeat(bar)]
        };
        self.similarity.iter().map(row).collect()
    }

    /// Recall and cost of each method, below a header.
    #[must_use]
    pub fn method_rows(&self) -> Vec<Vec<String>> {
        let header = ["method", "recall", "in sample", "precision", "time", "memory", "scratch"];
        let ratio = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
        };
        let costs = self.run.as_ref().map(|run| run.costs.as_slice()).unwrap_or_default();
        let rows = self.methods.iter().map(|method| {
            let cost = costs.iter().find(|cost| cost.method == method.method);
            let of = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            vec![
                method.method.clone(),
                ratio(method.recall),
                ratio(method.recall_in_sample),
                ratio(method.precision_in_sample),
                of(cost.map(|cost| duration(cost.seconds))),
                of(cost.map(|cost| bytes(cost.peak_memory_bytes))),
                of(cost.map(|cost| bytes(cost.scratch_bytes))),
            ]
        });
        std::iter::once(header.map(str::to_owned).to_vec()).chain(rows).collect()
    }
}
