use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::*;
use crate::Phase;

fn job(number: u64, name: &str) -> TrainingJob {
    TrainingJob {
        job: JobId(number),
        config: TrainingConfig {
            steps: 3,
            ..TrainingConfig::default()
        },
        run: name.into(),
        resume: false,
        device: DeviceChoice::Cpu,
    }
}

fn start(trainings: &Trainings<TrainingReport>, number: u64, name: &str) {
    assert!(trainings.send(TrainingRequest::Start(Box::new(job(number, name)))));
}

fn order(trainings: &Trainings<TrainingReport>, number: u64, order: Order) {
    let job = JobId(number);
    assert!(trainings.send(TrainingRequest::Order { job, order }));
}

/// Reports its phases; waits for an end if its folder is called so, and panics with its folder's name otherwise.
#[expect(clippy::unnecessary_wraps, reason = "has the shape of train_job")]
fn fake(
    job: &TrainingJob,
    control: &Control,
    observe: &mut dyn FnMut(&TrainingEvent),
) -> Result<EndReason> {
    let name = job.run.to_string_lossy().into_owned();
    observe(&TrainingEvent::Phase {
        phase: Phase::Train,
    });
    match name.as_str() {
        "run" => Ok(EndReason::Steps),
        "endless" => {
            while control.order() < Order::Stop {
                let _turn = control.device_lock().take();
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(EndReason::Stopped)
        }
        "too large" if job.config.batch_tokens < 1_000 && job.resume => Ok(EndReason::Steps),
        "too large" => panic!("Failed to allocate: out of memory"),
        other => panic!("{other}"),
    }
}

fn spawned(device_lock: DeviceLock) -> (Trainings<TrainingReport>, Receiver<TrainingReport>) {
    let (sender, events) = channel();
    let trainings = Trainings::spawn_with(fake, device_lock, sender, || ()).expect("a thread");
    (trainings, events)
}

fn wait_for_begin(events: &Receiver<TrainingReport>) {
    let event = events.recv().expect("an event");
    assert!(matches!(event, TrainingReport::Event { .. }), "{event:?}");
}

/// Events up to the last one of a run, in short.
fn events_of_run(events: &Receiver<TrainingReport>) -> Vec<String> {
    let mut events_of_run = Vec::new();
    loop {
        let event = events
            .recv_timeout(Duration::from_mins(2))
            .expect("an event");
        let (text, over) = match event {
            TrainingReport::Event { job, event } => match event {
                TrainingEvent::Phase { .. } => (format!("{} trains", job.0), false),
                TrainingEvent::Warning { message } => (message, false),
                other => (format!("{other:?}"), false),
            },
            TrainingReport::Finished { job } => (format!("{} finished", job.0), true),
            TrainingReport::Failed { job, error } => (format!("{} failed: {error}", job.0), true),
            TrainingReport::Cancelled { job } => (format!("{} cancelled", job.0), true),
        };
        events_of_run.push(text);
        if over {
            return events_of_run;
        }
    }
}

#[test]
fn runs_are_trained_one_after_the_other() {
    let (trainings, events) = spawned(DeviceLock::default());
    start(&trainings, 1, "endless");
    start(&trainings, 2, "run");
    start(&trainings, 3, "run");
    wait_for_begin(&events);
    assert_eq!(trainings.jobs().len(), 3);
    order(&trainings, 2, Order::Abandon);
    order(&trainings, 1, Order::Stop);
    let mut all = events_of_run(&events);
    all.extend(events_of_run(&events));
    all.extend(events_of_run(&events));
    all.sort();
    assert_eq!(all, ["1 finished", "2 cancelled", "3 finished", "3 trains"]);
    assert_eq!(trainings.jobs(), []);
}

#[test]
fn a_panic_is_a_visible_failure_and_the_next_run_begins() {
    let (trainings, events) = spawned(DeviceLock::default());
    start(&trainings, 1, "no such luck");
    start(&trainings, 2, "Parent device is lost");
    start(&trainings, 3, "run");
    let failed = events_of_run(&events);
    assert!(failed[1].contains("1 failed") && failed[1].contains("no such luck"));
    let lost = events_of_run(&events);
    assert!(lost[1].contains("restart the program"), "{lost:?}");
    assert_eq!(events_of_run(&events), ["3 trains", "3 finished"]);
}

#[test]
fn too_little_memory_halves_the_batches_and_says_so() {
    let (trainings, events) = spawned(DeviceLock::default());
    start(&trainings, 1, "too large");
    let events_of_run = events_of_run(&events);
    assert_eq!(events_of_run.len(), 6, "{events_of_run:?}");
    assert!(events_of_run[1].contains("1250 target tokens in a batch instead of 2500"));
    assert!(events_of_run[3].contains("625 target tokens in a batch instead of 1250"));
    assert_eq!(events_of_run[5], "1 finished");
}

#[test]
fn too_little_memory_for_anything_ends_with_advice() {
    let (trainings, events) = spawned(DeviceLock::default());
    start(&trainings, 1, "out of memory, always");
    let events_of_run = events_of_run(&events);
    let last = events_of_run.last().expect("an end");
    assert!(last.contains("smaller preset"), "{last}");
}
