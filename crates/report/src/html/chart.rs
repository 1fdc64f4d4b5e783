//! Coordinates of a bar chart for a histogram.

use crate::human::{count, counted, share};
use crate::{SimilarityHistogram, SizeHistogram};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 46.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 46.0;

/// A bar chart, ready to be drawn.
#[derive(Debug, Default)]
pub(super) struct Chart {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) base: f64,
    pub(super) middle: f64,
    pub(super) bars: Vec<Bar>,
    pub(super) x_ticks: Vec<Tick>,
    pub(super) y_ticks: Vec<Tick>,
    pub(super) x_label: String,
    /// Whether bars are links.
    pub(super) linked: bool,
    /// Position of a vertical rule; may be empty.
    pub(super) rule: String,
    /// Text alternative.
    pub(super) description: String,
}

#[derive(Debug)]
pub(super) struct Bar {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) width: String,
    pub(super) height: String,
    /// Tooltip.
    pub(super) title: String,
    /// Label above the bar, if there is space.
    pub(super) label: String,
    pub(super) middle: String,
    pub(super) above: String,
    /// Where what it counts is listed; may be empty.
    pub(super) link: String,
    /// Class of the bar.
    pub(super) kind: &'static str,
}

#[derive(Debug)]
pub(super) struct Tick {
    pub(super) at: String,
    pub(super) label: String,
}

/// Similarities of the removed documents, on a linear scale. `None` if there are none.
pub(super) fn similarity(
    histogram: &SimilarityHistogram,
    measure: &str,
    linked: bool,
) -> Option<Chart> {
    let most = histogram.bins.iter().copied().max().filter(|&most| most > 0)?;
    let step = tick_step(most);
    let top = most.div_ceil(step) * step;
    let scale = |value: u64| value as f64 / top as f64;
    let mut chart = frame();
    let number = histogram.bins.len();
    for (bin, &value) in histogram.bins.iter().enumerate() {
        let (from, to) = histogram.edges(bin);
        let title = format!("{from:.3} to {to:.3}: {}", counted(value, "document"));
        chart.bar(bin, number, scale(value), title, String::new());
        if linked && value > 0 {
            chart.link(format!("#clusters:bin={bin}"));
        }
    }
    for tick in 0..=5 {
        let bin = tick * number / 5;
        let value = histogram.edges(bin).0;
        chart.x_ticks.push(Tick {
            at: at(chart.x(bin as f64 / number as f64)),
            label: format!("{value:.2}"),
        });
    }
    for value in (0..=top / step).map(|n| n * step) {
        chart.y_ticks.push(Tick { at: at(chart.y(scale(value))), label: short(value) });
    }
    chart.x_label = format!("{measure} to the kept document");
    chart.description = format!(
        "Histogram of {measure}: {} from {:.2} to below 1, at most {} in a bin.",
        counted(histogram.bins.iter().sum(), "document"),
        histogram.from,
        count(most)
    );
    Some(chart)
}

/// Numbers of pairs in bins of equal width, `below` those before `threshold` and `above` those from
/// it on. `None` if there are none.
pub(super) fn around(
    from: f64,
    threshold: f64,
    below: &[u64],
    above: &[u64],
    measure: &str,
) -> Option<Chart> {
    let values: Vec<u64> = below.iter().chain(above).copied().collect();
    let most = values.iter().copied().max().filter(|&most| most > 0 && !below.is_empty())?;
    let step = tick_step(most);
    let top = most.div_ceil(step) * step;
    let scale = |value: u64| value as f64 / top as f64;
    let width = (threshold - from) / below.len() as f64;
    let edge = |bin: usize| from + width * bin as f64;
    let mut chart = frame();
    for (bin, &value) in values.iter().enumerate() {
        let title = format!("{:.3} to {:.3}: {}", edge(bin), edge(bin + 1), counted(value, "pair"));
        chart.bar(bin, values.len(), scale(value), title, String::new());
        if let Some(bar) = chart.bars.last_mut().filter(|_| bin < below.len()) {
            bar.kind = "bar miss";
        }
    }
    let ends = [0, below.len(), values.len()];
    for bin in ends {
        let at_bin = at(chart.x(bin as f64 / values.len() as f64));
        chart.x_ticks.push(Tick { at: at_bin, label: format!("{:.3}", edge(bin)) });
    }
    for value in (0..=top / step).map(|n| n * step) {
        chart.y_ticks.push(Tick { at: at(chart.y(scale(value))), label: short(value) });
    }
    chart.rule = at(chart.x(below.len() as f64 / values.len() as f64));
    chart.x_label = format!("{measure} of the pair");
    chart.description = format!(
        "Histogram of {measure} around the threshold {threshold}: {} below, {} from it on.",
        counted(below.iter().sum(), "pair"),
        count(above.iter().sum())
    );
    Some(chart)
}

/// Sizes of clusters, with both axes logarithmic. `None` if there are none.
pub(super) fn sizes(histogram: &SizeHistogram, linked: bool) -> Option<Chart> {
    let most = histogram.bins.iter().map(|bin| bin.clusters).max().filter(|&most| most > 0)?;
    // The axis begins slightly below one, so that a single cluster is visible.
    const BELOW_ONE: f64 = 0.35;
    let decades = (most as f64).log10().ceil().max(1.0);
    let scale = |value: u64| match value {
        0 => 0.0,
        value => ((value as f64).log10() + BELOW_ONE) / (decades + BELOW_ONE),
    };
    let mut chart = frame();
    let number = histogram.bins.len().max(6);
    let every = histogram.bins.len().div_ceil(9).max(1);
    let documents = histogram.bins.iter().map(|bin| bin.documents).sum();
    for (index, bin) in histogram.bins.iter().enumerate() {
        let title = format!(
            "{} to {} documents: {}, {} of all documents in clusters",
            count(bin.from),
            count(bin.to),
            counted(bin.clusters, "cluster"),
            share(bin.documents, documents)
        );
        let label = if bin.clusters == 0 { String::new() } else { short(bin.clusters) };
        chart.bar(index, number, scale(bin.clusters), title, label);
        if linked && bin.clusters > 0 {
            chart.link(format!("#clusters:size={}-{}", bin.from, bin.to));
        }
        if index % every == 0 {
            let middle = chart.x((index as f64 + 0.5) / number as f64);
            let label = match bin.from {
                from if from < 100 => format!("{from}–{}", bin.to),
                from => format!("{}+", short(from)),
            };
            chart.x_ticks.push(Tick { at: at(middle), label });
        }
    }
    for power in 0..=decades as u32 {
        let value = 10u64.saturating_pow(power);
        chart.y_ticks.push(Tick { at: at(chart.y(scale(value))), label: short(value) });
    }
    chart.x_label = "documents in a cluster".into();
    chart.description = format!(
        "Histogram of cluster sizes: {}, on logarithmic scales.",
        counted(histogram.bins.iter().map(|bin| bin.clusters).sum(), "cluster")
    );
    Some(chart)
}

fn frame() -> Chart {
    Chart {
        width: WIDTH,
        height: HEIGHT,
        left: LEFT,
        right: WIDTH - RIGHT,
        base: HEIGHT - BOTTOM,
        middle: (LEFT + WIDTH - RIGHT) / 2.0,
        ..Chart::default()
    }
}

impl Chart {
    /// `part` of the way from left to right.
    fn x(&self, part: f64) -> f64 {
        self.left + (self.right - self.left) * part
    }

    /// `part` of the way from the base to the top.
    fn y(&self, part: f64) -> f64 {
        self.base - (self.base - TOP) * part
    }

    fn bar(&mut self, index: usize, of: usize, part: f64, title: String, label: String) {
        let (from, to) = (self.x(index as f64 / of as f64), self.x((index + 1) as f64 / of as f64));
        let gap = ((to - from) * 0.14).min(6.0);
        // A count above 0 is always visible.
        let height = if part > 0.0 { (self.base - self.y(part)).max(1.5) } else { 0.0 };
        self.bars.push(Bar {
            x: at(from + gap / 2.0),
            y: at(self.base - height),
            width: at(to - from - gap),
            height: at(height),
            title,
            label,
            middle: at((from + to) / 2.0),
            above: at(self.base - height - 5.0),
            link: String::new(),
            kind: "bar",
        });
    }

    /// Links the last bar.
    fn link(&mut self, link: String) {
        self.linked = true;
        if let Some(bar) = self.bars.last_mut() {
            bar.link = link;
        }
    }
}

/// Formats a coordinate with one decimal.
fn at(value: f64) -> String {
    format!("{value:.1}")
}

/// The distance of ticks, 1, 2 or 5 times a power of ten, for at most five ticks.
fn tick_step(most: u64) -> u64 {
    let mut power = 1u64;
    loop {
        for factor in [1, 2, 5] {
            let step = power.saturating_mul(factor);
            if most.div_ceil(step) <= 4 || step == u64::MAX {
                return step;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// Short form of a number: `950`, `9.5k`, `120k`, `3M`.
pub(super) fn short(number: u64) -> String {
    let (unit, name) = match number {
        0..1000 => return number.to_string(),
        1000..1_000_000 => (1000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let (whole, tenth) = (number / unit, number % unit * 10 / unit);
    if whole < 10 && tenth > 0 {
        format!("{whole}.{tenth}{name}")
    } else {
        format!("{}{name}", count(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_short_numbers() {
        assert_eq!([1, 4, 5, 9, 100, 101].map(tick_step), [1, 1, 2, 5, 50, 50]);
        assert_eq!(
            [0, 999, 1000, 9500, 120_000, 3_000_000].map(short),
            ["0", "999", "1k", "9.5k", "120k", "3M"]
        );
        assert!(tick_step(u64::MAX) > 1);
    }

    #[test]
    fn the_highest_bar_of_a_full_scale_reaches_the_top_and_an_empty_bin_has_none() {
        let mut histogram = SimilarityHistogram::new(0.5);
        (0..100).for_each(|_| histogram.add(0.5));
        histogram.add(0.99);
        let chart = similarity(&histogram, "resemblance", false).expect("there are bars");
        assert_eq!(chart.bars.len(), 50);
        assert_eq!(chart.bars[0].y, at(TOP));
        assert_eq!(chart.bars[1].height, "0.0");
        assert_eq!(chart.bars[49].height, "1.9");
        assert_eq!(chart.bars[0].title, "0.500 to 0.510: 100 documents");
        let labels: Vec<&str> = chart.y_ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0", "50", "100"]);
        let labels: Vec<&str> = chart.x_ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0.50", "0.60", "0.70", "0.80", "0.90", "1.00"]);
    }

    #[test]
    fn both_sides_of_the_threshold_are_drawn_to_one_scale() {
        let chart = around(0.75, 0.8, &[4, 0], &[2, 1], "cosine").expect("there are pairs");
        let kinds: Vec<&str> = chart.bars.iter().map(|bar| bar.kind).collect();
        assert_eq!(kinds, ["bar miss", "bar miss", "bar", "bar"]);
        assert_eq!(chart.rule, chart.x_ticks[1].at);
        let labels: Vec<&str> = chart.x_ticks.iter().map(|tick| tick.label.as_str()).collect();
        assert_eq!(labels, ["0.750", "0.800", "0.850"]);
        assert_eq!(chart.bars[2].title, "0.800 to 0.825: 2 pairs");
        assert!(around(0.7, 0.8, &[], &[3], "x").is_none());
        assert!(around(0.7, 0.8, &[0], &[0], "x").is_none());
    }

    #[test]
    fn cluster_sizes_are_drawn_by_magnitude() {
        let mut histogram = SizeHistogram::default();
        (0..1000).for_each(|_| histogram.add(2));
        histogram.add(200);
        let chart = sizes(&histogram, false).expect("there are bars");
        assert_eq!(chart.bars[0].y, at(TOP));
        assert_eq!(chart.bars.last().map(|bar| bar.label.as_str()), Some("1"));
        assert_eq!(chart.bars[3].height, "0.0");
        assert_eq!(chart.x_ticks[0].label, "2–3");
        assert!(sizes(&SizeHistogram::default(), false).is_none());
    }
}
