//! The training page: a form that starts a run, and runs that are followed by their folders.

use std::fmt::Write;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::Duration;

use canopy::app::settings::Device;
use canopy::app::training::{NewRun, Probe, TrainingCommand};
use canopy::app::{Command, Page, RunEvent, WindowCommand};
use canopy::jobs::{Event, JobId, Pool, RunFolders, RunRequest, TrainingRequest};
use canopy::training::{Order, RunState, TrainingConfig, known_runs, remember_run};
use egui::accesskit::Role;
use egui_kittest::kittest::NodeT;
use tempfile::TempDir;

use super::*;

/// A folder of the user's with a corpus in it, as far as the page looks at it.
pub(super) fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let corpus = home.path().join("corpora/letters");
    std::fs::create_dir_all(&corpus).expect("a folder");
    std::fs::write(corpus.join("corpus.json"), "{}").expect("a file");
    home
}

/// Writes the events of a run: two validations, the second on all documents.
pub(super) fn write_events(run: &Path) {
    let mut text = String::from(
        "{\"event\":\"started\",\"parameters\":1234567,\"examples\":10,\"skipped\":0,\"device\":\"CPU\",\"step\":0,\
         \"limits\":{\"steps\":40},\"steps_per_epoch\":20}\n",
    );
    for step in 1..=20 {
        writeln!(
            text,
            "{{\"event\":\"step\",\"step\":{step},\"epoch\":0,\"loss\":{}.5,\"learning_rate\":1e-4,\
             \"gradient_norm\":0.5,\"target_tokens\":{},\"target_tokens_per_second\":900.0,\"elapsed_secs\":{step}.0,\
             \"remaining_secs\":20.0}}",
            25 - step,
            step * 100
        )
        .expect("a string takes all");
    }
    text.push_str(
        "{\"event\":\"validated\",\"step\":20,\"target_tokens\":2000,\"dev_loss\":2.5,\"dev_bleu\":31.25,\"best\":true,\
         \"elapsed_secs\":21.0,\"documents\":2,\"segments\":9,\"whole\":false}\n\
         {\"event\":\"samples\",\"step\":20,\"samples\":[{\"source\":\"Dear Sir\",\"reference\":\"Sehr geehrter Herr\",\
         \"translation\":\"Lieber Herr\"}]}\n\
         {\"event\":\"warning\",\"message\":\"validation takes longer than training\"}\n",
    );
    std::fs::create_dir_all(run).expect("a folder");
    std::fs::write(run.join("events.jsonl"), text).expect("a file");
}

/// The training page with what is found below `home`.
pub(super) fn page(home: &Path) -> Window {
    let folders = Folders {
        data: Some(home.to_owned()),
        config: None,
    };
    let mut window = Window {
        state: AppState::new(folders, Settings::default(), Shipped::default()),
        ..Window::default()
    };
    let (sender, events) = channel();
    let _runs = RunFolders::follow(
        &Pool::new("test", sender, || ()).expect("a thread"),
        Some(home.to_owned()),
    );
    let event = events
        .recv_timeout(Duration::from_mins(2))
        .expect("a look at the folder");
    window.state.receive(event);
    window.state.apply(WindowCommand::ShowPage(Page::Training));
    window
}

#[test]
fn a_run_is_filled_in_and_started() {
    let home = home();
    let mut harness = page(home.path()).harness();
    harness
        .get_all_by_label("New run…")
        .next()
        .expect("a button")
        .click();
    harness.run();
    harness.get_by_label("Start").click();
    harness.run();
    let training = &mut harness.state_mut().state.training;
    let Some(TrainingRequest::Start(job)) = training.runs.requests.pop() else {
        panic!("nothing was started");
    };
    assert_eq!(job.run, home.path().join("runs/x-transformer-small"));
    assert_eq!(job.config.corpus, home.path().join("corpora/letters"));
}

#[test]
fn a_second_run_of_a_system_has_a_name_of_its_own() {
    let home = home();
    write_events(&home.path().join("runs/x-transformer-small"));
    let mut window = page(home.path());
    window
        .state
        .apply(Command::Training(TrainingCommand::NewRun));
    let form = window.state.training.form.as_ref().expect("a form");
    assert_eq!(form.name, "x-transformer-small 2");
    assert_eq!(
        window.state.training.run_problem(&window.state.shared),
        None
    );
}

#[test]
fn a_run_that_went_back_says_so() {
    let home = home();
    let run = home.path().join("runs/evening");
    write_events(&run);
    let events = run.join("events.jsonl");
    let mut text = std::fs::read_to_string(&events).expect("readable");
    text.push_str(
        "{\"event\":\"went_back\",\"step\":15,\"halvings\":1,\"message\":\"the loss of step 21 is NaN; training goes \
         back to the checkpoint of step 15\"}\n",
    );
    std::fs::write(events, text).expect("written");
    let mut window = page(home.path());
    let shown = &window.state.training.runs.list[0];
    assert_eq!((shown.summary.step, shown.summary.halvings), (15, 1));
    let select = TrainingCommand::Select(run);
    window.state.apply(Command::Training(select));
    let mut harness = window.harness();
    harness.run();
    let note = "the loss of step 21 is NaN";
    assert!(harness.query_all_by_label_contains(note).count() > 0);
}

#[test]
fn a_run_that_makes_its_model_worse_ends_and_says_what_to_lower() {
    let home = home();
    let run = home.path().join("runs/evening");
    write_events(&run);
    let events = run.join("events.jsonl");
    let mut text = std::fs::read_to_string(&events).expect("readable");
    text.push_str(
        "{\"event\":\"warning\",\"message\":\"the first validation is far below the model that the run began with (BLEU \
         43.4 → 0.1): the run ends and that model stays the best one; lower learning_rate (0.0001)\"}\n\
         {\"event\":\"finished\",\"step\":20,\"reason\":\"worse_than_base\"}\n",
    );
    std::fs::write(events, text).expect("written");
    let mut window = page(home.path());
    let select = TrainingCommand::Select(run);
    window.state.apply(Command::Training(select));
    let mut harness = window.harness();
    harness.run();
    for text in ["worse than the model before", "lower learning_rate"] {
        let there = harness.query_all_by_label_contains(text).count();
        assert!(there > 0, "{text}");
    }
}

#[test]
fn a_starter_that_reads_documents_is_improved_with_the_system_that_it_is_of() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/starter-en-de");
    let home = home();
    let mut window = page(home.path());
    let state = &mut window.state;
    state.apply(Command::Training(TrainingCommand::NewRun));
    state.apply(Command::Training(TrainingCommand::Improve(folder.clone())));
    let form = |state: &AppState| state.training.form.clone().expect("a form");
    assert_eq!(form(state).config.from, folder);
    assert_eq!(form(state).config.preset, "hierarchical-conditional-small");
    assert_eq!(state.training.run_problem(&state.shared), None);
    // A model of sentences goes on with the usual system.
    let sentences = folder.with_file_name("help-en-de");
    state.apply(Command::Training(TrainingCommand::Improve(sentences)));
    assert_eq!(form(state).config.preset, TrainingConfig::default().preset);
}

#[test]
fn other_pages_show_the_progress_of_a_run() {
    let home = home();
    let mut window = page(home.path());
    for command in [TrainingCommand::NewRun, TrainingCommand::Start] {
        window.state.apply(Command::Training(command));
    }
    window.state.apply(WindowCommand::ShowPage(Page::Document));
    let mut harness = window.harness();
    harness
        .get_by_label_contains("is being trained: 0 %")
        .click();
    harness.run();
    assert_eq!(harness.state().state.shared.page, Page::Training);
}

#[test]
fn a_run_that_was_never_validated_continues_from_its_last_checkpoint() {
    let home = home();
    let run = home.path().join("runs/evening");
    write_events(&run);
    for checkpoint in ["last", "best"] {
        let model = run.join("checkpoints").join(checkpoint);
        std::fs::create_dir_all(&model).expect("a folder");
        std::fs::write(model.join("model.toml"), "").expect("a file");
        let mut window = page(home.path());
        let on = TrainingCommand::Continue(run.clone());
        window.state.apply(Command::Training(on));
        let form = window.state.training.form.as_ref().expect("a form");
        assert_eq!(form.config.from, model);
    }
}

#[test]
fn what_a_run_lacks_is_said_and_it_cannot_start() {
    let home = tempfile::tempdir().expect("a folder");
    let mut harness = page(home.path()).harness();
    harness
        .get_all_by_label("New run…")
        .next()
        .expect("a button")
        .click();
    harness.run();
    assert!(
        harness
            .query_all_by_label("Choose a corpus, or make one")
            .count()
            > 0
    );
    harness.get_by_label("Start").click();
    harness.run();
    assert!(harness.state().state.training.runs.requests.is_empty());
}

#[test]
fn an_estimate_is_of_the_device_that_is_chosen_and_can_be_tried_again() {
    let home = home();
    let mut harness = page(home.path()).harness();
    let mut form = NewRun::new(home.path().join("corpora/letters"), Device::Gpu);
    form.probe = Probe::Failed("out of memory".to_owned());
    let fill = TrainingCommand::Fill(Box::new(form));
    harness.state_mut().state.apply(Command::Training(fill));
    harness.run();
    harness.get_by_label("out of memory");
    harness.get_by_label("Estimate memory and time");
    harness
        .get_by_role_and_label(Role::RadioButton, "CPU")
        .click();
    harness.run();
    assert!(harness.query_by_label("out of memory").is_none());
    harness.get_by_label("Estimate memory and time").click();
    harness.run_steps(4);
    let form = harness.state().state.training.form.as_ref();
    let form = form.expect("it is open");
    assert!(matches!(form.probe, Probe::Running(_)));
    assert_eq!(form.device, Device::Cpu);
}

#[test]
fn fields_of_bert_are_there_for_systems_that_read_it() {
    let home = home();
    let mut harness = page(home.path()).harness();
    let mut form = NewRun::new(home.path().join("corpora/letters"), Device::Cpu);
    for (preset, reads) in [("catsby-small", true), ("x-transformer-small", false)] {
        form.choose_preset(preset);
        let fill = TrainingCommand::Fill(Box::new(form.clone()));
        harness.state_mut().state.apply(Command::Training(fill));
        harness.run();
        for (role, field) in [(Role::ComboBox, "BERT"), (Role::CheckBox, "Train BERT")] {
            let found = harness.query_by_role_and_label(role, field);
            assert_eq!(found.is_some(), reads, "{preset}: {field}");
        }
        let hints = harness.query_all_by_label("Choose the folder of an imported BERT");
        assert_eq!(hints.count(), if reads { 2 } else { 0 }, "{preset}");
    }
}

#[test]
fn the_context_can_learn_alone_where_there_is_a_model_to_keep() {
    let home = home();
    let mut harness = page(home.path()).harness();
    let mut form = NewRun::new(home.path().join("corpora/letters"), Device::Cpu);
    for (preset, has_model, is_there) in [
        ("han-small", true, true),
        ("x-transformer-small", true, false),
        ("han-small", false, false),
    ] {
        form.choose_preset(preset);
        if has_model {
            form.begin_with_model(home.path().join("models/letters"));
        } else {
            form.begin_with_random_weights();
        }
        let fill = TrainingCommand::Fill(Box::new(form.clone()));
        harness.state_mut().state.apply(Command::Training(fill));
        harness.run();
        let found = harness.query_by_role_and_label(Role::CheckBox, "Context alone");
        assert_eq!(found.is_some(), is_there, "{preset}, {has_model}");
        let Some(alone) = found else { continue };
        alone.click();
        harness.run();
        let filled = harness.state().state.training.form.as_ref();
        let filled = filled.expect("it is open");
        assert!(filled.config.context_only);
        form = filled.clone();
    }
    assert!(!form.config.context_only, "another choice takes it back");
}

#[test]
fn expert_settings_are_folded_unless_one_is_wrong() {
    let home = home();
    let mut harness = page(home.path()).harness();
    let mut form = NewRun::new(home.path().join("corpora/letters"), Device::Cpu);
    let fill = |harness: &mut Harness<'static, Window>, form: &NewRun| {
        let fill = TrainingCommand::Fill(Box::new(form.clone()));
        harness.state_mut().state.apply(Command::Training(fill));
        harness.run_steps(12);
    };
    let is_there = |harness: &Harness<'static, Window>, label: &str| {
        let found = harness.query_by_role_and_label(Role::SpinButton, label);
        found.is_some()
    };
    fill(&mut harness, &form);
    assert!(is_there(&harness, "Steps") && is_there(&harness, "Time"));
    for expert in ["Dropout", "Batch", "Seed", "Save every"] {
        assert!(!is_there(&harness, expert), "{expert}");
    }
    form.config.dropout = 2.0;
    fill(&mut harness, &form);
    assert!(is_there(&harness, "Dropout") && is_there(&harness, "Save every"));
}

#[test]
fn a_run_that_goes_on_keeps_its_corpus_and_seed() {
    let home = home();
    let mut harness = page(home.path()).harness();
    let config = TrainingConfig {
        corpus: home.path().join("corpora/letters"),
        ..TrainingConfig::default()
    };
    let new = NewRun::new(config.corpus.clone(), Device::Cpu);
    let run = home.path().join("runs/evening");
    let resumed = NewRun::resuming(run, "evening".to_owned(), config, Device::Cpu);
    for (form, is_fixed) in [(new, false), (resumed, true)] {
        let fill = TrainingCommand::Fill(Box::new(form));
        harness.state_mut().state.apply(Command::Training(fill));
        harness.run();
        let seed = harness.query_by_role_and_label(Role::SpinButton, "Seed");
        if seed.is_none() {
            harness.get_by_label("Advanced").click_accesskit();
            harness.run_steps(12);
        }
        for (role, field) in [
            (Role::ComboBox, "Corpus"),
            (Role::ComboBox, "System"),
            (Role::SpinButton, "Seed"),
        ] {
            let found = harness.get_by_role_and_label(role, field);
            assert_eq!(found.accesskit_node().is_disabled(), is_fixed, "{field}");
        }
        let steps = harness.get_by_role_and_label(Role::SpinButton, "Steps");
        assert!(!steps.accesskit_node().is_disabled());
    }
}

#[test]
fn a_run_of_another_program_shows_its_scores_translations_and_warnings() {
    let home = home();
    write_events(&home.path().join("runs/evening"));
    let mut harness = page(home.path()).harness();
    harness.run();
    assert_eq!(
        harness.state().state.training.runs.list[0].state,
        RunState::Interrupted
    );
    for text in [
        "Lieber Herr",
        "Sehr geehrter Herr",
        "validation takes longer than training",
    ] {
        assert!(
            harness.query_by_label(text).is_some(),
            "{text} is not shown"
        );
    }
    assert!(
        harness
            .query_by_label_contains("BLEU 31.25 at best, on a sample")
            .is_some()
    );
}

#[test]
fn a_run_that_the_command_line_began_elsewhere_is_there() {
    let (home, elsewhere) = (home(), tempfile::tempdir().expect("a folder"));
    let run = elsewhere.path().join("morning");
    write_events(&run);
    remember_run(home.path(), &run).expect("writes");
    let window = page(home.path());
    let seen: Vec<&Path> = window
        .state
        .training
        .runs
        .list
        .iter()
        .map(|run| run.folder.as_path())
        .collect();
    assert_eq!(seen, [run]);
}

#[test]
fn all_runs_stand_side_by_side_with_the_settings_in_which_they_differ() {
    let home = home();
    for (name, dropout) in [("one", 0.1), ("other", 0.3)] {
        let run = home.path().join("runs").join(name);
        write_events(&run);
        let config = format!("corpus = \"letters\"\ndropout = {dropout}\n");
        std::fs::write(run.join("config.toml"), config).expect("a file");
    }
    let mut harness = page(home.path()).harness();
    harness.get_by_label("Compare all").click();
    harness.run();
    assert!(harness.query_by_label("dropout").is_some());
    assert!(harness.query_by_label("seed").is_none());
    assert!(harness.query_by_label("0.30000001192092896").is_none());
}

#[test]
fn an_order_to_another_program_goes_through_the_folder() {
    let home = home();
    let run = home.path().join("runs/evening");
    write_events(&run);
    let mut window = page(home.path());
    let pause = TrainingCommand::Order(run.clone(), Order::Pause);
    window.state.apply(Command::Training(pause));
    assert!(matches!(
        window.state.shared.run_requests.pop(),
        Some(RunRequest::Order { folder, order: Order::Pause, .. }) if folder == run
    ));
}

#[test]
fn a_deleted_run_goes_to_the_trash_and_comes_back() {
    let home = home();
    let run = home.path().join("runs/evening");
    write_events(&run);
    let (sender, events) = channel();
    let runs = RunFolders::follow(
        &Pool::new("test", sender, || ()).expect("a thread"),
        Some(home.path().to_owned()),
    );
    let mut window = page(home.path());
    let deliver = |window: &mut Window| {
        for request in window.state.shared.run_requests.drain(..) {
            runs.send(request);
        }
    };
    window
        .state
        .apply(Command::Training(TrainingCommand::Trash(run.clone())));
    deliver(&mut window);
    let trashed = std::iter::from_fn(|| events.recv_timeout(Duration::from_mins(2)).ok())
        .find(|event| matches!(event, Event::Training(RunEvent::Trashed { .. })));
    window.state.receive(trashed.expect("it is in the trash"));
    assert!(!run.exists());
    window
        .state
        .apply(Command::Training(TrainingCommand::Restore));
    deliver(&mut window);
    let back = std::iter::from_fn(|| events.recv_timeout(Duration::from_mins(2)).ok()).find(
        |event| matches!(event, Event::Training(RunEvent::Seen { runs, .. }) if runs.iter().any(|seen| seen.folder == run)),
    );
    assert!(back.is_some() && run.join("events.jsonl").exists());
}

#[test]
fn a_run_that_lies_elsewhere_is_renamed_deleted_and_brought_back() {
    let (home, elsewhere) = (home(), tempfile::tempdir().expect("a folder"));
    let [morning, evening, trashed] =
        ["morning", "evening", ".trash/evening"].map(|name| elsewhere.path().join(name));
    write_events(&morning);
    let (sender, events) = channel();
    let runs = RunFolders::follow(
        &Pool::new("test", sender, || ()).expect("a thread"),
        Some(home.path().to_owned()),
    );
    let next = || {
        let event = events.recv_timeout(Duration::from_mins(2));
        event.expect("an event")
    };
    let are_seen = |event: &Event, expected: &[&Path]| match event {
        Event::Training(RunEvent::Seen { runs, .. }) => {
            let folders = runs.iter().map(|run| run.folder.as_path());
            folders.eq(expected.iter().copied())
        }
        _ => false,
    };
    let wait_for = |expected: &[&Path]| while !are_seen(&next(), expected) {};
    let job = JobId(1);
    runs.send(RunRequest::Follow(morning.clone()));
    wait_for(&[morning.as_path()]);
    for name in ["../evening", ".evening", ""] {
        runs.send(RunRequest::Rename {
            job,
            folder: morning.clone(),
            name: name.to_owned(),
        });
        while !matches!(next(), Event::Failed { .. }) {}
    }
    runs.send(RunRequest::Rename {
        job,
        folder: morning.clone(),
        name: "evening".to_owned(),
    });
    wait_for(&[evening.as_path()]);
    runs.send(RunRequest::Trash {
        job,
        folder: evening.clone(),
    });
    wait_for(&[]);
    std::fs::create_dir(&evening).expect("a folder");
    let restore = || RunRequest::Restore {
        job,
        from: trashed.clone(),
        folder: evening.clone(),
    };
    runs.send(restore());
    let kept = |event: &Event| matches!(event, Event::Training(RunEvent::Trashed { to, .. }) if *to == trashed);
    while !kept(&next()) {}
    std::fs::remove_dir(&evening).expect("removes");
    runs.send(restore());
    wait_for(&[evening.as_path()]);
    assert_eq!(known_runs(home.path()), [evening]);
}

#[test]
fn a_renamed_run_stays_selected() {
    let home = home();
    let run = home.path().join("runs/evening");
    for name in ["early", "evening"] {
        write_events(&home.path().join("runs").join(name));
    }
    let mut window = page(home.path());
    let select = TrainingCommand::Select(run.clone());
    window.state.apply(Command::Training(select));
    let to = run.with_file_name("late");
    std::fs::rename(&run, &to).expect("renames");
    let folder = run.clone();
    let renamed = Event::Training(RunEvent::Renamed {
        folder,
        to: to.clone(),
    });
    window.state.receive(renamed);
    let seen = page(home.path()).state.training.runs.list.clone();
    window.state.receive(RunEvent::Seen {
        runs: seen,
        corpora: Vec::new(),
    });
    let selected = window.state.training.runs.selected();
    assert_eq!(selected.map(|run| &run.folder), Some(&to));
}
