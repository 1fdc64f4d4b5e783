//! Coordinates of lines and points for values from 0 to 1.

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
    /// Text alternative.
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

/// A labelled point.
#[derive(Debug)]
pub(super) struct Dot {
    pub(super) kind: &'static str,
    pub(super) x: String,
    pub(super) y: String,
    /// Tooltip.
    pub(super) title: String,
    /// Label beside it.
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
    pub(super) fn new(width: f64, x_label: String) -> Self {
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
    pub(super) fn x(&self, part: f64) -> f64 {
        self.left + (self.right - self.left) * part
    }

    /// `part` of the way from the base to the top.
    pub(super) fn y(&self, part: f64) -> f64 {
        self.base - (self.base - self.top) * part
    }

    pub(super) fn tick(&mut self, part: f64, label: String) {
        self.x_ticks.push(Tick { at: at(self.x(part)), label });
    }

    pub(super) fn line(&mut self, kind: &'static str, points: impl Iterator<Item = (f64, f64)>) {
        let points: Vec<String> =
            points.map(|(x, y)| format!("{:.1},{:.1}", self.x(x), self.y(y))).collect();
        if points.len() > 1 {
            self.lines.push(Line { kind, points: points.join(" ") });
        }
    }

    pub(super) fn dot(
        &mut self,
        kind: &'static str,
        (x, y): (f64, f64),
        title: String,
        label: String,
    ) {
        // Near the right edge, labels are placed on the left.
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

/// Formats a coordinate with one decimal.
pub(super) fn at(value: f64) -> String {
    format!("{value:.1}")
}
