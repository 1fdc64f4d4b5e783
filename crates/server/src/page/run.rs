//! The page over the results of a run: its clusters, its documents, and what differs.

use super::assets;
use super::compare::{Names, drawn};
use super::failure::Failure;
use super::hits::shown_id;
use super::protection::protected;
use super::shell::Shell;
use super::texts::{html, percent};
use super::{form, links};
use crate::own_machine::own_machine;
use crate::problem::Problem;
use crate::questions::blocking;
use askama::Template;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use lookalike::results::{Shown, Summary, What, explain, show, summary};
use lookalike::{LookalikeError, Silent};
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{bytes, count, counted, ratio, share};
use lookalike_report::{similarity_chart, sizes_chart};
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of a list.
const ROWS: usize = 200;

/// The views of the navigation.
const VIEWS: &[(&str, &str)] = &[("/", "Run"), ("/texts", "Search"), ("/compare", "Compare")];

/// The directory of a run.
type Run = State<Arc<PathBuf>>;

/// The router of a page over the results in a directory.
pub(crate) fn router(dir: &Path) -> Router {
    let unknown = async |request: Request| {
        let detail = format!("`{}` is no view of a run", request.uri().path());
        Failure::from(Problem::new(axum::http::StatusCode::NOT_FOUND, "no_such_view", detail))
    };
    Router::new()
        .route("/", get(overview))
        .route("/cluster", get(cluster))
        .route("/document", get(document))
        .route("/texts", get(texts))
        .route("/compare", get(compare))
        .route(assets::STYLE_PATH, get(async || assets::style()))
        .route(assets::SCRIPT_PATH, get(async || assets::script()))
        .fallback(unknown)
        .layer(from_fn(guard))
        .with_state(Arc::new(dir.to_owned()))
}

/// Answers this machine only: a run has no tokens.
async fn guard(request: Request, next: Next) -> Response {
    let answered = match own_machine(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => Failure::from(problem).into_response(),
    };
    protected(answered)
}

/// Asks for something on a thread that may block.
async fn ask<T: Send + 'static>(
    run: &Arc<PathBuf>,
    question: impl FnOnce(&Path) -> Result<T, LookalikeError> + Send + 'static,
) -> Result<T, Problem> {
    let run = Arc::clone(run);
    blocking(move || question(&run)).await
}

#[derive(Template)]
#[template(path = "run.html")]
struct Overview {
    shell: Shell,
    command: String,
    /// Value, name and note.
    tiles: Vec<(String, &'static str, String)>,
    similarity: String,
    sizes: String,
    warnings: Vec<String>,
    clusters: Vec<ClusterRow>,
    more: String,
}

struct ClusterRow {
    size: String,
    percent: String,
    name: String,
    link: String,
    place: String,
}

async fn overview(State(run): Run) -> Result<Response, Failure> {
    let found = ask(&run, |run| Ok((summary(run)?, show(run, &What::Clusters, ROWS)?)));
    let (summary, shown) = found.await?;
    let measure = clean::line(&summary.settings.measure, MEDIUM);
    let chart = similarity_chart(&summary.histogram_similarity, &measure, "the kept document")?;
    let largest = number(shown.rows.first(), 1).max(1);
    let clusters = shown.rows.iter().map(|row| {
        let size = number(Some(row), 1);
        ClusterRow {
            size: count(size),
            percent: percent(size as f64 / largest as f64),
            name: shown_id(text(row, 2)),
            link: links::to("/cluster", &[("number", &number(Some(row), 0).to_string())]),
            place: format!(
                "{}, record {}",
                clean::line(text(row, 3), MEDIUM),
                number(Some(row), 4)
            ),
        }
    });
    Ok(html(&Overview {
        shell: Shell::of(VIEWS, "Run", "/"),
        command: clean::line(&summary.command, MEDIUM),
        tiles: tiles(&summary),
        similarity: chart.unwrap_or_default(),
        sizes: sizes_chart(&summary.histogram_cluster_size)?.unwrap_or_default(),
        warnings: summary.warnings.iter().map(|warning| clean::line(warning, 800)).collect(),
        clusters: clusters.collect(),
        more: more(&shown, "cluster"),
    }))
}

fn tiles(summary: &Summary) -> Vec<(String, &'static str, String)> {
    let gone = summary.removed.total();
    let largest = match summary.largest_cluster {
        0 | 1 => String::new(),
        largest => format!("largest: {}", count(largest)),
    };
    vec![
        (count(summary.documents), "documents", format!("{} of text", bytes(summary.text_bytes))),
        (count(summary.kept), "kept", share(summary.kept, summary.documents)),
        (count(gone), summary.action.participle(), share(gone, summary.documents)),
        (count(summary.clusters), "clusters", largest),
    ]
}

fn text(row: &[Value], at: usize) -> &str {
    row.get(at).and_then(Value::as_str).unwrap_or_default()
}

fn number(row: Option<&Vec<Value>>, at: usize) -> u64 {
    row.and_then(|row| row.get(at)).and_then(Value::as_u64).unwrap_or(0)
}

/// How many rows there are besides those that are shown.
fn more(shown: &Shown, noun: &str) -> String {
    match shown.total.saturating_sub(shown.rows.len() as u64) {
        0 => String::new(),
        more => format!("and {} more", counted(more, noun)),
    }
}

#[derive(Template)]
#[template(path = "run_cluster.html")]
struct ClusterPage {
    shell: Shell,
    title: String,
    members: Vec<MemberRow>,
    more: String,
}

struct MemberRow {
    value: String,
    percent: String,
    name: String,
    leads: bool,
    place: String,
    rule: String,
    /// The comparison with the leader; empty for itself.
    compare: String,
}

#[derive(Deserialize)]
struct OfCluster {
    number: u64,
}

async fn cluster(State(run): Run, request: Request) -> Result<Response, Failure> {
    let OfCluster { number } = form::query(request.uri())?;
    let shown = ask(&run, move |run| show(run, &What::Cluster(number), ROWS)).await?;
    Ok(members(&format!("Cluster {number}"), &shown))
}

#[derive(Deserialize)]
struct OfDocument {
    id: String,
}

async fn document(State(run): Run, request: Request) -> Result<Response, Failure> {
    let OfDocument { id } = form::query(request.uri())?;
    let title = format!("The cluster of {}", shown_id(&id));
    let shown = ask(&run, move |run| show(run, &What::Document(id), ROWS)).await?;
    Ok(members(&title, &shown))
}

/// A document as every run can name it: ids may repeat.
fn place(row: &[Value], file: usize) -> String {
    format!("{}:{}", text(row, file), number(Some(&row.to_vec()), file + 1))
}

fn members(title: &str, shown: &Shown) -> Response {
    let leads = |row: &Vec<Value>| row.get(3).and_then(Value::as_bool).unwrap_or(false);
    let leader = shown.rows.iter().find(|row| leads(row)).map(|row| place(row, 1));
    let rows = shown.rows.iter().map(|row| {
        let value = row.get(4).and_then(Value::as_f64);
        let own = place(row, 1);
        MemberRow {
            value: value.map(ratio).unwrap_or_default(),
            percent: percent(value.unwrap_or(0.0)),
            name: shown_id(text(row, 0)),
            leads: leads(row),
            place: clean::line(&own, LONG),
            rule: clean::line(&text(row, 5).replace('_', " "), MEDIUM),
            compare: match &leader {
                Some(leader) if *leader != own => links::compare(&own, leader),
                _ => String::new(),
            },
        }
    });
    html(&ClusterPage {
        shell: Shell::of(VIEWS, title, ""),
        title: title.to_owned(),
        members: rows.collect(),
        more: more(shown, "document"),
    })
}

#[derive(Template)]
#[template(path = "run_texts.html")]
struct TextsPage {
    shell: Shell,
    text: String,
    is_asked: bool,
    headline: String,
    rows: Vec<TextRow>,
    more: String,
}

struct TextRow {
    name: String,
    place: String,
    /// Its cluster; empty if it is in none.
    cluster: String,
    around: String,
}

#[derive(Deserialize)]
struct OfText {
    #[serde(default, deserialize_with = "form::given")]
    text: Option<String>,
}

async fn texts(State(run): Run, request: Request) -> Result<Response, Failure> {
    let OfText { text: asked } = form::query(request.uri())?;
    let is_asked = asked.is_some();
    let mut shown = Shown { columns: Vec::new(), rows: Vec::new(), total: 0 };
    if let Some(wanted) = asked.clone() {
        let found = ask(&run, move |run| show(run, &What::Texts(wanted, Vec::new()), ROWS));
        shown = found.await?;
    }
    let rows = shown.rows.iter().map(|row| TextRow {
        name: shown_id(text(row, 0)),
        place: clean::line(&place(row, 1), LONG),
        cluster: match row.get(3).and_then(Value::as_u64) {
            Some(number) => links::to("/cluster", &[("number", &number.to_string())]),
            None => String::new(),
        },
        around: clean::line(text(row, 5), 400),
    });
    Ok(html(&TextsPage {
        shell: Shell::of(VIEWS, "Search", "/texts"),
        rows: rows.collect(),
        headline: counted(shown.total, "document"),
        more: more(&shown, "document"),
        text: asked.unwrap_or_default(),
        is_asked,
    }))
}

#[derive(Deserialize)]
struct OfPair {
    #[serde(default, deserialize_with = "form::given")]
    a: Option<String>,
    #[serde(default, deserialize_with = "form::given")]
    b: Option<String>,
}

async fn compare(State(run): Run, request: Request) -> Result<Response, Failure> {
    let OfPair { a, b } = form::query(request.uri())?;
    let shell = Shell::of(VIEWS, "Compare", "/compare");
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
        let names =
            Names { a: a.unwrap_or_default(), b: b.unwrap_or_default(), ..Names::default() };
        return Ok(drawn(shell, None, names)?);
    };
    let (asked_a, asked_b) = (a.clone(), b.clone());
    let compared = ask(&run, move |run| {
        let evidence = explain(&asked_a, &asked_b, run, &[])?;
        let aligned = evidence.aligned(&Silent)?;
        Ok((evidence.comparison(), evidence.profile(), aligned))
    });
    let compared = compared.await?;
    let swapped = links::compare(&b, &a);
    let names = [&a, &b].map(|name| links::document(name));
    Ok(drawn(shell, Some(compared), Names { a, b, links: names, swapped })?)
}
