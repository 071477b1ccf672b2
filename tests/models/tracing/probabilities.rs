//! How probable a translation's words are, in their document and without it.

use canopy::inference::{ChangedContext, Flag, Reads, SearchOptions};

use crate::tracing::{document, systems, translated, translator};

/// The search's probability of a translation is that of its tokens together.
#[test]
fn words_are_as_probable_as_their_search_found_and_only_context_makes_a_difference() {
    let options = SearchOptions {
        beam_size: 2,
        ..SearchOptions::default()
    };
    for (name, config) in systems() {
        let translator = translator(config.clone());
        let bilingual = translator.info().reads == Reads::Translations;
        let document = document();
        let translations = translated(&translator, &document);
        let gains = translator
            .context_gains(&document, &translations)
            .expect("the device computes");
        for sentence in [0, 5] {
            let change = ChangedContext {
                document: &document,
                translations: &translations,
                sentence,
            };
            let difference = translator.probe(change, &options).difference();
            let difference = difference.expect("the device computes");
            let found = translations[sentence].as_ref().expect("it is translated");
            // The search of an untrained model seldom comes to an end by itself.
            let is_cut = found.flags.contains(&Flag::CutOff);
            let words = difference.words.iter();
            let words = words.filter(|word| !is_cut || word.label != "<eos>");
            let sum: f32 = words.map(|word| word.in_document).sum();
            let same = (sum - found.log_prob).abs() < 1e-3 * found.log_prob.abs().max(1.0);
            // The search of a bilingual model has read drafts, not these translations, unless each waits for those before.
            let in_order = config.translations_before() > 0;
            assert!(
                same || (bilingual && !in_order),
                "{name}: {sum}, not {}",
                found.log_prob
            );
            let gain = gains[sentence].expect("it is translated");
            assert_eq!(gain.tokens, difference.words.len(), "{name}");
            let of_whole = gain.in_document - gain.alone;
            let differs = (of_whole - difference.gain()).abs();
            assert!(
                differs < 1e-3,
                "{name}: {of_whole} for all sentences at once"
            );
            if ["sentence", "rnnsearch"].contains(&name) {
                assert!(
                    difference.gain().abs() < 1e-3,
                    "{name}: there is no context"
                );
                assert_eq!(difference.written[0].1, difference.written[1].1);
            }
        }
    }
}
