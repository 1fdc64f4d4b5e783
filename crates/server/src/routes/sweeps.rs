//! Sweeps of a crawl: what they hold, what changed between them, and the history of pages.

use crate::endpoint::{
    Content, DATE, DEADLINE, Endpoint, NDJSON, Parameter, Place, given, in_path, json, json_of,
    query,
};
use crate::problem::Problem;
use crate::service::Service;
use crate::tokens::Scope;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, put};
use lookalike::IndexWriter;
use lookalike::sweeps::{
    self, Change, DiffOptions, Holder, PageChange, PageVersion, Revisit, SiteVersion, SweepStats,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

type Shared = State<Arc<Service>>;
type Given<T> = Result<Path<T>, PathRejection>;

pub(super) const ENDPOINTS: &[Endpoint] = &[
    Endpoint {
        method: "GET",
        path: "/v1/sweeps",
        scope: Some(Scope::Read),
        summary: "All sweeps with their numbers of documents",
        about: "In the order of their dates.",
        parameters: &[DEADLINE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Sweeps>()),
        refusals: &[],
        handler: || get(list),
    },
    Endpoint {
        method: "PUT",
        path: "/v1/sweeps/{name}",
        scope: Some(Scope::Write),
        summary: "Enters a sweep",
        about: "Documents that are added with `sweep=NAME` enter it as well. Entering one again \
                is harmless, with another date it is refused.",
        parameters: &[NAME, DATE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<SweepDone>()),
        refusals: &[403],
        handler: || put(enter),
    },
    Endpoint {
        method: "DELETE",
        path: "/v1/sweeps/{name}",
        scope: Some(Scope::Write),
        summary: "Removes a sweep and its documents",
        about: "The answer comes when that is durable.",
        parameters: &[NAME],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<SweepDone>()),
        refusals: &[403, 404],
        handler: || delete(remove),
    },
    Endpoint {
        method: "GET",
        path: "/v1/sweeps/{from}/diff/{to}",
        scope: Some(Scope::Read),
        summary: "What became of every page from one sweep to another",
        about: "A line for each page that changed: the same words, slightly or heavily changed, \
                moved, gone, or new; the last line has the number of pages of each kind.",
        parameters: &[
            named("from", "The earlier sweep."),
            named("to", "The later sweep."),
            Parameter {
                name: "only",
                place: Place::Query,
                about: "Lines for these kinds of pages only, separated by commas; `same` is one.",
                schema: |schemas| schemas.subschema_for::<String>(),
                required: false,
            },
            SLIGHT,
            Parameter {
                name: "threshold",
                place: Place::Query,
                about: "Least resemblance to another page, or share of the page that it contains, \
                        for a page to have moved there; usually 0.5.",
                schema: FRACTION,
                required: false,
            },
            SITE,
            DEADLINE,
        ],
        body: &[],
        answer: Content { media: NDJSON, schema: |schemas| schemas.subschema_for::<DiffLine>() },
        refusals: &[404],
        handler: || get(diff),
    },
    Endpoint {
        method: "GET",
        path: "/v1/urls/{url}/history",
        scope: Some(Scope::Read),
        summary: "The versions of a page in all sweeps",
        about: "",
        parameters: &[URL, SLIGHT, DEADLINE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<History>()),
        refusals: &[404],
        handler: || get(history),
    },
    Endpoint {
        method: "GET",
        path: "/v1/urls/{url}/holders",
        scope: Some(Scope::Read),
        summary: "Sites with documents that contain a page",
        about: "The highest containment first, without the page's own documents.",
        parameters: &[
            URL,
            Parameter {
                name: "threshold",
                place: Place::Query,
                about: "How much of the page they contain at least; usually 0.8.",
                schema: FRACTION,
                required: false,
            },
            DEADLINE,
        ],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Holders>()),
        refusals: &[404],
        handler: || get(holders),
    },
    Endpoint {
        method: "GET",
        path: "/v1/history",
        scope: Some(Scope::Read),
        summary: "How the pages of a site changed from sweep to sweep",
        about: "By address only, so that a page that moved is gone and new.",
        parameters: &[SITE, SLIGHT, DEADLINE],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<SiteHistory>()),
        refusals: &[],
        handler: || get(site_history),
    },
    Endpoint {
        method: "GET",
        path: "/v1/revisit",
        scope: Some(Scope::Read),
        summary: "Pages in the order in which to visit them again",
        about: "By how often and how much they changed between the sweeps in which they were found.",
        parameters: &[
            SITE,
            Parameter {
                name: "limit",
                place: Place::Query,
                about: "At most this many pages; usually 1000.",
                schema: |_| schemars::json_schema!({"type": "integer", "minimum": 1}),
                required: false,
            },
            DEADLINE,
        ],
        body: &[],
        answer: json_of(|schemas| schemas.subschema_for::<Visits>()),
        refusals: &[],
        handler: || get(revisit),
    },
];

const FRACTION: crate::endpoint::SchemaOf =
    |_| schemars::json_schema!({"type": "number", "exclusiveMinimum": 0, "maximum": 1});

const NAME: Parameter = named("name", "The name of the sweep, percent-encoded.");

const fn named(name: &'static str, about: &'static str) -> Parameter {
    let schema = |schemas: &mut schemars::SchemaGenerator| schemas.subschema_for::<String>();
    Parameter { name, place: Place::Path, about, schema, required: true }
}

const URL: Parameter = named("url", "The address of the page, percent-encoded.");

const SLIGHT: Parameter = Parameter {
    name: "slight",
    place: Place::Query,
    about: "Least resemblance of two versions that count as slightly changed; usually 0.9.",
    schema: |_| schemars::json_schema!({"type": "number", "minimum": 0, "maximum": 1}),
    required: false,
};

const SITE: Parameter = Parameter {
    name: "site",
    place: Place::Query,
    about: "Only pages of this host and those below it.",
    schema: |schemas| schemas.subschema_for::<String>(),
    required: false,
};

#[derive(Serialize, JsonSchema)]
struct Sweeps {
    sweeps: Vec<SweepStats>,
}

async fn list(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let sweeps = service.ask(request.headers(), |service, _| service.index.sweeps());
    json(&Sweeps { sweeps: sweeps.await? })
}

/// A change of a sweep that is durable.
#[derive(Serialize, JsonSchema)]
struct SweepDone {
    /// Documents that were deleted.
    deleted: u64,
    /// The commit from which on questions see the change.
    commit: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EnterQuery {
    date: Option<String>,
}

async fn enter(
    State(service): Shared,
    path: Given<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (name, EnterQuery { date }) = (in_path(path)?, query(request.uri())?);
    let step = move |index: &mut IndexWriter| {
        index.add_sweep(&name, date.as_deref())?;
        Ok(SweepDone { deleted: 0, commit: index.commit()?.commit })
    };
    json(&service.writing()?.step(0, step).await?)
}

async fn remove(State(service): Shared, path: Given<String>) -> Result<Response, Problem> {
    let name = in_path(path)?;
    let step = move |index: &mut IndexWriter| {
        let deleted = index.remove_sweep(&name)?;
        Ok(SweepDone { deleted, commit: index.commit()?.commit })
    };
    json(&service.writing()?.step(0, step).await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffQuery {
    only: Option<String>,
    slight: Option<f64>,
    threshold: Option<String>,
    #[serde(default, deserialize_with = "given")]
    site: Option<String>,
}

/// A line of a diff.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum DiffLine {
    Page(PageChange),
    Counts { counts: BTreeMap<&'static str, u64> },
}

async fn diff(
    State(service): Shared,
    path: Given<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let ((from, to), given) = (in_path(path)?, query(request.uri())?);
    let DiffQuery { only, slight, threshold, site } = given;
    let only: Vec<Change> = match only.as_deref() {
        None => Vec::new(),
        Some(only) => only.split(',').map(str::parse).collect::<Result<_, _>>()?,
    };
    let usual = DiffOptions::default();
    let options = DiffOptions {
        slight: share(slight)?,
        moved: threshold.unwrap_or(usual.moved),
        site,
        threads: 1,
    };
    let body = service.ask(request.headers(), move |service, stop| {
        let mut diff = sweeps::diff(&service.index, &from, &to, &options, stop)?;
        diff.keep_only(&only);
        let pages = diff.pages.into_iter().map(DiffLine::Page);
        let mut body = Vec::new();
        for line in pages.chain([DiffLine::Counts { counts: diff.counts }]) {
            serde_json::to_writer(&mut body, &line)?;
            body.push(b'\n');
        }
        Ok(body)
    });
    Ok(([(header::CONTENT_TYPE, NDJSON)], body.await?).into_response())
}

/// The resemblance of slight changes.
fn share(given: Option<f64>) -> Result<f64, Problem> {
    let slight = given.unwrap_or(DiffOptions::default().slight);
    match (0.0..=1.0).contains(&slight) {
        true => Ok(slight),
        false => Err(Problem::bad_request("the parameter `slight` is a number from 0 to 1")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    slight: Option<f64>,
}

/// The versions of a page.
#[derive(Serialize, JsonSchema)]
struct History {
    url: String,
    versions: Vec<PageVersion>,
}

async fn history(
    State(service): Shared,
    path: Given<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (url, HistoryQuery { slight }) = (in_path(path)?, query(request.uri())?);
    let slight = share(slight)?;
    let found = service.ask(request.headers(), move |service, stop| {
        let versions = sweeps::history(&service.index, &url, slight, stop)?;
        Ok(History { url, versions })
    });
    json(&found.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HoldersQuery {
    threshold: Option<String>,
}

/// The sites with the content of a page.
#[derive(Serialize, JsonSchema)]
struct Holders {
    url: String,
    holders: Vec<Holder>,
}

async fn holders(
    State(service): Shared,
    path: Given<String>,
    request: Request,
) -> Result<Response, Problem> {
    let (url, HoldersQuery { threshold }) = (in_path(path)?, query(request.uri())?);
    let found = service.ask(request.headers(), move |service, stop| {
        let threshold = threshold.as_deref().unwrap_or(Holder::USUAL_THRESHOLD);
        let holders = sweeps::holders(&service.index, &url, threshold, stop)?;
        Ok(Holders { url, holders })
    });
    json(&found.await?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteQuery {
    #[serde(default, deserialize_with = "given")]
    site: Option<String>,
    slight: Option<f64>,
}

/// How the pages of a site changed.
#[derive(Serialize, JsonSchema)]
struct SiteHistory {
    sweeps: Vec<SiteVersion>,
}

async fn site_history(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let SiteQuery { site, slight } = query(request.uri())?;
    let slight = share(slight)?;
    let found = service.ask(request.headers(), move |service, stop| {
        sweeps::site_history(&service.index, site.as_deref(), slight, stop)
    });
    json(&SiteHistory { sweeps: found.await? })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RevisitQuery {
    #[serde(default, deserialize_with = "given")]
    site: Option<String>,
    limit: Option<usize>,
}

/// Pages to visit.
#[derive(Serialize, JsonSchema)]
struct Visits {
    pages: Vec<Revisit>,
}

async fn revisit(State(service): Shared, request: Request) -> Result<Response, Problem> {
    let RevisitQuery { site, limit } = query(request.uri())?;
    let found = service.ask(request.headers(), move |service, stop| {
        let mut pages = sweeps::revisit(&service.index, site.as_deref(), 1, stop)?;
        pages.truncate(limit.unwrap_or(1000));
        Ok(pages)
    });
    json(&Visits { pages: found.await? })
}
