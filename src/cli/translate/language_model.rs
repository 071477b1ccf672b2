//! `canopy translate --model FILE.gguf` or a folder: documents by a language model.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::arguments::TranslateArguments;
use super::one_document::{read_by, warn_of_drafts, warn_of_flags};
use super::report::{Found, ReportedModel, report};
use crate::error::{BaseError, Error, Result};
use crate::options::{warn_of_unread, wrong_usage};
use crate::terminal::{self, StatusLine, duration, write_stderr};
use canopy_chart::charts::thousands;
use canopy_document::document::Document;
use canopy_document::export;
use canopy_explain::trace;
use canopy_project::language;
use canopy_translate::inference::{
    Effort, KnownTranslations, LanguageModelTranslator, Languages, Step, is_translatable,
};

/// The language model that translates, between the languages of the document that was translated last.
pub(super) struct LanguageModels {
    path: PathBuf,
    open: Option<LanguageModelTranslator>,
}

impl LanguageModels {
    /// The language model that is named, or the one that is the default of the languages of the first document. Ends the
    /// program if an option is given that it has no use for.
    pub(super) fn from_arguments(
        arguments: &TranslateArguments,
        documents: &[Document],
    ) -> Option<Self> {
        let installed = || arguments.installed_for(documents.first()?);
        let path = arguments.model.model.clone().or_else(installed)?;
        LanguageModelTranslator::file_of(&path)?;
        arguments.check_for_language_model();
        Some(Self { path, open: None })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Translates a document, and gives what is to be written of it.
    pub(super) fn bytes(
        &mut self,
        arguments: &TranslateArguments,
        document: &Document,
    ) -> Result<Vec<u8>> {
        let [from, to] = arguments.languages_of(document);
        let is_open = |it: &LanguageModelTranslator| {
            [&it.languages().source, &it.languages().target] == [&from, &to]
        };
        let translator = match self.open.take().filter(is_open) {
            Some(translator) => translator,
            None => opened(arguments, &self.path, &from, &to)?,
        };
        let bytes = arguments.bytes_by_language_model(&translator, document);
        if let Err(Error::Base(BaseError::DeviceLost { message })) = &bytes
            && !translator.device().is_cpu()
        {
            terminal::warn(&format!(
                "{}: {message}; the CPU translates the document",
                translator.device().name
            ));
            let here = translator.on_cpu()?;
            let bytes = arguments.bytes_by_language_model(&here, document);
            self.open = Some(here);
            return bytes;
        }
        self.open = Some(translator);
        bytes
    }
}

impl TranslateArguments {
    /// Ends the program if an option is given that a language model has no use for.
    fn check_for_language_model(&self) {
        let options = [
            ("--adapt", self.adapt),
            ("--reranker", self.reranker.is_some()),
            ("--llm", self.llm.names()[0].is_some()),
            ("--beam", self.beam.is_some_and(|beam| beam > 1)),
        ];
        if let Some((name, _)) = options.iter().find(|(_, is_given)| *is_given) {
            wrong_usage(
                "translate",
                format!("{name} is for translation models; --model names a language model"),
            );
        }
    }
}

/// The model with memory and terms between two languages.
fn opened(
    arguments: &TranslateArguments,
    path: &Path,
    from: &str,
    to: &str,
) -> Result<LanguageModelTranslator> {
    let languages = Languages {
        source_name: language::name(from),
        target_name: language::name(to),
        ..Languages::new(from, to)
    };
    let mut translator = arguments.model.open_language_model(path, languages)?;
    translator.memory = arguments.memory.read(from, to)?.map(Arc::new);
    let terms = arguments
        .terms
        .between([from, to], translator.memory.as_deref())?;
    translator.terms = terms.map(Arc::new);
    translator.budget = arguments.context_tokens;
    warn_of_unread(&translator);
    Ok(translator)
}

impl TranslateArguments {
    fn bytes_by_language_model(
        &self,
        translator: &LanguageModelTranslator,
        document: &Document,
    ) -> Result<Vec<u8>> {
        warn_of_drafts(document);
        let alternatives = self.alternatives.unwrap_or_default();
        let found = translated(translator, document, alternatives)?;
        warn_of_flags(document, &found.translations);
        if let Some(path) = &self.trace {
            let trace = translator.trace(document, &read_by(document, &found.translations))?;
            trace::save(&trace, path, self.force)?;
        }
        let (languages, name) = (translator.languages(), &translator.info().name);
        if self.json {
            let model = ReportedModel {
                name,
                source_language: &languages.source,
                target_language: &languages.target,
                terms: translator.terms.as_deref(),
                memory: translator.memory.as_deref(),
            };
            let report = report(model, document, &found);
            return Ok(format!("{report:#}\n").into_bytes());
        }
        let languages = export::Languages {
            source: languages.source.clone(),
            target: languages.target.clone(),
        };
        self.written(document, found.translations, name, &languages)
    }
}

/// Translates a whole document, with progress and a summary on the terminal.
fn translated(
    translator: &LanguageModelTranslator,
    document: &Document,
    alternatives: usize,
) -> Result<Found> {
    let sentences = &document.sentences;
    let open: Vec<usize> = (0..sentences.len())
        .filter(|&index| sentences[index].known.is_none())
        .collect();
    let letters = |index: usize| {
        let text = &sentences[index].text;
        if is_translatable(text) { text.len() } else { 0 }
    };
    let all: usize = open.iter().map(|index| letters(*index)).sum();
    let (mut done, mut num) = (0, 0);
    let (mut line, begun) = (StatusLine::new(), Instant::now());
    let mut found = Found::nothing(sentences.len(), alternatives);
    let known = &mut KnownTranslations::fixed(document.finished());
    let effort = translator.translate_with_alternatives(
        (document, &open, known),
        alternatives,
        &mut |effort, step| {
            match step {
                Step::Alternatives {
                    index,
                    translations,
                } => found.add_alternatives(index, translations),
                Step::Translated { index, translation } => {
                    found.translations[index] = Some(translation);
                    done += letters(index);
                    num += 1;
                }
                Step::Waiting | Step::Drafted { .. } => {}
            }
            line.show(&format!(
                "{}: {num} of {} sentences · {}{}",
                document.name,
                open.len(),
                speed(&effort),
                time_left(begun, done, all)
            ));
            ControlFlow::Continue(())
        },
    );
    line.clear();
    let effort = effort?;
    write_stderr(&summary(
        document,
        num,
        &effort,
        begun.elapsed().as_secs_f64(),
    ));
    Ok(found)
}

/// Tokens per second.
fn speed(effort: &Effort) -> String {
    let secs = (effort.cost.reading + effort.cost.writing).as_secs_f64();
    let tokens = (effort.cost.read + effort.cost.written) as f64;
    format!("{:.0} tokens/s", tokens / secs.max(1e-3))
}

/// The time for what is left, as soon as anything is done.
fn time_left(begun: Instant, done: usize, all: usize) -> String {
    if done == 0 {
        return String::new();
    }
    let secs = begun.elapsed().as_secs_f64() / done as f64 * all.saturating_sub(done) as f64;
    format!(" · {} left", duration(secs))
}

fn summary(document: &Document, num: usize, effort: &Effort, secs: f64) -> String {
    let cost = &effort.cost;
    let mut text = format!(
        "canopy: {}: {num} sentences in {}, {} tokens read, {} kept, {} written, {}",
        document.name,
        duration(secs),
        thousands(cost.read),
        thousands(cost.reused),
        thousands(cost.written),
        speed(effort)
    );
    let mut add = |count: usize, what: &str| {
        if count > 0 {
            // Writing to a string does not fail.
            let _ = write!(text, "; {count} {what}");
        }
    };
    add(effort.num_retried, "sentences requested again");
    add(effort.placed, "with markup placed by position");
    add(
        effort.dropped.sentences,
        "sentences dropped from the context",
    );
    text + "\n"
}

#[cfg(test)]
mod tests {
    use canopy_document::document::Format;
    use canopy_translate::inference::destroy_gpu;
    use clap::Parser as _;

    use super::*;
    use crate::{Arguments, Command};

    fn arguments(model: &str, device: &str) -> TranslateArguments {
        let languages = ["--from", "en", "--to", "de"];
        let given = [
            &["canopy", "translate", "--model", model, "--device", device],
            &languages[..],
        ];
        let arguments = Arguments::try_parse_from(given.concat()).expect("arguments");
        let Some(Command::Translate(arguments)) = arguments.command else {
            panic!("another command");
        };
        arguments
    }

    /// Needs Mesa's lavapipe.
    #[test]
    fn the_cpu_translates_a_document_whose_gpu_is_lost() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/tests/data/tiny.gguf");
        let model = file.to_str().expect("a path");
        let page = (0..6).map(|line| format!("<p>Open the file {line} in window {line}.</p>"));
        let page = page.collect::<String>();
        let page = Document::parse("page.html", Format::Html, page).expect("a page");
        let translated = |device: &str, is_lost: bool| {
            let arguments = arguments(model, device);
            let translator = opened(&arguments, &file, "en", "de").expect("a model");
            assert_eq!(translator.device().is_cpu(), device == "cpu");
            if is_lost {
                destroy_gpu();
            }
            let mut models = LanguageModels {
                path: file.clone(),
                open: Some(translator),
            };
            let bytes = models.bytes(&arguments, &page).expect("a translation");
            let open = models.open.expect("it stays open");
            (bytes, open.device().is_cpu())
        };
        let (expected, _) = translated("cpu", false);
        let (found, is_on_cpu) = translated("gpu", true);
        assert!(is_on_cpu && found == expected);
    }
}
