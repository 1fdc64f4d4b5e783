//! `lookalike compare A B`

use crate::args::{CompareArgs, FormatArg, Given};
use crate::exit::Exit;

pub(super) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let groups: [&Given; 6] = [
        &args.criterion,
        &args.analysis,
        &args.separate,
        &args.across,
        &args.ignored,
        &args.fields,
    ];
    let mut settings = super::settings::settings(&groups)?;
    // Two named documents are always compared.
    settings.min_features = Some(1);
    let evidence = lookalike::results::compare(&args.a, &args.b, &settings)?;
    super::explain::print(&evidence, args.format == FormatArg::Json)
}
