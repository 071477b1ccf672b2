//! Fine-tuning a model of another program: it learns, forgets, keeps its tokenizer and opens again.

use std::path::{Path, PathBuf};

use canopy::corpus::{CorpusInfo, CorpusWriter, Split, Unit};
use canopy::inference::{DeviceChoice, Translator};
use canopy::tokenizers::Side;
use canopy::training::{Control, EndReason, TrainingConfig, TrainingEvent, train};
use canopy::weights::ModelFolder;

use super::cases::{greedy, multilingual, opened, shared, text, those_there, translations};
use super::tiny;

fn events(config: &TrainingConfig, run: &Path, resume: bool) -> Vec<TrainingEvent> {
    let mut events = Vec::new();
    let control = Control::default();
    let device = tiny::device();
    train(
        config,
        run,
        resume,
        &device,
        "CPU",
        &control,
        &mut |event| {
            events.push(event.clone());
        },
    )
    .expect("trains");
    events
}

fn losses(events: &[TrainingEvent]) -> Vec<f32> {
    let loss = |event: &TrainingEvent| match event {
        TrainingEvent::Step { loss, .. } => Some(*loss),
        _ => None,
    };
    events.iter().filter_map(loss).collect()
}

fn config(place: &Path, from: &Path, steps: usize) -> TrainingConfig {
    TrainingConfig {
        corpus: place.join("corpus"),
        general: place.join("corpus"),
        batch_tokens: 400,
        learning_rate: 2e-3,
        dropout: 0.0,
        steps,
        validate_every: 20,
        checkpoint_every: 20,
        keep_checkpoints: 0,
        ..TrainingConfig::second_stage(from.to_owned())
    }
}

#[test]
fn fine_tuning_lowers_the_loss_and_reports_before_and_after() {
    let mut folders = those_there(&[
        "marian-base-1",
        "marian-tc-big-1",
        "marian-native-ssru-1",
        "ctranslate2-bpe-1-float32",
    ]);
    folders.extend(multilingual());
    for folder in folders {
        let place = tempfile::tempdir().expect("a folder");
        tiny::corpus(&place.path().join("corpus"));
        let run = place.path().join("run");
        let events = events(&config(place.path(), &folder, 60), &run, false);
        let losses = losses(&events);
        let (first, last) = (losses[0], losses[losses.len() - 1]);
        assert!(
            last < 0.8 * first,
            "{}: {first} to {last}",
            folder.display()
        );
        let compared = events.iter().find_map(|event| match event {
            TrainingEvent::Compared { sets, .. } => Some(sets),
            _ => None,
        });
        let sets = compared.expect("a table of before and after");
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["held-out", "general"]);
        // The best model is the one that it began with, where BLEU of two sentences does not rise.
        for set in sets {
            assert!(set.segments > 0 && set.bleu[1] >= set.bleu[0], "{set:?}");
        }
        let validated = events.iter().filter_map(|event| match event {
            TrainingEvent::Validated { dev_loss, .. } => Some(*dev_loss),
            _ => None,
        });
        let smallest = validated.fold(f32::INFINITY, f32::min);
        assert!(smallest < sets[0].loss[0], "{smallest}: {sets:?}");

        let model = run.join("checkpoints/last");
        assert!(model.join("tokenizer.json").is_file());
        assert!(!model.join("vocabulary.json").exists());
        let (before, after) = (opened(&folder), Translator::open(&model, DeviceChoice::Cpu));
        let after = after.expect("a model folder");
        for sentence in ["Open the file.", "Schließen Sie die Seite – 3 Ω!"] {
            for side in [Side::Source, Side::Target] {
                let ids = before.tokenizer().encode(side, sentence);
                assert_eq!(after.tokenizer().encode(side, sentence), ids);
            }
        }
        assert_eq!(after.tokenizer().special(), before.tokenizer().special());
        assert!(after.reader().strips_markup());
        let found = translations(&after, &text("Open the file."), &greedy());
        println!(
            "{}: {} → {:?}",
            folder.display(),
            losses.len(),
            found[0].text
        );
        assert!(!found[0].text.is_empty());
    }
}

/// A corpus in which the model's own translations are right, so that nothing is to be gained.
fn corpus_of_its_own(folder: &Path, model: &Path) {
    let info = CorpusInfo {
        name: "own".to_owned(),
        source_language: "en".to_owned(),
        target_language: "de".to_owned(),
        origin: "made in a test".to_owned(),
        licence: "CC0-1.0".to_owned(),
    };
    let mut writer = CorpusWriter::create(folder, info, false).expect("a new corpus");
    let translator = opened(model);
    let sources = tiny::pairs().into_iter().map(|(source, _)| source);
    let sources: Vec<String> = sources.collect();
    for (number, sources) in sources.chunks(12).enumerate() {
        let units = sources.iter().map(|source| {
            let found = translations(&translator, &text(source), &greedy());
            Unit::new(source.clone(), found[0].text.clone())
        });
        let document = tiny::document(&format!("own-{number}"), units.collect());
        let split = [Split::Dev, Split::Train][number.min(1)];
        writer.add(split, document).expect("writes");
    }
    writer.finish().expect("a corpus");
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_run_that_destroys_an_imported_model_ends_and_keeps_it() {
    let folder = shared("marian-native-ssru-1");
    let place = tempfile::tempdir().expect("a folder");
    corpus_of_its_own(&place.path().join("corpus"), &folder);
    let run = place.path().join("run");
    let reckless = TrainingConfig {
        general: PathBuf::new(),
        learning_rate: 0.5,
        validate_every: 5,
        ..config(place.path(), &folder, 60)
    };
    let events = events(&reckless, &run, false);
    let Some(TrainingEvent::Finished { step, reason }) = events.last() else {
        panic!("{:?}", events.last());
    };
    assert_eq!((*step, *reason), (5, EndReason::WorseThanBase));
    let is_clear = |event: &TrainingEvent| {
        matches!(event, TrainingEvent::Warning { message }
            if message.contains("learning_rate (0.5)") && message.contains("stays the best one"))
    };
    assert!(events.iter().any(is_clear));

    let best = opened(&run.join("checkpoints/best"));
    let source = &tiny::pairs()[0].0;
    let found = |translator| {
        translations(translator, &text(source), &greedy())[0]
            .text
            .clone()
    };
    assert_eq!(found(&best), found(&opened(&folder)));
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_model_of_others_is_fine_tuned_gently() {
    let folder = shared("marian-native-ssru-1");
    let gentle = TrainingConfig::fine_tuning(folder);
    assert_eq!((gentle.dropout, gentle.label_smoothing), (0.0, 0.0));
    assert!(gentle.rate(1, 256) < gentle.rate(gentle.warmup_steps, 256));
    assert!((gentle.rate(10_000, 256) - gentle.learning_rate).abs() < 1e-12);
    let own = tiny::model_folder();
    let own = own.path().to_owned();
    assert_eq!(
        TrainingConfig::fine_tuning(own.clone()),
        TrainingConfig::second_stage(own)
    );
}

#[test]
#[cfg_attr(not(shared_models), ignore = "needs ../shared/models")]
fn a_run_upon_an_imported_model_goes_on_as_if_it_had_not_stopped() {
    let folder = shared("marian-tc-big-1");
    let place = tempfile::tempdir().expect("a folder");
    tiny::corpus(&place.path().join("corpus"));
    let (whole, parts) = (place.path().join("whole"), place.path().join("parts"));
    let all = losses(&events(&config(place.path(), &folder, 8), &whole, false));
    let mut halves = losses(&events(&config(place.path(), &folder, 4), &parts, false));
    halves.extend(losses(&events(
        &config(place.path(), &folder, 8),
        &parts,
        true,
    )));
    assert_eq!(all, halves);
    let files = |run: &Path| ModelFolder::digest(&run.join("checkpoints/last")).expect("files");
    assert!(!files(&whole).is_empty());
}
