//! `lookalike compare A B`

use crate::args::{CompareArgs, FormatArg};
use crate::exit::Exit;

pub(super) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let mut settings = super::settings::settings(&[&args.criterion, &args.analysis, &args.fields])?;
    // Two named documents are always compared.
    settings.min_features = Some(1);
    let evidence = lookalike::results::compare(&args.a, &args.b, &settings)?;
    super::explain::print(&evidence, args.format == FormatArg::Json)
}
