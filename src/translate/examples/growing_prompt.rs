//! Translates a document with a language model twice, with the prompt that grows and with every prompt read anew:
//! `cargo run --release -p canopy-translate --example growing_prompt -- FILE.gguf PAGE en pt`

use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use canopy_document::document::Document;
use canopy_translate::inference::{DeviceChoice, LanguageModelTranslator, Languages, LocalChat};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, page, from, to] = &arguments[..] else {
        return Err("name a GGUF file, a document, and the codes of both languages".into());
    };
    let translator = LanguageModelTranslator::open(
        Path::new(file),
        Languages::new(from, to),
        DeviceChoice::Cpu,
    )?;
    let document = Document::open(Path::new(page), None)?;
    let new: [fn(_) -> LocalChat; 2] = [LocalChat::new, LocalChat::without_cache];
    for (name, new) in ["growing", "anew"].into_iter().zip(new) {
        let begin = Instant::now();
        let mut chat = translator.chat_by(&document, new(Arc::clone(translator.model())));
        for sentence in 0..document.sentences.len() {
            chat.translate(sentence, &mut |_| ControlFlow::Continue(()))?;
        }
        let effort = chat.effort();
        println!(
            "{name}: {} sentences in {:.1} s, {:?}",
            document.sentences.len(),
            begin.elapsed().as_secs_f64(),
            effort.cost
        );
    }
    Ok(())
}
