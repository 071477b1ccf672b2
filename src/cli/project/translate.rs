//! `canopy project translate`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::place::data_folder;
use crate::error::{Error, Result};
use crate::library;
use crate::options::{ModelArguments, beam_sizes, warn_of_unread, wrong_usage};
use crate::terminal::{StatusLine, write_stderr};
use canopy_corpus::memory::TranslationMemory;
use canopy_document::document::Document;
use canopy_project::{DocumentWork, OpenDocument, ProjectFolder, language};
use canopy_qa::terms::Termbase;
use canopy_train::for_document;
use canopy_translate::error::Error as TranslateError;
use canopy_translate::inference::{
    DocumentModel, KnownTranslations, LanguageModelTranslator, Languages, SearchOptions, Step,
    TermMode, TermUse, TranslationRequest, Translator,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Drafts go into the project, where the window shows them. What was confirmed in any document of the \
    project, and \
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
    /// Also retranslate drafts
    #[arg(long)]
    again: bool,
}

pub(super) fn run(arguments: &TranslateArguments) -> Result<()> {
    let project = ProjectFolder::open(&arguments.folder)?;
    let mut model = arguments.opened(&project)?;
    let data = data_folder()?;
    for (relative, path) in project.documents() {
        let mut work = DocumentWork::write(&data, &path)?;
        let mut open = OpenDocument::new(
            work.path.clone(),
            work.document.clone(),
            work.project.as_ref(),
        );
        let all = 0..open.num_sentences();
        let mut left = open.targets.translatable(all.clone(), false);
        if arguments.again {
            left = open.targets.translatable(all, true);
        }
        if left.is_empty() {
            continue;
        }
        // Confirmed sentences of the documents before are in it.
        let [from, to] = model.languages();
        model.set_memory(project.memory(from, to)?);
        translate(
            &model,
            &mut open,
            &left,
            arguments.beam.unwrap_or_default(),
            relative,
        )?;
        work.save(open.project())?;
        write_stderr(&format!(
            "{relative}: {} sentences are translated\n",
            left.len()
        ));
    }
    Ok(())
}

/// The model of a project.
#[expect(clippy::large_enum_variant, reason = "there is one")]
enum Model {
    Translator(Translator),
    LanguageModel(LanguageModelTranslator),
}

impl Model {
    fn languages(&self) -> [&str; 2] {
        let info = match self {
            Self::Translator(translator) => translator.info(),
            Self::LanguageModel(model) => model.info(),
        };
        [&info.source_language, &info.target_language]
    }

    fn set_memory(&mut self, memory: TranslationMemory) {
        match self {
            Self::Translator(translator) => translator.set_memory(memory),
            Self::LanguageModel(model) => model.memory = Some(Arc::new(memory)),
        }
    }

    /// The model for a document, made for it if it learns from its memory, and its name.
    fn for_document<'m>(
        &'m self,
        document: &Document,
        made: &'m mut Option<Translator>,
    ) -> (&'m dyn DocumentModel, String) {
        match self {
            Self::LanguageModel(model) => (model, model.info().name.clone()),
            Self::Translator(own) => {
                *made = for_document(own, document, &mut |_, _| ControlFlow::Continue(()));
                let by: &'m Translator = made.as_ref().unwrap_or(own);
                (by, by.info().name.clone())
            }
        }
    }
}

impl TranslateArguments {
    /// The model that the options name, else that of the project, else one between its languages; with its terms.
    fn opened(&self, project: &ProjectFolder) -> Result<Model> {
        let head = &project.head;
        let mut model = self.model.clone();
        if let (None, Some(name)) = (&model.model, &head.model) {
            let folder = project.model_folder();
            model.model = Some(folder.map_or_else(|| library::folder_of(name), Ok)?);
        }
        let (from, to) = (&head.source_language, &head.target_language);
        let installed = || library::model_between(from, to);
        if let Some(path) = model.model.clone().or_else(installed)
            && LanguageModelTranslator::file_of(&path).is_some()
        {
            return Ok(Model::LanguageModel(self.language_model(project, &path)?));
        }
        Ok(Model::Translator(translator(project, &model)?))
    }

    /// A language model between the languages of a project, with its terms. Ends the program where a beam size is given.
    fn language_model(
        &self,
        project: &ProjectFolder,
        path: &Path,
    ) -> Result<LanguageModelTranslator> {
        if self.beam.is_some_and(|beam| beam > 1) {
            wrong_usage(
                "project translate",
                "--beam is for translation models; the project has a language model",
            );
        }
        let (from, to) = (&project.head.source_language, &project.head.target_language);
        let languages = Languages {
            source_name: language::name(from),
            target_name: language::name(to),
            ..Languages::new(from, to)
        };
        let mut model = self.model.open_language_model(path, languages)?;
        let terms = project.terms();
        if !terms.is_empty() {
            let base = Termbase::read_all(&terms, from, to)?;
            model.terms = Some(Arc::new(TermUse::new(Arc::new(base), TermMode::Soft)));
        }
        warn_of_unread(&model);
        Ok(model)
    }
}

/// A translation model with the terms of a project.
fn translator(project: &ProjectFolder, model: &ModelArguments) -> Result<Translator> {
    let head = &project.head;
    let (from, to) = (&head.source_language, &head.target_language);
    let mut translator = model.open_for(Some(from), Some(to), true)?;
    let info = translator.info();
    let fits = |wanted: &str, has: &str| canopy_corpus::is_same_language(has, wanted);
    if !fits(from, &info.source_language) || !fits(to, &info.target_language) {
        return Err(Error::from(TranslateError::Languages {
            requested: format!("{from} to {to}"),
            has: format!("{} to {}", info.source_language, info.target_language),
        }));
    }
    let terms = project.terms();
    if !terms.is_empty() && translator.second().is_none() {
        let base = Termbase::read_all(&terms, from, to)?;
        translator
            .resources_mut()
            .use_terms(TermUse::new(Arc::new(base), TermMode::Soft));
    }
    Ok(translator)
}

fn translate(
    model: &Model,
    open: &mut OpenDocument,
    left: &[usize],
    beam_size: usize,
    name: &str,
) -> Result<()> {
    let document = open.document.clone();
    let mut made = None;
    let (by, model) = model.for_document(&document, &mut made);
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut known = KnownTranslations::fixed(open.targets.fixed());
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
