//! `compare`: similarity and differences of two documents.

use crate::analysis::pool;
use crate::boilerplate::Boilerplate;
use crate::common::CommonCounts;
use crate::document_comparison::{DocumentComparison, RemovedElements};
use crate::ignored_texts::IgnoredTexts;
use crate::input_fields;
use crate::lookup::{Ids, Name, ReadDocument, find};
use crate::panics::caught;
use crate::reading::{Documents, Reading};
use crate::settings::thread_count;
use crate::{Job, LookalikeError, Settings, Source};
use lookalike_engine::Silent;
use lookalike_io::{DiscoverOptions, Inputs};
use lookalike_report::DocExhibit;
use lookalike_text::{AnalysisSettings, Tokens};
use std::collections::BTreeSet;
use std::path::Path;

/// Compares two documents. Each is a file that holds one document, or `FILE#ID` (or
/// `FILE#RECORD`, counted from 1) for a document in a file that holds many.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let (a, b) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
/// std::fs::write(&a, "a rose is a rose is a rose")?;
/// std::fs::write(&b, "a rose is a rose")?;
///
/// let settings = lookalike::Settings { shingle: lookalike::settings::Shingle::Of(4), ..Default::default() };
/// let evidence = lookalike::results::compare(&a.display().to_string(), &b.display().to_string(), &settings)?;
/// let measures = evidence.comparison().measures;
/// assert_eq!((measures.size_a, measures.size_b, measures.shared), (3, 2, 2));
/// assert_eq!(measures.containment_b_in_a, 1.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A file that cannot be read, a name that fits none or many of its documents, or settings that
/// make no sense.
pub fn compare(
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<DocumentComparison, LookalikeError> {
    settings.matching()?;
    caught(|| {
        let inputs_of = |wanted: &str| {
            let (file, _) = parts(wanted);
            Inputs::discover(&[file.to_owned()], settings.reading(Vec::new(), None))
        };
        let (of_a, of_b) = (inputs_of(a)?, inputs_of(b)?);
        // Both or neither: tokens are of one kind.
        let analysis = match analysis_of(settings, &of_b)? {
            of_code if of_code.tokens == Some(Tokens::Symbols) => analysis_of(settings, &of_a)?,
            of_words => of_words,
        };
        let settings = &Settings { analysis, ..settings.clone() };
        let documents = [document(a, &of_a)?, document(b, &of_b)?];
        DocumentComparison::new(documents, settings, (None, ignored(settings)?), None)
    })
}

/// Compares two texts, as [`compare`] does for two files of plain text; they are named `a` and `b`.
///
/// ```
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let settings = lookalike::Settings { shingle: lookalike::settings::Shingle::Of(4), ..Default::default() };
/// let evidence = lookalike::compare_texts("a rose is a rose is a rose", "a rose is a rose", &settings)?;
/// assert_eq!(evidence.comparison().measures.shared, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Invalid settings.
pub fn compare_texts(
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<DocumentComparison, LookalikeError> {
    let named = |id: &str, text: &str| DocExhibit {
        id: id.to_owned(),
        text: text.to_owned(),
        ..DocExhibit::default()
    };
    compare_exhibits([named("a", a), named("b", b)], settings)
}

/// Compares two documents as [`compare_texts`] does.
///
/// # Errors
/// Invalid settings.
pub(crate) fn compare_exhibits(
    documents: [DocExhibit; 2],
    settings: &Settings,
) -> Result<DocumentComparison, LookalikeError> {
    settings.matching()?;
    caught(|| {
        let (documents, ignored) = (documents.map(ReadDocument::in_memory), ignored(settings)?);
        DocumentComparison::new(documents, settings, (None, ignored), None)
    })
}

/// Compares two documents of a source, each named by its id or as `SOURCE:RECORD`.
///
/// ```
/// use lookalike::{Settings, Source};
/// use lookalike::results::compare_in;
///
/// # fn main() -> Result<(), lookalike::LookalikeError> {
/// let settings = Settings { shingle: lookalike::settings::Shingle::Of(4), ..Settings::default() };
/// let source = Source::records(["a rose is a rose is a rose", "a rose is a rose"]);
/// let evidence = compare_in(source, "records:1", "records:2", &settings)?;
/// assert_eq!(evidence.comparison().measures.shared, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Invalid settings; a name of no document or of several; a source that cannot be read, or not
/// several times where [`Settings::ignore_common`] or [`Settings::boilerplate`] needs it.
pub fn compare_in(
    source: Source<'_>,
    a: &str,
    b: &str,
    settings: &Settings,
) -> Result<DocumentComparison, LookalikeError> {
    settings.matching()?;
    let place = source.name().to_owned();
    let (inputs, caller) = source.open(settings.reading(Vec::new(), None), |inputs| {
        input_fields::check(inputs, &|| false)
    })?;
    let settings = &Settings { analysis: analysis_of(settings, &inputs)?, ..settings.clone() };
    let matching = settings.matching()?;
    let reading = caller.as_ref().map_or(Reading::Files, |caller| Reading::Caller(caller));
    let documents = Documents { inputs: &inputs, reading };
    let pool = pool(thread_count(0))?;
    caught(|| {
        let (names, none) = ([Name::Id(a), Name::Id(b)], BTreeSet::new());
        let found = find(documents, &names, Ids::MayRepeat, &none, thread_count(0))?;
        let mut exhibits = Vec::new();
        for (name, candidates) in [a, b].into_iter().zip(found.candidates) {
            if candidates.count > 1 {
                return Err(candidates.repeated(name, "name one of them as FILE:RECORD"));
            }
            let Some(document) = candidates.first else {
                let (name, place) = (name.to_owned(), place.clone());
                let advice = "give its id, or SOURCE:RECORD, counted from 1";
                let unread = found.unread;
                return Err(LookalikeError::NoSuchDocument { name, place, advice, unread });
            };
            exhibits.push(document.read);
        }
        let job = Job { settings: settings.clone(), ..Job::new(Vec::new(), "") };
        let mut counts = CommonCounts::new(&job, documents, &matching, None, &Silent);
        let common = pool.install(|| counts.of(matching.features))?;
        let boilerplate =
            pool.install(|| Boilerplate::of(&job, documents, &matching, None, &Silent))?;
        let boilerplate = boilerplate.map(|found| found.elements).or(ignored(settings)?);
        let mut exhibits = exhibits.into_iter();
        let (a, b) = (exhibits.next().unwrap_or_default(), exhibits.next().unwrap_or_default());
        DocumentComparison::new([a, b], settings, (common, boilerplate), None)
    })
}

/// The shingles of the texts that are ignored.
fn ignored(settings: &Settings) -> Result<RemovedElements, LookalikeError> {
    Ok(IgnoredTexts::of(settings)?.map(|found| found.elements))
}

fn analysis_of(settings: &Settings, inputs: &Inputs) -> Result<AnalysisSettings, LookalikeError> {
    let analysis = settings.analysis_of(inputs, false);
    analysis.map_err(|failure| LookalikeError::unreadable(failure, false))
}

/// The only document of a file.
pub(crate) fn only_document(
    file: &str,
    reading: DiscoverOptions,
) -> Result<ReadDocument, LookalikeError> {
    document(file, &Inputs::discover(&[file.to_owned()], reading)?)
}

/// A document of a file.
fn document(wanted: &str, inputs: &Inputs) -> Result<ReadDocument, LookalikeError> {
    let (file, name) = parts(wanted);
    let (documents, none) = (Documents::of_files(inputs), BTreeSet::new());
    let found = find(documents, &[name], Ids::MayRepeat, &none, 1)?;
    let (place, unread) = (file.to_owned(), found.unread);
    let candidates = found.candidates.into_iter().next().unwrap_or_default();
    match name {
        Name::Only if candidates.count > 1 => {
            return Err(LookalikeError::SeveralDocuments { place });
        }
        Name::Id(id) | Name::IdOrRecord(id) if candidates.count > 1 => {
            return Err(candidates.repeated(id, "give FILE#RECORD, the number counted from 1"));
        }
        _ => {}
    }
    candidates.first.map(|found| found.read).ok_or_else(|| match name {
        Name::Only => LookalikeError::NoDocument { place, unread },
        Name::Id(id) | Name::IdOrRecord(id) => LookalikeError::NoSuchDocument {
            name: id.to_owned(),
            place,
            advice: "give its id, or the number of its record counted from 1",
            unread,
        },
    })
}

/// Splits `FILE#ID`. Names of files and ids may contain `#`.
fn parts(wanted: &str) -> (&str, Name<'_>) {
    if Path::new(wanted).exists() {
        return (wanted, Name::Only);
    }
    wanted
        .match_indices('#')
        .map(|(at, _)| (&wanted[..at], &wanted[at + 1..]))
        .find(|(file, _)| Path::new(file).is_file())
        .or_else(|| wanted.rsplit_once('#'))
        .map_or((wanted, Name::Only), |(file, id)| (file, Name::IdOrRecord(id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_ids_may_both_have_a_number_sign() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a#1.jsonl").display().to_string();
        let split = |wanted: &str| match parts(wanted) {
            (file, Name::IdOrRecord(id)) => (file.to_owned(), Some(id.to_owned())),
            (file, _) => (file.to_owned(), None),
        };
        assert_eq!(split("docs.jsonl"), ("docs.jsonl".to_owned(), None));
        assert_eq!(split("*.jsonl#7"), ("*.jsonl".to_owned(), Some("7".to_owned())));
        std::fs::write(&file, "").unwrap();
        assert_eq!(split(&file), (file.clone(), None));
        for id in ["7", "#7#", "a#b", ""] {
            assert_eq!(split(&format!("{file}#{id}")), (file.clone(), Some(id.to_owned())));
        }
    }
}
