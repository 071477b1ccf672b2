//! The training page without a window.

use std::path::Path;

use super::*;
use crate::jobs::{RunRequest, TrainingRequest};
use crate::training::{NewRun, Start, TrainingCommand};
use crate::{ModelsEvent, RunEvent};
use canopy_models::interchange::{Archive, Encoder};
use canopy_models::weights::Precision;
use canopy_train::Order;

fn command(command: TrainingCommand) -> Command {
    Command::Training(command)
}

/// The state with a corpus folder that looks like one, in a folder of its own.
fn with_corpus() -> (AppState, tempfile::TempDir) {
    let home = tempfile::tempdir().expect("a folder");
    let corpus = home.path().join("corpora/help");
    std::fs::create_dir_all(&corpus).expect("a folder");
    std::fs::write(corpus.join("corpus.json"), "{}").expect("a file");
    let folders = Folders {
        data: Some(home.path().to_owned()),
        config: None,
    };
    let mut state = AppState::new(folders, Settings::default(), Shipped::default());
    state.receive(RunEvent::Seen {
        runs: Vec::new(),
        corpora: vec![corpus],
    });
    (state, home)
}

fn fill(state: &mut AppState, change: impl FnOnce(&mut NewRun)) {
    let mut form = state.training.form.clone().expect("a form");
    change(&mut form);
    state.apply(command(TrainingCommand::Fill(Box::new(form))));
}

fn started(state: &mut AppState) -> Option<JobId> {
    match state.training.runs.requests.pop()? {
        TrainingRequest::Start(job) => Some(job.job),
        TrainingRequest::Order { .. } => None,
    }
}

#[test]
fn a_form_that_is_filled_in_starts_a_run_below_the_folder_of_runs() {
    let (mut state, home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    assert_eq!(state.training.run_problem(&state.shared), None);
    fill(&mut state, |form| form.name = "first try".to_owned());
    state.apply(command(TrainingCommand::Start));
    let Some(TrainingRequest::Start(job)) = state.training.runs.requests.pop() else {
        panic!("no run was started");
    };
    assert_eq!(job.run, home.path().join("runs/first try"));
    assert!(!job.resume);
    assert!(state.training.runs.is_busy());
    state.receive(Event::Finished { job: job.job });
    assert!(!state.training.runs.is_busy());
}

#[test]
fn wrong_fields_are_reported_and_start_nothing() {
    let (mut state, home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    let field = |state: &mut AppState, change: fn(&mut NewRun)| {
        let before = state.training.form.clone().expect("a form");
        fill(state, change);
        state.apply(command(TrainingCommand::Start));
        assert_eq!(state.training.runs.requests, []);
        let problem = state
            .training
            .run_problem(&state.shared)
            .expect("a problem");
        fill(state, |form| *form = before);
        problem.field
    };
    assert_eq!(field(&mut state, |form| form.name.clear()), "name");
    assert_eq!(
        field(&mut state, |form| form.name = "a/b".to_owned()),
        "name"
    );
    assert_eq!(
        field(&mut state, |form| form.config.corpus = "nowhere".into()),
        "corpus"
    );
    assert_eq!(
        field(&mut state, |form| form.config.dropout = 1.5),
        "dropout"
    );
    assert_eq!(field(&mut state, |form| form.start = Start::Model), "from");
    std::fs::create_dir_all(home.path().join("runs/x-transformer-small")).expect("a folder");
    assert_eq!(
        state
            .training
            .run_problem(&state.shared)
            .expect("a problem")
            .field,
        "name"
    );
}

#[test]
fn a_run_that_waits_keeps_its_name_for_itself() {
    let (mut state, home) = with_corpus();
    for _ in 0..2 {
        state.apply(command(TrainingCommand::NewRun));
        assert_eq!(state.training.run_problem(&state.shared), None);
        state.apply(command(TrainingCommand::Start));
    }
    let folders: Vec<&Path> = state
        .training
        .runs
        .queue
        .iter()
        .map(|run| &*run.folder)
        .collect();
    let runs = home.path().join("runs");
    let expected = ["x-transformer-small", "x-transformer-small 2"];
    assert_eq!(folders, expected.map(|name| runs.join(name)));
    state.apply(command(TrainingCommand::NewRun));
    fill(&mut state, |form| form.name = expected[1].to_owned());
    assert_eq!(
        state
            .training
            .run_problem(&state.shared)
            .expect("a problem")
            .field,
        "name"
    );
    state.shared.run_requests.clear();
    let name = "other".to_owned();
    state.apply(command(TrainingCommand::Rename(
        runs.join(expected[0]),
        name,
    )));
    state.apply(command(TrainingCommand::GoOn(runs.join(expected[0]))));
    assert!(state.shared.run_requests.is_empty());
    assert_eq!(state.training.runs.queue.len(), 2);
}

#[test]
fn orders_go_to_the_own_thread_or_to_the_folder_of_another_program() {
    let (mut state, _home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    state.apply(command(TrainingCommand::Start));
    let folder = state.training.runs.queue[0].folder.clone();
    let job = started(&mut state).expect("a run");
    state.apply(command(TrainingCommand::Order(folder, Order::Pause)));
    assert_eq!(
        state.training.runs.requests.pop(),
        Some(TrainingRequest::Order {
            job,
            order: Order::Pause
        })
    );
    state.apply(command(TrainingCommand::Order(
        "elsewhere".into(),
        Order::Stop,
    )));
    assert_eq!(state.training.runs.requests, []);
    assert!(matches!(
        state.shared.run_requests.pop(),
        Some(RunRequest::Order {
            order: Order::Stop,
            ..
        })
    ));
}

#[test]
fn a_document_level_system_begins_upon_a_model_with_the_settings_of_its_second_stage() {
    let (mut state, _home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    fill(&mut state, |form| {
        form.choose_preset("selective-small");
        form.begin_with_model("assets/models/help-en-de".into());
    });
    let form = state.training.form.as_ref().expect("a form");
    assert_eq!(form.name, "selective-small");
    assert_eq!(form.config.patience, 5);
    assert!((form.config.learning_rate - 1e-4).abs() < 1e-12);
}

#[test]
fn an_error_ends_a_run_and_is_reported() {
    let (mut state, _home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    state.apply(command(TrainingCommand::Start));
    let job = started(&mut state).expect("a run");
    let error = crate::error::Error::from(canopy_translate::error::Error::NoGpu);
    state.receive(Event::Failed { job, error });
    assert!(!state.training.runs.is_busy());
    assert_eq!(state.shared.notices.len(), 1);
}

#[test]
fn a_run_that_waits_can_be_removed_and_leaves_the_queue() {
    let (mut state, _home) = with_corpus();
    for name in ["first", "second"] {
        state.apply(command(TrainingCommand::NewRun));
        fill(&mut state, |form| form.name = name.to_owned());
        state.apply(command(TrainingCommand::Start));
    }
    let waiting = state
        .training
        .runs
        .waiting()
        .next()
        .expect("it waits")
        .clone();
    assert!(waiting.folder.ends_with("second"));
    state.apply(command(TrainingCommand::AskTrash(waiting.folder)));
    let job = waiting.job;
    assert_eq!(
        state.training.runs.requests.last(),
        Some(&TrainingRequest::Order {
            job,
            order: Order::Abandon
        })
    );
    state.receive(Event::Cancelled { job });
    assert_eq!(state.training.runs.waiting().count(), 0);
    assert_eq!(
        state.training.runs.queue.len(),
        1,
        "the first one continues"
    );
}

#[test]
fn a_system_that_reads_bert_needs_an_encoder_and_contexts() {
    let (mut state, home) = with_corpus();
    state.apply(command(TrainingCommand::NewRun));
    let problem = |state: &AppState| {
        state
            .training
            .run_problem(&state.shared)
            .map(|problem| problem.field)
    };
    fill(&mut state, |form| form.choose_preset("catsby-small"));
    assert_eq!(problem(&state), Some("bert"));
    state.apply(command(TrainingCommand::UseBert("nowhere".into())));
    assert_eq!(problem(&state), Some("bert"));
    let place =
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/reference/tiny-bert");
    let mut archive = Archive::open(place).expect("a folder");
    let encoder = Encoder::sbert(&mut archive).expect("an encoder");
    let bert = home.path().join("bert");
    let saved = encoder.save(&bert, &archive, None, Precision::Full);
    saved.expect("a folder");
    state.apply(command(TrainingCommand::UseBert(bert)));
    assert_eq!(problem(&state), Some("contexts"));
    let contexts = home.path().join("contexts.jsonl");
    state.apply(command(TrainingCommand::UseContexts(contexts.clone())));
    assert_eq!(problem(&state), Some("contexts"));
    std::fs::write(contexts, "").expect("a file");
    assert_eq!(problem(&state), None);
    fill(&mut state, |form| form.choose_preset("x-transformer-small"));
    let form = state.training.form.as_ref().expect("a form");
    assert!(form.config.bert.as_os_str().is_empty(), "it reads none");
}

#[test]
fn the_model_of_a_run_of_a_sweep_is_called_by_its_row_too() {
    let (mut state, home) = with_corpus();
    let sweep = home.path().join("sweep");
    std::fs::create_dir(&sweep).expect("a folder");
    std::fs::write(sweep.join("sweep.toml"), "").expect("a file");
    for (run, name) in [
        ("sweep/no-dropout/seed-1", "no-dropout seed-1"),
        ("runs/evening", "evening"),
    ] {
        let promote = TrainingCommand::Promote(home.path().join(run));
        state.apply(command(promote));
        let Some(RunRequest::Promote { to, .. }) = state.shared.run_requests.pop() else {
            panic!("its model is wanted");
        };
        assert_eq!(to, home.path().join("models").join(name));
    }
}

#[test]
fn a_new_run_improves_the_model_of_the_corpus_and_is_measured_before_it_begins() {
    let (mut state, _home) = with_corpus();
    let model = |name: &str, to: &str| canopy_translate::inference::InstalledModel {
        folder: name.into(),
        name: name.to_owned(),
        sources: vec!["en".to_owned()],
        targets: vec![to.to_owned()],
        ..Default::default()
    };
    let models = vec![model("french", "fr"), model("german", "de")];
    state.receive(ModelsEvent::Listed { models });
    state.apply(command(TrainingCommand::NewRun));
    let corpus = |state: &AppState| {
        let form = state.training.form.as_ref().expect("a form");
        form.config.corpus.clone()
    };
    let looks = state.shared.run_requests.iter().any(
        |request| matches!(request, crate::jobs::RunRequest::LookAtCorpus(it) if *it == corpus(&state)),
    );
    assert!(looks);
    let facts = crate::training::CorpusFacts {
        source_language: "en-US".to_owned(),
        target_language: "de".to_owned(),
        pairs: 200,
    };
    let folder = corpus(&state);
    state.receive(Event::CorpusSeen { folder, facts });
    let form = state.training.form.as_ref().expect("a form");
    assert_eq!(form.config.from, PathBuf::from("german"));
    assert_eq!(form.name, "german tuned");
    // Chosen otherwise it stays so.
    fill(&mut state, |form| {
        form.begin_with_random_weights();
        form.is_chosen = true;
    });
    let form = state.training.form.as_ref().expect("a form");
    assert_eq!(form.name, "x-transformer-small");
    // Its time is measured once the settings stay as they are.
    state.shared.run_requests.clear();
    assert!(state.tick(0.5).is_some());
    assert!(state.shared.run_requests.is_empty());
    state.tick(10.0);
    let probes = |state: &AppState| {
        let requests = state.shared.run_requests.iter();
        requests
            .filter(|it| matches!(it, crate::jobs::RunRequest::Probe { .. }))
            .count()
    };
    assert_eq!(probes(&state), 1);
    state.tick(20.0);
    assert_eq!(probes(&state), 1);
    // Models of other languages are not offered for its test documents.
    let corpus = corpus(&state);
    state.apply(Command::Evaluate(EvaluateCommand::UseCorpus(corpus)));
    assert_eq!(
        state
            .evaluate
            .testable_models(&state.shared, &state.models, &state.training),
        [PathBuf::from("german")]
    );
}

#[test]
fn the_model_of_a_run_becomes_a_default_only_where_a_person_says_so() {
    let mut state = with_page();
    let before = PathBuf::from("models/old");
    let defaults = &mut state.shared.settings.default_models;
    defaults.insert("en-de".to_owned(), before.clone());
    let to = std::path::absolute("models/evening").expect("a place");
    state.receive(ModelsEvent::Exported {
        to: to.clone(),
        promote: true,
    });
    let Some(Request::OpenModel { job, folder, .. }) = state.shared.requests.pop() else {
        panic!("it is opened")
    };
    state.receive(ModelsEvent::Opened {
        job,
        info: info(folder),
        device_name: "CPU".to_owned(),
        memory: None,
    });
    assert_eq!(state.shared.settings.default_models["en-de"], before);
    let notice = state.shared.notices.last().expect("a question").clone();
    assert_eq!(notice.title, "Make it the default for English → German?");
    assert!(notice.detail.contains("replaces old"), "{}", notice.detail);
    assert_eq!(notice.until_secs, None);
    let (label, command) = notice.button.expect("a button");
    assert_eq!(label, "Make default");
    state.apply(command);
    assert_eq!(state.shared.settings.default_models["en-de"], to);
}
