//! Suggestions of a large language model for the translations of `canopy translate`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde_json::{Value, json};

use super::terminal::{StatusLine, duration, sentences_done, warn, write_stderr};
use crate::error::{Error, Result};
use canopy_chart::charts::thousands;
use canopy_document::document::Document;
use canopy_document::editable::to_editable;
use canopy_project::language;
use canopy_qa::llm::{Endpoint, Suggestion, Usage};
use canopy_translate::inference::{
    DocumentChat, Flag, Languages, MeanLogProbs, RemoteChat, Resources, Translation, Translator,
};

/// The environment variable that may hold a key for the server.
const KEY_VARIABLE: &str = "CANOPY_LLM_KEY";

/// Number of consecutive failures after which a server gets no more requests.
const MOST_FAILURES: usize = 3;

#[derive(Debug, Clone, Args)]
pub(super) struct LlmArguments {
    /// Translate with a large language model that you run: the address of a server with OpenAI's interface, such as llama.cpp's,
    /// Ollama's or vLLM's. Its translations replace Canopy's; --json prints both. Each text is sent there with the
    /// sentences before it and their translations, the terms of the document and similar sentences of the memory; the variable
    /// CANOPY_LLM_KEY holds a key
    #[arg(long, value_name = "URL", requires = "llm_model", conflicts_with_all = ["pseudo", "trace"])]
    llm: Option<String>,
    /// Name of the language model, as its server has it
    #[arg(long, value_name = "NAME", requires = "llm")]
    llm_model: Option<String>,
    /// Seconds to wait for an answer from the language model
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = RangedU64ValueParser::<u64>::new().range(1..=3_600))]
    llm_timeout: u64,
}

/// Suggestions for the sentences of a document.
#[derive(Debug, Default)]
pub(super) struct Suggestions {
    /// For each sentence the suggestion, if there is one.
    found: Vec<Option<Suggestion>>,
    /// Probabilities that Canopy's model gives to its own translations and the suggestions, where it has scored them.
    ranked: MeanLogProbs,
    failures: usize,
}

impl LlmArguments {
    /// Address and name of the language model.
    pub(crate) fn names(&self) -> [Option<&str>; 2] {
        [self.llm.as_deref(), self.llm_model.as_deref()]
    }

    /// Requests suggestions for all sentences that a model has translated; none if no language model is named.
    ///
    /// # Errors
    /// If its address is invalid. A failing server is reported, and Canopy's translations stay.
    pub(crate) fn suggestions(
        &self,
        translator: &Translator,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Result<Option<Suggestions>> {
        let (Some(address), Some(model)) = (&self.llm, &self.llm_model) else {
            return Ok(None);
        };
        let key = std::env::var(KEY_VARIABLE)
            .ok()
            .filter(|key| !key.is_empty());
        let timeout = Duration::from_secs(self.llm_timeout);
        let endpoint = Endpoint::new(address, model, key, timeout)?;
        let info = translator.info();
        let languages = Languages {
            source_name: language::name(&info.source_language),
            target_name: language::name(&info.target_language),
            ..Languages::new(&info.source_language, &info.target_language)
        };
        let resources = Resources {
            memory: translator.memory().map(AsRef::as_ref),
            terms: translator.resources().terms().map(AsRef::as_ref),
            budget: None,
        };
        let is_open = |index: usize| {
            let translation = translations[index].as_ref();
            translation.is_some_and(|translation| translation.num_tokens > 0)
        };
        let num_open = (0..translations.len()).filter(|&it| is_open(it)).count();
        let (mut line, begun) = (StatusLine::new(), Instant::now());
        let mut suggestions = Suggestions {
            found: vec![None; translations.len()],
            ..Suggestions::default()
        };
        let name = endpoint.model().to_owned();
        let mut chat =
            DocumentChat::new(document, &languages, resources, RemoteChat::new(endpoint));
        let (mut done, mut failures) = (0, 0);
        for (index, translation) in translations.iter().enumerate() {
            let own = translation.as_ref().map(|it| it.text.as_str());
            let own = own.or(document.sentences[index].known_text());
            if !is_open(index) {
                chat.read(index, own.unwrap_or_default());
                continue;
            }
            done += 1;
            match suggested(&mut chat, index, &name) {
                Ok(suggestion) => {
                    suggestions.found[index] = Some(suggestion);
                    failures = 0;
                }
                Err(error) => {
                    chat.read(index, own.unwrap_or_default());
                    failures += 1;
                    suggestions.failures += 1;
                    line.clear();
                    let sentence = document.sentence_name(index);
                    warn(&format!("{}: sentence {sentence}: {error}", document.name));
                }
            }
            if failures == MOST_FAILURES {
                suggestions.failures += num_open - done;
                break;
            }
            line.show(&format!(
                "{}: {model}, {}",
                document.name,
                sentences_done(done, num_open, begun)
            ));
        }
        line.clear();
        write_stderr(&format!(
            "canopy: {}: {}\n",
            document.name,
            suggestions.summary(&name, begun.elapsed())
        ));
        Ok(Some(suggestions))
    }
}

impl Suggestions {
    /// Has Canopy's model say how likely it takes its own translations and the suggestions to be, in their document.
    ///
    /// # Errors
    /// If the device fails.
    pub(crate) fn rank(
        &mut self,
        translator: &Translator,
        document: &Document,
        translations: &[Option<Translation>],
    ) -> Result<()> {
        let texts = translations.iter().enumerate();
        let texts = texts.filter_map(|(index, it)| Some((index, it.as_ref()?.text.clone())));
        let known: BTreeMap<usize, String> = texts.collect();
        let found = self.found.iter().enumerate();
        let candidates = found.filter_map(|(index, suggestion)| {
            let own = known.get(&index)?.clone();
            Some((index, vec![own, suggestion.as_ref()?.text.clone()]))
        });
        let candidates = candidates.collect();
        self.ranked = translator.mean_log_probs(document, &candidates, &known)?;
        Ok(())
    }

    /// Adds the suggestions to the sentences of a report.
    pub(crate) fn add_to(&self, report: &mut Value) {
        let sentences = report["sentences"].as_array_mut().into_iter().flatten();
        for (index, (sentence, suggestion)) in sentences.zip(&self.found).enumerate() {
            let Some(suggestion) = suggestion else {
                continue;
            };
            sentence["llm"] = entry(suggestion);
            if let Some([own, suggested]) = self.ranked.get(&index).map(Vec::as_slice) {
                sentence["llm"]["mean_log_prob"] = json!(suggested);
                sentence["llm"]["own_mean_log_prob"] = json!(own);
                let is_better = suggested.zip(*own).map(|(suggested, own)| suggested > own);
                let better = is_better.map(|llm| if llm { "llm" } else { "canopy" });
                sentence["llm"]["better"] = json!(better);
            }
        }
    }

    /// Puts the suggestions in place of Canopy's translations.
    pub(crate) fn take_over(self, translations: &mut [Option<Translation>]) {
        for (suggestion, translation) in self.found.into_iter().zip(translations) {
            if let Some(suggestion) = suggestion {
                *translation = Some(Translation::written(suggestion.text));
            }
        }
    }

    /// Time and cost, and what went wrong.
    fn summary(&self, model: &str, elapsed: Duration) -> String {
        let found = self.found.iter().flatten();
        let (mut usage, mut count, mut repaired) = (Usage::default(), 0, 0);
        for suggestion in found {
            usage += suggestion.usage;
            count += 1;
            repaired += usize::from(suggestion.is_repaired);
        }
        let mut text = format!(
            "{model}: {count} sentences in {}, {} tokens read, {} written",
            duration(elapsed.as_secs_f64()),
            thousands(usage.prompt_tokens),
            thousands(usage.completion_tokens),
        );
        // Writing to a string does not fail.
        if repaired > 0 {
            let _ = write!(text, "; markup repaired in {repaired}");
        }
        if self.failures > 0 {
            let _ = write!(
                text,
                "; {} without an answer, where Canopy's translation stays",
                self.failures
            );
        }
        text
    }
}

/// The suggestion for a sentence, with what it has cost.
///
/// # Errors
/// If the server fails, or has said nothing that is a translation.
fn suggested(
    chat: &mut DocumentChat<'_, RemoteChat>,
    index: usize,
    model: &str,
) -> Result<Suggestion> {
    let (before, begun) = (chat.effort(), Instant::now());
    let found = chat.translate(index, &mut |_| ControlFlow::Continue(()))?;
    let after = chat.effort();
    let found = found.filter(|found| !found.flags.contains(&Flag::Empty));
    let found = found.ok_or_else(|| {
        Error::from(canopy_qa::error::Error::LlmSilent {
            model: model.to_owned(),
        })
    })?;
    Ok(Suggestion {
        text: found.text,
        elapsed: begun.elapsed(),
        usage: Usage {
            prompt_tokens: after.cost.read - before.cost.read,
            completion_tokens: after.cost.written - before.cost.written,
        },
        retries: after.retries - before.retries,
        is_repaired: after.placed > before.placed,
    })
}

/// A suggestion as JSON.
fn entry(suggestion: &Suggestion) -> Value {
    json!({
        "target": to_editable(&suggestion.text),
        "seconds": suggestion.elapsed.as_secs_f64(),
        "prompt_tokens": suggestion.usage.prompt_tokens,
        "completion_tokens": suggestion.usage.completion_tokens,
        "retries": suggestion.retries,
        "repaired": suggestion.is_repaired,
    })
}
