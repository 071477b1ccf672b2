//! A whole document goes in, and a whole document comes out, even from a model that has learnt nothing.

use crate::support::tiny;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use canopy::inference::{
    DeviceChoice, DocumentRequest, Flag, KnownTranslations, SearchOptions, Step, Translation,
    TranslationRequest, Translator, starter_model_for,
};
use canopy::kernels::packed::Quantization;
use canopy::memory::TranslationMemory;
use canopy::text::document::{Document, Format};
use canopy::tokenizers::Side;
use canopy::weights::{Precision, RerankerFolder};
use tempfile::TempDir;

const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Print &amp; save</title></head>\n<body><h1 id=\"top\">Print a page</h1>\n\
    <!-- <b>not</b> shown -->\n<p>Open the <a href=\"file.html\">file <em>menu</em></a> and <br>choose <code>Print</code>. \
    Then close <b>all</b> windows.</p>\n<ul><li>Copy the <i>image</i><li>1 &lt; 2</ul>\n\
    <table><tr><td>Cell<td>Delete <kbd>x</kbd> &amp; <kbd>y</kbd></table>\n<script>if (a < b) save('<p>')</script></body></html>\n";

fn translator() -> (Translator, TempDir) {
    let folder = tiny::model_folder();
    (
        Translator::open(folder.path(), DeviceChoice::Cpu).expect("opens"),
        folder,
    )
}

fn parse(format: Format, text: &str) -> Document {
    Document::parse("test", format, text.to_owned()).expect("readable")
}

/// Translates all sentences, each of which must come back once.
fn translate(translator: &Translator, document: &Document, beam_size: usize) -> Vec<Translation> {
    let mut found = vec![None; document.sentences.len()];
    let all: Vec<usize> = (0..found.len()).collect();
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let done = translator.translate(document, &all, &options, &mut |sentence, translation| {
        assert!(
            found[sentence].replace(translation).is_none(),
            "sentence {sentence} came twice"
        );
        ControlFlow::Continue(())
    });
    done.expect("translates");
    found
        .into_iter()
        .map(|translation| translation.expect("every sentence comes back"))
        .collect()
}

fn written(document: &Document, translations: &[Translation]) -> String {
    document.translated(
        &translations
            .iter()
            .map(|translation| Some(translation.text.clone()))
            .collect::<Vec<_>>(),
    )
}

/// All that stands between `<` and `>`, sorted.
fn tags(html: &str) -> Vec<&str> {
    let mut tags: Vec<&str> = html
        .split('<')
        .skip(1)
        .map(|rest| rest.split('>').next().unwrap_or_default())
        .collect();
    tags.sort_unstable();
    tags
}

#[test]
fn the_starter_into_portuguese_finds_a_verb_in_the_sentence_before() {
    let starter = starter_model_for(Some("en"), Some("pt")).expect("in the repository");
    let translator = Translator::open(&starter, DeviceChoice::Cpu).expect("opens");
    let answer = |text: &str| {
        let found = translate(&translator, &parse(Format::Text, text), 1);
        found.last().expect("an answer").text.clone()
    };
    assert_eq!(
        answer("Do you work here?\n\nYes, I do.\n"),
        "Sim, eu trabalho."
    );
    assert_eq!(
        answer("Do you like music?\n\nYes, I do.\n"),
        "Sim, eu gosto."
    );
    assert_eq!(answer("Yes, I do.\n"), "Sim, eu faço.", "by itself");
}

#[test]
fn pictograms_come_back_from_a_model_that_has_not_learned_them() {
    let (translator, _folder) = translator();
    let document = parse(
        Format::Html,
        "<p>Press \u{1F50E}\u{FE0E} to <b>find \u{1F44D}</b> all.</p>",
    );
    for beam_size in [1, 4] {
        let translations = translate(&translator, &document, beam_size);
        let page = written(&document, &translations);
        for pictogram in ["\u{1F50E}\u{FE0E}", "\u{1F44D}"] {
            assert_eq!(page.matches(pictogram).count(), 1, "{page}");
        }
        assert_eq!(tags(&page), ["/b", "/p", "b", "p"]);
    }
}

#[test]
fn weights_that_change_under_an_open_model_are_reported_and_new_ones_beside_it_are_not_read() {
    let document = parse(Format::Text, "Open the file. Close the window!\n");
    let expected = translate(&translator().0, &document, 4);
    let weights = |folder: &TempDir| folder.path().join("weights.safetensors");
    // Another file takes the name.
    let (opened, folder) = translator();
    let other = folder.path().join("other");
    std::fs::write(&other, "nothing").expect("written");
    std::fs::rename(&other, weights(&folder)).expect("renamed");
    assert_eq!(translate(&opened, &document, 4), expected);
    let translations: Vec<_> = expected.iter().cloned().map(Some).collect();
    opened.trace(&document, &translations).expect("a trace");
    // The file itself is cut, before anything was read of it.
    let cut = |folder: &TempDir| {
        let file = std::fs::File::options().write(true).open(weights(folder));
        file.and_then(|file| file.set_len(1_000)).expect("cut");
    };
    let (opened, folder) = translator();
    cut(&folder);
    let mut none = |_, _| panic!("a translation by weights that could not be read");
    let options = SearchOptions::default();
    let refused = [
        opened.trace(&document, &translations).map(|_| ()),
        opened.translate(&document, &[0, 1], &options, &mut none),
    ];
    for refused in refused {
        let message = refused.expect_err("the file has changed").to_string();
        let words = [
            "weights.safetensors",
            "cannot be read any more",
            "has changed",
        ];
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    // Once its weights are packed, nothing is read any more.
    let (opened, folder) = translator();
    let before = opened.trace(&document, &translations).expect("a trace");
    cut(&folder);
    assert_eq!(translate(&opened, &document, 4), expected);
    let after = opened.trace(&document, &translations).expect("a trace");
    assert!(before == after, "the same weights");
}

#[test]
fn every_sentence_is_translated_or_flagged() {
    let (translator, _folder) = translator();
    let markdown = "# Open\n\nCopy the *image* with `cp`, then [print](a.md) it.\n\n- Save the file.\n- Close it.\n";
    let plain = "Open the file. Close the window!\n\nPrint the page.\n";
    for (format, text) in [
        (Format::Html, PAGE),
        (Format::Markdown, markdown),
        (Format::Text, plain),
    ] {
        let document = parse(format, text);
        assert!(document.sentences.len() >= 3);
        for beam in [1, 3] {
            for (translation, sentence) in translate(&translator, &document, beam)
                .iter()
                .zip(&document.sentences)
            {
                assert_eq!(
                    tiny::markup(&translation.text),
                    tiny::markup(&sentence.text)
                );
                let translated = translation.num_tokens > 0 && translation.log_prob < 0.0;
                let nothing_to_do = !sentence.text.contains(char::is_alphabetic);
                let excused = translation.flags.contains(&Flag::Empty) || nothing_to_do;
                assert!(
                    translated || excused,
                    "{:?} became {translation:?}",
                    sentence.text
                );
                assert!(
                    !translation.text.trim().is_empty(),
                    "{:?} is lost",
                    sentence.text
                );
            }
        }
    }
}

#[test]
fn tags_of_a_page_are_all_there() {
    let (translator, _folder) = translator();
    let document = parse(Format::Html, PAGE);
    for beam in [1, 4] {
        let page = written(&document, &translate(&translator, &document, beam));
        assert_eq!(tags(&page), tags(PAGE), "{page}");
        assert_ne!(page, PAGE);
    }
}

#[test]
fn links_and_code_of_markdown_are_all_there() {
    let (translator, _folder) = translator();
    let text =
        "Copy `one` and `two` to [the *page*](https://example.org/a_b), not to ![it](x.png).\n";
    let page = written(
        &parse(Format::Markdown, text),
        &translate(&translator, &parse(Format::Markdown, text), 2),
    );
    for kept in ["`one`", "`two`", "](https://example.org/a_b)", "x.png"] {
        assert_eq!(page.matches(kept).count(), 1, "{kept} in {page}");
    }
}

#[test]
fn translating_twice_gives_the_same() {
    let (translator, _folder) = translator();
    let document = parse(Format::Html, PAGE);
    assert_eq!(
        translate(&translator, &document, 2),
        translate(&translator, &document, 2)
    );
}

#[test]
fn documents_translated_together_come_out_as_each_alone() {
    let (translator, _folder) = translator();
    let options = SearchOptions {
        beam_size: 1,
        ..SearchOptions::default()
    };
    // More documents than sentences of one are searched again, all by a model that makes broken ones.
    let pairs = tiny::pairs().into_iter().cycle();
    let documents: Vec<Document> = pairs
        .take(64)
        .map(|(source, _)| parse(Format::Text, &source))
        .collect();
    let together = |documents: &[Document]| -> Vec<Translation> {
        let mut known = vec![KnownTranslations::default(); documents.len()];
        let requests = documents.iter().zip(&mut known);
        let requests = requests.map(|(document, known)| DocumentRequest {
            document,
            sentences: &[0],
            known,
        });
        let request = TranslationRequest {
            documents: requests.collect(),
            search: options,
            formality: None,
        };
        let mut found = vec![None; documents.len()];
        let done = translator.run(request, &mut |event| {
            if let Step::Translated { translation, .. } = event.step {
                found[event.document] = Some(translation);
            }
            ControlFlow::Continue(())
        });
        done.expect("translates");
        found
            .into_iter()
            .map(|it| it.expect("translated"))
            .collect()
    };
    let alone: Vec<Translation> = documents
        .chunks(1)
        .map(|document| together(document).remove(0))
        .collect();
    assert_eq!(together(&documents), alone);
}

#[test]
fn only_what_is_requested_is_translated() {
    let (translator, _folder) = translator();
    let document = parse(
        Format::Text,
        "Open it.\n\nClose it.\n\nPrint it.\n\nCopy it.\n",
    );
    let mut found = BTreeSet::new();
    let done = translator.translate(
        &document,
        &[3, 1],
        &SearchOptions::default(),
        &mut |sentence, _| {
            found.insert(sentence);
            ControlFlow::Continue(())
        },
    );
    done.expect("translates");
    assert_eq!(found, BTreeSet::from([1, 3]));
}

#[test]
fn a_sentence_over_the_limit_is_split_and_says_so() {
    let (translator, _folder) = translator();
    let long = "open the <b>file</b> and close the window, ".repeat(40);
    let text = format!(
        "<p>Save <i>{long}please</i>.</p><p>Copy {}.</p><p>Print.</p>",
        "x".repeat(300)
    );
    let document = parse(Format::Html, &text);
    assert_eq!(document.sentences.len(), 3);
    let found = translate(&translator, &document, 1);
    for (translation, sentence) in found.iter().zip(&document.sentences) {
        let tokens = translator
            .tokenizer()
            .encode(Side::Source, &sentence.text)
            .len();
        let split = tokens >= tiny::MAX_TOKENS;
        assert_eq!(
            translation.flags.contains(&Flag::Split),
            split,
            "{:?}",
            sentence.text
        );
        assert_eq!(
            tiny::markup(&translation.text),
            tiny::markup(&sentence.text)
        );
        // Every part counts at least the end of its own translation.
        assert!(
            translation.num_tokens >= tokens / tiny::MAX_TOKENS,
            "{} of {tokens}",
            translation.num_tokens
        );
    }
    assert_eq!(
        found
            .iter()
            .filter(|translation| translation.flags.contains(&Flag::Split))
            .count(),
        2
    );
    assert_eq!(tags(&written(&document, &found)), tags(&text));
}

#[test]
fn cancelling_stops_the_translation() {
    let (translator, _folder) = translator();
    let document = parse(
        Format::Text,
        &"Open the file.\n\n1 + 1 = 2, x\n\n".repeat(400),
    );
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let mut calls = 0;
    let cancelled =
        translator.translate(&document, &all, &SearchOptions::default(), &mut |_, _| {
            calls += 1;
            if calls == 3 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
    cancelled.expect("cancelling is no error");
    assert_eq!(calls, 3);
}

#[test]
fn an_empty_document_stays_empty() {
    let (translator, _folder) = translator();
    for format in [Format::Html, Format::Markdown, Format::Text] {
        for text in ["", "\n", "  \n\n"] {
            let document = parse(format, text);
            assert_eq!(translate(&translator, &document, 4), []);
            assert_eq!(document.translated(&[]), text);
        }
    }
}

#[test]
fn sentences_without_letters_are_copied() {
    let (translator, _folder) = translator();
    let mut document = parse(Format::Text, "Open the file.\n\nClose the file.\n");
    document.sentences[0].text = "12 – 34 % \u{E100}".to_owned();
    let found = translate(&translator, &document, 4);
    assert_eq!(
        (found[0].text.as_str(), found[0].num_tokens),
        ("12 – 34 % \u{E100}", 0)
    );
    assert_eq!(found[0].flags, []);
    assert!(found[1].num_tokens > 0);
}

#[test]
fn markup_beyond_the_vocabulary_is_kept_too() {
    let (translator, _folder) = translator();
    let words = "<b>bold</b> <br> ".repeat(20);
    let text = format!("<p>Copy {words}.</p>");
    let document = parse(Format::Html, &text);
    let found = translate(&translator, &document, 1);
    assert_eq!(tags(&written(&document, &found)), tags(&text));
}

#[test]
fn a_model_chooses_by_one_that_translates_back_and_by_no_other() {
    let place = tempfile::tempdir().expect("a folder");
    let save = |name: &str, seed: u64, turned: bool, reranker: Option<&str>| {
        let (folder, mut description) = (place.path().join(name), tiny::description());
        if turned {
            let languages = &mut description.languages;
            std::mem::swap(&mut languages.source, &mut languages.target);
        }
        description.reranker = reranker.map(|name| RerankerFolder {
            weight: 1e6,
            ..RerankerFolder::new(PathBuf::from("..").join(name))
        });
        let (model, vocabulary) = (tiny::talkative_model(seed), tiny::vocabulary());
        let saved = description.save(&folder, &model, &vocabulary, Precision::Full);
        saved.expect("saves");
        folder
    };
    save("back", 2, true, None);
    let open = |folder: &Path| Translator::open(folder, DeviceChoice::Cpu);
    let alone = open(&save("alone", 1, false, None)).expect("opens");
    let chosen = open(&save("chosen", 1, false, Some("back"))).expect("opens");
    let document = parse(Format::Html, PAGE);
    // As wide a search as where a channel chooses.
    let most_probable = translate(&alone, &document, 8);
    assert_ne!(most_probable, translate(&chosen, &document, 4));
    for (reranker, words) in [
        (
            "alone",
            "en to de; what chooses among the translations must translate de to en",
        ),
        ("nowhere", "nowhere"),
    ] {
        let refused = open(&save("refused", 1, false, Some(reranker))).expect_err(reranker);
        for words in [words, "delete [reranker]"] {
            assert!(refused.to_string().contains(words), "{refused}");
        }
    }
}

#[test]
fn the_cpu_goes_on_with_the_same_model_and_memory() {
    let (mut translator, folder) = translator();
    let memory = folder.path().join("mine.tsv");
    std::fs::write(&memory, "Close the page.\tSeite zu.\n").expect("written");
    let info = translator.info().clone();
    let (from, to) = (&info.source_language, &info.target_language);
    let memory = TranslationMemory::read(&memory, from, to).expect("a memory");
    translator.set_memory(memory);
    translator.loaded_mut().quantize(Quantization::Int8);
    let document = parse(
        Format::Text,
        "Open the file. Close the page. Print the image.",
    );
    let other = translator.on_cpu().expect("opens");
    assert!(other.loaded().is_on_cpu());
    let expected = translate(&translator, &document, 2);
    assert_eq!(expected[1].text, "Seite zu.");
    assert_eq!(translate(&other, &document, 2), expected);
    translator.loaded_mut().quantize(Quantization::None);
    assert_ne!(
        translate(&translator, &document, 2),
        expected,
        "8 bits are distinguished from 32"
    );
}
