//! Explanations that need the model: the document is translated, and one of its sentences explained.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use super::ExplainArguments;
use super::word::place_in_sentence;
use crate::error::{BaseError, Error, Result};
use crate::library;
use crate::options::wrong_usage;
use crate::terminal::StatusLine;
use crate::translate::{remember, translate};
use canopy_document::document::Document;
use canopy_explain::error::Error as ExplainError;
use canopy_explain::{ContextEdit, Explanation, ModelView, trace};
use canopy_project::language;
use canopy_train::{ModelQuestion, explain as explain_with_model, explain_by_language_model};
use canopy_translate::inference::{
    KnownTranslations, LanguageModelTranslator, Languages, SearchOptions, Translation,
    detected_language,
};

/// Translates the document and lets the model explain one of its sentences.
pub(super) fn from_model(arguments: &ExplainArguments, view: ModelView) -> Result<Explanation> {
    let [path] = arguments.traces.as_slice() else {
        return Err(Error::Base(BaseError::Config {
            field: "the number of documents",
            found: arguments.traces.len().to_string(),
            allowed: "1 for this view".to_owned(),
        }));
    };
    if is_trace(path) {
        let view = match view {
            ModelView::Difference => "difference",
            ModelView::LeaveOneOut => "leave-one-out",
            ModelView::Memory => "memory",
        };
        let problem = format!("--view {view} needs the document itself, not its trace");
        wrong_usage("explain", problem);
    }
    let document = Document::open(path, None)?;
    let count = document.sentences.len();
    if arguments.sentence >= count {
        return Err(Error::from(ExplainError::NotInTrace {
            requested: format!("sentence {}", arguments.sentence + 1),
            there: format!("the document has {count}"),
        }));
    }
    let edits = edits(arguments, count)?;
    if let Some(model) = arguments.language_model(&document)? {
        return arguments.explained_by_language_model(&model, view, &document, edits);
    }
    let mut translator = arguments.model.open()?;
    remember(&mut translator, &arguments.memory)?;
    let options = SearchOptions {
        beam_size: arguments.beam.unwrap_or_default(),
        ..SearchOptions::default()
    };
    let (made, found) = translate(&mut translator, &document, &options, None)?;
    let sentence = arguments.sentence;
    let question = ModelQuestion {
        view,
        document: &document,
        translations: &found.translations,
        sentence,
        edit: None,
        options: &options,
    };
    let mut line = StatusLine::new();
    let mut go_on = |done, num| {
        line.show(&format!("{done} of {num}"));
        ControlFlow::Continue(())
    };
    let made = made.as_ref();
    let explanation = arguments.answered(edits, &question, &mut |question| {
        let answer = explain_with_model(&translator, made, question, &mut None, &mut go_on);
        Ok(answer?)
    });
    line.clear();
    explanation
}

impl ExplainArguments {
    /// The language model that is named, or that is the default of the languages; none if that is no language model. Ends the
    /// program where the languages are not known.
    fn language_model(&self, document: &Document) -> Result<Option<LanguageModelTranslator>> {
        let [declared, _] = document.declared_languages();
        let said = self.from.as_deref().or(declared).map(str::to_owned);
        let from = said.or_else(|| detected_language(document).map(|found| found.code));
        let installed = || library::model_between(from.as_deref()?, self.to.as_deref()?);
        let Some(path) = self.model.model.clone().or_else(installed) else {
            return Ok(None);
        };
        if LanguageModelTranslator::file_of(&path).is_none() {
            return Ok(None);
        }
        let (Some(from), Some(to)) = (&from, &self.to) else {
            wrong_usage(
                "explain",
                "a language model translates between any languages; say them with --from and --to",
            )
        };
        let languages = Languages {
            source_name: language::name(from),
            target_name: language::name(to),
            ..Languages::new(from, to)
        };
        let mut model = self.model.open_language_model(&path, languages)?;
        model.memory = self.memory.read(from, to)?.map(std::sync::Arc::new);
        Ok(Some(model))
    }

    /// Translates the document up to the selected sentence, and explains it.
    fn explained_by_language_model(
        &self,
        model: &LanguageModelTranslator,
        view: ModelView,
        document: &Document,
        edits: Vec<ContextEdit>,
    ) -> Result<Explanation> {
        let mut line = StatusLine::new();
        let mut known = KnownTranslations::fixed(document.finished());
        let sentences: Vec<usize> = (0..=self.sentence)
            .filter(|index| !known.fixed_targets().contains_key(index))
            .collect();
        let mut translations: Vec<Option<Translation>> = vec![None; document.sentences.len()];
        for (index, text) in known.fixed_targets() {
            translations[*index] = Some(Translation::written(text.clone()));
        }
        model.translate(document, &sentences, &mut known, &mut |_, found| {
            if let Some((index, translation)) = found {
                translations[index] = Some(translation);
                line.show(&format!("sentence {} of {}", index + 1, self.sentence + 1));
            }
            ControlFlow::Continue(())
        })?;
        let question = ModelQuestion {
            view,
            document,
            translations: &translations,
            sentence: self.sentence,
            edit: None,
            options: &SearchOptions::default(),
        };
        let mut go_on = |done, num| {
            line.show(&format!("{done} of {num}"));
            ControlFlow::Continue(())
        };
        let explanation = self.answered(edits, &question, &mut |question| {
            Ok(explain_by_language_model(model, question, &mut go_on)?)
        });
        line.clear();
        explanation
    }

    /// The explanation for a question, with those of the edits, and with the selected word.
    fn answered(
        &self,
        edits: Vec<ContextEdit>,
        question: &ModelQuestion<'_>,
        explain_one: &mut dyn FnMut(&ModelQuestion<'_>) -> Result<Explanation>,
    ) -> Result<Explanation> {
        let mut explanation = explain_one(question)?;
        if let Explanation::LeaveOneOut(view) = &mut explanation {
            for edit in edits {
                let edited = explain_one(&ModelQuestion {
                    edit: Some(&edit),
                    ..*question
                })?;
                if let Explanation::LeaveOneOut(edited) = &edited {
                    view.add_edits(edited);
                }
            }
        }
        if let Some(word) = &self.word {
            let place = place_in_sentence(word, &explanation.subwords(), self.sentence)?;
            explanation.select(Some(place));
        }
        Ok(explanation)
    }
}

/// Whether a file is a trace, be it damaged or of another version.
fn is_trace(path: &Path) -> bool {
    let opened = trace::open(path);
    !matches!(
        opened,
        Err(ExplainError::Base(BaseError::Read { .. }) | ExplainError::NoTrace { .. })
    )
}

/// Sentences of the context as the arguments have them, one each.
fn edits(arguments: &ExplainArguments, count: usize) -> Result<Vec<ContextEdit>> {
    let mut edits: BTreeMap<usize, ContextEdit> = BTreeMap::new();
    let sources = arguments.edit.iter().map(|(it, text)| (*it, text, true));
    let targets = arguments.edit_translation.iter();
    let targets = targets.map(|(it, text)| (*it, text, false));
    for (sentence, text, is_source) in sources.chain(targets) {
        if sentence >= count {
            return Err(Error::from(ExplainError::NotInTrace {
                requested: format!("sentence {}", sentence + 1),
                there: format!("the document has {count}"),
            }));
        }
        let edit = edits.entry(sentence).or_insert(ContextEdit {
            sentence,
            source: None,
            target: None,
        });
        let place = if is_source {
            &mut edit.source
        } else {
            &mut edit.target
        };
        *place = Some(text.clone());
    }
    Ok(edits.into_values().collect())
}
