//! Searches with packed weights find what searches by burn's layers find, in the models of all programs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use canopy::inference::{DeviceChoice, SearchOptions, Translator};
use canopy::kernels::packed::Quantization;
use canopy::model::Model;
use canopy::search::{
    Encodings, SearchEvent, SourceFrame, SourceSentence, SourceText, search_documents,
};
use canopy::tokenizers::{Side, Tokenizer};

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
        frame: SourceFrame::of(tokenizer.special()),
        ..SourceText::of_sentences(texts.iter().map(sentence).collect())
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
    let mut kept = Encodings::default();
    search_documents(model, tokenizer, &text, &options, &mut kept, &mut keep)
        .expect("probabilities");
    found
}

#[test]
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
        assert!(model.packed().is_some(), "{}", folder.display());
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
