//! The table of an evaluation that is printed on the terminal.

use super::data::{Evaluation, MethodResult};
use crate::human::ratio_in_column;

impl Evaluation {
    /// One line on the documents and the ground truth.
    #[must_use]
    pub fn headline(&self) -> String {
        let (truth, settings) = (&self.truth, &self.settings);
        let of = match (&truth.labels, truth.sample) {
            (Some(labels), _) => format!("labelled in {labels}"),
            (None, None) => format!("{} ≥ {}", settings.measure, settings.threshold),
            (None, Some(sample)) => format!(
                "{} ≥ {}, of {} sampled documents",
                settings.measure, settings.threshold, sample.documents
            ),
        };
        format!("{} documents, {} true pairs ({of})", self.documents, truth.pairs)
    }

    /// A header, and a row for each method: its name, then numbers.
    #[must_use]
    pub fn table(&self) -> Vec<Vec<String>> {
        let mut names = vec![
            "method",
            "recall",
            "precision",
            "pairs",
            "clusters",
            "pure",
            "ignored",
            "bytes/doc",
            "sign s",
            "join s",
        ];
        if self.truth.classes.is_some() {
            names.extend(["false", "utility"]);
        }
        let header = names.into_iter().map(str::to_owned).collect();
        std::iter::once(header).chain(self.rows()).collect()
    }

    fn rows(&self) -> impl Iterator<Item = Vec<String>> {
        let times = self.run.as_ref().map(|run| run.methods.as_slice()).unwrap_or_default();
        let decimals = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        // Cut as on the page: one evaluation never shows two numbers for one value.
        let share = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), ratio_in_column);
        self.methods.iter().zip(times).map(move |(result, times)| {
            let MethodResult { clusters, ignored, classes, .. } = result;
            let mut row = vec![
                result.method.clone(),
                share(result.recall),
                share(result.precision),
                result.pairs.to_string(),
                clusters.clusters.to_string(),
                clusters.pure.map_or_else(|| "-".to_owned(), |pure| pure.to_string()),
                ignored.total().to_string(),
                decimals(result.bytes_per_document().map(|(keys, sketch)| keys + sketch), 0),
                format!("{:.2}", times.signing),
                format!("{:.2}", times.joining),
            ];
            if let Some(classes) = classes {
                row.push(classes.false_matches.to_string());
                row.push(decimals(classes.mean_utility, 2));
            }
            row
        })
    }
}
