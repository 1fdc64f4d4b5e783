//! The settings of a run as sentences.

use crate::clean::{self, MEDIUM};
use crate::human::counted;
use crate::{Action, SettingsSummary, Summary};
use lookalike_cluster::KeepRule;

/// What was compared, what counts as a near-duplicate, and which document is kept.
pub(super) fn of(summary: &Summary) -> Vec<String> {
    let settings = &summary.settings;
    let value = |text: &str| clean::line(text, MEDIUM);
    let (measure, threshold) = (value(&settings.measure), value(&settings.threshold));
    let mut words = vec![match settings.shingle {
        Some(size) => {
            let unit = if settings.unit == "char" { "character" } else { "word" };
            format!(
                "Each document is compared as the set of its distinct runs of {}.",
                counted(size.into(), unit)
            )
        }
        None => "Each document is compared as the set of its distinct terms.".into(),
    }];
    words.extend(settings.min_features.filter(|&least| least > 1).map(|least| {
        format!("Documents with fewer than {least} features match only those with the same words.")
    }));
    words.push(format!("Two documents match if their {measure} is at least {threshold}."));
    words.extend(settings.other.get("boilerplate").map(|_| {
        "Boilerplate of sites is removed first; documents that reach that only with it match if the rest \
         of them reaches 0.3."
            .to_owned()
    }));
    words.extend(summary.settings.other.get("across").and_then(|by| by.as_str()).map(
        |by| match by {
            "inputs" => "Only documents of different inputs match.".to_owned(),
            field => format!("Only documents with different values of {} match.", value(field)),
        },
    ));
    words.extend(
        settings.other.get("ignore_text").map(|_| {
            "The shingles of given texts are removed from all documents first.".to_owned()
        }),
    );
    words.extend(method(settings));
    words.extend(match settings.linkage.as_str() {
        "components" => Some(
            "Documents connected by a chain of matches are one cluster, so that two of them need not match."
                .to_owned(),
        ),
        "leaders" => Some(
            "A document is a duplicate only if it matches a document that is itself kept; chains do not count."
                .into(),
        ),
        _ => None,
    });
    words.extend(keep(settings));
    words.push(
        match summary.action {
            Action::Remove => "The other documents of a cluster are removed.",
            Action::Mark => "All documents are written, with the duplicates marked.",
            Action::List => "Nothing is removed: the clusters are listed.",
        }
        .into(),
    );
    words
}

fn method(settings: &SettingsSummary) -> Option<String> {
    let text = |name: &str| settings.other.get(name).and_then(|value| value.as_str());
    let method = clean::line(text("method")?, MEDIUM);
    Some(match text("verify") {
        Some("exact") => format!(
            "Candidate pairs are those of {method}, which can miss pairs; each is compared exactly."
        ),
        Some("none") => {
            format!("Pairs with a common key of {method} match; nothing else is compared.")
        }
        _ => {
            format!("Pairs are found and decided by {method}, which estimates and can miss pairs.")
        }
    })
}

fn keep(settings: &SettingsSummary) -> Option<String> {
    if settings.keep.is_empty() {
        return None;
    }
    let rule = |rule: &String| match rule.parse::<KeepRule>() {
        Ok(rule) if rule.field().is_none() => rule.phrase(),
        _ => format!("the first by the rule {}", clean::line(rule, MEDIUM)),
    };
    let rules: Vec<String> = settings.keep.iter().take(8).map(rule).collect();
    Some(format!("Of a cluster, the document kept is {}.", rules.join(", then ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_say_what_was_set() {
        let settings = SettingsSummary {
            measure: "containment".into(),
            threshold: "0.75".into(),
            shingle: Some(4),
            unit: "word".into(),
            keep: vec!["longest".into(), "first".into()],
            linkage: "leaders".into(),
            ..SettingsSummary::default()
        };
        let mut summary = Summary { settings, ..Summary::default() };
        let words = of(&summary).join(" ");
        for said in [
            "runs of 4 words.",
            "containment is at least 0.75.",
            "the longest, then the first by id.",
            "chains do not count",
        ] {
            assert!(words.contains(said), "missing: {said} in {words}");
        }
        summary.settings.other.insert("method".into(), "simhash:d=3".into());
        summary.settings.other.insert("verify".into(), "none".into());
        assert!(of(&summary).join(" ").contains("a common key of simhash:d=3 match"));
    }
}
