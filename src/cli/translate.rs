//! `canopy translate`

mod arguments;
pub(super) mod batch;
mod batch_arguments;
mod language_model;
mod languages;
mod one_document;
mod places;
mod report;

use super::memories::MemoryArguments;
use super::terminal::{warn, write_stderr};
use crate::error::Result;
pub(super) use arguments::{TranslateArguments, exports};
use canopy_document::document::{Document, Sentence};
use canopy_document::export::{Languages, Provenance};
use canopy_document::pseudo::Pseudo;
use canopy_explain::trace;
use canopy_models::weights::RerankerFolder;
use canopy_translate::inference::{SearchOptions, Translation, Translator};
use language_model::LanguageModels;
use languages::Translators;
pub(super) use one_document::translate;
use one_document::{read_by, warn_if_unlike, warn_of_drafts};
use report::{ReportedModel, report, report_without_model};

/// Gives a translator the memories of the options.
pub(super) fn remember(translator: &mut Translator, memories: &MemoryArguments) -> Result<()> {
    let info = translator.info();
    if let Some(memory) = memories.read(&info.source_language, &info.target_language)? {
        translator.set_memory(memory);
    }
    Ok(())
}

pub(super) fn run(arguments: &TranslateArguments) -> Result<()> {
    let places = arguments.places()?;
    arguments.check_trace(&places)?;
    // Unreadable files are reported before anything is translated.
    let sources = arguments.sources().into_iter();
    let documents = sources.map(|source| arguments.read(source));
    let mut documents = documents.collect::<Result<Vec<_>>>()?;
    if let Some(pseudo) = arguments.pseudo {
        for (document, place) in documents.into_iter().zip(places) {
            arguments.put(&arguments.pseudo_bytes(pseudo, &document)?, place)?;
        }
        return Ok(());
    }
    for document in &mut documents {
        arguments.retarget(document);
    }
    if let Some(mut model) = LanguageModels::from_arguments(arguments, &documents) {
        for (document, place) in documents.into_iter().zip(places) {
            arguments.put(&model.bytes(arguments, &document)?, place)?;
        }
        return Ok(());
    }
    let mut translators = Translators::new(arguments, &documents);
    for (document, place) in documents.into_iter().zip(places) {
        let translator = translators.for_document(arguments, &document)?;
        arguments.put(&arguments.bytes(translator, &document)?, place)?;
    }
    if let Some(translator) = translators.current() {
        report_traffic(translator);
    }
    Ok(())
}

/// Says what has gone to and fro between this machine and the one that translates.
fn report_traffic(translator: &Translator) {
    if let Some(traffic) = translator.traffic() {
        let [sent, received] = [traffic.sent, traffic.received].map(|bytes| bytes.div_ceil(1_000));
        write_stderr(&format!(
            "canopy: {}: {} round trips, {sent} kB sent, {received} kB received\n",
            translator.loaded().device().name,
            traffic.round_trips
        ));
    }
}

impl TranslateArguments {
    /// The translator of the options, between these languages where they name no model.
    fn translator(&self, from: Option<&str>, to: Option<&str>) -> Result<Translator> {
        let mut translator = self.model.open_for(from, to, !self.no_pivot)?;
        if translator.second().is_some() {
            let info = translator.info();
            let (source, target) = (&info.source_language, &info.target_language);
            warn(&format!(
                "from {source} to {target} through two models: {}",
                info.name
            ));
        }
        if self.adapt {
            translator.learn_from_memory()?;
        }
        remember(&mut translator, &self.memory)?;
        self.terms.apply(&mut translator)?;
        self.search.apply(&mut translator)?;
        if let Some(reranker) = &self.reranker {
            let loaded = translator.loaded_mut();
            loaded.choose_by(RerankerFolder::new(reranker.clone()))?;
        }
        Ok(translator)
    }

    /// Translates a document, writes its trace if one is requested, and returns the output.
    fn bytes(&self, translator: &mut Translator, document: &Document) -> Result<Vec<u8>> {
        warn_of_drafts(document);
        let (adapted, mut found) = translate(
            translator,
            document,
            &self.options(),
            self.search.formality(),
        )?;
        if adapted.is_some() && translator.traffic().is_some() {
            warn(
                "a model that is adapted to a document runs on this machine, not on the other one",
            );
        }
        let translator = adapted.as_ref().unwrap_or(translator);
        let translations = &found.translations;
        warn_if_unlike(translator, document, translations);
        let mut suggestions = self.llm.suggestions(translator, document, translations)?;
        if let Some(path) = &self.trace {
            let trace = translator.trace(document, &read_by(document, translations))?;
            trace::save(&trace, path, self.force)?;
        }
        if self.json {
            let mut report = report(ReportedModel::from(translator), document, &found);
            if let Some(suggestions) = &mut suggestions {
                suggestions.rank(translator, document, translations)?;
                suggestions.add_to(&mut report);
            }
            return Ok(format!("{report:#}\n").into_bytes());
        }
        if let Some(suggestions) = suggestions {
            suggestions.take_over(&mut found.translations);
        }
        let info = translator.info();
        let languages = Languages {
            source: info.source_language.clone(),
            target: info.target_language.clone(),
        };
        self.written(document, found.translations, &info.name, &languages)
    }

    /// The document with its translations, or what it is exported as.
    fn written(
        &self,
        document: &Document,
        translations: Vec<Option<Translation>>,
        model: &str,
        languages: &Languages,
    ) -> Result<Vec<u8>> {
        // What a memory has no model has written.
        let by_model = |t: &Option<Translation>| t.as_ref().is_some_and(|t| t.num_tokens > 0);
        let provenances = translations.iter().map(|translation| Provenance {
            model: by_model(translation).then(|| model.to_owned()),
            time: None,
        });
        let provenances: Vec<Provenance> = provenances.collect();
        let texts: Vec<Option<String>> = translations
            .into_iter()
            .map(|translation| translation.map(|it| it.text))
            .collect();
        match self.export {
            Some(format) => Ok(document.exported_by(&texts, &provenances, format, languages)?),
            None => Ok(document.written(&texts, Some(&languages.target))?),
        }
    }

    /// The pseudo-translation of a file, made without a model.
    fn pseudo_bytes(&self, pseudo: Pseudo, document: &Document) -> Result<Vec<u8>> {
        let translated = |sentence: &Sentence| {
            let is_open = sentence.known.is_none();
            is_open.then(|| pseudo.translate(document, sentence))
        };
        let texts: Vec<Option<String>> = document.sentences.iter().map(translated).collect();
        if self.json {
            let report = report_without_model(document, &texts, &self.languages());
            return Ok(format!("{report:#}\n").into_bytes());
        }
        match self.export {
            Some(format) => Ok(document.exported(&texts, format, &self.languages())?),
            None => Ok(document.written(&texts, self.to.as_deref())?),
        }
    }

    fn options(&self) -> SearchOptions {
        let alternatives = self.alternatives.unwrap_or_default();
        SearchOptions {
            // Alternatives have to be in the beam.
            beam_size: self.beam.map_or(0, |beam| beam.max(alternatives + 1)),
            alternatives,
            ..SearchOptions::default()
        }
    }

    /// The languages of a pseudo-translation, where they are given.
    fn languages(&self) -> Languages {
        // "Undetermined", as BCP 47 has it.
        let code = |code: &Option<String>| code.clone().unwrap_or_else(|| "und".to_owned());
        Languages {
            source: code(&self.from),
            target: code(&self.to),
        }
    }
}
