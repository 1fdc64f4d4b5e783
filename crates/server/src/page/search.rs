//! Search: which documents resemble, contain or are contained in a text or a document.

use super::failure::Failure;
use super::hits::{self, Hit};
use super::shell::Shell;
use super::texts::{html, status_of};
use super::view::{Client, View};
use super::{form, links};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use lookalike::index::{AnyAnswer, QueryAnswer, Question};
use lookalike_report::clean::{self, MEDIUM};
use lookalike_report::human::{count, counted};
use lookalike_report::{SimilarityHistogram, similarity_chart};
use serde::Deserialize;
use std::num::NonZeroU64;
use std::sync::Arc;

pub(super) const VIEWS: &[View] = &[
    View { method: "GET", path: "/", scope: Some(Scope::Read), handler: || get(show) },
    View {
        method: "GET",
        path: "/search",
        scope: Some(Scope::Read),
        handler: || get(show).post(send),
    },
];

/// Documents that a list has, unless the address asks for more.
const LIMIT: u64 = 20;

/// Documents that a list has at most.
const MOST: u64 = 1000;

/// Matches from which a histogram says more than the list.
const FOR_CHART: usize = 10;

/// What is asked, unless the address says it.
const USUAL_ASK: &str = "resembles";

/// What can be asked, besides the methods of the index.
const ASKS: [(&str, &str); 4] = [
    ("resembles", "resembles it"),
    ("containing", "contains it"),
    ("contained-in", "is contained in it"),
    ("cosine", "is near it by cosine"),
];

/// A question, as the form has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Asked {
    #[serde(deserialize_with = "form::given")]
    text: Option<String>,
    #[serde(deserialize_with = "form::given")]
    url: Option<String>,
    #[serde(deserialize_with = "form::given")]
    id: Option<String>,
    #[serde(deserialize_with = "form::given")]
    ask: Option<String>,
    #[serde(deserialize_with = "form::given")]
    threshold: Option<String>,
    #[serde(deserialize_with = "form::given")]
    limit: Option<String>,
    #[serde(deserialize_with = "form::given")]
    site: Option<String>,
    #[serde(deserialize_with = "form::given")]
    since: Option<String>,
    #[serde(deserialize_with = "form::given")]
    before: Option<String>,
    #[serde(deserialize_with = "form::given")]
    sweep: Option<String>,
    #[serde(deserialize_with = "form::given")]
    kept: Option<String>,
}

impl Asked {
    /// The fields that are not empty.
    fn fields(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("text", &self.text),
            ("url", &self.url),
            ("id", &self.id),
            ("ask", &self.ask),
            ("threshold", &self.threshold),
            ("limit", &self.limit),
            ("site", &self.site),
            ("since", &self.since),
            ("before", &self.before),
            ("sweep", &self.sweep),
            ("kept", &self.kept),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
    }

    fn address(&self) -> String {
        let mut fields = self.fields();
        fields.retain(|field| *field != ("ask", USUAL_ASK));
        links::to("/search", &fields)
    }

    fn asks(&self) -> bool {
        self.text.is_some() || self.url.is_some() || self.id.is_some()
    }

    fn ask(&self) -> &str {
        self.ask.as_deref().unwrap_or(USUAL_ASK)
    }

    fn limit(&self) -> Result<NonZeroU64, Problem> {
        let given = self.limit.as_deref().map_or(Ok(LIMIT), |given| given.trim().parse());
        let given = given.ok().filter(|limit| *limit <= MOST).and_then(NonZeroU64::new);
        given.ok_or_else(|| Problem::bad_request(format!("the limit is a number from 1 to {MOST}")))
    }

    fn question(&self) -> Result<Question, Problem> {
        Ok(Question {
            text: self.text.clone(),
            url: self.url.clone(),
            id: self.id.clone(),
            ask: self.ask.clone(),
            threshold: self.threshold.clone(),
            limit: Some(self.limit()?),
            site: self.site.clone(),
            since: self.since.clone(),
            before: self.before.clone(),
            sweep: self.sweep.clone(),
            kept: self.kept.is_some().then_some(true),
            ..Question::default()
        })
    }

    /// Where a document of the answer is compared with the subject; empty if no address can say it.
    fn compare(&self, id: &str) -> String {
        let subject = match (&self.text, &self.url, &self.id) {
            (_, _, Some(own)) => ("a", own),
            (_, Some(url), _) => ("url", url),
            (Some(text), ..) if links::fits(text) => ("text", text),
            _ => return String::new(),
        };
        links::to("/compare", &[(subject.0, subject.1), ("b", id)])
    }
}

#[derive(Template)]
#[template(path = "search.html")]
struct Page {
    shell: Shell,
    asked: Fields,
    asks: Vec<(String, String, bool)>,
    is_start: bool,
    documents: String,
    problem: String,
    found: Option<Found>,
}

/// The fields of the form, as they were filled in.
struct Fields {
    text: String,
    url: String,
    id: String,
    threshold: String,
    usual: String,
    limit: String,
    site: String,
    since: String,
    before: String,
    sweep: String,
    kept: bool,
    /// Whether any of the fields that are folded away is filled in.
    narrowed: bool,
}

/// An answer.
struct Found {
    headline: String,
    hint: String,
    hits: Vec<Hit>,
    chart: String,
    /// The address with more of the documents; may be empty.
    more: String,
    more_count: String,
    cost: String,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let asked = form::query(request.uri())?;
    let is_start = request.uri().path() == "/";
    view(&service, &client, request.headers(), asked, is_start).await
}

/// What the form sends: an address where it can say all of it.
async fn send(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let (parts, body) = request.into_parts();
    let asked: Asked = form::fields(&parts.headers, body, &service.limits).await?;
    if asked.text.as_ref().is_none_or(|text| links::fits(text)) {
        return Ok(Redirect::to(&asked.address()).into_response());
    }
    view(&service, &client, &parts.headers, asked, false).await
}

async fn view(
    service: &Arc<Service>,
    client: &Client,
    headers: &HeaderMap,
    asked: Asked,
    is_start: bool,
) -> Result<Response, Failure> {
    let (mut problem, mut found, mut status) = (String::new(), None, StatusCode::OK);
    if asked.asks() {
        match answer(service, headers, &asked).await {
            Ok(answered) => found = Some(answered?),
            Err(refused) => {
                status = status_of(&refused);
                problem = refused.detail;
            }
        }
    }
    let settings = service.index.settings();
    let methods = settings.methods.iter().map(|method| (method.spec.clone(), method.spec.clone()));
    let asks = ASKS.map(|(name, words)| (name.to_owned(), words.to_owned())).into_iter();
    let asks = asks.chain(methods).map(|(name, words)| {
        let chosen = name == asked.ask();
        (name, words, chosen)
    });
    let documents = match is_start {
        true => service.ask(headers, |service, _| service.index.snapshot()).await?.len(),
        false => 0,
    };
    let title = if asked.asks() { "Search results" } else { "Search" };
    let page = Page {
        shell: Shell::new(title, "/search", client),
        asks: asks.collect(),
        is_start,
        documents: counted(documents, "document"),
        problem: clean::line(&problem, 1000),
        asked: Fields {
            narrowed: [&asked.site, &asked.since, &asked.before, &asked.sweep, &asked.kept]
                .iter()
                .any(|field| field.is_some()),
            usual: settings.documents.threshold.clone(),
            text: asked.text.unwrap_or_default(),
            url: asked.url.unwrap_or_default(),
            id: asked.id.unwrap_or_default(),
            threshold: asked.threshold.unwrap_or_default(),
            limit: asked.limit.unwrap_or_default(),
            site: asked.site.unwrap_or_default(),
            since: asked.since.unwrap_or_default(),
            before: asked.before.unwrap_or_default(),
            sweep: asked.sweep.unwrap_or_default(),
            kept: asked.kept.is_some(),
        },
        found,
    };
    Ok((status, html(&page)).into_response())
}

/// The answer to a question, or why it has none.
async fn answer(
    service: &Arc<Service>,
    headers: &HeaderMap,
    asked: &Asked,
) -> Result<Result<Found, Failure>, Problem> {
    let question = asked.question()?;
    let answered = service.ask(headers, move |service, stop| {
        let reply = service.index.answer(&question, stop)?;
        let beside = match &reply.answer {
            AnyAnswer::Documents(answer) => hits::beside(service, &answer.matches, stop),
            AnyAnswer::Passages(_) => Vec::new(),
        };
        Ok((reply, beside))
    });
    let (reply, beside) = answered.await?;
    service.metrics.asked(reply.cost());
    match reply.answer {
        AnyAnswer::Documents(answer) => Ok(found(asked, answer, beside)),
        AnyAnswer::Passages(_) => {
            Err(Problem::bad_request("the view Passages shows which passages a text has"))
        }
    }
}

fn found(asked: &Asked, answer: QueryAnswer, beside: Vec<hits::Beside>) -> Result<Found, Failure> {
    let QueryAnswer { matches, total, total_exact, size, cost, hint, .. } = answer;
    let ask = asked.ask();
    let listed = matches.len() as u64;
    let chart = match matches.len() {
        FOR_CHART.. => {
            let values = matches.iter().map(|found| hits::value(found, ask));
            let from = values.clone().fold(1.0, f64::min);
            let mut histogram = SimilarityHistogram::new((from * 20.0).floor() / 20.0);
            values.for_each(|value| histogram.add(value));
            let measure = if ask == "resembles" { "resemblance" } else { ask };
            similarity_chart(&histogram, &clean::line(measure, MEDIUM), "what was asked about")?
        }
        _ => None,
    };
    let mut beside = beside.into_iter();
    let hits =
        matches.iter().map(|found| Hit::new(found, beside.next(), ask, |id| asked.compare(id)));
    let hits: Vec<Hit> = hits.collect();
    let rest = total.saturating_sub(listed);
    let more = (listed * 10).clamp(LIMIT, MOST);
    let can_ask = asked.text.as_ref().is_none_or(|text| links::fits(text));
    let limited = Asked { limit: Some(more.to_string()), ..asked.clone() };
    Ok(Found {
        headline: match (listed, rest) {
            (0, _) => "No document matches".to_owned(),
            (_, 0) => counted(listed, "document"),
            _ => {
                let all = if total_exact { "" } else { "at least " };
                format!("The best {} of {all}{}", count(listed), counted(total, "document"))
            }
        },
        hint: hint.map(|hint| clean::line(&hint, 400)).unwrap_or_default(),
        more: match rest > 0 && can_ask && listed < MOST {
            true => limited.address(),
            false => String::new(),
        },
        more_count: count(more.min(total.max(listed))),
        chart: chart.unwrap_or_default(),
        cost: format!(
            "{} of what was asked about; {} looked up, {} of posting lists read, {} compared as a \
             whole.",
            counted(u64::from(size), "element"),
            count(cost.lookups),
            match cost.entries {
                1 => "1 entry".to_owned(),
                entries => format!("{} entries", count(entries)),
            },
            counted(cost.verified, "set")
        ),
        hits,
    })
}
