//! Which sentence matters most when it is left out, by the translator that people use: documents of the task as texts.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use canopy::inference::{ChangedContext, DeviceChoice, SearchOptions, Translation, Translator};
use canopy::model::{Model, ModelConfig};
use canopy::text::document::{Document, Format};
use canopy::tokenizers::{
    Cutter, LanguageTokens, ModelTokenizer, SideTokens, SpecialIds, TokenList, TwoSidedTokenizer,
};
use canopy::weights::{Languages, ModelFolder, Precision};

use super::documents::{Mention, Texts, VOCAB};

/// Number of documents that are looked at.
const DOCUMENTS: usize = 20;

/// Change of the likelihood, in nats, below which no sentence decides: a model that is left to guess takes one form of
/// three, and where that is the right one nothing is lost.
const DECIDES: f32 = 0.01;

/// Share of the mentions that are solved by a sentence, at least.
const DECIDED: f64 = 0.9;

/// Share of the mentions solved by a sentence whose deciding sentence changes the likelihood of the form most when it is left
/// out.
pub fn left_out(model: &Model, config: &ModelConfig, texts: &Texts, answers: &[u32]) -> f64 {
    let translator = translator(model, config);
    let (mut solved, mut decided, mut first) = (0.0_f64, 0.0_f64, 0.0_f64);
    for range in texts.set.documents.iter().take(DOCUMENTS) {
        let (document, translations) = written(texts, range);
        let mentions = texts.mentions.iter().zip(answers);
        let own = mentions.filter(|(mention, _)| range.contains(&mention.sentence));
        for (mention, _) in own.filter(|(mention, answer)| mention.form == **answer) {
            solved += 1.0;
            let found = largest(&translator, &document, &translations, mention, range);
            decided += f64::from(u8::from(found.is_some()));
            first += f64::from(u8::from(found == Some(mention.decider)));
        }
    }
    assert!(
        decided >= DECIDED * solved,
        "{decided} of {solved} are decided"
    );
    first / decided.max(1.0)
}

/// The sentence without which the form of a mention changes most; none where the model guesses the form without any.
fn largest(
    translator: &Translator,
    document: &Document,
    translations: &[Option<Translation>],
    mention: &Mention,
    range: &Range<usize>,
) -> Option<usize> {
    let change = ChangedContext {
        document,
        translations,
        sentence: mention.sentence - range.start,
    };
    let mut go_on = |_, _| ControlFlow::Continue(());
    let view = translator
        .probe(change, &SearchOptions::default())
        .leave_one_out(&mut go_on);
    let mut view = view.expect("the model reads the document");
    // The other words of a sentence hang on nothing.
    view.selected = Some(Mention::PLACE);
    let change = &view.changes[*view.ranked().first()?];
    (view.change(change).abs() > DECIDES).then_some(range.start + change.sentence)
}

/// Words that have no meaning, one for each id.
fn word(id: u32) -> String {
    let letter = |number: u32| char::from(b'a' + u8::try_from(number % 26).expect("small"));
    format!("w{}{}", letter(id / 26), letter(id))
}

fn text(ids: &[u32]) -> String {
    ids.iter().map(|&id| word(id)).collect::<Vec<_>>().join(" ")
}

/// A paragraph a sentence, each with its reference.
fn written(texts: &Texts, range: &Range<usize>) -> (Document, Vec<Option<Translation>>) {
    let examples = &texts.set.examples[range.clone()];
    let lines = examples.iter().map(|example| text(&example.source));
    let page = lines.collect::<Vec<_>>().join("\n\n");
    let document = Document::from_bytes("tale.txt", Format::Text, page.into_bytes());
    let document = document.expect("a document");
    assert_eq!(document.sentences.len(), examples.len());
    let translations = examples
        .iter()
        .map(|example| Some(Translation::written(text(&example.target))));
    (document, translations.collect())
}

fn translator(model: &Model, config: &ModelConfig) -> Translator {
    let special = ["<pad>", "<unk>", "<s>", "</s>"].map(str::to_owned);
    let count = u32::try_from(VOCAB).expect("small");
    let tokens = special.into_iter().chain((4..count).map(word));
    let side = SideTokens::new(Cutter::Words, Arc::new(TokenList::new(tokens.collect())));
    let tokenizer = TwoSidedTokenizer::new(
        side.clone(),
        side,
        SpecialIds::default(),
        LanguageTokens::None,
    );
    let languages = Languages {
        source: "en".to_owned(),
        target: "qaa".to_owned(),
    };
    let description = ModelFolder::new(
        "task".to_owned(),
        "MIT".to_owned(),
        languages,
        config.clone(),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let tokenizer = ModelTokenizer::Imported(Arc::new(tokenizer));
    description
        .save(folder.path(), model, &tokenizer, Precision::Full)
        .expect("saves");
    Translator::open(folder.path(), DeviceChoice::Cpu).expect("opens")
}
