//! Figures of an evaluation: recall by similarity, recall against precision, both over a parameter.

use super::data::MethodResult;
use super::plot::{Plot, Whisker, at};
use crate::human::{counted, ratio};

/// Recall by similarity, with the theoretical curve, of the pairs from `sought` on, which the
/// method looks for. `None` if there are no pairs.
pub(super) fn deciles(result: &MethodResult, sought: f64) -> Option<Plot> {
    let measured: Vec<_> = result
        .deciles
        .iter()
        .filter(|decile| decile.reaches(sought))
        .filter_map(|decile| decile.recall.map(|recall| (decile, recall)))
        .collect();
    let first = measured.first()?.0.from;
    // From the step below the first one with pairs; the last is exactly 1.
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

/// Points closer than this share a label.
const APART: f64 = 0.03;

/// A point shared by several methods.
struct Shared {
    /// Recall and precision of the first.
    place: (f64, f64),
    numbers: Vec<usize>,
}

/// Recall against precision, with a number for each method; methods with close values share a
/// point. `None` if no method has both.
pub(super) fn scatter(results: &[MethodResult]) -> Option<Plot> {
    let mut plot = Plot::new(520.0, "recall (across) and precision (up)".into());
    for quarter in 0..=4u32 {
        let value = f64::from(quarter) / 4.0;
        plot.tick(value, format!("{value}"));
    }
    let mut points: Vec<Shared> = Vec::new();
    for (number, result) in (1..).zip(results) {
        let Some(place) = result.recall.zip(result.precision) else { continue };
        let far = |other: (f64, f64)| (place.0 - other.0).hypot(place.1 - other.1) > APART;
        match points.iter_mut().find(|point| !far(point.place)) {
            Some(point) => point.numbers.push(number),
            None => points.push(Shared { place, numbers: vec![number] }),
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

/// Height of a line of text.
const LINE: f64 = 15.0;

/// Width of the names after the last points.
const NAMES: f64 = 60.0;

/// A plotted value of a method.
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
    plot.right -= NAMES;
    plot.middle -= NAMES / 2.0;
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
    let mut named: Option<f64> = None;
    for (kind, name, value) in measures {
        let points: Vec<(f64, f64, usize)> = order
            .iter()
            .filter_map(|&index| value(results[index]).map(|y| (part(numbers[index]), y, index)))
            .collect();
        plot.line(kind, points.iter().map(|&(x, y, _)| (x, y)));
        for &(x, y, index) in &points {
            let title = format!("{}={}: {name} {}", first.parameter, places[index].value, ratio(y));
            plot.dot(kind, (x, y), crate::clean::line(&title, 200), String::new());
        }
        if let (Some(last), Some(&(_, y, _))) = (plot.dots.last_mut(), points.last()) {
            // Names are one line apart if both lines end at the same height.
            let middle = plot.base - (plot.base - plot.top) * y + 4.0;
            let middle = match named {
                Some(other) if (middle - other).abs() < LINE => other + LINE,
                _ => middle,
            };
            named = Some(middle);
            (last.label, last.label_y) = (name.to_owned(), at(middle));
            (last.label_x, last.anchor) = (at(plot.right + 10.0), "start");
        }
    }
    plot.description = format!("Recall and precision over {}.", first.parameter);
    Some(plot)
}

#[cfg(test)]
mod tests {
    use super::super::plot::Dot;
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
        let plot = deciles(&result, 0.0).expect("there are pairs");
        let place = |dot: &Dot| (dot.x.clone(), dot.y.clone());
        // From 0.7 to 1 over 314 pixels: 0.85 is half way; the recall of a quarter is a quarter up.
        assert_eq!(place(&plot.dots[0]), ("203.0".to_owned(), "157.0".to_owned()));
        assert_eq!(place(&plot.dots[2]), ("360.0".to_owned(), "16.0".to_owned()));
        assert!(plot.dots[0].title.starts_with("similarity 0.8 to below 0.9: 1 of 4 pairs"));
        assert_eq!(plot.lines.len(), 1, "one point of the curve within the frame is no line");
        assert!(deciles(&MethodResult::default(), 0.0).is_none());
    }

    #[test]
    fn steps_below_the_pairs_looked_for_are_not_drawn() {
        let step = |from| Decile { from, pairs: 4, recall: Some(0.5), ..Decile::default() };
        let result = MethodResult {
            deciles: (5..=10u32).map(|tenth| step(f64::from(tenth) / 10.0)).collect(),
            ..MethodResult::default()
        };
        for (sought, drawn) in [(0.0, 6), (0.7, 4), (0.85, 3), (0.8, 3), (1.0, 1)] {
            assert_eq!(deciles(&result, sought).expect("1 is drawn").dots.len(), drawn, "{sought}");
        }
    }

    #[test]
    fn methods_with_close_values_share_a_point() {
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
    fn a_series_is_in_the_order_of_its_numbers() {
        let result = |value: &str, recall| MethodResult {
            series: Some(SeriesPlace { value: value.into(), ..SeriesPlace::default() }),
            recall: Some(recall),
            ..MethodResult::default()
        };
        let (a, b, c) = (result("10", 1.0), result("0", 0.0), result("5", 0.5));
        let plot = series(&[&a, &b, &c]).expect("three values");
        assert_eq!(plot.lines[0].points, "46.0,204.0 243.0,110.0 440.0,16.0");
        assert!(series(&[&a]).is_none());
    }
}
