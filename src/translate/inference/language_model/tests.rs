use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;

use canopy_document::document::Format;
use canopy_qa::llm::Refusal;

use super::*;

/// Gives scripted answers, one after the other, then the source in capital letters.
#[derive(Default)]
struct Scripted {
    answers: VecDeque<&'static str>,
    /// Sources and turns of all requests.
    requests: RefCell<Vec<(String, usize, usize)>>,
    window: usize,
    /// By seed, with their log-probabilities.
    drawn: Vec<(&'static str, f32)>,
}

impl Scripted {
    fn saying(answers: &[&'static str]) -> Self {
        Self {
            answers: answers.iter().copied().collect(),
            window: 100_000,
            ..Self::default()
        }
    }
}

impl Chat for Scripted {
    fn answer(
        &mut self,
        conversation: &Conversation,
        (request, refusals): (&Request, &[Refusal]),
        _: usize,
        step: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Option<Answer>> {
        if step(Cost::default()).is_break() {
            return Ok(None);
        }
        let seen = (
            request.source.clone(),
            conversation.turns().len(),
            refusals.len(),
        );
        self.requests.borrow_mut().push(seen);
        let text = self.answers.pop_front().map(str::to_owned);
        Ok(Some(Answer {
            text: text.unwrap_or_else(|| format!("Satz: {}", request.source.to_uppercase())),
            log_prob: Some(-1.0),
            num_tokens: 4,
            ended: true,
        }))
    }

    fn sample(
        &mut self,
        conversation: &Conversation,
        _: &Request,
        (_, seeds): (usize, Range<u64>),
        _: &mut dyn FnMut(Cost) -> ControlFlow<()>,
    ) -> Result<Vec<Answer>> {
        assert!(
            conversation.turns().is_empty(),
            "as the translation was requested"
        );
        let drawn = seeds.filter_map(|seed| self.drawn.get(usize::try_from(seed).expect("small")));
        let answers = drawn.map(|&(text, log_prob)| Answer {
            text: text.to_owned(),
            log_prob: Some(log_prob),
            num_tokens: 4,
            ended: true,
        });
        Ok(answers.collect())
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    fn window(&self) -> usize {
        self.window
    }

    fn cost(&self) -> Cost {
        Cost::default()
    }
}

fn page(html: &str) -> Document {
    Document::parse("page.html", Format::Html, html.to_owned()).expect("a page")
}

fn go_on(_: Effort) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_sentence_gets_one_translation_with_its_markup_whatever_the_model_says() {
    let document = page("<p>Click <b>Save</b> and wait. Then print 2 pages.</p><p>42</p>");
    let languages = Languages::new("en", "de");
    for answer in [
        "",
        "Sure! Here is the translation:\nSpeichern.\nNote: that means save.",
        "⟨1⟩⟨1⟩⟨9⟩ Klicken",
        "I am a language model and cannot do this, but I can tell you a long story about printers instead.",
        "<think>⟨1⟩",
    ] {
        let chat = Scripted::saying(&[answer; 6]);
        let mut chat = DocumentChat::new(&document, &languages, Resources::default(), chat);
        for (index, sentence) in document.sentences.iter().enumerate() {
            let found = chat.translate(index, &mut go_on).expect("no fault");
            let text = found.expect("a translation").text;
            assert_eq!(
                tokens(&text).len(),
                tokens(&sentence.text).len(),
                "{answer}: {text}"
            );
            assert!(
                !text.contains(['\n', '⟨']) && !text.is_empty(),
                "{answer}: {text}"
            );
        }
        // What has no words is not requested.
        assert_eq!(chat.chat.requests.borrow().len(), 6, "{answer}");
    }
}

#[test]
fn a_refused_answer_is_requested_again_and_the_best_one_is_read_by_the_next_sentence() {
    let document = page("<p>Print 2 pages. Open the file.</p>");
    let languages = Languages::new("en", "de");
    let chat = Scripted::saying(&["Drucken Sie 3 Seiten.", "", "Drucken Sie 3 Seiten, bitte."]);
    let mut chat = DocumentChat::new(&document, &languages, Resources::default(), chat);
    let mut translate = |index| {
        let found = chat.translate(index, &mut go_on).expect("no fault");
        found.expect("a translation")
    };
    let first = translate(0);
    assert_eq!(first.text, "Drucken Sie 3 Seiten.");
    assert_eq!(first.flags, [Flag::Numbers]);
    assert!(first.confidence().is_some());
    assert_eq!(translate(1).text, "Satz: OPEN THE FILE.");
    let requests: Vec<(usize, usize)> = chat
        .chat
        .requests
        .borrow()
        .iter()
        .map(|it| (it.1, it.2))
        .collect();
    assert_eq!(requests, [(0, 0), (0, 1), (0, 2), (1, 0)]);
    assert_eq!(
        chat.conversation.turns()[0].translation,
        "Drucken Sie 3 Seiten."
    );
    let Effort {
        num_retried,
        retries,
        ..
    } = chat.effort();
    assert_eq!((num_retried, retries), (1, 2));
}

#[test]
fn a_long_document_drops_context_and_a_long_sentence_is_translated_in_parts() {
    let section = |it| format!("<h2>Part {it}</h2><p>Print the page number {it} now.</p>");
    let sentences = (0..40).map(section).collect::<Vec<_>>().concat();
    let long = "word ".repeat(90) + "end.";
    let document = page(&format!("{sentences}<p>{long}</p>"));
    let languages = Languages::new("en", "de");
    let chat = Scripted {
        window: 500,
        ..Scripted::saying(&[])
    };
    let mut chat = DocumentChat::new(&document, &languages, Resources::default(), chat);
    for index in 0..document.sentences.len() {
        let found = chat.translate(index, &mut go_on).expect("no fault");
        let found = found.expect("a translation");
        let is_last = index + 1 == document.sentences.len();
        assert_eq!(found.flags.contains(&Flag::Split), is_last, "{found:?}");
        if is_last {
            assert_eq!(found.text.matches("WORD").count(), 90, "{}", found.text);
        }
    }
    let tokens: usize = chat
        .conversation
        .turns()
        .iter()
        .map(|turn| turn.tokens)
        .sum();
    assert!(chat.effort().dropped.sections > 5, "{:?}", chat.effort());
    assert!(tokens < 500, "{tokens}");
}

#[test]
fn other_translations_are_whole_differ_and_stand_by_their_likelihood() {
    let document = page("<p>Open the <b>second</b> file.</p>");
    let languages = Languages::new("en", "de");
    let best = "Öffnen Sie die ⟨1⟩zweite⟨/1⟩ Datei.";
    let chat = || Scripted {
        drawn: vec![
            ("Öffne die ⟨1⟩zweite⟨/1⟩ Datei.", -8.0),
            ("Öffnen Sie die zweite Datei.", -1.0),
            (best, -2.0),
            ("Öffne die ⟨1⟩zweite⟨/1⟩ Datei.", -8.0),
            ("Die ⟨1⟩zweite⟨/1⟩ Datei öffnen.", -4.0),
        ],
        ..Scripted::saying(&[best])
    };
    let resources = Resources::default();
    let others = |wanted| {
        let chat = DocumentChat::new(&document, &languages, resources, chat());
        let mut chat = chat.with_alternatives(wanted);
        let found = chat.translate(0, &mut go_on).expect("no fault");
        let own = found.expect("a translation").text;
        let others = chat.other_translations(&own);
        let others = others.iter().map(|it| to_editable(&it.text));
        others.collect::<Vec<_>>()
    };
    assert_eq!(
        others(4),
        [
            "Die ⟨1⟩zweite⟨/1⟩ Datei öffnen.",
            "Öffne die ⟨1⟩zweite⟨/1⟩ Datei."
        ],
        "neither the translation nor one without its markup"
    );
    assert_eq!(others(0), [""; 0]);
}

#[test]
fn known_sentences_are_read_and_a_break_ends_at_once() {
    let document = page("<p>Open the file. Close the window. Print the page.</p>");
    let languages = Languages::new("en", "de");
    let chat = Scripted::saying(&[]);
    let mut chat = DocumentChat::new(&document, &languages, Resources::default(), chat);
    chat.read(0, "Öffnen Sie die Datei.");
    assert_eq!(
        chat.conversation.turns()[0].request.source,
        "Open the file."
    );
    let found = chat.translate(1, &mut |_| ControlFlow::Break(()));
    assert_eq!(found.expect("no fault"), None);
    assert_eq!(chat.conversation.turns().len(), 1);
    let memory = TranslationMemory::new([(
        "Print the page.".to_owned(),
        "Drucken Sie die Seite.".to_owned(),
    )]);
    let resources = Resources {
        memory: Some(&memory),
        ..Resources::default()
    };
    let mut chat = DocumentChat::new(&document, &languages, resources, Scripted::saying(&[]));
    let found = chat
        .translate(2, &mut go_on)
        .expect("no fault")
        .expect("a translation");
    assert_eq!(
        (found.text.as_str(), &found.flags[..]),
        ("Drucken Sie die Seite.", &[Flag::Memory][..])
    );
    assert!(chat.chat.requests.borrow().is_empty());
}
