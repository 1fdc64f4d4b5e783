//! Steps by their descriptions.

use super::candidates::{Buckets, LinkPairs, Search, Verify};
use super::graph::{BestWitness, BothWays, Forest, Label, Leaders, Star};
use super::keys::{MergeSketches, Postings, Regroup, RoundPostings, Sketch, StoreKeys};
use super::passages::{self, at_texts};
use super::results::{
    Assign, ClusterRows, EqualPairs, KeptAlone, MatchPairs, MemberEdges, PairEnds, Results,
};
use super::rounds::{
    Apply, ByWitness, Change, CountStates, Decisions, Open, Reopen, Roles, TakeBack, Which,
};
use super::routes::{GatherPairs, PartSets, Route, RouteAll};
use super::sign::{Number, Sign};
use super::step::{Step, StepContext, of_rows};
use super::summed::summed;
use super::units::{Directory, DistinctSets, SetMessages, TakeSets, UnitMessages, Units};
use super::values::{LargestValues, ValueCounts, ValueEdges, ValueEnds, ValuePairs};
use lookalike_run::LookalikeError;

/// A step and its parameters. In the comments, what its rows are grouped by: all rows with equal
/// values of the first column come to one task, in this order.
#[derive(Debug, serde::Deserialize)]
#[serde(tag = "step", rename_all = "snake_case", deny_unknown_fields)]
enum Description {
    Sign {
        task: u32,
        side: u8,
        row: Option<String>,
    },
    Number {},
    /// unit_high, unit_low, place
    Units {},
    Directory {},
    DistinctSets {},
    UnitMessages {},
    SetMessages {},
    /// part, kind
    TakeSets {},
    Sketch {
        elements: u64,
        seed: u64,
        task: u32,
    },
    /// part
    MergeSketches {
        order: bool,
    },
    Postings {
        buckets: u32,
    },
    /// part
    Regroup {
        buckets: u32,
    },
    StoreKeys {},
    /// part, kind
    RoundPostings {
        buckets: u32,
    },
    /// part
    Pairs {
        limit: u64,
        parts: u32,
    },
    /// part
    Probe {
        parts: u32,
    },
    /// part
    Late {
        head: u64,
    },
    PartSets {
        parts: u32,
    },
    /// part, kind
    Route {
        parts: u32,
    },
    GatherPairs {},
    RouteAll {
        parts: u32,
    },
    /// part, kind
    Verify {
        all: bool,
    },
    LinkPairs {
        parts: u32,
    },
    Forest {
        whole: bool,
    },
    BothWays {},
    /// later, earlier
    LargeStar {},
    /// later, earlier
    SmallStar {},
    /// later, kind
    Label {},
    /// component, later, earlier
    Leaders {},
    /// later, earlier
    BestWitness {},
    Open {},
    /// later, kind, earlier
    Select {
        first: i64,
        upto: Option<i64>,
    },
    /// later, kind, earlier
    Decide {},
    /// later, kind, earlier
    Update {},
    Roles {
        which: Which,
        pending: bool,
    },
    ByWitness {},
    /// component, kind
    Reopen {},
    TakeBack {
        from: i64,
    },
    CountStates {
        width: i64,
    },
    Decisions {},
    MemberEdges {},
    /// key, kind, rank
    Assign {},
    /// key, kind, other, rank
    Results {
        list: bool,
    },
    KeptAlone {},
    /// key, kind, rank
    EqualPairs {},
    /// key, kind
    PairEnds {},
    /// key, kind
    MatchPairs {},
    /// leader, table
    ClusterRows {},
    ValueCounts {},
    /// value
    LargestValues {},
    ValueEdges {},
    /// key, kind
    ValueEnds {},
    /// key, kind
    ValuePairs {
        named: Vec<i64>,
    },
    ReadTexts {
        task: u32,
        row: Option<String>,
    },
    DocumentNumbers {},
    TextMessages {},
    GatherTold {},
    /// part, kind, like all steps with `told`; nothing where `told` says that `data` has the messages.
    NumberTexts {
        parts: u32,
        told: bool,
    },
    /// With `near` for the seeds of near passages; so the next steps.
    FindAnchors {
        parts: u32,
        near: bool,
    },
    /// part
    Group {
        parts: u32,
        near: bool,
    },
    /// part, kind
    Answer {
        near: bool,
        told: bool,
    },
    /// part, kind
    Resolve {
        parts: u32,
        near: bool,
    },
    /// part
    NearSeeds {
        parts: u32,
    },
    /// part
    NearPassages {},
    /// part
    Runs {},
    RunLinks {},
    LinkMessages {},
    DocumentRuns {},
    /// part, kind
    ByComponent {},
    /// part, if that is a component
    Cuts {
        parts: u32,
        most: Option<usize>,
    },
    AskPlaces {
        parts: u32,
    },
    /// part, kind
    Place {
        parts: u32,
        told: bool,
    },
    /// part
    PassageRows {},
    EditRows {},
}

/// Makes a step.
///
/// `description` is JSON: the name of the step under `step`, and its parameters. `data` is what some
/// steps need besides: [`ignored_shingles`](super::ignored_shingles) for `sign`, the element order for
/// those that make keys, a `directory` for `distinct_sets`, what `gather_pairs` made for `route_all`,
/// what `gather_told` made for steps whose `told` says so.
///
/// # Errors
/// No such step, other parameters, settings that a step cannot use, damaged data.
///
/// ```
/// use lookalike::distributed::steps::{StepContext, StepOptions, step};
/// use lookalike::{Record, Settings, record_batches};
///
/// let settings = Settings::default();
/// let context = StepContext::new(&settings, StepOptions { name: "table".into(), ..StepOptions::default() })?;
/// let mut sign = step(&context, r#"{"step": "sign", "task": 0, "side": 0, "row": null}"#, &[])?;
/// let mut signed = Vec::new();
/// for batch in record_batches([Record::new("a rose is a rose is a rose")], &settings, 100)? {
///     signed.extend(sign.push(&batch)?);
/// }
/// signed.extend(sign.finish()?);
/// assert_eq!(signed[0].num_rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn step(
    context: &StepContext,
    description: &str,
    data: &[u8],
) -> Result<Box<dyn Step>, LookalikeError> {
    let description: Description = serde_json::from_str(description)
        .map_err(|error| LookalikeError::Settings(format!("no such step: {error}")))?;
    Ok(match description {
        Description::Sign { task, side, row } => {
            Box::new(Sign::new(context, task, side, row, data)?)
        }
        Description::Number {} => of_rows(Number::new(context)?),
        Description::Units {} => of_rows(Units::default()),
        Description::Directory {} => of_rows(Directory::new(context.criterion)),
        Description::DistinctSets {} => of_rows(DistinctSets::new(data)?),
        Description::UnitMessages {} => of_rows(UnitMessages),
        Description::SetMessages {} => of_rows(SetMessages),
        Description::TakeSets {} => of_rows(TakeSets::new(context)),
        Description::Sketch { elements, seed, task } => {
            of_rows(Sketch::new(context, elements, seed, task))
        }
        Description::MergeSketches { order } => of_rows(MergeSketches::new(order)),
        Description::Postings { buckets } => of_rows(Postings::new(context, data, buckets)?),
        Description::Regroup { buckets } => of_rows(Regroup::new(buckets)),
        Description::StoreKeys {} => of_rows(StoreKeys::new(context, data)?),
        Description::RoundPostings { buckets } => of_rows(RoundPostings::new(buckets)),
        Description::Pairs { limit, parts } => {
            Box::new(Buckets::new(context, Search::Pairs { limit }, parts))
        }
        Description::Probe { parts } => Box::new(Buckets::new(context, Search::Probe, parts)),
        Description::Late { head } => Box::new(Buckets::new(context, Search::Late { head }, 1)),
        Description::PartSets { parts } => of_rows(PartSets { parts }),
        Description::Route { parts } => of_rows(Route::new(parts)),
        Description::GatherPairs {} => of_rows(GatherPairs::default()),
        Description::RouteAll { parts } => of_rows(RouteAll::new(parts, data)?),
        Description::Verify { all } => of_rows(Verify::new(context, all)),
        Description::LinkPairs { parts } => of_rows(LinkPairs::new(parts)),
        Description::Forest { whole } => of_rows(Forest::new(whole)),
        Description::BothWays {} => of_rows(BothWays),
        Description::LargeStar {} => of_rows(Star::new(true)),
        Description::SmallStar {} => of_rows(Star::new(false)),
        Description::Label {} => of_rows(Label::default()),
        Description::Leaders {} => of_rows(Leaders::new(context)),
        Description::BestWitness {} => of_rows(BestWitness::new(context)),
        Description::Open {} => of_rows(Open::new(context)),
        Description::Select { first, upto } => of_rows(Apply::new(Change::Select { first, upto })),
        Description::Decide {} => of_rows(Apply::new(Change::Decide)),
        Description::Update {} => of_rows(Apply::new(Change::Update)),
        Description::Roles { which, pending } => of_rows(Roles { which, pending }),
        Description::ByWitness {} => of_rows(ByWitness),
        Description::Reopen {} => of_rows(Reopen::default()),
        Description::TakeBack { from } => of_rows(TakeBack { from }),
        Description::CountStates { width } => of_rows(CountStates::new(width)),
        Description::Decisions {} => of_rows(Decisions),
        Description::MemberEdges {} => of_rows(MemberEdges::new(context)),
        Description::Assign {} => of_rows(Assign::new(context)),
        Description::Results { list } => summed(Results::new(context, list)),
        Description::KeptAlone {} => of_rows(KeptAlone::new(context)),
        Description::EqualPairs {} => summed(EqualPairs::new(context)),
        Description::PairEnds {} => of_rows(PairEnds::new(context)),
        Description::MatchPairs {} => summed(MatchPairs::new(context)),
        Description::ClusterRows {} => summed(ClusterRows::new()),
        Description::ValueCounts {} => of_rows(ValueCounts::default()),
        Description::LargestValues {} => of_rows(LargestValues::default()),
        Description::ValueEdges {} => of_rows(ValueEdges),
        Description::ValueEnds {} => of_rows(ValueEnds::default()),
        Description::ValuePairs { named } => of_rows(ValuePairs::new(&named)),
        Description::ReadTexts { task, row } => {
            Box::new(passages::ReadTexts::new(context, task, row)?)
        }
        Description::DocumentNumbers {} => of_rows(passages::DocumentNumbers),
        Description::TextMessages {} => of_rows(passages::TextMessages),
        Description::GatherTold {} => of_rows(passages::GatherTold::default()),
        Description::NumberTexts { parts, told } => {
            of_rows(at_texts(passages::NumberTexts::new(context, parts)?, told.then_some(data))?)
        }
        Description::FindAnchors { parts, near } => {
            of_rows(passages::FindAnchors::new(context, parts, near)?)
        }
        Description::Group { parts, near } => of_rows(passages::Group::new(context, parts, near)?),
        Description::Answer { near, told } => {
            of_rows(at_texts(passages::Answer::new(context, near)?, told.then_some(data))?)
        }
        Description::Resolve { parts, near } => {
            of_rows(passages::Resolve::new(context, parts, near)?)
        }
        Description::NearSeeds { parts } => of_rows(passages::NearSeeds::new(context, parts)?),
        Description::NearPassages {} => of_rows(passages::NearPassages::new(context)?),
        Description::Runs {} => of_rows(passages::Runs::default()),
        Description::RunLinks {} => of_rows(passages::RunLinks),
        Description::LinkMessages {} => of_rows(passages::LinkMessages),
        Description::DocumentRuns {} => of_rows(passages::DocumentRuns),
        Description::ByComponent {} => of_rows(passages::ByComponent::default()),
        Description::Cuts { parts, most } => of_rows(passages::Cuts::new(context, parts, most)?),
        Description::AskPlaces { parts } => of_rows(passages::AskPlaces::new(context, parts)?),
        Description::Place { parts, told } => {
            of_rows(at_texts(passages::Place::new(context, parts)?, told.then_some(data))?)
        }
        Description::PassageRows {} => summed(passages::PassageRows::new(context)?),
        Description::EditRows {} => summed(passages::EditRows::new(context)),
    })
}
