//! Models that read each sentence by itself, behind what says which translation is meant: an encoder and a decoder, such as
//! T5 and MADLAD-400. Markup is none of what they read; it goes where their attention says.

use std::sync::Arc;

use crate::error::Result;
use canopy_document::placeholder::stripped;
use canopy_llm::error::Error as LlmError;
use canopy_llm::{Attention, LanguageModel};
use canopy_qa::llm::{Conversation, Request};

use super::tracing::answer_ids;
use super::{Chat, DocumentChat, Languages, LocalChat, SourcePart};
use crate::inference::markup_projection::{Alignment, Projected, StrippedSource, projected};

/// Codes of languages that a model with tags for languages has, whatever else it has.
const COMMON: [&str; 4] = ["en", "de", "fr", "es"];

/// Text in front of a sentence; none for models that read conversations or texts.
///
/// MADLAD-400 has a tag for each target (Kudugunta et al., "MADLAD-400", NeurIPS 2023, Section 4); others get the words
/// of T5 (Raffel et al., JMLR 2020, Appendix D).
///
/// # Errors
/// [`LlmError::LanguageModel`], if the model has tags, but none for the target.
pub(super) fn prefix(model: &LanguageModel, languages: &Languages) -> Result<Option<String>> {
    if !model.network.has_encoder() {
        return Ok(None);
    }
    let tag = |code: &str| format!("<2{code}>");
    let has = |tag: &str| model.tokenizer.id(tag).is_some();
    let target = languages.target.as_str();
    let main = target.split(['-', '_']).next().unwrap_or(target);
    let with_low_line = target.replace('-', "_");
    let tags = [target, &with_low_line, main].map(tag);
    if let Some(tag) = tags.into_iter().find(|tag| has(tag)) {
        return Ok(Some(format!("{tag} ")));
    }
    if COMMON.iter().any(|code| has(&tag(code))) {
        return Err(LlmError::LanguageModel {
            field: tag(main),
            problem: format!("it has no token for {}", languages.target_name),
            path: model.path().to_owned(),
        }
        .into());
    }
    Ok(Some(format!(
        "translate {} to {}: ",
        languages.source_name, languages.target_name
    )))
}

/// How much each token of a translation has to do with each word of its source, by the attention behind which it was
/// written: all heads of the layer four fifths up, as for other translation models (Garg et al., EMNLP 2019, §3).
///
/// # Errors
/// If the model refuses sentence or translation.
pub(super) fn aligned(chat: &mut LocalChat, request: &Request, target: &str) -> Result<Alignment> {
    let (text, prompt) = chat.prompt(&Conversation::default(), request, &[])?;
    let mut answer = answer_ids(chat, target);
    let model = Arc::clone(chat.model());
    answer.truncate(model.network.context());
    let begin = text.len().saturating_sub(request.source.len());
    // What stands around the sentence has no place in it.
    let source = model.tokenizer.places(&text, &prompt).into_iter();
    let source = source.map(|it| it.start.saturating_sub(begin)..it.end.saturating_sub(begin));
    let layer = model.network.num_layers() * 4 / 5;
    let mut weights = vec![vec![0.0; prompt.len()]; answer.len()];
    let mut recorder = |found: Attention<'_>| {
        let row = weights
            .get_mut(found.position)
            .filter(|_| found.layer == layer);
        for (sum, weight) in row.into_iter().flatten().zip(found.weights) {
            *sum += weight;
        }
    };
    chat.session().record(&prompt, &answer, &mut recorder)?;
    Ok(Alignment {
        source: source.collect(),
        target: model.tokenizer.places(target, &answer),
        weights,
    })
}

impl<C: Chat> DocumentChat<'_, C> {
    /// A translation of words with the markup of its source, and the words that have to stay.
    pub(super) fn with_markup(
        &mut self,
        part: &SourcePart<'_>,
        request: &Request,
        written: &str,
    ) -> Result<Projected> {
        let source = StrippedSource::from_text(part.stored.trim(), part.points);
        let text = stripped(written);
        if source.is_whole_in(&text) {
            return Ok(Projected {
                text,
                is_repaired: false,
            });
        }
        let alignment = self.chat.align(request, &text)?.unwrap_or_default();
        Ok(projected(
            &source,
            &text,
            &alignment,
            &self.languages.target,
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::{Path, PathBuf};

    use canopy_document::document::{Document, Format};
    use canopy_document::editable::tokens;

    use super::*;
    use crate::inference::device::DeviceChoice;
    use crate::inference::language_model::LanguageModelTranslator;
    use crate::inference::leave_one_out::ChangedContext;
    use crate::inference::translator::Reads;

    fn folder(family: &str) -> PathBuf {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../llm/tests/data/folders");
        folders.join(family)
    }

    #[test]
    fn a_sentence_stands_behind_a_tag_or_words_and_a_language_without_a_tag_is_refused() {
        let madlad = LanguageModel::open(folder("madlad")).expect("a model");
        let before = |target: &str| prefix(&madlad, &Languages::new("en", target));
        assert_eq!(before("pt").expect("a tag").as_deref(), Some("<2pt> "));
        assert_eq!(before("pt-BR").expect("a tag").as_deref(), Some("<2pt> "));
        let error = before("nl").expect_err("no tag").to_string();
        assert!(
            error.contains("<2nl>") && error.contains("Dutch"),
            "{error}"
        );
        let continues = LanguageModel::open(folder("llama")).expect("a model");
        let none = prefix(&continues, &Languages::new("en", "nl"));
        assert_eq!(none.expect("it needs none"), None);
    }

    #[test]
    fn a_model_that_reads_sentences_alone_keeps_markup_and_reads_no_context() {
        let model = LanguageModelTranslator::open(
            &folder("madlad"),
            Languages::new("en", "pt"),
            DeviceChoice::Cpu,
        );
        let model = model.expect("a model");
        assert_eq!(model.info().reads, Reads::Nothing);
        assert_eq!(model.probe().expect("none").len(), 0);
        let html = "<p>Open the <b>river</b> by <code>print()</code>, please. The key costs {price} euros.</p>";
        let document = Document::parse("page.html", Format::Html, html.to_owned()).expect("a page");
        let mut chat = model.chat(&document);
        let mut translations = Vec::new();
        for sentence in 0..document.sentences.len() {
            let found = chat.translate(sentence, &mut |_| ControlFlow::Continue(()));
            let found = found.expect("no fault").expect("a translation");
            let source = &document.sentences[sentence].text;
            assert_eq!(tokens(&found.text).len(), tokens(source).len(), "{found:?}");
            assert_eq!(
                found.text.contains("{price}"),
                source.contains("{price}"),
                "{found:?}"
            );
            translations.push(Some(found));
        }
        assert!(chat.conversation.turns().is_empty());
        let trace = model.trace(&document, &translations).expect("a trace");
        assert_eq!(trace.maps.len(), 3 * 4, "one for each head of the decoder");
        assert!(trace.overview.gates.is_empty());
        let rows: usize = trace.overview.target.iter().map(|it| it.tokens.len()).sum();
        for map in &trace.maps {
            assert_eq!(map.rows.len(), rows);
            for row in &map.rows {
                let sum: f32 = row.words.iter().map(|word| word.1).sum();
                assert!((sum + row.rest - 1.0).abs() < 1e-4, "{row:?}");
            }
        }
        let change = ChangedContext {
            document: &document,
            translations: &translations,
            sentence: 1,
        };
        let asked = model.leave_one_out(change, &mut |_, _| ControlFlow::Continue(()));
        assert!(asked.is_err(), "there is nothing to leave out");
    }

    #[test]
    fn words_are_aligned_by_the_attention_to_them() {
        let languages = Languages::new("en", "pt");
        let model = LanguageModel::open(folder("madlad")).expect("a model");
        let before = prefix(&model, &languages).expect("a tag");
        let mut chat = LocalChat::new(Arc::new(model)).behind(before.as_deref());
        let request = Request {
            source: "The bank… is closed.".to_owned(),
            similar: Vec::new(),
        };
        let found = aligned(&mut chat, &request, "Die Bank am Fluss.").expect("an alignment");
        let [source, target] = [
            (&found.source, request.source.as_str()),
            (&found.target, "Die Bank am Fluss."),
        ]
        .map(|(places, text)| {
            let shown = places.iter().map(|place| text.get(place.clone()));
            shown.map(|it| it.expect("within")).collect::<String>()
        });
        assert_eq!(
            (source.as_str(), target.as_str()),
            ("The bank… is closed.", "Die Bank am Fluss.")
        );
        assert_eq!(found.weights.len(), found.target.len());
        for row in &found.weights {
            assert_eq!(row.len(), found.source.len());
            let sum: f32 = row.iter().sum();
            assert!((sum - 4.0).abs() < 1e-3, "four heads: {sum}");
        }
    }
}
