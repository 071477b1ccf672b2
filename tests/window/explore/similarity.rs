//! Sentences that are compared by an encoder.

use super::*;
use canopy::app::ExploreEvent;

/// A sentence encoder with random weights.
fn encoder(folder: &Path) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tiny-bert");
    let mut archive = Archive::open(place).expect("a folder");
    let encoder = Encoder::sbert(&mut archive).expect("an encoder");
    let saved = encoder.save(folder, &archive, None, Precision::Full);
    saved.expect("a folder");
}

/// The worker's answer to the request that waits.
fn compared(explored: &mut Explored) {
    let (sender, events) = channel();
    let worker = Worker::spawn(DeviceLock::default(), sender, || ()).expect("a thread");
    let state = &mut explored.harness.state_mut().state;
    let request = state.shared.requests.pop().expect("a request");
    assert!(matches!(request, Request::Compare { .. }), "{request:?}");
    worker.send(request);
    loop {
        let event = events.recv_timeout(Duration::from_mins(2));
        let event = event.expect("an answer");
        let goes_on = matches!(event, Event::Explore(ExploreEvent::Comparing { .. }));
        state.receive(event);
        if !goes_on {
            break;
        }
    }
    explored.harness.run_steps(3);
}

#[test]
fn sentences_are_compared_by_an_encoder_that_is_chosen_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("encoder");
    encoder(&place);
    let mut explored = Explored::page();
    explored.click("Similarity");
    explored.click("Choose an encoder…");
    let state = &mut explored.harness.state_mut().state;
    assert_eq!(state.shared.asks.pop(), Some(DialogRequest::Encoder));
    let explore = |state: &mut AppState, command| state.apply(Command::Explore(command));
    explore(state, ExploreCommand::UseEncoder("nowhere".into()));
    compared(&mut explored);
    explored.harness.get_by_label_contains("cannot read");

    let state = &mut explored.harness.state_mut().state;
    explore(state, ExploreCommand::UseEncoder(place.clone()));
    explored.harness.run_steps(3);
    explored
        .harness
        .get_by_label("The encoder is being opened…");
    compared(&mut explored);
    let figure = explored.figure();
    assert_eq!(figure, "small.md, tiny-bert · 3 sentences, cosine.");
    explored.harness.get_by_label("Nearest to sentence 1: A b");
    let state = &mut explored.harness.state_mut().state;
    assert_eq!(state.shared.settings.encoder.as_ref(), Some(&place));
    explore(state, ExploreCommand::NextSentence);
    assert!(
        state.shared.requests.is_empty(),
        "all were compared already"
    );
    explored.harness.run_steps(3);
    explored.harness.get_by_label("Nearest to sentence 2: C");

    let path = folder.path().join("pairs.csv");
    let state = &mut explored.harness.state_mut().state;
    explore(state, ExploreCommand::SaveFigure(path.clone()));
    explored.answer();
    let numbers = std::fs::read_to_string(&path).expect("a file");
    assert_eq!(numbers.lines().count(), 1 + 9);
}

#[test]
fn a_comparison_can_be_stopped_and_begun_again() {
    let folder = tempfile::tempdir().expect("a folder");
    encoder(folder.path());
    let mut explored = Explored::page();
    let state = &mut explored.harness.state_mut().state;
    let explore = |state: &mut AppState, command| state.apply(Command::Explore(command));
    let place = folder.path().to_owned();
    explore(state, ExploreCommand::UseEncoder(place));
    assert!(state.shared.requests.is_empty(), "another view is shown");
    explore(state, ExploreCommand::View(ViewKind::Similarity));
    explored.harness.run_steps(3);
    explored.harness.get_by_label("Stop").click();
    explored.harness.run_steps(3);
    compared(&mut explored);
    explored
        .harness
        .get_by_label("Compare the sentences")
        .click();
    explored.harness.run_steps(3);
    compared(&mut explored);
    assert!(explored.figure().contains("cosine"));
    let state = &mut explored.harness.state_mut().state;
    explore(state, ExploreCommand::Measure(Measure::Euclidean));
    compared(&mut explored);
    assert!(explored.figure().contains("euclidean"));
    let state = &mut explored.harness.state_mut().state;
    explore(state, ExploreCommand::Measure(Measure::Manhattan));
    explore(state, ExploreCommand::View(ViewKind::Tree));
    let Some(Request::Compare { comparison, .. }) = state.shared.requests.pop() else {
        panic!("it was requested");
    };
    assert!(comparison.control.is_cancelled(), "nobody waits any more");
}

#[test]
fn a_sentence_encoder_of_another_program_is_imported_in_the_window() {
    let folder = tempfile::tempdir().expect("a folder");
    let foreign = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tiny-bert");
    let mut window = Window::default();
    let import = canopy::app::ExploreCommand::ImportEncoder(foreign);
    window.state.apply(Command::Explore(import));
    assert!(window.state.explorer.similarity.is_importing());
    let library = folder.path().join("models");
    let (sender, events) = std::sync::mpsc::channel();
    let pool = canopy::jobs::Pool::new("test", sender, || ()).expect("a thread");
    let models = canopy::jobs::ModelLane::new(&pool, Some(library), vec![]);
    models.send(
        window
            .state
            .models
            .installing
            .requests
            .pop()
            .expect("a request"),
    );
    while window.state.explorer.similarity.is_importing() {
        let event = events.recv_timeout(std::time::Duration::from_mins(2));
        window.state.receive(event.expect("an event"));
    }
    assert!(
        window.state.shared.notices.is_empty(),
        "{:?}",
        window.state.shared.notices
    );
    let encoder = window
        .state
        .shared
        .encoder()
        .expect("it is used")
        .to_owned();
    assert_eq!(encoder, folder.path().join("encoders/tiny-bert"));
    assert!(
        canopy::inference::SentenceEncoder::open(&encoder, canopy::inference::DeviceChoice::Cpu)
            .is_ok()
    );
}
