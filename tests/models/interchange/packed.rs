//! Searches with packed weights find what searches by burn's layers find, in the models of all programs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::Tensor;
use canopy::error::Error;
use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::kernels::packed::Quantization;
use canopy::model::{ExecutorKind, Model};
use canopy::search::{
    EncodingCache, SearchEvent, SourceFrame, SourceSentence, SourceText, search_documents,
};
use canopy::tokenizers::{Side, Tokenizer};

use canopy::text::document::{Document, Format};

use super::cases::folders;

/// Tokens and log-probability of each sentence's translation.
fn found(
    model: &Model,
    tokenizer: &dyn Tokenizer,
    texts: &[&str],
    beam_size: usize,
) -> BTreeMap<usize, (Vec<u32>, f32)> {
    let sentence = |text: &&str| SourceSentence {
        ids: tokenizer.encode(Side::Source, text),
        position: (0, 0),
    };
    let text = SourceText {
        frame: SourceFrame::from_special_ids(tokenizer.special()),
        ..SourceText::from_sentences(texts.iter().map(sentence).collect())
    };
    let options = SearchOptions {
        beam_size,
        ..SearchOptions::default()
    };
    let mut found = BTreeMap::new();
    let mut keep = |event| {
        if let SearchEvent::Translation { number, hypothesis } = event {
            found.insert(number, (hypothesis.ids, hypothesis.log_prob));
        }
        ControlFlow::Continue(())
    };
    let mut kept = EncodingCache::default();
    search_documents(model, tokenizer, &text, &options, &mut kept, &mut keep)
        .expect("probabilities");
    found
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn packed_searches_find_the_same() {
    let texts = [
        "The house is small.",
        "I see a red book on the table.",
        "He reads",
    ];
    let all = ["marian-", "ctranslate2-"].map(folders).concat();
    for folder in all {
        let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("a model");
        let (model, tokenizer) = (translator.model(), translator.tokenizer());
        let kind = model.executor().kind();
        assert_eq!(kind, ExecutorKind::Cpu, "{}", folder.display());
        let plain = model.clone().unpacked();
        for beam in [1, 4] {
            let plain = found(&plain, tokenizer, &texts, beam);
            let packed = found(model, tokenizer, &texts, beam);
            assert_eq!(plain.len(), texts.len());
            for (number, (ids, log_prob)) in &plain {
                let (other, score) = &packed[number];
                assert_eq!(ids, other, "{}, beam {beam}", folder.display());
                assert!((log_prob - score).abs() < 1e-2, "{log_prob} and {score}");
            }
        }
        let bytes = model.clone().packed_as(Quantization::Int8);
        let bytes = found(&bytes, tokenizer, &texts, 4);
        assert_eq!(bytes.len(), texts.len(), "{}", folder.display());
    }
}

/// Counts the parameters of burn's layers that were read.
#[derive(Default)]
struct Read(usize);

impl ModuleVisitor for Read {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        self.0 += usize::from(param.is_initialized());
    }
}

fn page(paragraph: &str) -> Document {
    let text = format!("<html><body><p>{paragraph}</p></body></html>");
    Document::parse("page.html", Format::Html, text).expect("a page")
}

fn translate(translator: &Translator, document: &Document) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    let all: Vec<usize> = (0..document.sentences.len()).collect();
    let options = SearchOptions::default();
    translator.translate(document, &all, &options, &mut |_, translation| {
        found.push(translation.text);
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_document_with_markup_is_translated_and_burns_layers_read_nothing() {
    let page = page("The <b>house</b> is small.");
    for folder in ["marian-", "ctranslate2-"].map(folders).concat() {
        let translator = Translator::open(&folder, DeviceChoice::Cpu).expect("a model");
        let found = translate(&translator, &page).expect("a translation");
        assert!(!found.is_empty(), "{}", folder.display());
        let mut read = Read::default();
        translator.model().visit(&mut read);
        assert_eq!(read.0, 0, "{}", folder.display());
        translator.model().read_layers().expect("still there");
        let mut read = Read::default();
        translator.model().visit(&mut read);
        assert!(read.0 > 0);
    }
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_model_whose_file_changes_while_it_is_open_says_so() {
    let page = page("The house is small.");
    let copied = |from: &Path| {
        let copy = tempfile::tempdir().expect("a folder");
        for file in std::fs::read_dir(from).expect("readable") {
            let file = file.expect("readable");
            let to = copy.path().join(file.file_name());
            std::fs::write(&to, std::fs::read(file.path()).expect("readable")).expect("written");
        }
        copy
    };
    let names = [
        "marian-base-1",
        "marian-native-align-1",
        "ctranslate2-base-1-int8",
    ];
    for folder in names.map(folders).concat() {
        let copy = copied(&folder);
        let translator = Translator::open(copy.path(), DeviceChoice::Cpu).expect("a model");
        let files = std::fs::read_dir(copy.path()).expect("readable");
        let files = files.map(|file| file.expect("readable").path());
        let largest = files.max_by_key(|path| path.metadata().expect("there").len());
        let largest = largest.expect("a file");
        let bytes = std::fs::read(&largest).expect("readable");
        std::fs::write(&largest, &bytes[..bytes.len() / 2]).expect("written");
        let message = translate(&translator, &page).expect_err("its weights are gone");
        let message = message.to_string();
        let name = copy.path().to_string_lossy();
        assert!(
            message.contains("has changed") && message.contains(&*name),
            "{message}"
        );
    }
}
