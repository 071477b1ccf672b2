//! Forms of address: which one is read, requested, and kept.

use super::*;

#[test]
#[expect(clippy::float_cmp, reason = "the same computation")]
fn the_form_of_address_last_used_is_read_where_a_reader_is_addressed() {
    let mut translator = translator_behind(None, 0);
    translator.loaded.description.model.reads_formality = true;
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
    let forms = FormalityConstraints::new(translator.tokenizer(), TermMode::Soft);
    for (sentence, form) in [(2, Formality::Polite), (3, Formality::Du)] {
        let part = document.sentences[sentence].text.as_str();
        let found = translator
            .resources
            .form_constraints(&document, sentence, part, &known, None);
        assert_eq!(found, forms.constraints(form, part), "{}", said[sentence].0);
    }

    // What they said in earlier documents of the project.
    let mut earlier = EarlierForms::default();
    earlier.add(Some("speaker=Cleo"), Formality::Formal);
    earlier.add(None, Formality::Plural);
    let mut translator = translator;
    translator.set_memory(TranslationMemory::default().with_forms(earlier));
    let nothing = KnownTranslations::default();
    for (sentence, known, form) in [
        (2, &known, Formality::Polite),
        (3, &known, Formality::Formal),
        (3, &nothing, Formality::Formal),
        (0, &nothing, Formality::Plural),
    ] {
        let part = document.sentences[sentence].text.as_str();
        let found = translator
            .resources
            .form_constraints(&document, sentence, part, known, None);
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
        translator
            .resources
            .form_constraints(&document, sentence, part, &known, None)
    };
    let forms = FormalityConstraints::new(translator.tokenizer(), TermMode::Soft);
    for (target, form) in [
        ("Wer bist du?", Some(Formality::Du)),
        ("Wer seid Ihr?", Some(Formality::Polite)),
        ("Wer sind Sie, Ihr Name?", Some(Formality::Formal)),
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
        forms.constraints(Formality::Plural, "You know him."),
        "the last one"
    );
    assert_eq!(
        terms_of(&translator, &both, 1),
        forms.constraints(Formality::Du, "Your turn."),
        "what stands before it"
    );
    assert_eq!(terms_of(&translator, &both, 2), None, "nobody is addressed");
    assert_eq!(
        terms_of(&translator, &both, 0),
        None,
        "nothing stands before it"
    );
    writes_french(&mut translator);
    assert_eq!(terms_of(&translator, &both, 3), None, "another language");
}
