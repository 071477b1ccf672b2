//! A document-level model over a document with edits.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use super::*;
use crate::inference::evaluation::SegmentRequest;
use crate::inference::pipeline::{
    AddressChoice, DocumentRequest, KnownTranslations, Pass, Plan, Step, TranslationEvent,
    TranslationRequest,
};
use crate::inference::translation::{Flag, Translation};
use canopy_corpus::{DocumentUnits, Segment, SegmentUnit};
use canopy_document::document::Document;
use canopy_document::document::Format;
use canopy_kernels::WordNormaliser;
use canopy_metrics::formality::{EarlierForms, FormOfAddress};
use canopy_models::weights::Languages;
use canopy_nn::model::{
    Architecture, Context, MemorySource, ModelConfig, Network, NormPosition, Positions, Reach,
    Side, SpecialTokens, Variant,
};
use canopy_nn::search::SearchOptions;

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
        address_form: false,
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
    Translator {
        info: ModelInfo {
            name: "tiny".to_owned(),
            folder: PathBuf::new(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            num_parameters: 0,
            reads: reads(&model, &description),
            trace_cost: crate::inference::TraceCost::default(),
        },
        context_encoder: OnceLock::new(),
        device,
        model,
        tokenizer: Arc::new(vocabulary.clone()),
        vocabulary: Some(Arc::new(vocabulary)),
        reading: ReadingOptions::default(),
        // A random model repeats itself, and has nothing better.
        looks_again: false,
        alignment_heads: AlignmentHeads::default(),
        memory: None,
        terms: None,
        address: None,
        german_forms: OnceLock::new(),
        second: None,
        remote: None,
        description,
    }
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
    // Drafts are there the next time.
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
#[expect(clippy::float_cmp, reason = "the same computation")]
fn the_form_of_address_last_used_is_read_where_a_reader_is_addressed() {
    let mut translator = translator_behind(None, 0);
    translator.description.model.address_form = true;
    let html = "<p>Open your file.</p><p>Close the page.</p><p>Close your page.</p>".to_owned();
    let document = Document::parse("page.html", Format::Html, html).expect("a page");
    let after = |first: &str, sentence: usize| {
        let known = [(0, first), (1, "Open 1 2 3.")];
        let known = known.map(|(sentence, text)| (sentence, text.to_owned()));
        let options = SearchOptions::default();
        let found = |requests: &[usize]| {
            let sentences = [sentence];
            let mut known = vec![KnownTranslations::fixed(known.clone().into()); requests.len()];
            let documents = known.iter_mut().map(|known| DocumentRequest {
                document: &document,
                sentences: &sentences,
                known,
            });
            let request = TranslationRequest {
                documents: documents.collect(),
                search: options,
                formality: None,
            };
            let mut log_probs = vec![0.0; requests.len()];
            let done = translator.run(request, &mut |event| {
                if let Step::Translated { translation, .. } = event.step {
                    log_probs[event.document] = translation.log_prob;
                }
                ControlFlow::Continue(())
            });
            done.expect("translates");
            log_probs
        };
        let log_prob = found(&[0])[0];
        assert_eq!(found(&[0, 1]), [log_prob; 2], "two documents at once");
        log_prob
    };
    let familiar = after("Open du.", 2);
    assert_eq!(
        familiar,
        after("Close dein file.", 2),
        "only the form is read"
    );
    assert!(familiar != after("Open Ihr file, Euch.", 2));
    assert!(familiar != after("Open the file.", 2), "no form is known");
    assert_eq!(
        after("Open du.", 1),
        after("Open the file, Euch.", 1),
        "nobody is addressed"
    );
}

#[test]
fn the_way_of_a_request_follows_from_the_model_and_the_form_of_address() {
    fn way(translator: &Translator, formality: Option<AddressChoice>) -> String {
        fn name(plan: &Plan<'_>) -> String {
            match plan {
                Plan::Joint(_) => "joint".to_owned(),
                Plan::Sequential(_) => "in order".to_owned(),
                Plan::InForm { then, .. } => format!("{}, then in a form", name(then)),
                Plan::Pivot { formality, .. } => format!("through a language, {formality:?}"),
            }
        }
        let (document, mut known) = (document(), KnownTranslations::default());
        let options = SearchOptions::default();
        let request = TranslationRequest::new(&document, &[0], &mut known, &options);
        name(&translator.plan(&request.with_formality(formality)))
    }
    let du = Some(AddressChoice::Du);
    let (alone, reading) = (translator(None), translator_behind(None, 1));
    assert_eq!(way(&alone, None), "joint");
    assert_eq!(way(&alone, du), "joint, then in a form");
    assert_eq!(way(&reading, None), "in order");
    assert_eq!(way(&reading, du), "in order, then in a form");
    let mut french = translator(None);
    french.description.languages.target = "fr".to_owned();
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
        (&translator(None), Some(AddressChoice::Sie)),
        (&reading, None),
        (&sequential, None),
        (&sequential, Some(AddressChoice::Commonest)),
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
fn the_requested_form_of_address_is_that_of_the_speaker() {
    let translator = translator_behind(None, 0);
    let entry = |(speaker, text): (&str, &str)| {
        format!("#. speaker={speaker}\nmsgid \"{text}\"\nmsgstr \"\"\n\n")
    };
    let said = [
        ("Anna", "Who are you?"),
        ("Ben", "You know me."),
        ("Anna", "Your turn."),
        ("Cleo", "You again."),
    ];
    let catalogue: String = said.into_iter().map(entry).collect();
    let document = Document::parse("scene.po", Format::Po, catalogue).expect("a catalogue");
    let fixed = [(0, "Wer seid Ihr?"), (1, "Du kennst mich.")];
    let fixed = fixed.map(|(at, text)| (at, text.to_owned()));
    let known = KnownTranslations::fixed(fixed.into());
    let forms = AddressForms::new(translator.tokenizer(), TermMode::Soft);
    for (sentence, form) in [(2, FormOfAddress::Polite), (3, FormOfAddress::Du)] {
        let part = document.sentences[sentence].text.as_str();
        let found = translator.form_constraints(&document, sentence, part, &known, None);
        assert_eq!(found, forms.constraints(form, part), "{}", said[sentence].0);
    }

    // What they said in earlier documents of the project.
    let mut earlier = EarlierForms::default();
    earlier.add(Some("speaker=Cleo"), FormOfAddress::Formal);
    earlier.add(None, FormOfAddress::Plural);
    let mut translator = translator;
    translator.remember(TranslationMemory::default().with_forms(earlier));
    let nothing = KnownTranslations::default();
    for (sentence, known, form) in [
        (2, &known, FormOfAddress::Polite),
        (3, &known, FormOfAddress::Formal),
        (3, &nothing, FormOfAddress::Formal),
        (0, &nothing, FormOfAddress::Plural),
    ] {
        let part = document.sentences[sentence].text.as_str();
        let found = translator.form_constraints(&document, sentence, part, known, None);
        assert_eq!(found, forms.constraints(form, part), "{}", said[sentence].0);
    }
}

#[test]
fn the_form_of_address_that_a_person_used_last_is_requested() {
    let mut translator = translator_behind(None, 0);
    let html = "<p>Who are you?</p><p>Your turn.</p><p>He left.</p><p>You know him.</p>";
    let document = Document::parse("page.html", Format::Html, html.to_owned()).expect("a page");
    let terms_of = |translator: &Translator, fixed: &[(usize, &str)], sentence: usize| {
        let fixed = fixed.iter().map(|&(at, text)| (at, text.to_owned()));
        let part = document.sentences[sentence].text.as_str();
        let known = KnownTranslations::fixed(fixed.collect());
        translator.form_constraints(&document, sentence, part, &known, None)
    };
    let forms = AddressForms::new(translator.tokenizer(), TermMode::Soft);
    for (target, form) in [
        ("Wer bist du?", Some(FormOfAddress::Du)),
        ("Wer seid Ihr?", Some(FormOfAddress::Polite)),
        ("Wer sind Sie, Ihr Name?", Some(FormOfAddress::Formal)),
        ("Wer ist da?", None),
    ] {
        let found = terms_of(&translator, &[(0, target)], 3);
        assert_eq!(
            found,
            form.and_then(|form| forms.constraints(form, "You know him.")),
            "{target}"
        );
    }
    let both = [(0, "Wer bist du?"), (1, "Ihr seid dran.")];
    assert_eq!(
        terms_of(&translator, &both, 3),
        forms.constraints(FormOfAddress::Plural, "You know him."),
        "the last one"
    );
    assert_eq!(
        terms_of(&translator, &both, 1),
        forms.constraints(FormOfAddress::Du, "Your turn."),
        "what stands before it"
    );
    assert_eq!(terms_of(&translator, &both, 2), None, "nobody is addressed");
    assert_eq!(
        terms_of(&translator, &both, 0),
        None,
        "nothing stands before it"
    );
    translator.description.languages.target = "fr".to_owned();
    assert_eq!(terms_of(&translator, &both, 3), None, "another language");
}

#[test]
fn a_document_is_scored_as_it_is_translated_in_turn() {
    let (translator, document) = (translator_behind(None, 2), document());
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let mut texts = Vec::new();
    let mut on_event = |event: TranslationEvent| {
        if let Step::Translated { index, translation } = event.step {
            assert_eq!(index, texts.len());
            texts.push(translation.text);
        }
        ControlFlow::Continue(())
    };
    let mut known = KnownTranslations::default();
    let request = TranslationRequest::new(&document, &[2, 0, 1], &mut known, &options);
    translator.run(request, &mut on_event).expect("translates");
    let units = DocumentUnits {
        sources: (0..3)
            .map(|at| ((0, at), document.sentences[at].text.clone()))
            .collect(),
        ..DocumentUnits::default()
    };
    let segments: Vec<Segment> = (0..3)
        .map(|at| {
            let source = document.sentences[at].text.clone();
            Segment {
                source: source.clone(),
                reference: source.clone(),
                units: vec![SegmentUnit {
                    source: source.clone(),
                    reference: source,
                    place: (0, at),
                    identical: false,
                    points: Vec::new(),
                }],
                document: 0,
                paragraph: at,
                unseen: true,
                repeated: false,
            }
        })
        .collect();
    let translate = |units: DocumentUnits| {
        let mut go_on = || ControlFlow::Continue(());
        let request = SegmentRequest {
            documents: &[units],
            segments: &segments,
            search: &options,
            formality: None,
        };
        let found = translator.translate_segments(request, &mut go_on);
        found.expect("translates").expect("to its end").concat()
    };
    // A document leaves out what cannot be written.
    let is_unwritable = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
    let written = |text: &String| text.replace(is_unwritable, "");
    let alone = translate(units.clone());
    assert_eq!(alone.iter().map(written).collect::<Vec<_>>(), texts);
    let known = ["Close", "Close the page.", "Open"].map(str::to_owned);
    let with_known = translate(DocumentUnits {
        known: known.to_vec(),
        ..units
    });
    assert_eq!(
        written(&with_known[0]),
        texts[0],
        "nothing stands before it"
    );
}

#[test]
fn a_long_sentence_is_scored_as_it_is_translated() {
    let (translator, document) = (translator(Some(selective(Side::Encoder))), document());
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let place = |sentence: usize| {
        let position = document.position(sentence);
        (position.sentence_in_paragraph, position.paragraph)
    };
    let sentences = document.sentences.iter().enumerate();
    let units = DocumentUnits {
        sources: sentences
            .map(|(number, sentence)| (place(number), sentence.text.clone()))
            .collect(),
        ..DocumentUnits::default()
    };
    let long = &document.sentences[1].text;
    assert!(translator.reader().parts(long).len() > 1);
    let segment = Segment {
        source: long.clone(),
        reference: long.clone(),
        units: vec![SegmentUnit {
            source: long.clone(),
            reference: long.clone(),
            place: place(1),
            identical: false,
            points: Vec::new(),
        }],
        document: 0,
        paragraph: 1,
        unseen: true,
        repeated: false,
    };
    let mut num_scored = 0;
    let request = SegmentRequest {
        documents: &[units],
        segments: &[segment],
        search: &options,
        formality: None,
    };
    let scored = translator.translate_segments(request, &mut || {
        num_scored += 1;
        ControlFlow::Continue(())
    });
    let scored = scored.expect("probabilities");
    assert_eq!(num_scored, 1, "a unit has several parts");
    let mut whole = None;
    let mut finished = |_: usize, translation: Translation| {
        whole = Some(translation);
        ControlFlow::Continue(())
    };
    translator
        .translate(&document, &[1], &options, &mut finished)
        .expect("translates");
    // As it was found, before it was checked.
    let parts = whole.expect("a translation").parts;
    let parts = parts.iter().map(|ids| {
        translator
            .tokenizer
            .decode(canopy_tokenize::Side::Target, ids)
    });
    let expected = parts.collect::<Vec<_>>().join(" ");
    assert_eq!(scored.expect("to the end")[0][0], expected);
}

#[test]
fn a_model_with_damaged_weights_fails_at_a_sentence_with_a_name() {
    let mut translator = translator(None);
    let Network::Transformer(network) = &mut translator.model.network else {
        panic!()
    };
    let words = network.embedding.words.clone();
    network.embedding.words = words.map(|words| words * f32::NAN);
    let mut finished = |_, _| panic!("nothing is found");
    let options = SearchOptions::default();
    let done = translator.translate(&document(), &[2], &options, &mut finished);
    let Err(Error::InvalidScores { sentence, found }) = done else {
        panic!("{done:?}")
    };
    assert_eq!(sentence, "3 (\"Close the page.\")");
    assert!(found.is_nan());
}

#[test]
fn a_device_that_is_lost_fails_at_a_sentence_with_a_name() {
    let translator = translator(None);
    let mut finished = |_, _| panic!("Parent device is lost");
    let options = SearchOptions::default();
    let done = translator.translate(&document(), &[2], &options, &mut finished);
    let Err(Error::DeviceFailed { sentence, message }) = done else {
        panic!("{done:?}")
    };
    assert_eq!(sentence, "3 (\"Close the page.\")");
    assert_eq!(message, "Parent device is lost");
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
    second.use_terms(TermUse::new(Arc::new(base), TermMode::Hard));
    let bound = translated(&second);
    assert!(!free[0].contains("dossier"), "{free:?}");
    assert!(bound[0].to_lowercase().contains("dossier"), "{bound:?}");
    assert_eq!(bound[1], free[1]);
}

#[test]
fn given_translations_are_scored_in_their_document() {
    let page =
        |text: &str| Document::parse("a.txt", Format::Text, text.to_owned()).expect("a text");
    let candidates = BTreeMap::from([(1, vec!["Zu.".to_owned(), "Auf und zu.".to_owned()])]);
    let known = BTreeMap::new();
    let means = |translator: &Translator, text: &str| {
        let means = translator.mean_log_probs(&page(text), &candidates, &known);
        let mut means = means.expect("scores");
        let means = means.remove(&1).expect("of the sentence");
        means
            .into_iter()
            .map(|it| it.expect("short enough"))
            .collect::<Vec<f32>>()
    };
    let alone = translator(None);
    let (here, there) = ("Open it. Close the page.", "Open all. Close the page.");
    let found = means(&alone, here);
    assert!(
        found.iter().all(|it| it.is_finite() && *it < 0.0),
        "{found:?}"
    );
    assert!((found[0] - found[1]).abs() > 1e-6);
    assert_eq!(found, means(&alone, there));
    let reading = translator(Some(selective(Side::Encoder)));
    assert_ne!(means(&reading, here), means(&reading, there));
    // One that it found itself is as likely as the search said.
    let greedy = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    let document = page(here);
    let mut own = None;
    let done = reading.translate(&document, &[1], &greedy, &mut |_, translation| {
        own = Some(translation);
        ControlFlow::Continue(())
    });
    done.expect("translated");
    let own = own.expect("a translation");
    let texts = BTreeMap::from([(1, vec![own.text.clone()])]);
    let scored = reading
        .mean_log_probs(&document, &texts, &known)
        .expect("scores");
    let is_read_as_written = own.parts
        == [reading
            .reader()
            .read_ids_of_translation(&own.text, &document.sentences[1].text)];
    if is_read_as_written && !own.flags.contains(&Flag::CutOff) {
        let mean = own.log_prob / own.num_tokens as f32;
        assert!((scored[&1][0].expect("a score") - mean).abs() < 1e-3);
    }
    // Two models in a row have no common score.
    let mut second = translator(None);
    second.info.source_language = "de".to_owned();
    let both = translator(None).followed_by(second).expect("in a row");
    let scored = both.mean_log_probs(&document, &candidates, &known);
    assert_eq!(scored.expect("none")[&1], [None, None]);
}
