//! Many runs as one job: rows of settings, each with several seeds, and the table they end in.
//!
//! A sweep is a TOML file:
//! ```toml
//! reference = "Sentence"          # the row that times are relative to; the first one if it is left out
//! seeds = [1, 2]                  # of rows with neither seeds nor a seed of their own
//!
//! [base]                          # settings of all rows, as in a run's config.toml
//! corpus = "corpora/help-en-de"
//! target_tokens = 1_000_000
//!
//! [[row]]
//! name = "Sentence"
//! preset = "x-transformer-small"  # and whatever else is different, seeds too
//!
//! [[row]]
//! name = "Nearest neighbours"
//! preset = "nearest-neighbours-small"
//! weights = "Sentence"            # a row above that trains the same: only the memory is used otherwise
//! reranker = "models/de-en"        # a model that translates back, which chooses among the translations
//! ```
//! Its folder holds a copy of the file and one run folder for every row that trains and every seed, `ROW/seed-N`.

mod measured;
mod origin;
mod run;
mod table;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Table, Value};

pub use origin::Origin;
pub use run::SweepRun;
pub use table::{SweepTable, TableRow};

use super::config::TrainingConfig;
use super::control::{Control, Order};
use super::event::TrainingEvent;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;
use canopy_corpus::Corpus;
use canopy_translate::inference::ComputeDevice;
use run::trains_alike;

const FILE: &str = "sweep.toml";

/// Whether a folder is that of a sweep.
pub fn is_sweep(folder: &Path) -> bool {
    folder.join(FILE).is_file()
}

/// Rows of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Name of the row that the others are compared with.
    pub reference: String,
    /// The rows in the order of the file.
    pub rows: Vec<SweepRow>,
    /// Names of the rows that [`Self::run`] trains; all, if there is none.
    chosen: Vec<String>,
    text: String,
}

/// Runs that differ in nothing but their seed.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepRow {
    /// Name of the row.
    pub name: String,
    /// Its runs, a seed each.
    pub runs: Vec<SweepRun>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    reference: Option<String>,
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    base: Table,
    row: Vec<Table>,
}

impl Sweep {
    /// Reads a sweep's file.
    ///
    /// # Errors
    /// [`BaseError::Settings`] with the line, or the row and its field, that is wrong.
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
        Self::parsed(text).map_err(|reason| {
            Error::Base(BaseError::Settings {
                reason,
                path: path.to_owned(),
            })
        })
    }

    /// Reads the sweep that a folder holds.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_folder(folder: &Path) -> Result<Self> {
        Self::open(&folder.join(FILE))
    }

    fn parsed(text: String) -> Result<Self, String> {
        /// Read once more with types, for errors with a line.
        #[derive(Deserialize)]
        struct Base {
            #[serde(default, rename = "base")]
            _base: TrainingConfig,
        }
        let message = |error: toml::de::Error| error.to_string().trim_end().to_owned();
        toml::from_str::<Base>(&text).map_err(message)?;
        let file: File = toml::from_str(&text).map_err(message)?;
        let mut rows: Vec<SweepRow> = Vec::new();
        for (number, mut row) in file.row.into_iter().enumerate() {
            let Some(Value::String(name)) = row.remove("name") else {
                return Err(format!("row {} has no name", number + 1));
            };
            let wrong = |problem: String| format!("row {name:?}: {problem}");
            let seeds = match row.remove("seeds") {
                Some(own) => Some(own.try_into().map_err(|error| wrong(message(error)))?),
                None if row.contains_key("seed") || file.seeds.is_empty() => None,
                None => Some(file.seeds.clone()),
            };
            let weights = row.remove("weights");
            let reranker = row.remove("reranker").or_else(|| row.remove("channel"));
            let mut row = SweepRow::new(&name, &file.base, &row, seeds).map_err(wrong)?;
            if let Some(weights) = weights {
                let weights = weights.try_into::<String>();
                let weights = weights.map_err(|error| wrong(message(error)))?;
                row.take_weights(&weights, &rows).map_err(wrong)?;
            }
            if let Some(reranker) = reranker {
                let reranker: PathBuf =
                    reranker.try_into().map_err(|error| wrong(message(error)))?;
                for run in &mut row.runs {
                    run.reranker = Some(reranker.clone());
                }
            }
            if rows.iter().any(|other| other.folder() == row.folder()) {
                return Err(format!("two rows would be {:?}", row.folder()));
            }
            rows.push(row);
        }
        let first = rows.first().ok_or("there is no [[row]]")?;
        let reference = file.reference.unwrap_or_else(|| first.name.clone());
        if !rows.iter().any(|row| row.name == reference) {
            return Err(format!("reference is {reference:?}, no row is called so"));
        }
        Ok(Self {
            reference,
            rows,
            chosen: Vec::new(),
            text,
        })
    }

    /// This sweep, of which [`Self::run`] trains these rows alone.
    ///
    /// # Errors
    /// The error, if it has no row of such a name.
    pub fn choosing(mut self, names: &[String]) -> Result<Self, String> {
        for name in names {
            if !self.rows.iter().any(|row| row.name == *name) {
                let rows = self.rows.iter().map(|row| row.name.as_str());
                let rows: Vec<&str> = rows.collect();
                return Err(format!(
                    "no row is called {name:?}; there are: {}",
                    rows.join("; ")
                ));
            }
        }
        self.chosen = names.to_vec();
        Ok(self)
    }

    /// These rows for `steps` updates without any score, to measure their time.
    #[must_use]
    pub fn measuring(mut self, steps: usize) -> Self {
        for run in self.rows.iter_mut().flat_map(|row| &mut row.runs) {
            run.config = TrainingConfig {
                steps,
                target_tokens: 0,
                minutes: 0.0,
                patience: 0,
                validate_every: 0,
                checkpoint_every: steps.max(1),
                keep_checkpoints: 0,
                ..run.config.clone()
            };
        }
        self
    }

    /// Trains what is not finished yet, in the sweep's `folder`. A run that fails does not keep the others from running.
    ///
    /// `observe` gets the row and the events of its run; `control` steers the run under way, and an order to end it ends
    /// the sweep.
    ///
    /// # Errors
    /// If the folder cannot be written, the corpus of a chosen row is not there, or a run was begun with other settings.
    pub fn run(
        &self,
        folder: &Path,
        compute: &ComputeDevice,
        control: &Control,
        observe: &mut dyn FnMut(&SweepRow, &SweepRun, &TrainingEvent),
    ) -> Result<SweepTable> {
        std::fs::create_dir_all(folder).map_err(Error::write(folder))?;
        let is_chosen = |row: &&SweepRow| self.chosen.is_empty() || self.chosen.contains(&row.name);
        let chosen = self.rows.iter().filter(is_chosen);
        let trained: Vec<&Path> = chosen
            .flat_map(|row| row.runs.iter().map(SweepRun::trained))
            .collect();
        let is_needed = |run: &&SweepRun| trained.contains(&run.folder.as_path());
        for run in self.rows.iter().flat_map(|row| &row.runs).filter(is_needed) {
            Corpus::open(&run.config.corpus)?;
            run.check_settings(folder)?;
        }
        write_atomically(folder.join(FILE), self.text.as_bytes(), true)?;
        for row in &self.rows {
            for run in row.runs.iter().filter(is_needed) {
                if control.order() < Order::Stop && !run.is_finished(folder)? {
                    run.train(folder, compute, control, &mut |event| {
                        observe(row, run, event);
                    });
                }
            }
        }
        SweepTable::read(self, folder)
    }
}

impl SweepRow {
    /// Without `seeds` it has the one of its settings.
    fn new(name: &str, base: &Table, own: &Table, seeds: Option<Vec<u64>>) -> Result<Self, String> {
        let mut settings = base.clone();
        settings.extend(own.clone());
        let config: TrainingConfig = Value::Table(settings)
            .try_into()
            .map_err(|error: toml::de::Error| error.to_string().trim_end().to_owned())?;
        config.validate().map_err(|error| error.to_string())?;
        let seeds = seeds.unwrap_or_else(|| vec![config.seed]);
        if seeds.is_empty() || (1..seeds.len()).any(|at| seeds[..at].contains(&seeds[at])) {
            return Err(format!("seeds is {seeds:?}, must be different numbers"));
        }
        config.system().map_err(|error| error.to_string())?;
        let runs = seeds.into_iter().map(|seed| SweepRun {
            config: TrainingConfig {
                seed,
                ..config.clone()
            },
            folder: Path::new(&slug(name)).join(format!("seed-{seed}")),
            weights: None,
            reranker: None,
        });
        Ok(Self {
            name: name.to_owned(),
            runs: runs.collect(),
        })
    }

    /// Gives its runs the weights of those that the row `name` of `rows` trains.
    fn take_weights(&mut self, name: &str, rows: &[Self]) -> Result<(), String> {
        let row = rows.iter().find(|row| row.name == name);
        let row = row.ok_or_else(|| format!("weights is {name:?}, no row above is called so"))?;
        for run in &mut self.runs {
            let seed = run.config.seed;
            let of_seed = row.runs.iter().find(|other| other.config.seed == seed);
            let other = of_seed.ok_or_else(|| format!("{name:?} has no seed {seed}"))?;
            if !trains_alike(&run.config, &other.config).map_err(|error| error.to_string())? {
                return Err(format!(
                    "{name:?} is not trained like it: only memory, and a preset that looks up or learns, may differ"
                ));
            }
            run.weights = Some(other.trained().to_owned());
        }
        Ok(())
    }

    fn folder(&self) -> Option<&Path> {
        self.runs.first()?.folder.parent()
    }
}

/// A name as the name of a folder.
fn slug(name: &str) -> String {
    let letters = name.chars().map(|letter| match letter {
        letter if letter.is_alphanumeric() => letter.to_ascii_lowercase(),
        _ => '-',
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "seeds = [1, 2]\n[base]\ncorpus = \"c\"\nsteps = 5\n\
        [[row]]\nname = \"Base\"\n[[row]]\nname = \"No dropout\"\ndropout = 0.0\nsteps = 7\n";

    #[test]
    fn a_row_is_the_base_with_its_own_settings_for_every_seed() {
        let sweep = Sweep::parsed(TEXT.to_owned()).expect("a sweep");
        assert_eq!(sweep.reference, "Base");
        let row = &sweep.rows[1];
        let found: Vec<_> = row
            .runs
            .iter()
            .map(|run| {
                (
                    run.folder.to_string_lossy().into_owned(),
                    run.config.seed,
                    run.config.steps,
                )
            })
            .collect();
        let expected = [("no-dropout/seed-1", 1, 7), ("no-dropout/seed-2", 2, 7)];
        let expected = expected.map(|(folder, seed, steps)| (folder.to_owned(), seed, steps));
        assert_eq!(found, expected);
        let own = TEXT.replace("dropout = 0.0", "seeds = [3]");
        let own = Sweep::parsed(own).expect("a sweep");
        let seeds = own.rows.iter().map(|row| row.runs.len());
        assert_eq!(seeds.collect::<Vec<_>>(), [2, 1]);
        assert_eq!(own.rows[1].runs[0].config.seed, 3);
        let alone = TEXT
            .replace("seeds = [1, 2]\n", "")
            .replace("steps = 5", "steps = 5\nseed = 7")
            .replace("dropout = 0.0", "seed = 8");
        let beside = TEXT.replace("dropout = 0.0", "seed = 8");
        for (text, expected) in [
            (alone, [vec![7_u64], vec![8]]),
            (beside, [vec![1, 2], vec![8]]),
        ] {
            let rows = Sweep::parsed(text).expect("a sweep").rows;
            let seeds = rows.iter().map(|row| row.runs.iter());
            let seeds = seeds.map(|runs| runs.map(|run| run.config.seed).collect::<Vec<_>>());
            assert_eq!(seeds.collect::<Vec<_>>(), expected);
        }
        let chosen = TEXT.replace("dropout = 0.0", "channel = \"back\"");
        let chosen = Sweep::parsed(chosen).expect("a sweep").rows;
        let channels = chosen.iter().flat_map(|row| &row.runs);
        let channels: Vec<_> = channels.map(|run| run.reranker.as_deref()).collect();
        let back = Some(Path::new("back"));
        assert_eq!(channels, [None, None, back, back]);
        let measuring = sweep.measuring(3);
        assert!(
            measuring.rows[1]
                .runs
                .iter()
                .all(|run| run.config.steps == 3)
        );
    }

    #[test]
    fn wrong_sweeps_are_refused_by_line_or_row_and_field() {
        for (from, to, words) in [
            ("steps = 5", "steps = -5", ["line 4", "steps"]),
            ("steps = 5", "stops = 5", ["line 4", "stops"]),
            ("dropout = 0.0", "dropout = 1.5", ["No dropout", "dropout"]),
            ("dropout = 0.0", "drop = 1", ["No dropout", "drop"]),
            ("dropout = 0.0", "preset = \"x\"", ["No dropout", "preset"]),
            ("dropout = 0.0", "seeds = []", ["No dropout", "seeds"]),
            ("dropout = 0.0", "seeds = [4, 4]", ["No dropout", "[4, 4]"]),
            ("dropout = 0.0", "seeds = 4", ["No dropout", "sequence"]),
            ("dropout = 0.0", "weights = \"X\"", ["No dropout", "\"X\""]),
            ("dropout = 0.0", "weights = 1", ["No dropout", "string"]),
            ("dropout = 0.0", "channel = 1", ["No dropout", "string"]),
            (
                "dropout = 0.0",
                "weights = \"Base\"",
                ["\"Base\"", "like it"],
            ),
            ("\"No dropout\"", "\"base\"", ["two rows", "base"]),
            ("name = \"Base\"", "", ["row 1", "name"]),
            ("[base]", "reference = \"X\"\n[base]", ["reference", "X"]),
            ("[base]", "[bose]", ["line", "bose"]),
        ] {
            let refused = Sweep::parsed(TEXT.replace(from, to)).expect_err(to);
            for word in words {
                assert!(refused.contains(word), "{word:?} is not in: {refused}");
            }
        }
    }

    #[test]
    fn the_sweeps_that_come_with_the_program_can_be_read() {
        for (text, rows) in [
            (
                include_str!("../../../assets/sweeps/x-transformer-table-1.toml"),
                4,
            ),
            (
                include_str!("../../../assets/sweeps/x-transformer-table-4.toml"),
                2,
            ),
            (
                include_str!("../../../assets/sweeps/x-transformer-table-2.toml"),
                6,
            ),
            (include_str!("../../../assets/sweeps/help-en-de.toml"), 29),
            (include_str!("../../../assets/sweeps/similarity.toml"), 10),
        ] {
            let sweep = Sweep::parsed(text.to_owned()).expect("a sweep");
            assert_eq!(sweep.rows.len(), rows, "{}", sweep.reference);
        }
    }
}
