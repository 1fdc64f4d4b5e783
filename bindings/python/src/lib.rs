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
mod contamination;
mod documents;
mod errors;
mod evaluate;
mod find;
mod index;
mod interpreter;
mod ipc;
mod lexicon;
mod methods;
mod minhash;
mod passages;
mod per_process;
mod pickle;
mod rows;
mod run;
mod settings;
mod signer;
mod steps;
mod table;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _lookalike(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<array::Array>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<compare::Compared>()?;
    module.add_class::<contamination::Contamination>()?;
    module.add_class::<contamination::CountedNgrams>()?;
    module.add_class::<contamination::Portion>()?;
    module.add_class::<contamination::PortionSearch>()?;
    module.add_class::<lexicon::LexiconFile>()?;
    module.add_class::<minhash::Sketch>()?;
    module.add_class::<passages::Passages>()?;
    module.add_class::<signer::Signing>()?;
    module.add_class::<steps::Step>()?;
    module.add_function(wrap_pyfunction!(compare::compare_rows, module)?)?;
    module.add_function(wrap_pyfunction!(compare::compare_texts, module)?)?;
    module.add_function(wrap_pyfunction!(contamination::add_found, module)?)?;
    module.add_function(wrap_pyfunction!(contamination::contamination_settings, module)?)?;
    module.add_function(wrap_pyfunction!(contamination::decontaminate, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(interpreter::refuse_subinterpreters, module)?)?;
    module.add_function(wrap_pyfunction!(lexicon::build_lexicon, module)?)?;
    module.add_function(wrap_pyfunction!(minhash::least_equal, module)?)?;
    module.add_function(wrap_pyfunction!(minhash::lsh_bands, module)?)?;
    module.add_function(wrap_pyfunction!(minhash::lsh_probability, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(find::report, module)?)?;
    module.add_function(wrap_pyfunction!(settings::checked_settings, module)?)?;
    module.add_function(wrap_pyfunction!(settings::given_fields, module)?)?;
    module.add_function(wrap_pyfunction!(settings::joined_text, module)?)?;
    module.add_function(wrap_pyfunction!(settings::keep_fields, module)?)?;
    module.add_function(wrap_pyfunction!(settings::preset_settings, module)?)?;
    module.add_function(wrap_pyfunction!(settings::text_fields, module)?)?;
    module.add_function(wrap_pyfunction!(methods::method_with, module)?)?;
    module.add_function(wrap_pyfunction!(methods::methods, module)?)?;
    module.add_function(wrap_pyfunction!(methods::s_curve, module)?)?;
    module.add_function(wrap_pyfunction!(passages::passages, module)?)?;
    module.add_function(wrap_pyfunction!(run::explain, module)?)?;
    module.add_function(wrap_pyfunction!(run::plan, module)?)?;
    module.add_function(wrap_pyfunction!(run::read_table, module)?)?;
    module.add_function(wrap_pyfunction!(run::recluster, module)?)?;
    module.add_function(wrap_pyfunction!(run::undo, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(steps::ignored_shingles, module)?)?;
    module.add_function(wrap_pyfunction!(steps::result_columns, module)?)?;
    module.add_function(wrap_pyfunction!(steps::step_digest, module)?)?;
    module.add_function(wrap_pyfunction!(steps::passage_columns, module)?)?;
    module.add_function(wrap_pyfunction!(steps::passage_digest, module)?)?;
    module.add_function(wrap_pyfunction!(steps::near_digest, module)?)?;
    module.add_function(wrap_pyfunction!(steps::passage_settings, module)?)?;
    module.add_function(wrap_pyfunction!(steps::check_given, module)?)?;
    module.add_function(wrap_pyfunction!(steps::value_keys, module)?)?;
    module.add_function(wrap_pyfunction!(steps::across_summary, module)?)?;
    index::add_to(module)?;
    Ok(())
}
