//! `canopy sweep score`

use std::path::{Path, PathBuf};

use clap::Args;

use crate::error::{BaseError, Error, Result};
use crate::inputs::check_output;
use crate::options::{Device, held_out};
use crate::terminal::{StatusLine, print, sentences_done};
use canopy_base::file::write_atomically;
use canopy_chart::charts::{Theme, write_picture};
use canopy_corpus::{Corpus, Split};
use canopy_evaluate::contrastive::open;
use canopy_evaluate::results::{Questions, Results, ResultsFigure, Step};
use canopy_train::sweep::{Sweep, SweepTable};
use canopy_translate::inference::SearchOptions;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy sweep score runs/x-transformer-table-4")]
pub(crate) struct ScoreArguments {
    /// Folder of the sweep; finished runs are scored, with the mean of their last checkpoints
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Documents to report on; the best row is chosen on the development documents in any case
    #[arg(long, default_value = "test", value_parser = held_out())]
    split: Split,
    /// Hypotheses kept for each sentence; 1 is greedy search
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = crate::options::beam_sizes())]
    beam: usize,
    /// Contrastive set to score every model on
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Also translate each sentence with the human translations of all sentences before it, and report what only the
    /// document decides in both settings
    #[arg(long, alias = "at-work")]
    confirmed_history: bool,
    /// Folder of the same sweep run with --steps, or its table.json, to take times from. Default: the times of the runs
    /// themselves
    #[arg(long, value_name = "DIR|FILE")]
    times: Option<PathBuf>,
    /// Folder with the models' outputs, a file for each run, also for runs that are not here
    #[arg(long, value_name = "DIR")]
    outputs: Option<PathBuf>,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// Write FILE.json, FILE.md and FILE.svg, replacing existing ones [default: results in the folder of the sweep]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print JSON instead of Markdown
    #[arg(long)]
    json: bool,
}

/// Width of the figure, in pixels.
const WIDTH: u32 = 900;

pub(super) fn run(arguments: &ScoreArguments) -> Result<()> {
    let stem = arguments.output.clone();
    let stem = stem.unwrap_or_else(|| arguments.folder.join("results"));
    for ending in ["json", "md", "svg"] {
        let files = [&arguments.folder].into_iter();
        let files = files.chain(&arguments.set).chain(&arguments.times);
        let files = files.map(PathBuf::as_path);
        check_output(&with_ending(&stem, ending), files)?;
    }
    let sweep = Sweep::open_folder(&arguments.folder)?;
    let times = match &arguments.times {
        Some(file) if file.is_file() => SweepTable::open(file)?,
        Some(folder) => SweepTable::read(&Sweep::open_folder(folder)?, folder)?,
        None => SweepTable::read(&sweep, &arguments.folder)?,
    };
    let corpus = Corpus::open(&sweep.rows[0].runs[0].config.corpus)?;
    let split = arguments.split;
    let set = match &arguments.set {
        Some(path) => Some(open(path, None)?),
        None => None,
    };
    let mut splits = vec![Split::Dev, split];
    splits.dedup();
    let questions = Questions {
        corpus: &corpus,
        splits,
        search: SearchOptions {
            beam_size: arguments.beam,
            ..SearchOptions::default()
        },
        contrasts: set.as_ref(),
        at_work: arguments.confirmed_history,
        outputs: arguments.outputs.as_deref(),
        device: arguments.device.into(),
    };
    let mut line = StatusLine::new();
    let results = Results::from_sweep(
        &sweep,
        &arguments.folder,
        &times,
        split,
        &questions,
        &mut |row, step| line.show(&format!("{}: {}", row.name, step_text(step))),
    )?;
    line.clear();
    let json = serde_json::to_string_pretty(&results).map_err(|cause| {
        Error::Base(BaseError::Settings {
            reason: cause.to_string(),
            path: stem.clone(),
        })
    })? + "\n";
    let markdown = results.to_markdown();
    for (ending, text) in [("json", &json), ("md", &markdown)] {
        write_atomically(with_ending(&stem, ending), text.as_bytes(), true)?;
    }
    let figure = ResultsFigure(&results);
    let size = (WIDTH, figure.height());
    let path = with_ending(&stem, "svg");
    write_picture(&figure, &Theme::LIGHT, &path, size, true)?;
    print(if arguments.json { &json } else { &markdown })
}

/// The step of a row's model as a line on the terminal.
fn step_text(step: Step<'_>) -> String {
    match step {
        Step::Average => "taking the mean of the last checkpoints".to_owned(),
        Step::Translate {
            split,
            at_work,
            done,
            all,
            begun,
        } => {
            let setting = if at_work {
                ", with confirmed translations"
            } else {
                ""
            };
            format!(
                "{}{setting}: {}",
                split.name(),
                sentences_done(done, all, begun)
            )
        }
        Step::Choose { set, done, all } => format!("{set}: {done} of {all} translations"),
    }
}

/// The requested file with this ending: in place of `.json`, after all else, such as `beam-0.5`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let is_json = path.extension().is_some_and(|path| path == "json");
    let stem = if is_json {
        path.file_stem()
    } else {
        path.file_name()
    };
    let mut name = stem.unwrap_or_default().to_owned();
    name.push(format!(".{ending}"));
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_in_a_name_is_no_ending() {
        for (path, expected) in [
            ("results/help", "results/help.md"),
            ("results/help.json", "results/help.md"),
            ("results/beam-0.5", "results/beam-0.5.md"),
        ] {
            assert_eq!(with_ending(Path::new(path), "md"), Path::new(expected));
        }
    }
}
