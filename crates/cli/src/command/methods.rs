//! `lookalike methods [NAME]`

use crate::args::{FormatArg, MethodsArgs};
use crate::exit::{Exit, WrongUsage};
use crate::terminal::pairs_table;
use crate::visible::write_pretty;
use lookalike::{
    evaluation::{SCurve, s_curve},
    methods::{About, NeedsStatistics, methods},
};
use std::io::Write;

pub(super) fn run(args: &MethodsArgs) -> anyhow::Result<Exit> {
    // A complete description may be given, for the curve of its parameters.
    let name = args.name.as_deref().map(|spec| spec.split(':').next().unwrap_or(spec));
    let chosen: Vec<&About> =
        methods().filter(|about| name.is_none_or(|name| name == about.name)).collect();
    if let ([], Some(name)) = (chosen.as_slice(), name) {
        let known: Vec<&str> = methods().map(|about| about.name).collect();
        let known = known.join(", ");
        return Err(WrongUsage(format!("there is no method {name:?}; there are {known}")).into());
    }
    let curve = args.name.as_deref().map(s_curve).transpose()?.flatten();
    let mut out = std::io::stdout().lock();
    if args.format == FormatArg::Json {
        write_pretty(&mut out, &chosen.iter().map(json).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    if args.name.is_none() {
        let rows = chosen.iter().map(|about| (about.name.to_owned(), about.summary.to_owned()));
        writeln!(out, "{}", pairs_table(rows))?;
        writeln!(
            out,
            "\nParameters: lookalike methods NAME. Use: --method NAME:PARAMETER=VALUE,…"
        )?;
        return Ok(Exit::Done);
    }
    for about in chosen {
        writeln!(out, "{}: {}\n{}", about.name, about.summary, about.paper)?;
        let unless = match about.needs_statistics {
            NeedsStatistics::Never => None,
            NeedsStatistics::Always => Some(String::new()),
            NeedsStatistics::Unless { parameter, value } => {
                Some(format!(" (unless {parameter}={value})"))
            }
        };
        if let Some(unless) = unless {
            writeln!(
                out,
                "Needs document frequencies{unless}: from --lexicon FILE, or counted in the inputs and \
                 --against, which are then read one more time."
            )?;
        }
        let rows = about.parameters.iter().map(|parameter| {
            let default = match parameter.default {
                "" => String::new(),
                default => format!(" [default: {default}]"),
            };
            (parameter.name.to_owned(), format!("{}{default}", parameter.help))
        });
        writeln!(out, "{}", pairs_table(rows))?;
    }
    if let Some(curve) = curve {
        writeln!(
            out,
            "\nProbability that a pair becomes a candidate in {}, by resemblance:",
            curve.keys
        )?;
        write_curve(&curve, &mut out)?;
    }
    Ok(Exit::Done)
}

/// Draws a curve, a line for each resemblance.
pub(super) fn write_curve(curve: &SCurve, out: &mut impl Write) -> std::io::Result<()> {
    curve.points.iter().try_for_each(|(resemblance, probability)| {
        let bar = "█".repeat((probability * 40.0).round() as usize);
        writeln!(out, "  {resemblance:.2}  {probability:.4}  {bar}")
    })
}

fn json(about: &&About) -> serde_json::Value {
    let parameter = |p: &lookalike::methods::Parameter| serde_json::json!({"name": p.name, "default": p.default, "help": p.help});
    serde_json::json!({
        "name": about.name,
        "summary": about.summary,
        "paper": about.paper,
        "needs_statistics": about.needs_statistics.by_default(),
        "parameters": about.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}
