//! The extension module of the Python package `lookalike`.
//!
//! Arguments come from the package's Python code in few shapes: settings as JSON, documents as
//! `documents::Documents`. Everything that takes time runs in `call::detached`: without the
//! interpreter's lock, with signals handled and progress reported on the calling thread.

mod answer;
mod array;
mod call;
mod column_batch;
mod compare;
mod documents;
mod errors;
mod find;
mod index;
mod ipc;
mod methods;
mod per_process;
mod pickle;
mod rows;
mod run;
mod settings;
mod signer;
mod table;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _lookalike(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<array::Array>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<compare::Compared>()?;
    module.add_class::<signer::Signing>()?;
    module.add_function(wrap_pyfunction!(compare::compare_rows, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_texts, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(settings::checked_settings, module)?)?;
    module.add_function(wrap_pyfunction!(methods::methods, module)?)?;
    module.add_function(wrap_pyfunction!(methods::s_curve, module)?)?;
    module.add_function(wrap_pyfunction!(run::explain, module)?)?;
    module.add_function(wrap_pyfunction!(run::plan, module)?)?;
    module.add_function(wrap_pyfunction!(run::read_table, module)?)?;
    module.add_function(wrap_pyfunction!(run::recluster, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    index::add_to(module)?;
    Ok(())
}
