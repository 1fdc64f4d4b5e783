//! Sweeps over time: what changed, moved and is gone, and the history of a page.

use super::failure::Failure;
use super::shell::Shell;
use super::texts::{html, percent};
use super::view::{Client, View};
use super::{form, links};
use crate::service::Service;
use crate::tokens::Scope;
use askama::Template;
use axum::extract::{Extension, Request, State};
use axum::response::Response;
use axum::routing::get;
use lookalike::sweeps::{
    self, Change, DiffOptions, Holder, PageChange, PageVersion, SiteVersion, SweepDiff,
};
use lookalike_report::clean::{self, LONG, MEDIUM};
use lookalike_report::human::{count, counted, ratio};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const VIEWS: &[View] = &[
    View { method: "GET", path: "/sweeps", scope: Some(Scope::Read), handler: || get(list) },
    View { method: "GET", path: "/sweeps/diff", scope: Some(Scope::Read), handler: || get(diff) },
    View { method: "GET", path: "/history", scope: Some(Scope::Read), handler: || get(history) },
];

/// Pages of a difference that are listed.
const PAGES: usize = 500;

/// Sites that hold a page, and addresses of each, that are listed.
const HOLDERS: usize = 20;

/// What became of pages, as a line of parts: from where, how long, the class, and the words.
type Parts = Vec<(String, String, String, String)>;

#[derive(Template)]
#[template(path = "sweeps.html")]
struct ListPage {
    shell: Shell,
    site: String,
    sweeps: Vec<SweepRow>,
    /// What the classes of the parts mean.
    legend: Vec<(&'static str, &'static str)>,
    names: Vec<String>,
}

struct SweepRow {
    name: String,
    date: String,
    documents: String,
    parts: Parts,
    /// The difference from the sweep before; empty for the first one.
    diff: String,
}

#[derive(Deserialize)]
struct ListAsked {
    #[serde(default, deserialize_with = "form::given")]
    site: Option<String>,
}

async fn list(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let ListAsked { site } = form::query(request.uri())?;
    let asked = site.clone();
    let found = service.ask(request.headers(), move |service, stop| {
        match service.index.sweeps()?.is_empty() {
            true => Ok(Vec::new()),
            false => {
                let slight = DiffOptions::default().slight;
                sweeps::site_history(&service.index, asked.as_deref(), slight, stop)
            }
        }
    });
    let found = found.await?;
    let before = std::iter::once(None).chain(found.iter().map(Some));
    let rows =
        found.iter().zip(before).map(|(version, before)| row(version, before, site.as_deref()));
    Ok(html(&ListPage {
        shell: Shell::new("Sweeps", "/sweeps", &client),
        sweeps: rows.collect(),
        legend: Change::ALL.map(|change| (change.name(), words(change.name()))).to_vec(),
        names: found.iter().map(|version| version.sweep.name.clone()).collect(),
        site: site.unwrap_or_default(),
    }))
}

fn row(version: &SiteVersion, before: Option<&SiteVersion>, site: Option<&str>) -> SweepRow {
    let SiteVersion { sweep, changes } = version;
    let diff = |before: &SiteVersion| {
        let mut asked = vec![("from", before.sweep.name.as_str()), ("to", sweep.name.as_str())];
        asked.extend(site.map(|site| ("site", site)));
        links::to("/sweeps/diff", &asked)
    };
    SweepRow {
        name: clean::line(&sweep.name, MEDIUM),
        date: clean::line(sweep.date.as_deref().unwrap_or_default(), MEDIUM),
        documents: counted(sweep.documents, "document"),
        parts: parts(changes),
        diff: before.map(diff).unwrap_or_default(),
    }
}

/// The parts of a line of 1,000.
fn parts(counts: &BTreeMap<&'static str, u64>) -> Parts {
    let all: u64 = counts.values().sum();
    let mut from = 0;
    let mut parts = Vec::new();
    for name in Change::ALL.map(Change::name) {
        let number = counts.get(name).copied().unwrap_or(0);
        if number > 0 {
            let at = |number: u64| format!("{:.1}", number as f64 * 1000.0 / all as f64);
            let told = format!("{} {}", count(number), words(name));
            parts.push((at(from), at(number), format!("change-{name}"), told));
        }
        from += number;
    }
    parts
}

/// A change in words.
fn words(change: &str) -> &'static str {
    match change {
        "same" => "unchanged",
        "same_words" => "the same words",
        "slight" => "slightly changed",
        "heavy" => "heavily changed",
        "moved" => "moved",
        "moved_address_kept" => "moved, the address kept",
        "gone" => "gone",
        "new" => "new",
        _ => "other",
    }
}

#[derive(Template)]
#[template(path = "sweep_diff.html")]
struct DiffPage {
    shell: Shell,
    from: String,
    to: String,
    parts: Parts,
    /// Number, words, address and whether it is chosen, of each kind.
    kinds: Vec<(String, &'static str, String, bool)>,
    pages: Vec<PageRow>,
    more: String,
}

struct PageRow {
    change: String,
    words: &'static str,
    url: String,
    new_url: String,
    measures: String,
    /// Where the two are compared, or the one document is; may be empty.
    link: String,
    link_words: &'static str,
}

#[derive(Deserialize)]
struct DiffAsked {
    from: String,
    to: String,
    #[serde(default, deserialize_with = "form::given")]
    only: Option<String>,
    #[serde(default, deserialize_with = "form::given")]
    site: Option<String>,
}

async fn diff(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let DiffAsked { from, to, only, site } = form::query(request.uri())?;
    let chosen: Vec<Change> = only.iter().map(|only| only.parse()).collect::<Result<_, _>>()?;
    let options = DiffOptions { site: site.clone(), threads: 1, ..DiffOptions::default() };
    let asked = (from.clone(), to.clone());
    let found = service.ask(request.headers(), move |service, stop| {
        let mut found = sweeps::diff(&service.index, &asked.0, &asked.1, &options, stop)?;
        found.keep_only(&chosen);
        Ok(found)
    });
    let SweepDiff { counts, pages, .. } = found.await?;
    let kinds = Change::ALL.map(Change::name).into_iter().filter_map(|name| {
        let number = counts.get(name).copied().filter(|number| *number > 0)?;
        let mut asked = vec![("from", from.as_str()), ("to", to.as_str()), ("only", name)];
        asked.extend(site.as_deref().map(|site| ("site", site)));
        let is_chosen = only.as_deref() == Some(name);
        Some((count(number), words(name), links::to("/sweeps/diff", &asked), is_chosen))
    });
    let more = pages.len().saturating_sub(PAGES);
    Ok(html(&DiffPage {
        shell: Shell::new("What changed", "/sweeps", &client),
        parts: parts(&counts),
        kinds: kinds.collect(),
        pages: pages.iter().take(PAGES).map(page_row).collect(),
        more: match more {
            0 => String::new(),
            more => format!("and {} more", counted(more as u64, "page")),
        },
        from: clean::line(&from, MEDIUM),
        to: clean::line(&to, MEDIUM),
    }))
}

fn page_row(page: &PageChange) -> PageRow {
    let name = page.change.name();
    let shown = |text: &Option<String>| clean::line(text.as_deref().unwrap_or_default(), LONG);
    let (link, link_words) = match (&page.id, &page.new_id) {
        (Some(a), Some(b)) => (links::compare(a, b), "Compare"),
        (Some(one), None) | (None, Some(one)) => (links::document(one), "Document"),
        (None, None) => (String::new(), ""),
    };
    let measures = [
        page.resemblance.map(|value| format!("resemblance {}", ratio(value))),
        page.containment.map(|value| format!("containment {}", ratio(value))),
        page.distance.map(|bits| format!("{} of simhash", counted(u64::from(bits), "bit"))),
    ];
    let (url, new_url) = (shown(&page.url), shown(&page.new_url));
    PageRow {
        change: format!("change-{name}"),
        words: words(name),
        new_url: if new_url == url { String::new() } else { new_url },
        url,
        measures: measures.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        link,
        link_words,
    }
}

#[derive(Template)]
#[template(path = "history.html")]
struct HistoryPage {
    shell: Shell,
    url: String,
    versions: Vec<VersionRow>,
    holders: Vec<HolderRow>,
}

struct VersionRow {
    sweep: String,
    date: String,
    change: String,
    words: &'static str,
    resemblance: String,
    percent: String,
    document: String,
    /// The comparison with the version before; may be empty.
    compare: String,
}

struct HolderRow {
    site: String,
    containment: String,
    percent: String,
    facts: String,
    urls: Vec<String>,
}

#[derive(Deserialize)]
struct HistoryAsked {
    #[serde(default, deserialize_with = "form::given")]
    url: Option<String>,
}

async fn history(
    State(service): State<Arc<Service>>,
    Extension(client): Extension<Client>,
    request: Request,
) -> Result<Response, Failure> {
    let HistoryAsked { url } = form::query(request.uri())?;
    let (mut versions, mut holders) = (Vec::new(), Vec::new());
    if let Some(url) = url.clone() {
        let found = service.ask(request.headers(), move |service, stop| {
            let slight = DiffOptions::default().slight;
            let versions = sweeps::history(&service.index, &url, slight, stop)?;
            let threshold = Holder::USUAL_THRESHOLD;
            // Not every index answers this.
            let holders = match sweeps::holders(&service.index, &url, threshold, stop) {
                Err(error) if error.kind() == lookalike::ErrorKind::Usage => Vec::new(),
                found => found?,
            };
            Ok((versions, holders))
        });
        (versions, holders) = found.await?;
    }
    let mut last: Option<&str> = None;
    let mut rows = Vec::new();
    for version in &versions {
        rows.push(version_row(version, last));
        last = version.id.as_deref().or(last);
    }
    Ok(html(&HistoryPage {
        shell: Shell::new("History of a page", "/sweeps", &client),
        versions: rows,
        holders: holders.iter().take(HOLDERS).map(holder_row).collect(),
        url: url.unwrap_or_default(),
    }))
}

fn version_row(version: &PageVersion, before: Option<&str>) -> VersionRow {
    let name = version.change.name();
    let id = version.id.as_deref();
    VersionRow {
        sweep: clean::line(&version.sweep, MEDIUM),
        date: clean::line(version.date.as_deref().unwrap_or_default(), MEDIUM),
        change: format!("change-{name}"),
        words: words(name),
        resemblance: version.resemblance.map(ratio).unwrap_or_default(),
        percent: percent(version.resemblance.unwrap_or(0.0)),
        document: id.map(links::document).unwrap_or_default(),
        compare: match (before, id, version.change) {
            (Some(before), Some(id), change) if change != Change::Same => {
                links::compare(before, id)
            }
            _ => String::new(),
        },
    }
}

fn holder_row(holder: &Holder) -> HolderRow {
    HolderRow {
        site: clean::line(&holder.site, MEDIUM),
        containment: ratio(holder.containment),
        percent: percent(holder.containment),
        facts: format!(
            "{}, sweeps {} to {}",
            counted(holder.documents, "document"),
            clean::line(&holder.first_sweep, 60),
            clean::line(&holder.last_sweep, 60)
        ),
        urls: holder.urls.iter().take(HOLDERS).map(|url| clean::line(url, LONG)).collect(),
    }
}
