//! Writes a report and the files beside it.

use crate::LookalikeError;
use lookalike_io::sink::Staging;
use lookalike_report::Page;

/// Bytes of data embedded in a report where nothing else is said.
pub(crate) const REPORT_SIZE: u64 = 20_000_000;

/// Writes `report.html`, and the data that it reads from beside it.
///
/// # Errors
/// A file that cannot be written.
pub(crate) fn write_page(staging: &Staging, page: &Page) -> Result<(), LookalikeError> {
    for file in &page.files {
        staging.write(&file.name, file.content.as_bytes())?;
    }
    Ok(staging.write("report.html", page.html.as_bytes())?)
}
