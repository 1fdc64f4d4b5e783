//! `lookalike compare A B`

use crate::args::{CompareArgs, FormatArg};
use std::process::ExitCode;

pub(super) fn run(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let mut settings = super::settings(args.criterion.measure, &args.analysis, &args.fields)?;
    settings.threshold = args.criterion.threshold.clone();
    let evidence = lookalike::compare(&args.a, &args.b, &settings)?;
    super::explain::print(&evidence, args.format == FormatArg::Json)
}
