//! Answers and pages of sweeps as tables.

use crate::rows::{Kind, Rows};
use crate::table::Table;
use lookalike::{
    index::{Asked, PassageAnswer, QueryMatch},
    sweeps::{PageChange, Revisit},
};

/// The answers to questions about several documents: a row for each match.
pub(super) fn matches() -> Rows {
    Rows::new(&[
        ("query", Kind::Count),
        ("query_id", Kind::Text),
        ("id", Kind::Text),
        ("url", Kind::Text),
        ("date", Kind::Text),
        ("sweep", Kind::Text),
        ("resemblance", Kind::Ratio),
        ("query_in_document", Kind::Ratio),
        ("document_in_query", Kind::Ratio),
        ("cosine", Kind::Ratio),
        ("shared", Kind::Count),
        ("query_size", Kind::Count),
        ("size", Kind::Count),
        ("kept", Kind::Flag),
        ("cluster", Kind::Text),
        ("method", Kind::Text),
    ])
}

/// Adds the rows of an answer to [`matches`].
pub(super) fn push_matches(rows: &mut Rows, asked: &Asked) {
    for found in &asked.answer.matches {
        let QueryMatch { id, url, date, sweep, shared, size, kept, cluster, method, .. } = found;
        rows.push([
            (asked.place.index() as u64).into(),
            (&asked.id).into(),
            id.into(),
            url.into(),
            date.into(),
            sweep.into(),
            found.resemblance.into(),
            found.query_in_document.into(),
            found.document_in_query.into(),
            found.cosine.into(),
            (*shared).into(),
            asked.answer.size.into(),
            (*size).into(),
            (*kept).into(),
            cluster.into(),
            method.into(),
        ]);
    }
}

/// The passages that documents have in common with each of several others: a row for each.
pub(super) fn common_passages() -> Rows {
    Rows::new(&[
        ("query", Kind::Count),
        ("query_id", Kind::Text),
        ("id", Kind::Text),
        ("url", Kind::Text),
        ("date", Kind::Text),
        ("sweep", Kind::Text),
        ("kept", Kind::Flag),
        ("words", Kind::Count),
        ("query_word", Kind::Count),
        ("query_start", Kind::Count),
        ("query_end", Kind::Count),
        ("document_word", Kind::Count),
        ("document_start", Kind::Count),
        ("document_end", Kind::Count),
    ])
}

/// Adds the rows of an answer to [`common_passages`].
pub(super) fn push_passages(rows: &mut Rows, asked: &Asked<PassageAnswer>) {
    for found in &asked.answer.documents {
        for passage in &found.passages {
            let [query_start, query_end] = passage.query_bytes;
            let [document_start, document_end] = passage.document_bytes;
            rows.push([
                (asked.place.index() as u64).into(),
                (&asked.id).into(),
                (&found.id).into(),
                (&found.url).into(),
                (&found.date).into(),
                (&found.sweep).into(),
                found.kept.into(),
                passage.words.into(),
                passage.query_word.into(),
                (query_start as u64).into(),
                (query_end as u64).into(),
                passage.document_word.into(),
                (document_start as u64).into(),
                (document_end as u64).into(),
            ]);
        }
    }
}

/// What became of pages.
pub(crate) fn changes(pages: &[PageChange]) -> Table {
    let mut rows = Rows::new(&[
        ("change", Kind::Text),
        ("url", Kind::Text),
        ("new_url", Kind::Text),
        ("id", Kind::Text),
        ("new_id", Kind::Text),
        ("resemblance", Kind::Ratio),
        ("containment", Kind::Ratio),
        ("distance", Kind::Count),
    ]);
    for page in pages {
        rows.push([
            (&page.change.name().to_owned()).into(),
            (&page.url).into(),
            (&page.new_url).into(),
            (&page.id).into(),
            (&page.new_id).into(),
            page.resemblance.into(),
            page.containment.into(),
            page.distance.into(),
        ]);
    }
    rows.into_table()
}

/// Pages in the order in which to visit them.
pub(crate) fn visits(pages: &[Revisit]) -> Table {
    let mut rows = Rows::new(&[
        ("url", Kind::Text),
        ("found", Kind::Count),
        ("intervals", Kind::Count),
        ("changed", Kind::Count),
        ("rate", Kind::Ratio),
        ("per", Kind::Text),
        ("mean_distance", Kind::Ratio),
        ("first_sweep", Kind::Text),
        ("last_sweep", Kind::Text),
        ("days", Kind::Ratio),
        ("alive", Kind::Flag),
        ("priority", Kind::Ratio),
    ]);
    for page in pages {
        rows.push([
            (&page.url).into(),
            page.found.into(),
            page.intervals.into(),
            page.changed.into(),
            page.rate.into(),
            (&page.per.to_owned()).into(),
            page.mean_distance.into(),
            (&page.first_sweep).into(),
            (&page.last_sweep).into(),
            page.days.into(),
            page.alive.into(),
            page.priority.into(),
        ]);
    }
    rows.into_table()
}
