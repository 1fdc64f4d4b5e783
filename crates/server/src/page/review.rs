//! The review queue: pairs around the threshold for people to judge, and what the judgements say.

use super::failure::Failure;
use super::form;
use super::hits::shown_id;
use super::links;
use super::shell::Shell;
use super::texts::html;
use super::view::{Client, View};
use crate::labels::{Labels, Pair, written};
use crate::problem::Problem;
use crate::questions::{Deadline, blocking_with};
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use lookalike::index::{QuerySubject, ReviewOptions, ReviewPair, ReviewSample};
use lookalike::{ErrorKind, LookalikeError, Progress};
use lookalike_report::around_chart;
use lookalike_report::clean::{self, LONG};
use lookalike_report::human::{count, counted, ratio};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(super) const VIEWS: &[View] = &[
    View { method: "GET", path: "/review", scope: Some(Scope::Read), handler: || get(show) },
    View {
        method: "GET",
        path: "/review/labels",
        scope: Some(Scope::Read),
        handler: || get(download),
    },
    View {
        method: "POST",
        path: "/review/label",
        scope: Some(Scope::Report),
        handler: || post(label),
    },
];

/// Pairs of the queue that are listed.
const LISTED: usize = 12;

/// Judgements that are compared with what differs: texts are read for each.
const COMPARED: usize = 2000;

/// Time for a sample.
const FOR_SAMPLE: Duration = Duration::from_secs(6);

/// Documents of a sample at most.
const MOST: usize = 2000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(deserialize_with = "form::given")]
    seed: Option<String>,
    #[serde(deserialize_with = "form::given")]
    documents: Option<String>,
    /// The pair that is shown; the first one without a judgement if none is named.
    a: Option<String>,
    b: Option<String>,
}

impl Asked {
    fn options(&self) -> Result<ReviewOptions, Problem> {
        let usual = ReviewOptions::default();
        let seed = self.seed.as_deref().map_or(Ok(usual.seed), str::parse);
        let documents = self.documents.as_deref().map_or(Ok(usual.documents), str::parse);
        match (seed, documents) {
            (Ok(seed), Ok(documents @ 1..=MOST)) => Ok(ReviewOptions { documents, seed }),
            _ => Err(Problem::bad_request(format!(
                "`seed` is a whole number, and `documents` one from 1 to {MOST}"
            ))),
        }
    }
}

#[derive(Template)]
#[template(path = "review.html")]
struct Page {
    shell: Shell,
    seed: String,
    next_seed: String,
    documents: String,
    sample: String,
    chart: String,
    can_label: bool,
    counts: String,
    has_labels: bool,
    /// Names and sentences of what the judgements say.
    found: Vec<(String, String)>,
    pair: Option<Shown>,
    queue: Vec<Queued>,
    more: String,
}

/// The pair that is judged.
struct Shown {
    a: String,
    b: String,
    names: [(String, String); 2],
    value: String,
    label: &'static str,
    kinds: Vec<String>,
    sides: String,
}

/// A pair of the queue.
struct Queued {
    value: String,
    names: [String; 2],
    link: String,
}

fn name_of(label: Option<bool>) -> &'static str {
    match label {
        Some(true) => "same",
        Some(false) => "different",
        None => "",
    }
}

/// The judgements; none where there is no file of them.
async fn judgements(service: &Arc<Service>) -> Result<BTreeMap<Pair, bool>, Problem> {
    let Some(labels) = service.labels.clone() else { return Ok(BTreeMap::new()) };
    blocking_with(move || labels.all().map_err(Problem::from)).await
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let asked: Asked = form::query(request.uri())?;
    let options = asked.options()?;
    let judged = judgements(&service).await?;
    let named = asked.a.zip(asked.b);
    let known = judged.clone();
    let has_texts = service.index.settings().texts;
    let found = service.ask(request.headers(), move |service, stop| {
        let sample = sampled(service, options, stop)?;
        let rows = judged.iter().take(COMPARED).map(|((a, b), same)| (a.clone(), b.clone(), *same));
        let said = service.index.judged_differences(&rows.collect::<Vec<_>>(), stop)?;
        let shown = named.or_else(|| {
            let open = sample.pairs.iter().find(|pair| label_of(&judged, pair).is_none());
            open.map(|pair| (pair.a.clone(), pair.b.clone()))
        });
        let compared = match shown.filter(|_| has_texts) {
            None => None,
            Some((a, b)) => {
                let [of_a, of_b] = [&a, &b].map(|id| QuerySubject::Id(id.clone()));
                let evidence = service.index.compare_subjects(&of_a, &of_b)?;
                let aligned = evidence.aligned(stop)?;
                Some(((a, b), evidence.comparison(), evidence.profile(), aligned))
            }
        };
        Ok((sample, said, compared))
    });
    let (sample, said, compared) = found.await?;
    let pair = match compared {
        None => None,
        Some(((a, b), comparison, profile, aligned)) => Some(Shown {
            names: [&a, &b].map(|id| (shown_id(id), links::document(id))),
            value: clean::line(&comparison.verdict, LONG),
            label: name_of(known.get(&(a.clone(), b.clone())).copied()),
            kinds: profile.kinds.iter().map(|kind| kind.name().replace('_', " ")).collect(),
            sides: aligned.sides("removed", "kept")?,
            a,
            b,
        }),
    };
    let open = |pair: &&ReviewPair| label_of(&known, pair).is_none();
    let waiting = sample.pairs.iter().filter(open).count();
    let queue = sample.pairs.iter().filter(open).take(LISTED).map(|pair| Queued {
        value: ratio(pair.value),
        names: [&pair.a, &pair.b].map(|id| shown_id(id)),
        link: address(options, Some((&pair.a, &pair.b))),
    });
    let same = known.values().filter(|same| **same).count();
    Ok(html(&Page {
        shell: Shell::new("Review", "/review", &client),
        seed: options.seed.to_string(),
        next_seed: address(ReviewOptions { seed: options.seed.wrapping_add(1), ..options }, None),
        documents: options.documents.to_string(),
        sample: told(&sample),
        chart: chart(&sample, service.index.settings().documents.measure.name())?,
        can_label: service.labels.is_some(),
        counts: format!(
            "{} same, {} different",
            count(same as u64),
            count((known.len() - same) as u64)
        ),
        has_labels: !known.is_empty(),
        found: said.map(|said| said.found()).unwrap_or_default(),
        queue: queue.collect(),
        more: match waiting.saturating_sub(LISTED) {
            0 => String::new(),
            more => format!("and {} more", counted(more as u64, "pair")),
        },
        pair,
    }))
}

/// The judgement of a pair, whichever of the two was named first.
fn label_of(judged: &BTreeMap<Pair, bool>, pair: &ReviewPair) -> Option<bool> {
    let (a, b) = (pair.a.clone(), pair.b.clone());
    judged.get(&(a.clone(), b.clone())).or_else(|| judged.get(&(b, a))).copied()
}

/// The address of a sample, and of a pair.
fn address(options: ReviewOptions, pair: Option<(&str, &str)>) -> String {
    let (seed, documents) = (options.seed.to_string(), options.documents.to_string());
    let mut asked = vec![("seed", &*seed), ("documents", &*documents)];
    asked.extend(pair.into_iter().flat_map(|(a, b)| [("a", a), ("b", b)]));
    links::to("/review", &asked)
}

/// A sample, or a smaller one where the near-duplicates of its documents take too long;
/// empty if that does, too.
///
/// # Errors
/// Files that cannot be read; the deadline of the whole question.
pub(super) fn sampled(
    service: &Service,
    options: ReviewOptions,
    stop: &Deadline,
) -> Result<ReviewSample, LookalikeError> {
    for documents in [options.documents, options.documents.min(5)] {
        let options = ReviewOptions { documents, ..options };
        match service.index.review_sample(&options, &stop.of_part(FOR_SAMPLE)) {
            Err(error) if error.kind() == ErrorKind::Cancelled && !stop.cancelled() => {}
            sample => return sample,
        }
    }
    Ok(ReviewSample::default())
}

/// A sample in words.
pub(super) fn told(sample: &ReviewSample) -> String {
    if sample.threshold == 0.0 {
        return "The pairs of a sample could not be found in time.".to_owned();
    }
    format!(
        "{} from {:.2} on, with a threshold of {}, among the matches of {}.",
        counted(sample.pairs.len() as u64, "pair"),
        sample.from,
        sample.threshold,
        counted(sample.documents, "document")
    )
}

/// A histogram of a sample; empty if it has no pairs.
pub(super) fn chart(sample: &ReviewSample, measure: &str) -> Result<String, Failure> {
    let ends = (sample.from, sample.threshold);
    let drawn = around_chart(ends, &sample.below, &sample.above, measure)?;
    Ok(drawn.unwrap_or_default())
}

async fn download(State(service): State<Arc<Service>>) -> Result<Response, Failure> {
    let text = written(&judgements(&service).await?);
    let headers = [
        (header::CONTENT_TYPE, "text/tab-separated-values; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"labels.tsv\""),
    ];
    Ok((headers, text).into_response())
}

#[derive(Deserialize)]
struct Labelled {
    a: String,
    b: String,
    label: String,
    #[serde(flatten)]
    asked: Sample,
}

/// The sample that the next pair is of.
#[derive(Deserialize)]
struct Sample {
    #[serde(default)]
    seed: String,
    #[serde(default)]
    documents: String,
}

async fn label(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let Labelled { a, b, label, asked } =
        form::fields(&parts.headers, body, &service.limits).await?;
    let same = match &*label {
        "same" => Some(true),
        "different" => Some(false),
        "none" => None,
        _ => return Err(Problem::bad_request("a label is `same`, `different` or `none`").into()),
    };
    let labels: Arc<Labels> = service.labels.clone().ok_or_else(|| {
        let detail = "this service keeps no labels: it is started without a file for them";
        Problem::new(StatusCode::FORBIDDEN, "no_labels", detail)
    })?;
    if a == b {
        return Err(Problem::bad_request("a pair is of two documents").into());
    }
    blocking_with(move || labels.set((a, b), same).map_err(Problem::from)).await?;
    let Sample { seed, documents } = asked;
    let next = Asked { seed: Some(seed), documents: Some(documents), ..Asked::default() };
    Ok(Redirect::to(&address(next.options()?, None)).into_response())
}
