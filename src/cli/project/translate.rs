//! `canopy project translate`

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::place::data_folder;
use crate::error::{BaseError, Error, Result};
use crate::library;
use crate::options::{ModelArguments, beam_sizes};
use crate::terminal::{StatusLine, tell};
use canopy_project::OpenDocument;
use canopy_project::{DocumentWork, ProjectFolder};
use canopy_qa::terms::Termbase;
use canopy_train::for_document;
use canopy_translate::inference::{
    KnownTranslations, SearchOptions, Step, TermMode, TermUse, TranslationRequest, Translator,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Drafts go into the project, where the window shows them. What was confirmed in any document of the project, and \
    the project's memory, serve as translation memory; its termbase is used. Edited and confirmed sentences are never replaced."
)]
pub(crate) struct TranslateArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
    /// Hypotheses kept for each sentence; 1 is greedy search [default: 4, or fewer where the model's files say so]
    #[arg(long, value_name = "N", value_parser = beam_sizes())]
    beam: Option<usize>,
    /// Translate drafts anew, too
    #[arg(long)]
    again: bool,
}

pub(super) fn run(arguments: &TranslateArguments) -> Result<()> {
    let project = ProjectFolder::open(&arguments.folder)?;
    let mut translator = arguments.translator(&project)?;
    let data = data_folder()?;
    for (relative, path) in project.documents() {
        let mut work = DocumentWork::write(&data, &path)?;
        let mut open = OpenDocument::new(
            work.path.clone(),
            work.document.clone(),
            work.project.as_ref(),
        );
        let all = 0..open.num_sentences();
        let mut left = open.translatable(all.clone(), false);
        if arguments.again {
            left = open.translatable(all, true);
        }
        if left.is_empty() {
            continue;
        }
        // Confirmed sentences of the documents before are in it.
        let info = translator.info();
        let memory = project.memory(&info.source_language, &info.target_language)?;
        translator.remember(memory);
        translate(
            &translator,
            &mut open,
            &left,
            arguments.beam.unwrap_or_default(),
            relative,
        )?;
        work.save(open.project())?;
        tell(&format!(
            "{relative}: {} sentences are translated\n",
            left.len()
        ));
    }
    Ok(())
}

impl TranslateArguments {
    /// The model that the options name, else that of the project, else one between its languages; with its terms.
    fn translator(&self, project: &ProjectFolder) -> Result<Translator> {
        let head = &project.head;
        let mut model = self.model.clone();
        if let (None, Some(name)) = (&model.model, &head.model) {
            let folder = project.model_folder();
            model.model = Some(folder.map_or_else(|| library::folder_of(name), Ok)?);
        }
        let (from, to) = (&head.source_language, &head.target_language);
        let mut translator = model.open_for(Some(from), Some(to), true)?;
        let info = translator.info();
        let fits = |asked: &str, has: &str| canopy_corpus::is_same_language(has, asked);
        if !fits(from, &info.source_language) || !fits(to, &info.target_language) {
            return Err(Error::Base(BaseError::Languages {
                asked: format!("{from} to {to}"),
                has: format!("{} to {}", info.source_language, info.target_language),
            }));
        }
        let terms = project.terms();
        if !terms.is_empty() && translator.second().is_none() {
            let base = Termbase::read_all(&terms, from, to)?;
            translator.use_terms(TermUse::new(Arc::new(base), TermMode::Soft));
        }
        Ok(translator)
    }
}

fn translate(
    translator: &Translator,
    open: &mut OpenDocument,
    left: &[usize],
    beam_size: usize,
    name: &str,
) -> Result<()> {
    let document = open.document.clone();
    let adapted = for_document(translator, &document, &mut |_, _| ControlFlow::Continue(()));
    let by = adapted.as_ref().unwrap_or(translator);
    let model = by.info().name.clone();
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut known = KnownTranslations::fixed(open.fixed());
    let (mut line, mut done) = (StatusLine::new(), 0_usize);
    let request = TranslationRequest::new(&document, left, &mut known, &options);
    let translated = by.run(request, &mut |event| {
        if let Step::Translated { index, translation } = event.step {
            open.receive(index, translation, &model);
            done += 1;
            line.show(&format!("{name}: {done} of {} sentences", left.len()));
        }
        ControlFlow::Continue(())
    });
    line.clear();
    Ok(translated?)
}
