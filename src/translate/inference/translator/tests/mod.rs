//! A document-level model over a document with edits.

mod failures;
mod formality;
mod scoring;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::*;
use crate::inference::device::ComputeDevice;
use crate::inference::evaluation::SegmentRequest;
use crate::inference::pipeline::{
    DocumentRequest, FormalityConstraints, FormalityOption, KnownTranslations, Pass, Plan, Step,
    TranslationEvent, TranslationRequest,
};
use crate::inference::translation::{Flag, Translation};
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::{DocumentUnits, Segment, SegmentUnit};
use canopy_document::document::Document;
use canopy_document::document::Format;
use canopy_kernels::WordNormaliser;
use canopy_metrics::formality::{EarlierForms, Formality};
use canopy_models::weights::Languages;
use canopy_nn::model::{
    Architecture, Context, MemorySource, ModelConfig, Network, NormPosition, Positions, Reach,
    Side, SpecialTokens, Variant,
};
use canopy_nn::search::SearchOptions;
use canopy_tokenize::ModelTokenizer;

const MAX_TOKENS: usize = 24;

fn translator(context: Option<Context>) -> Translator {
    translator_behind(context, 0)
}

/// The encoder reads this many translations before each sentence.
fn translator_behind(context: Option<Context>, previous_translations: usize) -> Translator {
    let texts = ["Open the file.", "Close the page.", "1 2 3 4 5"].map(str::to_owned);
    let vocabulary = Vocabulary::train(texts.into_iter(), 300).expect("large enough");
    let config = ModelConfig {
        vocab_size: vocabulary.len(),
        d_model: 8,
        d_ff: 12,
        num_heads: 2,
        encoder: "s-sf".parse().expect("a layout"),
        num_decoder_layers: 1,
        dropout: 0.0,
        positions: Positions::Sinusoidal,
        norm: NormPosition::Post,
        tied_embeddings: true,
        max_tokens: MAX_TOKENS,
        architecture: Architecture::Transformer,
        context,
        memory: MemorySource::Live,
        warm_gate: false,
        memory_use: None,
        previous_translations,
        reads_formality: false,
        variant: Variant::default(),
        tokens: SpecialTokens::default(),
        bert: None,
    };
    let device = ComputeDevice::open(DeviceChoice::Cpu).expect("a CPU");
    let model = Model::seeded(&config, 5, &device.device).expect("a model");
    let description = ModelFolder::new(
        "tiny".to_owned(),
        "MIT".to_owned(),
        Languages {
            source: "en".to_owned(),
            target: "de".to_owned(),
        },
        config,
    );
    let opened = ImportedModel {
        description,
        model,
        tokenizer: ModelTokenizer::Own(Arc::new(vocabulary)),
    };
    let mut translator = Translator::from(LoadedModel::new(opened, Path::new(""), device));
    // A random model repeats itself, and has nothing better.
    translator.options.looks_again = false;
    translator
}

/// From now on it translates into French.
fn writes_french(translator: &mut Translator) {
    let languages = &mut translator.loaded.description.languages;
    languages.target = "fr".to_owned();
    translator.resources = LanguageResources::new(&translator.loaded.tokenizer, languages);
}

fn selective(side: Side) -> Context {
    Context::Selective {
        words: WordNormaliser::Softmax,
        reach: Reach::Offline,
        side,
    }
}

fn document() -> Document {
    let long = "Open the page and the file ".repeat(4);
    let html = format!("<p>Open the file.</p><p>{long}.</p><p>Close the page.</p>");
    Document::parse("page.html", Format::Html, html).expect("a page")
}

/// How many drafts were made, and the log-probability of what the last sentence became.
fn translated(translator: &Translator, known: &mut KnownTranslations) -> (usize, f32) {
    let (mut drafted, mut log_prob) = (0, None);
    let mut on_event = |event: TranslationEvent| {
        match event.step {
            Step::Drafted { done, num } => {
                drafted = done;
                assert!(done <= num && log_prob.is_none());
            }
            Step::Waiting | Step::Alternatives { .. } => panic!("they were not requested"),
            Step::Translated { index, translation } => {
                assert_eq!(index, 2);
                log_prob = Some(translation.log_prob);
            }
        }
        ControlFlow::Continue(())
    };
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let document = document();
    let request = TranslationRequest::new(&document, &[2], known, &options);
    translator.run(request, &mut on_event).expect("translates");
    (drafted, log_prob.expect("a translation"))
}

fn fixed(sentence: usize, text: &str) -> KnownTranslations {
    KnownTranslations::fixed([(sentence, text.to_owned())].into())
}

#[test]
#[expect(clippy::float_cmp, reason = "the same computation")]
fn a_fixed_sentence_is_read_and_not_drafted() {
    let translator = translator(Some(selective(Side::Both)));
    assert_eq!(translator.info.reads, Reads::Translations);
    let long = translator
        .reader()
        .parts(&document().sentences[1].text)
        .len();
    assert!(long > 1);
    let mut known = KnownTranslations::default();
    let (drafted, without) = translated(&translator, &mut known);
    assert_eq!(drafted, 1 + long);
    // Drafts exist the next time.
    assert_eq!(translated(&translator, &mut known), (0, without));
    let (drafted, with) = translated(&translator, &mut fixed(0, "Close the file."));
    assert_eq!(drafted, long);
    assert!(with != without);
    // Nobody knows how the parts of a long one are translated.
    let of_long = translated(&translator, &mut fixed(1, "Close the file."));
    assert_eq!(of_long, (1 + long, without));
}

#[test]
fn a_model_that_reads_no_translations_makes_no_drafts() {
    for (context, reads) in [
        (None, Reads::Nothing),
        (Some(selective(Side::Encoder)), Reads::Source),
    ] {
        let translator = translator(context);
        assert_eq!(translator.info.reads, reads);
        let without = translated(&translator, &mut KnownTranslations::default());
        assert_eq!(without.0, 0);
        let with = translated(&translator, &mut fixed(0, "Close the file."));
        assert_eq!(with, without);
    }
}

#[test]
fn translations_before_a_sentence_are_read_as_far_as_they_are_known() {
    let translator = translator_behind(None, 1);
    assert_eq!(translator.info.reads, Reads::Translations);
    let mut own = KnownTranslations::default();
    let (drafted, with_draft) = translated(&translator, &mut own);
    assert_eq!(drafted, 1, "the sentence right before it");
    assert_eq!(
        translated(&translator, &mut own),
        (0, with_draft),
        "it is kept"
    );
    // It has several parts: as one text it is a human translation.
    let (drafted, confirmed) = translated(&translator, &mut fixed(1, "Close the file."));
    assert_eq!(drafted, 0);
    assert!((with_draft - confirmed).abs() > 0.0);
    let (_, other) = translated(&translator, &mut fixed(1, "Open 1 2 3."));
    assert!((other - confirmed).abs() > 0.0);
    let both = [(0, "Open 1 2 3."), (1, "Close the file.")];
    let both = both.map(|(sentence, text)| (sentence, text.to_owned()));
    let (_, both) = translated(&translator, &mut KnownTranslations::fixed(both.into()));
    assert!(
        (both - confirmed).abs() < 1e-6,
        "one sentence is read, not two"
    );
}

#[test]
fn the_way_of_a_request_follows_from_the_model_and_the_form_of_address() {
    fn name(plan: &Plan<'_>) -> String {
        match plan {
            Plan::Joint(_) => "joint".to_owned(),
            Plan::Sequential { form: None, .. } => "in order".to_owned(),
            Plan::Sequential {
                form: Some(form), ..
            } => format!("in order, at first in {form:?}"),
            Plan::InForm { then, .. } => format!("{}, then in a form", name(then)),
            Plan::Pivot { formality, .. } => format!("through a language, {formality:?}"),
        }
    }
    fn way(translator: &Translator, formality: Option<FormalityOption>) -> String {
        let (document, mut known) = (document(), KnownTranslations::default());
        let options = SearchOptions::default();
        let request = TranslationRequest::new(&document, &[0], &mut known, &options);
        name(&translator.plan(&request.with_formality(formality)))
    }
    let du = Some(FormalityOption::Du);
    let (alone, reading) = (translator(None), translator_behind(None, 1));
    assert_eq!(way(&alone, None), "joint");
    assert_eq!(way(&alone, du), "joint, then in a form");
    assert_eq!(way(&reading, None), "in order");
    assert_eq!(way(&reading, du), "in order, then in a form");
    assert_eq!(name(&Plan::for_units(&alone, None)), "joint");
    assert_eq!(name(&Plan::for_units(&alone, du)), "joint, then in a form");
    let units = name(&Plan::for_units(&reading, du));
    assert_eq!(units, "in order, at first in Du");
    let mut keeping = translator(None);
    keeping.resources.keep_formality(TermMode::Hard);
    assert_eq!(way(&keeping, du), "joint, then in a form");
    assert_eq!(name(&Plan::for_units(&keeping, None)), "in order");
    let units = name(&Plan::for_units(&keeping, du));
    assert_eq!(units, "in order, at first in Du");
    let mut french = translator(None);
    writes_french(&mut french);
    assert_eq!(way(&french, du), "joint", "French has no such choice here");
    let mut second = translator(None);
    second.info.source_language = "de".to_owned();
    let both = alone.followed_by(second).expect("in a row");
    assert_eq!(way(&both, None), "through a language, None");
    assert_eq!(way(&both, du), "through a language, Some(Du)");
}

#[test]
fn after_a_break_no_more_steps_come_on_any_path() {
    let mut second = translator(None);
    second.info.source_language = "de".to_owned();
    let both = translator(None).followed_by(second).expect("in a row");
    let html = "<p>Open your file.</p><p>Close your page.</p><p>You open it.</p>".to_owned();
    let document = Document::parse("page.html", Format::Html, html).expect("a page");
    let reading = translator(Some(selective(Side::Both)));
    let sequential = translator_behind(None, 1);
    for (translator, formality) in [
        (&translator(None), None),
        (&translator(None), Some(FormalityOption::Sie)),
        (&reading, None),
        (&sequential, None),
        (&sequential, Some(FormalityOption::Commonest)),
        (&both, None),
    ] {
        let options = SearchOptions::default();
        let mut known = vec![KnownTranslations::default(); 2];
        let documents = known.iter_mut().map(|known| DocumentRequest {
            document: &document,
            sentences: &[2, 1, 0],
            known,
        });
        let request = TranslationRequest {
            documents: documents.collect(),
            search: options,
            formality,
        };
        let mut heard = 0;
        let done = translator.run(request, &mut |_| {
            heard += 1;
            ControlFlow::Break(())
        });
        done.expect("it ends");
        assert_eq!(heard, 1, "{formality:?}");
    }
}

#[test]
fn terms_are_looked_up_in_the_source_of_what_is_a_translation_itself() {
    let mut second = translator(None);
    let middle = "Datei auf. Seite zu.".to_owned();
    let middle = Document::parse("a.txt", Format::Text, middle).expect("a text");
    let source = "Open the file. Close the page.".to_owned();
    let source = Document::parse("a.txt", Format::Text, source).expect("a text");
    let translated = |second: &Translator| {
        let (mut texts, options) = (vec![String::new(); 2], SearchOptions::default());
        let pass = Pass {
            term_source: Some(&source),
            ..Pass::new(&options)
        };
        let mut requests = [DocumentRequest {
            document: &middle,
            sentences: &[0, 1],
            known: &mut KnownTranslations::default(),
        }];
        let done = Plan::Joint(second).pass(&mut requests, pass, &mut |event| {
            if let Step::Translated { index, translation } = event.step {
                texts[index] = translation.text;
            }
            ControlFlow::Continue(())
        });
        assert!(done.expect("translated").is_continue());
        texts
    };
    let free = translated(&second);
    let mut base = canopy_qa::terms::Termbase::empty("en", "fr");
    base.terms = vec![canopy_qa::terms::Term::new("file", "dossier")];
    second
        .resources
        .use_terms(TermUse::new(Arc::new(base), TermMode::Hard));
    let bound = translated(&second);
    assert!(!free[0].contains("dossier"), "{free:?}");
    assert!(bound[0].to_lowercase().contains("dossier"), "{bound:?}");
    assert_eq!(bound[1], free[1]);
}
