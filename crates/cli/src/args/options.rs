//! Arguments of settings, made from their table.

use super::values::{checksum, separator, size, utf8};
use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use lookalike::passages::PassageUnit;
use lookalike::{
    input::{CsvChar, CsvQuote, Extractor, Format, StatusFilter, TextEncoding},
    results::TableFormat,
    settings::{BoilerplateLimit, MaxLost},
};
use lookalike_options::{self as options, Item, Kind};
use serde_json::Value;
use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Deref;
use std::str::FromStr;

/// Settings with their values, typed or by default.
pub(crate) type Given = [(&'static Item, Value)];

/// A group of settings that commands take as a whole.
pub(crate) trait Group {
    /// Its settings, in the order of `--help`.
    const ITEMS: &'static [&'static [Item]];
}

/// The arguments of a group.
#[derive(Debug, Clone)]
pub(crate) struct SettingArgs<G>(Vec<(&'static Item, Value)>, PhantomData<G>);

macro_rules! groups {
    ($($args:ident, $group:ident: $($items:ident),+;)+) => {$(
        #[derive(Debug, Clone)]
        pub(crate) struct $group;
        impl Group for $group {
            const ITEMS: &'static [&'static [Item]] = &[$(options::$items),+];
        }
        pub(crate) type $args = SettingArgs<$group>;
    )+};
}

groups! {
    CriterionArgs, Criterion: CRITERION;
    AnalysisArgs, Analysis: ANALYSIS;
    CommonArgs, Common: COMMON;
    BoilerplateArgs, Boilerplate: BOILERPLATE;
    MinFeaturesArgs, MinFeatures: MIN_FEATURES;
    SeparateArgs, Separate: SEPARATE, SEPARATE_BY;
    SeparateByArgs, SeparateBy: SEPARATE_BY;
    AcrossArgs, Across: ACROSS;
    IgnoredArgs, Ignored: IGNORED;
    KeepArgs, Keep: KEEP;
    KeepNArgs, KeepN: KEEP_N;
    ContainedArgs, Contained: CONTAINED;
    LostArgs, Lost: LOST;
    LabelArgs, Labels: LABELS;
    WitnessArgs, Witness: WITNESS;
    FieldArgs, Fields: FIELDS, FORMATS;
    PresetArgs, Preset: PRESET;
    MethodArgs, Methods: METHOD, KNOBS, METHOD_OPTIONS;
    SeedArgs, Seed: SEED;
    ContaminationArgs, OfContamination: CONTAMINATION_PRESET, CONTAMINATION;
    PassageArgs, OfPassages: PASSAGES;
}

impl<G> Deref for SettingArgs<G> {
    type Target = Given;

    fn deref(&self) -> &Given {
        &self.0
    }
}

impl<G: Group> Args for SettingArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(G::ITEMS.iter().copied().flatten().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: Group> FromArgMatches for SettingArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = G::ITEMS.iter().copied().flatten().filter_map(|item| {
            let mut values = matches.get_many::<Value>(item.name)?.cloned();
            let value = match item.kind {
                Kind::KeepRules | Kind::Distinctions | Kind::Names => {
                    values.flat_map(|rules| rules.as_array().cloned().unwrap_or_default()).collect()
                }
                kind if kind.is_list() => values.collect(),
                _ => values.next()?,
            };
            Some((item, value))
        });
        Ok(Self(values.collect(), PhantomData))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The argument of a setting.
fn argument(item: &'static Item) -> Arg {
    let values = match item.kind.is_list() {
        true => ArgAction::Append,
        false => ArgAction::Set,
    };
    let argument = Arg::new(item.name)
        .long(item.name)
        .short(item.short)
        .visible_aliases(item.aliases)
        .aliases(item.hidden_aliases)
        .value_name(item.value)
        .action(values)
        .value_parser(parser(item.kind))
        .default_value(item.default)
        .hide_default_value(item.default_in_help)
        .hide_possible_values(item.value.contains('|'))
        .help(item.help)
        .long_help(Resettable::from(item.long_help().map(Into::into)))
        .help_heading(item.heading)
        .conflicts_with_all(item.excludes);
    item.needs.iter().fold(argument, Arg::requires)
}

/// The parser of a kind of values, into what settings have as JSON.
fn parser(kind: Kind) -> ValueParser {
    fn checked<T: FromStr<Err: Display>>(text: &str) -> Result<Value, String> {
        text.parse::<T>().map_err(|error| error.to_string())?;
        Ok(text.into())
    }
    match kind {
        Kind::Text | Kind::Ratio => clap::builder::StringValueParser::new().map(Value::from).into(),
        Kind::Name | Kind::Files => utf8().map(Value::from).into(),
        Kind::Count(0) => clap::value_parser!(u32).map(Value::from).into(),
        Kind::Count(least) => {
            clap::value_parser!(u32).range(i64::from(least)..).map(Value::from).into()
        }
        Kind::Seed => clap::value_parser!(u64).map(Value::from).into(),
        Kind::Size => ValueParser::new(|text: &str| size(text).map(Value::from)),
        Kind::Choice(values) => PossibleValuesParser::new(values).map(Value::from).into(),
        Kind::Preset => {
            let names = lookalike::settings::presets().map(|preset| preset.name);
            PossibleValuesParser::new(names).map(Value::from).into()
        }
        Kind::ContaminationPreset => {
            let names = lookalike::contamination::contamination_presets().map(|of| of.name);
            PossibleValuesParser::new(names).map(Value::from).into()
        }
        Kind::Format => {
            let names = Format::choices().map(Format::name);
            PossibleValuesParser::new(names.collect::<Vec<_>>()).map(Value::from).into()
        }
        Kind::PassageUnit => ValueParser::new(checked::<PassageUnit>),
        Kind::KeepRules => ValueParser::new(|text: &str| {
            let rules = lookalike::settings::keep_rules(text).map_err(|error| error.to_string())?;
            Ok::<Value, String>(rules.iter().map(ToString::to_string).collect())
        }),
        Kind::Distinctions => ValueParser::new(|text: &str| {
            let list = lookalike::settings::Distinction::list(text)?;
            Ok::<Value, String>(list.iter().map(ToString::to_string).collect())
        }),
        Kind::Names => ValueParser::new(|text: &str| {
            let names: Vec<&str> = text.split(',').map(str::trim).collect();
            match names.contains(&"") {
                true => Err("an empty name; separate names by single commas".to_owned()),
                false => Ok(Value::from(names)),
            }
        }),
        Kind::Limit => ValueParser::new(checked::<BoilerplateLimit>),
        Kind::MaxLost => ValueParser::new(checked::<MaxLost>),
        Kind::Separator => ValueParser::new(|text: &str| separator(text).map(Value::from)),
        Kind::CsvChar => ValueParser::new(checked::<CsvChar>),
        Kind::CsvQuote => ValueParser::new(checked::<CsvQuote>),
        Kind::Status => ValueParser::new(checked::<StatusFilter>),
        Kind::Encoding => ValueParser::new(checked::<TextEncoding>),
        Kind::Extractors => ValueParser::new(checked::<Extractor>),
        Kind::Checksum => ValueParser::new(|text: &str| checksum(text).map(Value::from)),
    }
}

/// The parser of the values of a setting of choice, into the type that the library has for them.
pub(crate) fn choice<T>(name: &str) -> impl TypedValueParser<Value = T> + use<T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    let item = options::SETTINGS.into_iter().flatten().find(|item| item.name == name);
    let values = match item.map(|item| item.kind) {
        Some(Kind::Choice(values)) => values,
        _ => &[],
    };
    PossibleValuesParser::new(values).try_map(|value| serde_json::from_value::<T>(value.into()))
}

/// The parser of formats of tables.
pub(crate) fn table_format() -> impl TypedValueParser<Value = TableFormat> {
    let names = TableFormat::ALL.map(TableFormat::extension);
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}
