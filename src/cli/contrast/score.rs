//! `canopy contrast score`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;

use super::report::{ModelResult, Report};
use crate::error::Result;
use crate::inputs::check_output;
use crate::options::{Device, ModelArguments, models};
use crate::terminal::{StatusLine, print, warn};
use canopy_chart::charts::{Theme, check_picture, write_picture};
use canopy_evaluate::contrastive::{
    Accuracies, ContextOptions, ContrastiveSet, TargetContext, open,
};
use canopy_evaluate::evaluation::unique_names;
use canopy_nn::model::MemoryUse;

#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// Model folders, or names of installed models; without them the starter model
    #[arg(long, value_name = "DIR|NAME", num_args = 1.., value_parser = models())]
    model: Vec<PathBuf>,
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: Device,
    /// The set: a JSON file, or a .src file of Voita et al.
    #[arg(long, value_name = "FILE")]
    set: PathBuf,
    /// Folder with the documents of a set in ContraPro's form; default: documents/ next to the set
    #[arg(long, value_name = "DIR")]
    documents: Option<PathBuf>,
    /// Number of preceding sentences that models read; without it all of the document
    #[arg(long, value_name = "N")]
    before: Option<usize>,
    /// Number of following sentences that models read; without it all of the document
    #[arg(long, value_name = "N")]
    after: Option<usize>,
    /// Let models that read translations read the human ones, which no system has when it translates; results are marked
    /// so. Without it they read their own
    #[arg(long)]
    gold_target_context: bool,
    /// Hypotheses kept while a model makes its own translations of the context
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = crate::options::beam_sizes())]
    beam: usize,
    /// Print everything as JSON, with the scores of all candidates
    #[arg(long)]
    json: bool,
    /// Also draw the accuracies (.svg, .png)
    #[arg(short, long, value_name = "FIGURE")]
    output: Option<PathBuf>,
    /// Replace an existing figure
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &ScoreArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        let files = arguments.model.iter().chain([&arguments.set]);
        check_output(path, files.map(PathBuf::as_path))?;
        check_picture(path, arguments.force)?;
    }
    let set = open(&arguments.set, arguments.documents.as_deref())?;
    if set.needs_target_context && !arguments.gold_target_context {
        warn(
            "only earlier translations distinguish right from wrong in this set, so without --gold-target-context it measures chance",
        );
    }
    let folders: Vec<Option<&Path>> = match arguments.model.as_slice() {
        [] => vec![None],
        folders => folders
            .iter()
            .map(|folder| Some(folder.as_path()))
            .collect(),
    };
    let mut models = Vec::new();
    for folder in folders {
        models.push(score(arguments, folder, &set)?);
    }
    let both = models.iter();
    let both = both.map(|model| (model.name.clone(), model.folder.clone()));
    let names = unique_names(&both.collect::<Vec<_>>());
    for (model, name) in models.iter_mut().zip(names) {
        model.name = name;
    }
    let report = Report {
        set: &set,
        before: arguments.before,
        after: arguments.after,
        models,
    };
    if arguments.json {
        print(&format!("{:#}\n", report.json()))?;
    } else {
        print(&report.text())?;
    }
    if let Some(path) = &arguments.output {
        let figure = report.figure();
        let size = (760, figure.height());
        write_picture(&figure, &Theme::LIGHT, path, size, arguments.force)?;
    }
    Ok(())
}

fn score(
    arguments: &ScoreArguments,
    folder: Option<&Path>,
    set: &ContrastiveSet,
) -> Result<ModelResult> {
    let model = ModelArguments {
        model: folder.map(Path::to_owned),
        place: arguments.device.into(),
    };
    let translator = model.open()?;
    let options = ContextOptions {
        before: arguments.before,
        after: arguments.after,
        gold_target_context: arguments.gold_target_context,
        beam_size: arguments.beam,
    };
    let total: usize = set.items.iter().map(|item| item.candidates().count()).sum();
    let mut status = StatusLine::new();
    let name = translator.info().name.clone();
    let memory = translator.description().model.memory_use;
    if let Some(MemoryUse::FineTune | MemoryUse::KnnMt) = memory {
        warn(&format!(
            "{name}: its memory is not used here: translations are scored by the network alone"
        ));
    }
    let scores = canopy_evaluate::contrastive::score(&translator, set, &options, &mut |done| {
        status.show(&format!("{name}: {done} of {total} translations"));
        ControlFlow::Continue(())
    })?;
    status.clear();
    if arguments.gold_target_context && scores.target_context != TargetContext::Gold {
        warn(&format!(
            "{name} reads no translations, --gold-target-context changes nothing"
        ));
    }
    Ok(ModelResult {
        name,
        folder: translator.info().folder.clone(),
        device: translator.loaded().device().name.clone(),
        accuracies: Accuracies::from_scores(set, &scores.items),
        scores,
    })
}
