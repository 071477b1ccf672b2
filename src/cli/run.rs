//! `canopy run`

use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};

use super::inputs::check_output;
use super::options::{named, pixels};
use crate::error::Result;
use canopy_base::file::canonicalize;
use canopy_chart::charts::{self, Theme, View, XAxis};
use canopy_evaluate::evaluation::unique_names;
use canopy_train::{Curves, Order, chart, give_order};

#[derive(Debug, Subcommand)]
pub(super) enum RunCommand {
    /// Draw the curves of training runs: losses, BLEU, learning rate, gradient norm and speed, overlaid
    Plot(PlotArguments),
    /// Make a run of another process save a checkpoint and wait
    Pause {
        /// Run folder
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Resume a paused run
    Resume {
        /// Run folder
        #[arg(value_name = "RUN")]
        run: PathBuf,
    },
    /// Make a run save a checkpoint and end
    ///
    /// Ctrl+C and SIGTERM end a training in the same way.
    Stop {
        /// Run folder
        #[arg(value_name = "RUN")]
        run: PathBuf,
        /// End at once, and lose what came after the last checkpoint
        #[arg(long)]
        now: bool,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy run plot runs/* -o curves.svg")]
pub(super) struct PlotArguments {
    /// Run folders, as `canopy train` makes them; a run in progress is drawn as far as it has come
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Figure to write: .svg scales without loss, .png fits anywhere
    #[arg(short, long, value_name = "FIGURE.svg|.png")]
    output: PathBuf,
    /// Quantity on the horizontal axis: updates of the model, minutes of training, or target subwords learnt from
    #[arg(long, default_value = "steps", value_parser = axes())]
    x: XAxis,
    /// How smooth the thick curves are, from 0 (not at all) to below 1: 0.95 averages about 20 updates, 0.99 about 100
    #[arg(long, default_value_t = 0.95, value_parser = smoothing)]
    smoothing: f64,
    /// Dark on white, as in papers (default)
    #[arg(long, conflicts_with = "dark")]
    light: bool,
    /// Light on dark grey, as on screens
    #[arg(long)]
    dark: bool,
    /// Width of the figure
    #[arg(long, value_name = "PIXELS", default_value_t = 1_200, value_parser = pixels())]
    width: u32,
    /// Height of the figure
    #[arg(long, value_name = "PIXELS", default_value_t = 800, value_parser = pixels())]
    height: u32,
    /// Replace an existing figure
    #[arg(long)]
    force: bool,
}

/// Values of `--x`.
fn axes() -> impl TypedValueParser<Value = XAxis> {
    named(&[
        ("steps", XAxis::Steps),
        ("minutes", XAxis::Minutes),
        ("tokens", XAxis::Tokens),
    ])
}

fn smoothing(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..1.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to below 1, such as 0.95".to_owned()),
    }
}

pub(super) fn run(command: RunCommand) -> Result<()> {
    let (run, order) = match command {
        RunCommand::Plot(arguments) => return plot(&arguments),
        RunCommand::Pause { run } => (run, Order::Pause),
        RunCommand::Resume { run } => (run, Order::Resume),
        RunCommand::Stop { run, now: false } => (run, Order::Stop),
        RunCommand::Stop { run, now: true } => (run, Order::Abandon),
    };
    Ok(give_order(&run, order)?)
}

fn plot(arguments: &PlotArguments) -> Result<()> {
    let runs = arguments.runs.iter().map(PathBuf::as_path);
    check_output(&arguments.output, runs)?;
    let curves = arguments.runs.iter().map(|run| Curves::read(run));
    let curves = curves.collect::<Result<Vec<_>, _>>()?;
    let names = names(&arguments.runs);
    let runs: Vec<(&str, &Curves)> = names.iter().map(String::as_str).zip(&curves).collect();
    let chart = chart(&runs, arguments.x, arguments.smoothing);
    let theme = if arguments.dark {
        Theme::DARK
    } else {
        Theme::LIGHT
    };
    let size = (arguments.width, arguments.height);
    let (view, path) = (View::default(), &arguments.output);
    Ok(charts::write(
        &chart,
        &view,
        &theme,
        path,
        size,
        arguments.force,
    )?)
}

/// Names of the runs: their folders' names, or the whole paths of those with the same one.
fn names(runs: &[PathBuf]) -> Vec<String> {
    let named = runs.iter().map(|run| {
        let folder = match run.extension() {
            Some(end) if end == "jsonl" => run.parent().unwrap_or(Path::new("")),
            _ => run,
        };
        let folder = canonicalize(folder).unwrap_or(folder.to_owned());
        let name = folder.file_name().unwrap_or(run.as_os_str());
        (name.to_string_lossy().into_owned(), run.clone())
    });
    unique_names(&named.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_name_are_distinguished_by_their_paths() {
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(names(&paths(&["a/x", "a/y/events.jsonl"])), ["x", "y"]);
        assert_eq!(names(&paths(&["a/x", "b/x"])), ["a/x", "b/x"]);
    }
}
