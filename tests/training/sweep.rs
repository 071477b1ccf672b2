//! A sweep trains what is not finished yet, goes on past a row that fails, and ends in a table.

use canopy::corpus::{Corpus, Split};
use canopy::inference::{ComputeDevice, DeviceChoice, SearchOptions};
use canopy::model::MemoryUse;
use canopy::results::{Questions, Results, Step};
use canopy::training::sweep::{Sweep, SweepTable};
use canopy::weights::{ModelFolder, Precision};

use super::*;

fn cpu() -> ComputeDevice {
    ComputeDevice {
        device: tiny::device(),
        name: "CPU".to_owned(),
        software: false,
        remote: None,
    }
}

/// Trains the sweep; gives its table and the runs that began. Stops in the `stop`th of them.
fn swept(sweep: &Sweep, folder: &Path, stop: usize) -> (SweepTable, Vec<PathBuf>) {
    let (compute, control) = (cpu(), Control::default());
    let mut begun = Vec::new();
    let table = sweep.run(folder, &compute, &control, &mut |_, run, event| {
        if matches!(event, TrainingEvent::Started { .. }) {
            begun.push(run.folder.clone());
        }
        if begun.len() == stop && matches!(event, TrainingEvent::Step { step: 2, .. }) {
            control.stop();
        }
    });
    (table.expect("runs"), begun)
}

#[test]
fn a_sweep_goes_on_where_it_was_and_keeps_failed_rows() {
    let place = Place::new();
    let (file, folder) = (place.run("sweep.toml"), place.run("sweep"));
    let text = format!(
        "seeds = [1, 2]\n[base]\ncorpus = {:?}\nvocab_size = {}\nbatch_tokens = 120\nkeep_checkpoints = 0\nsteps = 5\n\
         [[row]]\nname = \"Deep\"\npreset = \"transformer-6-small\"\n[[row]]\nname = \"Shallow\"\n\
         [[row]]\nname = \"Upon nothing\"\nfrom = \"nowhere\"\n",
        place.corpus(),
        tiny::VOCAB
    );
    fs::write(&file, text).expect("writes");
    let sweep = Sweep::open(&file).expect("a sweep");
    let refused = sweep.clone().choosing(&["Wide".to_owned()]);
    let refused = refused.expect_err("no such row");
    assert!(
        refused.contains("Wide") && refused.contains("Shallow"),
        "{refused}"
    );
    let alone = sweep.clone().choosing(&["Upon nothing".to_owned()]);
    let (table, begun) = swept(&alone.expect("a row"), &folder, 0);
    assert_eq!((begun, table.rows[0].finished), (Vec::new(), 0));
    assert!(table.rows[2].problems[0].contains("failed"));
    let (table, begun) = swept(&sweep, &folder, 2);
    assert_eq!(begun.len(), 2);
    let finished: Vec<usize> = table.rows.iter().map(|row| row.finished).collect();
    assert_eq!(finished, [1, 0, 0]);
    assert!(table.rows[0].problems[0].contains("seed 2 is not finished"));

    let (table, begun) = swept(&sweep, &folder, 0);
    let expected = ["deep/seed-2", "shallow/seed-1", "shallow/seed-2"];
    assert_eq!(begun, expected.map(PathBuf::from));
    let [deep, shallow, failed] = table.rows.as_slice() else {
        panic!("three rows");
    };
    assert_eq!((deep.finished, shallow.finished), (2, 2));
    assert!(deep.dev_loss.is_some() && deep.dev_bleu_deviation.is_some());
    assert_eq!(deep.relative_time, Some(1.0));
    assert!(shallow.relative_time.is_some_and(|time| time < 1.0));
    // 60 d² of 168 d², and the scores of a small vocabulary.
    let operations = shallow.relative_operations.expect("counted");
    assert!((0.35..0.40).contains(&operations), "{operations}");
    assert_eq!((failed.finished, failed.problems.len()), (0, 2));
    assert!(failed.problems[0].contains("nowhere"));
    assert!(table.to_text().contains("Upon nothing: seed 1 failed"));
    assert!(table.to_latex().contains("Deep & "));

    let (again, begun) = swept(&sweep, &folder, 0);
    assert_eq!((begun, &again), (Vec::new(), &table));
    let shown = Sweep::open_folder(&folder).expect("a sweep");
    assert_eq!(SweepTable::read(&shown, &folder).expect("readable"), table);

    let text = fs::read_to_string(&file).expect("reads");
    let changed = place.run("changed.toml");
    fs::write(
        &changed,
        text.replace("steps = 5", "steps = 5\ndropout = 0.3"),
    )
    .expect("writes");
    let changed = Sweep::open(&changed).expect("a sweep");
    let (compute, control) = (cpu(), Control::default());
    let refused = changed.run(&folder, &compute, &control, &mut |_, _, _| {});
    let refused = refused.expect_err("the weights are of other settings");
    let message = refused.to_string();
    assert!(message.contains("began with other ones"), "{message}");
    let kept = fs::read_to_string(folder.join("sweep.toml"));
    assert_eq!(kept.expect("reads"), text);

    let outputs = folder.with_extension("outputs");
    let (results, steps) = scored(&shown, &folder, &table, &outputs);
    assert_eq!(
        steps,
        ["average", "translate dev", "translate test"].repeat(4)
    );
    let [deep, shallow, failed] = results.rows.as_slice() else {
        panic!("three rows");
    };
    assert_eq!(
        (&deep.seeds[..], &shallow.seeds[..]),
        (&[1, 2][..], &[1, 2][..])
    );
    assert!(deep.bleu_unseen.is_some() && deep.bleu_unseen_deviation.is_some());
    assert_eq!(deep.p_document, None);
    assert!(shallow.p_document.is_some_and(|p| (0.0..=1.0).contains(&p)));
    assert!(
        shallow
            .p_document_all
            .is_some_and(|p| (0.0..=1.0).contains(&p))
    );
    assert!(shallow.relative_epoch_time < deep.relative_epoch_time);
    assert!(failed.status.contains("nowhere") && failed.bleu_all.is_none());
    let markdown = results.to_markdown();
    assert!(markdown.contains("| Upon nothing | failed: "));
    let message = "1 segments in 1 documents, 1 of them unseen in training, in 1 documents";
    assert!(markdown.contains(message), "{markdown}");
    let (again, steps) = scored(&shown, &folder, &table, &outputs);
    assert_eq!((steps, &again), (Vec::new(), &results));

    let copy = folder.with_extension("elsewhere");
    let (mut again, steps) = scored(&shown, &copy, &table, &outputs);
    assert_eq!(steps, Vec::<String>::new());
    assert_eq!(again.rows[2].status, "not trained");
    again.rows[2] = results.rows[2].clone();
    assert_eq!(again, results);
}

#[test]
fn a_row_may_look_up_with_the_weights_of_another_one() {
    let place = Place::new();
    let (file, folder) = (place.run("sweep.toml"), place.run("sweep"));
    let text = format!(
        "[base]\ncorpus = {:?}\nvocab_size = {}\nbatch_tokens = 120\nsteps = 3\n[[row]]\nname = \"Sentence\"\n\
         [[row]]\nname = \"Neighbours\"\npreset = \"nearest-neighbours-small\"\nweights = \"Sentence\"\n",
        place.corpus(),
        tiny::VOCAB
    );
    fs::write(&file, text).expect("writes");
    let sweep = Sweep::open(&file).expect("a sweep");
    let alone = sweep.clone().choosing(&["Neighbours".to_owned()]);
    let (table, begun) = swept(&alone.expect("a row"), &folder, 0);
    assert_eq!(begun, [PathBuf::from("sentence/seed-1")]);
    let [sentence, neighbours] = table.rows.as_slice() else {
        panic!("two rows");
    };
    assert_eq!((sentence.finished, neighbours.finished), (1, 1));
    assert_eq!(sentence.parameters, neighbours.parameters);

    let (results, steps) = scored(&sweep, &folder, &table, &folder.with_extension("outputs"));
    assert_eq!(
        steps,
        ["average", "translate dev", "translate test"].repeat(2)
    );
    assert_eq!(results.rows[1].status, "trained");
    let models = ["sentence", "neighbours"].map(|row| folder.join(row).join("seed-1/model"));
    let weights = [&models[0], &models[1]].map(|model| fs::read(model.join("weights.safetensors")));
    let [plain, same] = weights.map(|bytes| bytes.expect("weights"));
    assert_eq!(plain, same);
    let described = models.map(|model| ModelFolder::open(&model).expect("a model"));
    let does = described
        .each_ref()
        .map(|model| (model.model.memory_use, model.memory.is_some()));
    assert_eq!(does, [(None, false), (Some(MemoryUse::KnnMt), true)]);
    assert_eq!(described[1].training.preset, "nearest-neighbours-small");
}

#[test]
fn a_chosen_row_needs_no_corpus_but_its_own() {
    let place = Place::new();
    let (file, folder) = (place.run("sweep.toml"), place.run("sweep"));
    let text = format!(
        "[base]\ncorpus = {:?}\nvocab_size = {}\nbatch_tokens = 120\nsteps = 2\n[[row]]\nname = \"Here\"\n\
         [[row]]\nname = \"Elsewhere\"\ncorpus = \"nowhere\"\n",
        place.corpus(),
        tiny::VOCAB
    );
    fs::write(&file, text).expect("writes");
    let sweep = Sweep::open(&file).expect("a sweep");
    let chosen = |name: &str| sweep.clone().choosing(&[name.to_owned()]).expect("a row");
    let (table, _) = swept(&chosen("Here"), &folder, 0);
    assert_eq!(table.rows[0].finished, 1);
    let control = Control::default();
    let refused = chosen("Elsewhere").run(&folder, &cpu(), &control, &mut |_, _, _| ());
    assert!(refused.is_err_and(|error| error.to_string().contains("nowhere")));
}

/// Saves a model once more with half as many bits: another one of the same name.
fn rounded(folder: &Path) {
    let description = ModelFolder::open(folder).expect("a model");
    let (model, vocabulary) = description.load(folder, &tiny::device()).expect("weights");
    let saved = description.save(folder, &model, &vocabulary, Precision::Half);
    saved.expect("saves");
}

#[test]
fn answers_count_only_for_what_they_were_computed_from() {
    let place = Place::new();
    let (file, folder) = (place.run("sweep.toml"), place.run("sweep"));
    let (back, memory) = (place.run("back"), place.run("memory.tsv"));
    let text = format!(
        "[base]\ncorpus = {:?}\nvocab_size = {}\nbatch_tokens = 120\nsteps = 3\nkeep_checkpoints = 0\n\
         [[row]]\nname = \"Sentence\"\n\
         [[row]]\nname = \"Neighbours\"\npreset = \"nearest-neighbours-small\"\nweights = \"Sentence\"\n\
         [[row]]\nname = \"Chosen\"\nweights = \"Sentence\"\nchannel = {back:?}\n",
        place.corpus(),
        tiny::VOCAB
    );
    let opened = |text: &str| {
        fs::write(&file, text).expect("writes");
        Sweep::open(&file).expect("a sweep")
    };
    let sweep = opened(&text);
    let (table, _) = swept(&sweep, &folder, 0);
    let checkpoint = folder.join("sentence/seed-1/checkpoints/last");
    let mut description = ModelFolder::open(&checkpoint).expect("a model");
    let (model, vocabulary) = description
        .load(&checkpoint, &tiny::device())
        .expect("weights");
    let languages = &mut description.languages;
    std::mem::swap(&mut languages.source, &mut languages.target);
    let saved = description.save(&back, &model, &vocabulary, Precision::Full);
    saved.expect("saves");

    let outputs = folder.with_extension("outputs");
    let steps = |sweep: &Sweep| scored(sweep, &folder, &table, &outputs).1;
    let all = ["average", "translate dev", "translate test"];
    let nothing: [&str; 0] = [];
    assert_eq!(steps(&sweep), all.repeat(3));
    assert_eq!(steps(&sweep), nothing);
    let copy = folder.with_extension("elsewhere");
    let kept = |sweep: &Sweep| {
        let corpus = Corpus::open(place.corpus()).expect("a corpus");
        let questions = questions(&corpus, &outputs);
        let mut observe = |_: &_, step: Step<'_>| panic!("{step:?}");
        Results::from_sweep(sweep, &copy, &table, Split::Test, &questions, &mut observe)
    };
    kept(&sweep).expect("nothing has changed");

    // Other documents to translate, as many of them.
    let test_file = place.corpus().join("test.jsonl");
    let before = fs::read_to_string(&test_file).expect("reads");
    let after = before.replacen("Move", "Copy", 1);
    assert_ne!(after, before);
    fs::write(&test_file, after).expect("writes");
    let refused = kept(&sweep).expect_err("of other documents").to_string();
    assert!(
        refused.contains("test-beam-1 is of other documents"),
        "{refused}"
    );
    assert_eq!(steps(&sweep), ["translate test"].repeat(3));

    // Another memory, first by name and then by what is in it.
    fs::write(&memory, "Open the file.\tÖffnen Sie die Datei.\n").expect("writes");
    let own = format!("weights = \"Sentence\"\nmemory = {memory:?}\n[[row]]");
    let with_memory = opened(&text.replacen("weights = \"Sentence\"\n[[row]]", &own, 1));
    let refused = kept(&with_memory).expect_err("another memory").to_string();
    assert!(refused.contains("another memory"), "{refused}");
    assert_eq!(steps(&with_memory), all);
    fs::write(&memory, "Open the file.\tDie Datei öffnen.\n").expect("writes");
    assert_eq!(steps(&with_memory), all);
    assert_eq!(steps(&with_memory), nothing);
    assert_eq!(steps(&sweep), all);

    // Another model that translates back, in the same place.
    rounded(&back);
    let refused = kept(&sweep).expect_err("another channel").to_string();
    assert!(refused.contains("another channel"), "{refused}");
    assert_eq!(steps(&sweep), all);
    fs::remove_dir_all(&back).expect("deletes");
    kept(&sweep).expect("what is not here is not compared");

    // Other weights in checkpoints of the same names and steps.
    let sentence = opened(
        text.split_once("[[row]]\nname = \"Chosen\"")
            .expect("a row")
            .0,
    );
    assert_eq!(steps(&sentence), nothing);
    rounded(&checkpoint);
    assert_eq!(steps(&sentence), all.repeat(2));

    // Another search.
    let corpus = Corpus::open(place.corpus()).expect("a corpus");
    let mut other = questions(&corpus, &outputs);
    let key = other.key(Split::Test);
    other.search.length_penalty = Some(0.5);
    assert_ne!(other.key(Split::Test), key);
}

fn questions<'a>(corpus: &'a Corpus, outputs: &'a Path) -> Questions<'a> {
    Questions {
        at_work: false,
        corpus,
        splits: vec![Split::Dev, Split::Test],
        search: SearchOptions {
            beam_size: 1,
            ..SearchOptions::default()
        },
        contrasts: None,
        outputs: Some(outputs),
        device: DeviceChoice::Cpu,
    }
}

/// The results of the sweep's models, and what was done for them.
fn scored(
    sweep: &Sweep,
    folder: &Path,
    times: &SweepTable,
    outputs: &Path,
) -> (Results, Vec<String>) {
    let corpus = Corpus::open(&sweep.rows[0].runs[0].config.corpus).expect("a corpus");
    let questions = questions(&corpus, outputs);
    let mut steps = Vec::new();
    let results = Results::from_sweep(
        sweep,
        folder,
        times,
        Split::Test,
        &questions,
        &mut |_, step| match step {
            Step::Average => steps.push("average".to_owned()),
            Step::Translate { done: 0, split, .. } => {
                steps.push(format!("translate {}", split.name()));
            }
            Step::Translate { done, all, .. } => assert!(done <= all, "{done} of {all}"),
            Step::Choose { .. } => unreachable!("there is no contrastive set"),
        },
    );
    (results.expect("results"), steps)
}
