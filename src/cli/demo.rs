//! `canopy demo`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::json;

use super::terminal::{StatusLine, print, warn};
use super::train::{end_on_interrupt, interrupted, show};
use crate::error::{BaseError, Error, Result};
use canopy_base::file::write_atomically;
use canopy_corpus::synthetic::{GENDERS, TaleImport, nouns_right};
use canopy_corpus::{Corpus, Split};
use canopy_evaluate::evaluation::TestSet;
use canopy_metrics::comparison::{
    ComparedSystem, Comparison, ComparisonOptions, compare, written_p,
};
use canopy_project::Folders;
use canopy_train::{Control, Order, SampleRun, best_model, remember_run, sample_runs, train};
use canopy_translate::inference::{ComputeDevice, DeviceChoice, SearchOptions, Translator};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy demo --run demo\n\nThe language is made up: tales of six animals, whose nouns \
    have endings that depend on a title in one sentence of the tale. A model that reads sentence by sentence can only \
    guess. To see what the other one read: \n\n    \
    canopy explain DIR/tale.txt --model \"DIR/sample whole document/checkpoints/best\""
)]
pub(super) struct DemoArguments {
    /// New folder for the corpus and both runs
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Where to compute; models of this size are fastest on the CPU
    #[arg(long, value_enum, default_value = "cpu")]
    device: super::options::Device,
    /// Print the scores as JSON
    #[arg(long)]
    json: bool,
}

/// A test tale in the folder, to be looked at.
const TALE: &str = "tale.txt";

/// A trained model and what it made of the test tales.
struct Learned {
    model: PathBuf,
    name: String,
    hypotheses: Vec<String>,
}

pub(super) fn run(arguments: &DemoArguments) -> Result<()> {
    let begun = Instant::now();
    let folder = &arguments.run;
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::Base(BaseError::Exists {
            path: folder.clone(),
        }));
    }
    let control = Control::default();
    end_on_interrupt(&control);
    let import = TaleImport {
        output: folder.join("corpus"),
    };
    let go_on = || match control.order() {
        Order::Resume | Order::Pause => ControlFlow::Continue(()),
        Order::Stop | Order::Abandon => ControlFlow::Break(()),
    };
    let Some(corpus) = import.run(|_, _| go_on())? else {
        interrupted()
    };
    let mut line = StatusLine::new();
    for run in sample_runs(corpus.folder()) {
        learn(&run, folder, arguments.device.into(), &control, &mut line)?;
    }
    let test = TestSet::open(&corpus, Split::Test)?;
    let mut learned = Vec::new();
    for run in sample_runs(corpus.folder()) {
        line.show("translating the test tales");
        let model = best_model(&folder.join(run.name)).ok_or_else(|| {
            canopy_train::error::Error::NoRun {
                path: folder.join(run.name),
            }
        })?;
        let translator = Translator::open(&model, arguments.device.into())?;
        let options = SearchOptions::default();
        let translated = test.translate(&translator, &options, &mut || go_on())?;
        let Some(translated) = translated else {
            interrupted()
        };
        learned.push(Learned {
            name: translator.info().name.clone(),
            hypotheses: translated.hypotheses,
            model,
        });
    }
    line.clear();
    let tale = folder.join(TALE);
    write_atomically(&tale, first_tale(&test).as_bytes(), false)?;
    let systems = learned.iter().map(|it| ComparedSystem {
        name: it.name.clone(),
        hypotheses: it.hypotheses.clone(),
    });
    let compared = test.compared(systems.collect());
    let comparison = compare(&compared, &ComparisonOptions::default());
    let secs = begun.elapsed().as_secs_f64();
    if arguments.json {
        print(&format!(
            "{:#}\n",
            report_json(&corpus, &learned, &comparison, secs)
        ))
    } else {
        print(&report(&learned, &comparison, secs))
    }
}

fn learn(
    run: &SampleRun,
    folder: &Path,
    device: DeviceChoice,
    control: &Control,
    line: &mut StatusLine,
) -> Result<()> {
    let place = folder.join(run.name);
    if let Some(home) = Folders::for_user().data
        && let Err(error) = remember_run(&home, &place)
    {
        warn(&format!("the window will not list this run: {error}"));
    }
    line.line(&format!("{}: {}", run.name, run.config.preset));
    let ComputeDevice { device, name, .. } = ComputeDevice::open(device)?;
    let mut observe = |event: &_| show(line, event);
    let config = &run.config;
    let ended = train(config, &place, false, &device, &name, control, &mut observe)?;
    if ended.is_order() {
        interrupted();
    }
    Ok(())
}

/// The source of the first test tale, a paragraph a sentence.
fn first_tale(test: &TestSet) -> String {
    let segments = test.segments.iter();
    let first = segments.take_while(|segment| segment.document == 0);
    let paragraphs: Vec<&str> = first.map(|segment| segment.source.as_str()).collect();
    paragraphs.join("\n\n") + "\n"
}

/// Nouns whose ending is right, and nouns.
fn nouns(learned: &Learned, comparison: &Comparison) -> (usize, usize) {
    let references = comparison.segments.iter();
    let references = references.map(|it| it.segment.reference.as_str());
    nouns_right(references.zip(learned.hypotheses.iter().map(String::as_str)))
}

fn report(learned: &[Learned], comparison: &Comparison, secs: f64) -> String {
    use std::fmt::Write;
    let width = learned.iter().map(|it| it.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}  nouns right   BLEU   chrF\n", "");
    for (it, system) in learned.iter().zip(&comparison.systems) {
        let (right, all) = nouns(it, comparison);
        let percent = 100.0 * right as f64 / all.max(1) as f64;
        let [bleu, chrf] = [&system.scores[0], &system.scores[1]];
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "{:width$}  {percent:>9.1} % {:>6.1} {:>6.1}",
            it.name, bleu.score, chrf.score
        );
        let p = bleu.p.map(|p| format!("  BLEU {}", written_p(p)));
        text += &(p.unwrap_or_default() + "\n");
    }
    text + &format!("A guess is right in 1 of {GENDERS} cases. {secs:.0} s in total.\n")
}

fn report_json(
    corpus: &Corpus,
    learned: &[Learned],
    comparison: &Comparison,
    secs: f64,
) -> serde_json::Value {
    let system = |(it, system): (&Learned, &canopy_metrics::comparison::SystemScores)| {
        let (right, all) = nouns(it, comparison);
        json!({
            "name": it.name,
            "model": it.model,
            "nouns_right": right,
            "nouns": all,
            "bleu": system.scores[0],
            "chrf": system.scores[1],
        })
    };
    let systems = learned.iter().zip(&comparison.systems).map(system);
    json!({
        "corpus": corpus.folder(),
        "chance": 1.0 / f64::from(GENDERS),
        "seconds": secs,
        "systems": systems.collect::<Vec<_>>(),
    })
}
