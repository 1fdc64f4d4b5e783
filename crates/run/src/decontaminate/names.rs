//! Names of documents and of items.

use lookalike_decide::DocumentName;
use lookalike_io::{Inputs, RecordView};

/// The name of a document in the tables.
pub(super) fn document_name(record: &RecordView<'_>, inputs: &Inputs) -> DocumentName<'static> {
    let file = &inputs.files[record.file as usize];
    let id = match &record.id {
        Some(id) => id.clone().into_owned(),
        None if file.format.is_document() => file.name.clone(),
        None => format!("{}:{}", file.name, record.record),
    };
    let (file, record) = (file.name.clone().into(), record.record);
    DocumentName { id: id.into(), file, record, protected: false }
}
