//! Translations that are given and scored.

use super::*;

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
            .tokenizer()
            .decode(canopy_tokenize::Side::Target, ids)
    });
    let expected = parts.collect::<Vec<_>>().join(" ");
    assert_eq!(scored.expect("to the end")[0][0], expected);
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
