//! Results of methods in, the coordinates of plots out: everything between 0 and 1.

use super::MethodResult;
use crate::human::{counted, ratio};

const HEIGHT: f64 = 250.0;
const RIGHT: f64 = 20.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 46.0;

/// Lines and points, ready to be drawn.
#[derive(Debug, Default)]
pub(super) struct Plot {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) base: f64,
    pub(super) middle: f64,
    pub(super) x_ticks: Vec<Tick>,
    pub(super) y_ticks: Vec<Tick>,
    pub(super) x_label: String,
    pub(super) lines: Vec<Line>,
    pub(super) dots: Vec<Dot>,
    pub(super) whiskers: Vec<Whisker>,
    /// What a reader who cannot see it is told.
    pub(super) description: String,
}

#[derive(Debug)]
pub(super) struct Tick {
    pub(super) at: String,
    pub(super) label: String,
}

/// A line through points.
#[derive(Debug)]
pub(super) struct Line {
    /// `measured`, `other` or `theory`.
    pub(super) kind: &'static str,
    pub(super) points: String,
}

/// A point that something is written at.
#[derive(Debug)]
pub(super) struct Dot {
    pub(super) kind: &'static str,
    pub(super) x: String,
    pub(super) y: String,
    /// Shown when pointed at.
    pub(super) title: String,
    /// Written beside it.
    pub(super) label: String,
    pub(super) label_x: String,
    pub(super) label_y: String,
    pub(super) anchor: &'static str,
}

/// An interval.
#[derive(Debug)]
pub(super) struct Whisker {
    pub(super) x: String,
    pub(super) low: String,
    pub(super) high: String,
}

impl Plot {
    fn new(width: f64, x_label: String) -> Self {
        let mut plot = Self {
            width,
            height: HEIGHT,
            left: LEFT,
            right: width - RIGHT,
            top: TOP,
            base: HEIGHT - BOTTOM,
            middle: (LEFT + width - RIGHT) / 2.0,
            x_label,
            ..Self::default()
        };
        for quarter in 0..=4u32 {
            let value = f64::from(quarter) / 4.0;
            plot.y_ticks.push(Tick { at: at(plot.y(value)), label: format!("{value}") });
        }
        plot
    }

    /// `part` of the way from left to right.
    fn x(&self, part: f64) -> f64 {
        self.left + (self.right - self.left) * part
    }

    /// `part` of the way from the base to the top.
    fn y(&self, part: f64) -> f64 {
        self.base - (self.base - self.top) * part
    }

    fn tick(&mut self, part: f64, label: String) {
        self.x_ticks.push(Tick { at: at(self.x(part)), label });
    }

    fn line(&mut self, kind: &'static str, points: impl Iterator<Item = (f64, f64)>) {
        let points: Vec<String> =
            points.map(|(x, y)| format!("{:.1},{:.1}", self.x(x), self.y(y))).collect();
        if points.len() > 1 {
            self.lines.push(Line { kind, points: points.join(" ") });
        }
    }

    fn dot(&mut self, kind: &'static str, (x, y): (f64, f64), title: String, label: String) {
        // Near the right edge there is no room on the right of a point.
        let (anchor, aside) = if x > 0.8 { ("end", -8.0) } else { ("start", 8.0) };
        let (x, y) = (self.x(x), self.y(y));
        let below = if y < self.top + 12.0 { 14.0 } else { -6.0 };
        self.dots.push(Dot {
            kind,
            x: at(x),
            y: at(y),
            title,
            label,
            label_x: at(x + aside),
            label_y: at(y + below),
            anchor,
        });
    }
}

/// A coordinate with a tenth of a pixel.
fn at(value: f64) -> String {
    format!("{value:.1}")
}

/// Recall by similarity, with the curve that theory gives. `None` without any pair.
pub(super) fn deciles(result: &MethodResult) -> Option<Plot> {
    let measured: Vec<_> = result
        .deciles
        .iter()
        .filter_map(|decile| decile.recall.map(|recall| (decile, recall)))
        .collect();
    let first = measured.first()?.0.from;
    // From the step below the first one that holds pairs; the last is exactly 1.
    let low = (first - 0.1).clamp(0.0, 0.8);
    let part = |value: f64| (value - low) / (1.0 - low);
    let middle = |from: f64| if from >= 1.0 { 1.0 } else { part((from + 0.05).min(1.0)) };
    let mut plot = Plot::new(380.0, "similarity".into());
    let tenths = (low * 10.0).round() as u32;
    for tenth in tenths..=10 {
        if tenths > 4 || tenth % 2 == 0 {
            let value = f64::from(tenth) / 10.0;
            plot.tick(part(value), format!("{value}"));
        }
    }
    let steps = result.theory.len().saturating_sub(1).max(1) as f64;
    let theory = result.theory.iter().enumerate().map(|(step, &y)| (step as f64 / steps, y));
    let theory: Vec<_> = theory.filter(|&(x, _)| x >= low).map(|(x, y)| (part(x), y)).collect();
    plot.line("theory", theory.into_iter());
    plot.line("measured", measured.iter().map(|(decile, recall)| (middle(decile.from), *recall)));
    for (decile, recall) in &measured {
        let x = middle(decile.from);
        if let (Some(low), Some(high)) = (decile.low, decile.high) {
            let (low, high) = (at(plot.y(low)), at(plot.y(high)));
            plot.whiskers.push(Whisker { x: at(plot.x(x)), low, high });
        }
        let step = match decile.from >= 1.0 {
            true => "exactly 1".to_owned(),
            false => format!("{:.1} to below {:.1}", decile.from, decile.from + 0.1),
        };
        let title = format!(
            "similarity {step}: {} of {} found ({})",
            decile.found,
            counted(decile.pairs, "pair"),
            ratio(*recall)
        );
        plot.dot("measured", (x, *recall), title, String::new());
    }
    plot.description = format!("Recall by similarity: {} steps with pairs.", measured.len());
    Some(plot)
}

/// A point that stands for several methods.
struct Shared {
    /// Equal for points that cannot be told apart.
    cell: (i64, i64),
    /// Recall and precision of the first.
    place: (f64, f64),
    numbers: Vec<usize>,
}

/// Recall against precision, a number for each method, methods of one place sharing a point. `None`
/// where no method has both.
pub(super) fn scatter(results: &[MethodResult]) -> Option<Plot> {
    let mut plot = Plot::new(520.0, "recall (across) and precision (up)".into());
    for quarter in 0..=4u32 {
        let value = f64::from(quarter) / 4.0;
        plot.tick(value, format!("{value}"));
    }
    let mut points: Vec<Shared> = Vec::new();
    for (number, result) in (1..).zip(results) {
        let Some(place) = result.recall.zip(result.precision) else { continue };
        // Points closer than two hundredths cannot be told apart.
        let cell = ((place.0 * 50.0).round() as i64, (place.1 * 50.0).round() as i64);
        match points.iter_mut().find(|point| point.cell == cell) {
            Some(point) => point.numbers.push(number),
            None => points.push(Shared { cell, place, numbers: vec![number] }),
        }
    }
    for Shared { place, numbers, .. } in &points {
        let names: Vec<String> = numbers
            .iter()
            .map(|&number| {
                let result = &results[number - 1];
                let of = |value: Option<f64>| ratio(value.unwrap_or(f64::NAN));
                let (recall, precision) = (of(result.recall), of(result.precision));
                format!("{number}: {}, recall {recall}, precision {precision}", result.method)
            })
            .collect();
        let label: Vec<String> = numbers.iter().map(usize::to_string).collect();
        let title = crate::clean::block(&names.join("\n"), 2000);
        plot.dot("measured", *place, title, crate::clean::line(&label.join(", "), 24));
    }
    plot.description =
        format!("Recall and precision of {}.", counted(results.len() as u64, "method"));
    (!points.is_empty()).then_some(plot)
}

/// What is drawn of a method.
type Value = fn(&MethodResult) -> Option<f64>;

/// Recall and precision of one method over one parameter. `None` for fewer than two values.
pub(super) fn series(results: &[&MethodResult]) -> Option<Plot> {
    let places: Vec<_> = results.iter().filter_map(|result| result.series.as_ref()).collect();
    let first = places.first()?;
    if places.len() < 2 {
        return None;
    }
    // Numbers lie to scale, other values at equal distances.
    let numbers: Option<Vec<f64>> = places
        .iter()
        .map(|place| place.value.parse().ok().filter(|v: &f64| v.is_finite()))
        .collect();
    let numbers = numbers.unwrap_or_else(|| (0..places.len()).map(|at| at as f64).collect());
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let part = |value: f64| if high > low { (value - low) / (high - low) } else { 0.5 };
    let mut plot = Plot::new(520.0, crate::clean::line(&first.parameter, 40));
    let every = places.len().div_ceil(12);
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    for &index in order.iter().step_by(every) {
        plot.tick(part(numbers[index]), crate::clean::line(&places[index].value, 12));
    }
    let measures: [(&'static str, &str, Value); 2] = [
        ("measured", "recall", |result| result.recall),
        ("other", "precision", |result| result.precision),
    ];
    for (kind, name, value) in measures {
        let points: Vec<(f64, f64, usize)> = order
            .iter()
            .filter_map(|&index| value(results[index]).map(|y| (part(numbers[index]), y, index)))
            .collect();
        plot.line(kind, points.iter().map(|&(x, y, _)| (x, y)));
        for (place, &(x, y, index)) in points.iter().enumerate() {
            let title = format!("{}={}: {name} {}", first.parameter, places[index].value, ratio(y));
            let label = if place + 1 == points.len() { name.to_owned() } else { String::new() };
            plot.dot(kind, (x, y), crate::clean::line(&title, 200), label);
        }
    }
    plot.description = format!("Recall and precision over {}.", first.parameter);
    Some(plot)
}

#[cfg(test)]
mod tests {
    use super::super::{Decile, SeriesPlace};
    use super::*;

    #[test]
    fn recall_by_similarity_is_drawn_to_scale() {
        let decile = |from, found| Decile {
            from,
            pairs: 4,
            found,
            recall: Some(found as f64 / 4.0),
            ..Decile::default()
        };
        let result = MethodResult {
            deciles: vec![decile(0.8, 1), decile(0.9, 2), decile(1.0, 4)],
            theory: vec![0.0, 0.5, 1.0],
            ..MethodResult::default()
        };
        let plot = deciles(&result).expect("there are pairs");
        let place = |dot: &Dot| (dot.x.clone(), dot.y.clone());
        // From 0.7 to 1 over 314 pixels: 0.85 is half way; the recall of a quarter is a quarter up.
        assert_eq!(place(&plot.dots[0]), ("203.0".to_owned(), "157.0".to_owned()));
        assert_eq!(place(&plot.dots[2]), ("360.0".to_owned(), "16.0".to_owned()));
        assert!(plot.dots[0].title.starts_with("similarity 0.8 to below 0.9: 1 of 4 pairs"));
        assert_eq!(plot.lines.len(), 1, "one point of the curve within the frame is no line");
        assert!(deciles(&MethodResult::default()).is_none());
    }

    #[test]
    fn methods_of_one_place_share_a_point() {
        let result = |recall, precision| MethodResult {
            recall: Some(recall),
            precision,
            ..MethodResult::default()
        };
        let results = [result(1.0, Some(1.0)), result(0.5, None), result(0.999, Some(1.0))];
        let plot = scatter(&results).expect("there are points");
        assert_eq!(plot.dots.len(), 1);
        assert_eq!(plot.dots[0].label, "1, 3");
    }

    #[test]
    fn a_series_lies_in_the_order_of_its_numbers() {
        let result = |value: &str, recall| MethodResult {
            series: Some(SeriesPlace { value: value.into(), ..SeriesPlace::default() }),
            recall: Some(recall),
            ..MethodResult::default()
        };
        let (a, b, c) = (result("10", 1.0), result("0", 0.0), result("5", 0.5));
        let plot = series(&[&a, &b, &c]).expect("three values");
        assert_eq!(plot.lines[0].points, "46.0,204.0 273.0,110.0 500.0,16.0");
        assert!(series(&[&a]).is_none());
    }
}
