//! Models and devices that fail.

use super::*;

#[test]
fn a_model_with_damaged_weights_fails_at_a_sentence_with_a_name() {
    let mut translator = translator(None);
    let Network::Transformer(network) = &mut translator.loaded.model.network else {
        panic!()
    };
    let words = network.embedding.words.clone();
    network.embedding.words = words.map(|words| words * f32::NAN);
    let mut finished = |_, _| panic!("nothing is found");
    let options = SearchOptions::default();
    let done = translator.translate(&document(), &[2], &options, &mut finished);
    let Err(Error::Base(BaseError::InvalidScores { sentence, found })) = done else {
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
