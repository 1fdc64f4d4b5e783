//! Feature sets and signatures of texts.

use crate::answer::Options;
use crate::array::Array;
use crate::call::{Watch, detached};
use crate::column_batch::Columns;
use crate::documents::Documents;
use crate::{errors, settings};
use arrow_array::LargeListArray;
use arrow_array::types::UInt64Type;
use lookalike::{
    Resources,
    distributed::{Lists, TextSigner, Wants},
};
use pyo3::prelude::*;
use std::sync::Arc;

/// Signs texts as a run with its settings does.
#[pyclass(frozen, module = "lookalike._lookalike")]
pub(crate) struct Signing {
    signer: TextSigner,
    columns: Columns,
}

#[pymethods]
impl Signing {
    #[new]
    fn new(py: Python<'_>, settings: &str) -> PyResult<Self> {
        let settings = settings::parse(py, settings)?;
        let columns = Columns::of(&settings);
        let signer = py.detach(|| TextSigner::new(&settings));
        let signer = signer.map_err(|error| errors::exception(py, error))?;
        Ok(Self { signer, columns })
    }

    /// The feature sets of all rows.
    fn features(&self, py: Python<'_>, documents: Documents, options: Options) -> PyResult<Array> {
        let wants = Wants { features: true, signatures: false };
        Ok(lists(self.sign(py, documents, options, wants)?.features))
    }

    /// The keys and the sketches of all rows.
    fn signatures(
        &self,
        py: Python<'_>,
        documents: Documents,
        options: Options,
    ) -> PyResult<(Array, Array)> {
        let wants = Wants { features: false, signatures: true };
        let signed = self.sign(py, documents, options, wants)?;
        Ok((lists(signed.keys), lists(signed.sketches)))
    }
}

impl Signing {
    fn sign(
        &self,
        py: Python<'_>,
        documents: Documents,
        options: Options,
        wants: Wants,
    ) -> PyResult<lookalike::distributed::SignedTexts> {
        let Options { threads, memory, scratch, strict, max_pairs, progress, cancelled } = options;
        let resources = Resources { threads, memory, scratch, strict, max_pairs };
        let source = documents.source(self.columns.clone());
        let watch = Watch::new(progress, cancelled);
        detached(py, &watch, |progress| self.signer.sign(source, wants, &resources, progress))
    }
}

/// A column of lists of whole numbers.
fn lists(lists: Lists) -> Array {
    let ends = lists.ends.into_iter().map(|end| end as i64);
    let offsets = std::iter::once(0).chain(ends).collect::<Vec<i64>>();
    let values = arrow_array::PrimitiveArray::<UInt64Type>::from(lists.values);
    let field = arrow_schema::Field::new("item", arrow_schema::DataType::UInt64, false);
    let (offsets, valid) = (arrow_buffer::OffsetBuffer::new(offsets.into()), lists.valid.into());
    Array::new(Arc::new(LargeListArray::new(
        Arc::new(field),
        offsets,
        Arc::new(values),
        Some(valid),
    )))
}
