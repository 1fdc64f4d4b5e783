//! The living index.

mod create;
mod message_filter;
mod question;
mod reader;
mod sweeps;
mod tables;
mod writer;

pub(crate) use reader::IndexReader;

use pyo3::prelude::*;

/// Adds classes and functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<reader::IndexReader>()?;
    module.add_class::<writer::IndexWriter>()?;
    module.add_class::<message_filter::MessageFilter>()?;
    module.add_function(wrap_pyfunction!(message_filter::index_prototypes, module)?)?;
    module.add_function(wrap_pyfunction!(message_filter::index_filter_rule, module)?)?;
    module.add_function(wrap_pyfunction!(message_filter::index_set_filter_rule, module)?)?;
    module.add_function(wrap_pyfunction!(message_filter::index_report, module)?)?;
    module.add_function(wrap_pyfunction!(create::create_index, module)?)?;
    module.add_function(wrap_pyfunction!(reader::collapse, module)?)?;
    module.add_function(wrap_pyfunction!(reader::copy_index, module)?)?;
    module.add_function(wrap_pyfunction!(reader::repair_index, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_diff, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_history, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_holders, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_revisit, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_site_history, module)?)?;
    module.add_function(wrap_pyfunction!(sweeps::index_sweeps, module)?)?;
    Ok(())
}
