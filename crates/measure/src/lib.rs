//! Measures methods against what is true, and plans runs from a sample.

mod evaluate;
mod plan;
mod preview;

pub use evaluate::{
    ClassSettings, EvaluateJob, EvaluateOptions, Evaluated, LabelColumns, LabelSource, SCurve,
    TruthSource, default_methods, escaped, evaluate, evaluate_in, evaluated_fields, s_curve,
    unescaped,
};
pub use plan::{DEFAULT_SAMPLE, PlanJob, Planned, plan};
pub use preview::{FormatFiles, Preview, preview};
