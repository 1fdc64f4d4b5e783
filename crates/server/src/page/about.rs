//! The index in figures.

use super::failure::Failure;
use super::review;
use super::shell::Shell;
use super::texts::html;
use super::view::{Client, View};
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::get;
use lookalike::index::ReviewOptions;
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{bytes, count, share};
use std::sync::Arc;

pub(super) const VIEWS: &[View] =
    &[View { method: "GET", path: "/about", scope: Some(Scope::Read), handler: || get(show) }];

#[derive(Template)]
#[template(path = "about.html")]
struct Page {
    shell: Shell,
    /// Value, name and note.
    tiles: Vec<(String, &'static str, String)>,
    rows: Vec<(String, String)>,
    /// The histogram of a sample, and the sample in words; empty without one.
    chart: String,
    sample: String,
}

async fn show(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let stats = service.ask(request.headers(), |service, _| service.index.stats()).await?;
    // Without it the figures are shown all the same.
    let sampled = service.ask(request.headers(), |service, stop| {
        review::sampled(service, ReviewOptions::default(), stop)
    });
    let sample = sampled.await.unwrap_or_default();
    let measure = stats.settings.documents.measure.name();
    let chart = review::chart(&sample, measure)?;
    let near = stats.documents.saturating_sub(stats.kept);
    let tiles = vec![
        (count(stats.documents), "documents", format!("commit {}", count(stats.commit))),
        (count(stats.kept), "kept", share(stats.kept, stats.documents)),
        (count(near), "near-duplicates", share(near, stats.documents)),
        (bytes(stats.bytes), "on disk", String::new()),
    ];
    let rows = stats.table().into_iter().map(|(name, value)| {
        let value = value.parse().map(count).unwrap_or_else(|_| clean::line(&value, LONG));
        (clean::line(&name, MEDIUM), value)
    });
    Ok(html(&Page {
        shell: Shell::new("Index", "/about", &client),
        tiles,
        rows: rows.collect(),
        sample: review::told(&sample),
        chart,
    }))
}
