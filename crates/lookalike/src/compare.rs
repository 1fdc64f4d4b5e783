//! `compare`: two documents in, how they compare out.

use crate::evidence::Evidence;
use crate::lookup::{Name, find};
use crate::{LookalikeError, Settings};
use lookalike_io::{DiscoverOptions, Inputs};
use lookalike_report::DocExhibit;
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
/// let settings = lookalike::Settings { shingle: Some(4), ..Default::default() };
/// let evidence = lookalike::compare(&a.display().to_string(), &b.display().to_string(), &settings)?;
/// let measures = evidence.comparison().measures;
/// assert_eq!((measures.size_a, measures.size_b, measures.shared), (3, 2, 2));
/// assert_eq!(measures.containment_b_in_a, 1.0);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// A file that cannot be read, a name that fits none or many of its documents, or settings that make
/// no sense.
pub fn compare(a: &str, b: &str, settings: &Settings) -> Result<Evidence, LookalikeError> {
    settings.matching()?;
    Evidence::new(document(a, settings)?, document(b, settings)?, settings, None)
}

fn document(wanted: &str, settings: &Settings) -> Result<DocExhibit, LookalikeError> {
    // A file whose name has a `#` in it is still a file.
    let (file, name) = match wanted.rsplit_once('#') {
        Some((file, id)) if !Path::new(wanted).exists() => (file, Name::IdOrRecord(id)),
        _ => (wanted, Name::Only),
    };
    let options = DiscoverOptions {
        fields: settings.fields.clone(),
        format: settings.format,
        max_record: settings.max_record,
        ..DiscoverOptions::default()
    };
    let inputs = Inputs::discover(&[file.to_owned()], options)?;
    let found = find(&inputs, &[name], 1);
    if found.several {
        return Err(LookalikeError::SeveralDocuments { place: file.to_owned() });
    }
    found.documents.into_iter().flatten().next().ok_or_else(|| LookalikeError::NoSuchDocument {
        name: wanted.to_owned(),
        place: file.to_owned(),
    })
}
