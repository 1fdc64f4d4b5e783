//! Parts of a page, for pages that are made elsewhere: the style, pairs side by side, charts.
//!
//! The parts have no scripts and no styles of their own, so that a content security policy may
//! forbid both inline.

use super::chart::{self, Chart};
use super::pair::{AlignedPair, DiffRow, Ink};
use crate::{ReportError, SimilarityHistogram, SizeHistogram};
use askama::Template as _;

/// The style of all pages.
pub const STYLE: &str = concat!(
    include_str!("../../templates/style.css"),
    include_str!("../../templates/browser.css"),
);

#[derive(askama::Template)]
#[template(path = "sides.html")]
struct Sides<'a> {
    pair: &'a AlignedPair,
    left_tag: &'a str,
    right_tag: &'a str,
}

#[derive(askama::Template)]
#[template(path = "chart.html")]
struct ChartPart {
    chart: Chart,
}

impl AlignedPair {
    /// The two texts side by side as HTML, under these names of the sides.
    ///
    /// # Errors
    /// The template failed, which does not depend on the input.
    pub fn sides(&self, left_tag: &str, right_tag: &str) -> Result<String, ReportError> {
        Ok(Sides { pair: self, left_tag, right_tag }.render()?)
    }

    /// How many differences there are, in words.
    #[must_use]
    pub fn differences(&self) -> &str {
        &self.differences
    }

    /// Whether not all of the texts is shown.
    #[must_use]
    pub fn is_abridged(&self) -> bool {
        self.abridged || self.coarse
    }
}

/// A histogram of similarities to something, drawn as SVG; `None` if there are none.
///
/// # Errors
/// As [`AlignedPair::sides`].
pub fn similarity_chart(
    histogram: &SimilarityHistogram,
    measure: &str,
    to: &str,
) -> Result<Option<String>, ReportError> {
    let Some(mut chart) = chart::similarity(histogram, measure, false) else { return Ok(None) };
    chart.x_label = format!("{measure} to {to}");
    Ok(Some(ChartPart { chart }.render()?))
}

/// A histogram of cluster sizes, drawn as SVG; `None` if there are none.
///
/// # Errors
/// As [`AlignedPair::sides`].
pub fn sizes_chart(histogram: &SizeHistogram) -> Result<Option<String>, ReportError> {
    match chart::sizes(histogram, false) {
        Some(chart) => Ok(Some(ChartPart { chart }.render()?)),
        None => Ok(None),
    }
}

/// Numbers of pairs below and from a threshold on, drawn as SVG; `None` if there are none.
///
/// # Errors
/// As [`AlignedPair::sides`].
pub fn around_chart(
    (from, threshold): (f64, f64),
    below: &[u64],
    above: &[u64],
    measure: &str,
) -> Result<Option<String>, ReportError> {
    match chart::around(from, threshold, below, above, measure) {
        Some(chart) => Ok(Some(ChartPart { chart }.render()?)),
        None => Ok(None),
    }
}
