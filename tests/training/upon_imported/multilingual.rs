//! A model of several languages that was fine-tuned for one still supports the others.

use canopy::inference::{DeviceChoice, Translator};
use canopy::training::{Control, TrainingConfig, train};

use super::cases::multilingual;
use super::tiny;

#[test]
fn languages_can_be_chosen_after_training() {
    let place = tempfile::tempdir().expect("a folder");
    tiny::corpus(&place.path().join("corpus"));
    for folder in multilingual() {
        let run = place.path().join(folder.file_name().expect("a name"));
        let config = TrainingConfig {
            corpus: place.path().join("corpus"),
            batch_tokens: 400,
            steps: 1,
            validate_every: 0,
            ..TrainingConfig::second_stage(folder)
        };
        let control = Control::default();
        let device = tiny::device();
        train(&config, &run, false, &device, "CPU", &control, &mut |_| {}).expect("trains");
        let model = run.join("checkpoints/last");
        let open = |to| Translator::open_between(&model, DeviceChoice::Cpu, Some("en"), Some(to));
        let (german, french) = (open("de").expect("opens"), open("fr").expect("opens"));
        assert_eq!(german.info().target_language, "de");
        assert_eq!(french.info().target_language, "fr");
        let first = |it: &Translator| it.model().network.tokens().forced_first;
        assert!(first(&german).is_some() && first(&german) != first(&french));
        let prefix = french.tokenizer().special().target_prefix.clone();
        assert_eq!(first(&french), prefix.first().copied());
        assert!(open("tlh").is_err(), "a language that it does not know");
    }
}
