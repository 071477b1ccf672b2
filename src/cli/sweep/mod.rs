//! `canopy sweep`

mod figure;
mod score;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use score::ScoreArguments;

use super::terminal::{StatusLine, print};
use super::train::{end_on_interrupt, interrupted, show};
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;
use canopy_train::sweep::{Sweep, SweepTable, TableRow};
use canopy_train::{Control, Order};
use canopy_translate::inference::ComputeDevice;

/// Train many models and compare them
#[derive(Debug, Subcommand)]
pub(super) enum SweepCommand {
    /// Train the rows of a sweep file; finished runs are skipped
    Run(RunArguments),
    /// Print the results of a sweep so far
    Show {
        /// Folder of the sweep
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// Print JSON
        #[arg(long, conflicts_with = "format")]
        json: bool,
        /// How to print the table
        #[arg(short, long, value_enum, default_value = "text")]
        format: Format,
    },
    /// Translate held-out documents with every model of a sweep, and test which differences are significant
    Score(ScoreArguments),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy sweep run assets/sweeps/x-transformer-table-4.toml\n\ndocs/reference/files.md \
    describes the file."
)]
pub(super) struct RunArguments {
    /// Rows and seeds, such as assets/sweeps/x-transformer-table-4.toml
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,
    /// Folder for the runs, the table and the figure [default: runs/NAME, with --steps runs/NAME-times]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Measure only the time, with this number of updates in each run and without scores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..))]
    steps: Option<u32>,
    /// Train only this row, by its name; repeatable
    #[arg(long, value_name = "NAME")]
    row: Vec<String>,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: super::options::Device,
}

impl RunArguments {
    /// Runs that only measure time do not take the place of the sweep's own.
    fn default_folder(&self) -> PathBuf {
        let mut name = self.file.file_stem().unwrap_or_default().to_owned();
        if self.steps.is_some() {
            name.push("-times");
        }
        Path::new("runs").join(name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Latex,
    Json,
}

pub(super) fn run(command: &SweepCommand) -> Result<()> {
    match command {
        SweepCommand::Run(arguments) => train(arguments),
        SweepCommand::Score(arguments) => score::run(arguments),
        SweepCommand::Show {
            folder,
            json,
            format,
        } => {
            let table = SweepTable::read(&Sweep::open_folder(folder)?, folder)?;
            let format = if *json { Format::Json } else { *format };
            print(&written(&table, format))
        }
    }
}

fn train(arguments: &RunArguments) -> Result<()> {
    let refused = |reason| {
        Error::Base(BaseError::Settings {
            reason,
            path: arguments.file.clone(),
        })
    };
    let mut sweep = Sweep::open(&arguments.file)?
        .choosing(&arguments.row)
        .map_err(refused)?;
    if let Some(steps) = arguments.steps {
        sweep = sweep.measuring(steps as usize);
    }
    let folder = arguments.output.clone();
    let folder = folder.unwrap_or_else(|| arguments.default_folder());
    let compute = ComputeDevice::open(arguments.device.into())?;
    let control = Control::default();
    end_on_interrupt(&control);
    let mut line = StatusLine::new();
    let mut under_way = None;
    let table = sweep.run(&folder, &compute, &control, &mut |row, run, event| {
        if under_way.as_ref() != Some(&run.folder) {
            line.line(&format!("{}, seed {}", row.name, run.config.seed));
            under_way = Some(run.folder.clone());
        }
        show(&mut line, event);
    })?;
    for (name, format) in [
        ("table.txt", Format::Text),
        ("table.json", Format::Json),
        ("table.tex", Format::Latex),
    ] {
        write_atomically(folder.join(name), written(&table, format).as_bytes(), true)?;
    }
    let path = folder.join("table.svg");
    let svg = figure::svg(&table).map_err(|cause| {
        let cause = std::io::Error::other(cause.to_string());
        Error::write(&path)(cause)
    })?;
    write_atomically(&path, svg.as_bytes(), true)?;
    print(&written(&table, Format::Text))?;
    let is_chosen = |name: &String| arguments.row.is_empty() || arguments.row.contains(name);
    let chosen = table.rows.iter().filter(|row| is_chosen(&row.name));
    let is_open = |row: &TableRow| row.finished + row.failed < row.seeds;
    if control.order() >= Order::Stop && chosen.clone().any(is_open) {
        interrupted();
    }
    match chosen.map(|row| row.failed).sum() {
        0 => Ok(()),
        count => Err(Error::RunsFailed { count }),
    }
}

fn written(table: &SweepTable, format: Format) -> String {
    match format {
        Format::Text => table.to_text(),
        Format::Latex => table.to_latex(),
        Format::Json => format!("{:#}\n", serde_json::json!(table)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measuring_leaves_the_runs_of_the_sweep_alone() {
        let folder = |steps| {
            let arguments = RunArguments {
                file: "sweeps/ladder.toml".into(),
                output: None,
                steps,
                row: Vec::new(),
                device: crate::options::Device::Cpu,
            };
            arguments.default_folder()
        };
        assert_eq!(folder(None), Path::new("runs/ladder"));
        assert_eq!(folder(Some(30)), Path::new("runs/ladder-times"));
    }
}
