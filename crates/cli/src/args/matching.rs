//! Arguments that decide which documents match: criterion, analysis, filters and method.

use super::{
    AnalysisArgs, BoilerplateArgs, CommonArgs, CriterionArgs, KeepArgs, MethodArgs,
    MinFeaturesArgs, PresetArgs, SeparateArgs,
};
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MatchArgs {
    #[command(flatten)]
    pub(crate) preset: PresetArgs,
    #[command(flatten)]
    pub(crate) criterion: CriterionArgs,
    #[command(flatten)]
    pub(crate) analysis: AnalysisArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(flatten)]
    pub(crate) boilerplate: BoilerplateArgs,
    #[command(flatten)]
    pub(crate) least: MinFeaturesArgs,
    #[command(flatten)]
    pub(crate) separate: SeparateArgs,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
    #[command(flatten)]
    pub(crate) keep: KeepArgs,
}
