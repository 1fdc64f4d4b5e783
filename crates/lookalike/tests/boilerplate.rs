//! Boilerplate of sites in calls of the library: the same answer for every kind of source, and
//! refusals.

#![allow(clippy::unwrap_used)]

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use lookalike::{
    Job, Record, Resources, Settings, Silent, Source, dedup,
    distributed::TextSigner,
    index::IndexSettings,
    planning::{PlanJob, plan},
    run_dedup,
    settings::ShortDocuments,
};
use std::sync::Arc;

const HEADER: &str = "home about products news contact search login cart help imprint";

/// Pages of two shops: those of the first have a header and a few words of their own.
fn pages() -> Vec<(String, &'static str, String)> {
    let page = |number: usize| {
        let (site, header) = if number.is_multiple_of(2) { ("one", HEADER) } else { ("two", "") };
        let own =
            format!("page{number} has{number} words{number} of{number} its{number} own{number}");
        let text = if number == 40 { HEADER.to_owned() } else { format!("{header} {own}") };
        (format!("p{number:02}"), site, text)
    };
    let mut pages: Vec<_> = (0..41).map(page).collect();
    // A copy on the other site, and one of the header alone.
    pages.push(("q1".into(), "two", pages[4].2.clone()));
    pages.push(("q2".into(), "two", pages[40].2.to_uppercase()));
    pages
}

fn settings(limit: Option<&str>) -> Settings {
    let boilerplate = limit.map(|limit| limit.parse().unwrap());
    Settings { threshold: "0.3".into(), boilerplate, ..Settings::default() }
}

type Rows = Vec<(String, String, &'static str)>;

fn removed(source: Source<'_>, settings: &Settings) -> (Rows, lookalike::results::Summary) {
    let answer = dedup(source, settings, &Resources::default(), &Silent).unwrap();
    let rows = answer.removals().map(|row| {
        let rule = ["identical", "lexically_equivalent", "feature_equivalent", "near"];
        let rule = rule.into_iter().find(|&rule| rule == row.rule).unwrap();
        (row.removed.id.to_string(), row.kept.id.to_string(), rule)
    });
    (rows.collect(), answer.summary.clone())
}

fn records(urls: bool) -> Vec<Record> {
    let record = |(id, site, text): (String, &str, String)| {
        let record = Record::new(text).id(id.clone());
        if urls { record.url(format!("https://{site}.example/{id}")) } else { record }
    };
    pages().into_iter().map(record).collect()
}

fn batch() -> RecordBatch {
    let column = |value: &dyn Fn(&(String, &'static str, String)) -> String| {
        Arc::new(StringArray::from_iter_values(pages().iter().map(value))) as ArrayRef
    };
    RecordBatch::try_from_iter([
        ("id", column(&|page| page.0.clone())),
        ("shop", column(&|page| page.1.to_owned())),
        ("text", column(&|page| page.2.clone())),
    ])
    .unwrap()
}

fn wanted() -> Rows {
    let row = |removed: &str, kept: &str, rule| (removed.to_owned(), kept.to_owned(), rule);
    vec![row("q1", "p04", "identical"), row("q2", "p40", "lexically_equivalent")]
}

#[test]
fn a_template_makes_no_two_pages_similar() {
    let (without, summary) = removed(Source::repeatable_records(|| records(true)), &settings(None));
    assert!(without.len() > 15 && summary.boilerplate.is_none(), "{without:?}");
    let (rows, summary) =
        removed(Source::repeatable_records(|| records(true)), &settings(Some("10")));
    assert_eq!(rows, wanted());
    let found = summary.boilerplate.unwrap();
    assert_eq!((found.sites, found.sites_with_boilerplate, found.only_boilerplate), (2, 1, 2));
    let [site] = found.largest_sites.as_slice() else { panic!("{found:?}") };
    assert_eq!((site.site.as_str(), site.documents, site.shingles), ("one.example", 21, 6));
    let [passage] = site.most_frequent.as_slice() else { panic!("{site:?}") };
    assert_eq!((passage.text.as_str(), passage.documents, passage.words), (HEADER, 21, 10));
}

#[test]
fn documents_without_features_do_not_consist_of_boilerplate() {
    let short = ["two words", "one more text", "🎉", "★ ★"];
    let made = || {
        let short = short.iter().enumerate();
        let record = |(at, text): (usize, &&str)| Record::new(*text).id(format!("s{at}"));
        records(true).into_iter().chain(short.map(record))
    };
    let ignored = Settings { short_documents: ShortDocuments::Ignore, ..settings(Some("10")) };
    let (_, summary) = removed(Source::repeatable_records(made), &ignored);
    assert_eq!(summary.boilerplate.unwrap().only_boilerplate, 2);
}

#[test]
fn sites_are_named_by_a_field_of_any_source() {
    let by_field = Settings { site_field: Some("shop".into()), ..settings(Some("10")) };
    let (rows, summary) = removed(Source::repeatable_batches(|| [batch()]), &by_field);
    assert_eq!(rows, wanted());
    assert_eq!(summary.boilerplate.as_ref().unwrap().largest_sites[0].site, "one");

    let labelled = || {
        let record =
            |(id, shop, text): (String, &str, String)| Record::new(text).id(id).label("shop", shop);
        pages().into_iter().map(record)
    };
    let (rows, of_records) = removed(Source::repeatable_records(labelled), &by_field);
    assert_eq!((rows, of_records.boilerplate), (wanted(), summary.boilerplate.clone()));
    let mistyped = Settings { site_field: Some("shops".into()), ..by_field.clone() };
    let source = Source::repeatable_batches(|| [batch()]);
    let error = dedup(source, &mistyped, &Resources::default(), &Silent).unwrap_err().to_string();
    assert!(error.contains("no document has the field `shops`"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    let docs = folder.path().join("docs.jsonl");
    let line = |(id, shop, text): (String, &str, String)| {
        format!("{{\"id\":\"{id}\",\"shop\":\"{shop}\",\"text\":\"{text}\"}}\n")
    };
    std::fs::write(&docs, pages().into_iter().map(line).collect::<String>()).unwrap();
    let mut job = Job::new(vec![docs.display().to_string()], folder.path().join("out"));
    job.settings = by_field;
    let written = run_dedup(&job, &Silent).unwrap().summary;
    assert_eq!(written.boilerplate, summary.boilerplate);
    assert_eq!(written.removed, summary.removed);

    // A table without the column is no error of the table: other inputs may have it.
    let table = folder.path().join("docs.csv");
    let row =
        |(id, shop, text): (String, &str, String)| format!("\"{id}\",\"{shop}\",\"{text}\"\n");
    let rows: String = pages().into_iter().map(row).collect();
    std::fs::write(&table, format!("id,shop,text\n{rows}")).unwrap();
    job.inputs = vec![table.display().to_string()];
    job.output = folder.path().join("of table");
    let written = run_dedup(&job, &Silent).unwrap().summary;
    assert_eq!(written.boilerplate, summary.boilerplate);
    job.settings = mistyped;
    job.output = folder.path().join("of no column");
    let error = run_dedup(&job, &Silent).unwrap_err().to_string();
    assert!(error.contains("`shops` of the setting site_field"), "{error}");

    // Without URLs and without the field all pages are of one site: the file.
    // The header is in 21 of 41 distinct documents.
    let of_file =
        |limit| removed(Source::repeatable_records(|| records(false)), &settings(Some(limit)));
    let (rows, summary) = of_file("51.2%");
    assert_eq!((rows, summary.boilerplate.unwrap().sites), (wanted(), 1));
    assert!(of_file("51.3%").0.len() > 15);
}

/// A page of which a good part of the own text is that of another one is found by the template as
/// well; a page of other text is not, and neither is one with another template below the threshold.
#[test]
fn versions_of_short_pages_are_found_with_their_template() {
    let words = |name: &str, count: usize| -> String {
        (0..count).map(|at| format!("{name}x{at} ")).collect()
    };
    let page = |id: &str, header: &str, own: String| {
        let text = format!("{}{own}", words(header, 60));
        Record::new(text).id(id.to_owned()).url(format!("https://one.example/{id}"))
    };
    let records = || {
        let pages =
            (0..20).map(|at| page(&format!("p{at:02}"), "one", words(&format!("own{at}"), 20)));
        let half = words("own4", 14) + &words("new", 6);
        let little = words("own5", 7) + &words("news", 13);
        pages.chain([
            page("v4", "one", half.clone()),
            page("v5", "one", little),
            page("w4", "two", half),
        ])
    };
    let settings = Settings { threshold: "0.8".into(), ..settings(Some("10")) };
    let answer =
        dedup(Source::repeatable_records(records), &settings, &Resources::default(), &Silent)
            .unwrap();
    let rows: Vec<_> = answer
        .removals()
        .map(|row| (row.removed.id.to_string(), row.kept.id.to_string()))
        .collect();
    assert_eq!(rows, [("v4".to_owned(), "p04".to_owned())]);
}

#[test]
fn calls_that_do_not_honour_it_refuse_it() {
    let with = settings(Some("auto"));
    let mut said = vec![
        TextSigner::new(&with).unwrap_err().to_string(),
        dedup(Source::records(["a"]), &with, &Resources::default(), &Silent)
            .unwrap_err()
            .to_string(),
        Settings { shingle: lookalike::settings::Shingle::Terms, ..with.clone() }
            .check()
            .unwrap_err()
            .to_string(),
    ];
    let mut job = Job::new(vec!["docs.jsonl".into()], "out");
    job.settings = with.clone();
    said.push(plan(&PlanJob::new(job), &Silent).unwrap_err().to_string());
    let index = IndexSettings { documents: with, ..IndexSettings::default() };
    let folder = tempfile::tempdir().unwrap();
    let created = lookalike::IndexWriter::create(folder.path().join("index"), index, 1);
    said.push(created.expect_err("refused").to_string());
    for said in said {
        assert!(said.contains("the setting boilerplate"), "{said}");
    }
}
