//! Runs pause, go on and end when a person says so, and one folder has one run at a time.

use std::fs;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use canopy::training::error::Error;
use canopy::training::{Order, Phase, RunState, give_order, run_state};

use super::*;

const SOON: Duration = Duration::from_mins(2);

#[test]
fn a_paused_run_waits_and_goes_on_to_the_same_weights() {
    let place = Place::new();
    let config = place.config(6);
    let (whole, run) = (place.run("whole"), place.run("run"));
    trained(&config, &whole, false).expect("trains");
    let control = Control::default();
    let (sender, events) = channel();
    let (begun, pause) = (Instant::now(), Duration::from_millis(600));
    thread::scope(|scope| {
        scope.spawn(|| {
            steered(&config, &run, false, &control, &mut |event| {
                if matches!(event, TrainingEvent::Step { step: 4, .. }) {
                    control.pause();
                }
                sender.send(event.clone()).expect("somebody listens");
            })
        });
        let paused = TrainingEvent::Phase {
            phase: Phase::Paused,
        };
        while events.recv_timeout(SOON).expect("an event") != paused {}
        assert_eq!(progress(&run).step, 4, "saved before the pause");
        assert_eq!(run_state(&run).expect("readable"), RunState::Paused);
        let other = trained(&config, &run, true);
        assert!(matches!(other, Err(Error::RunBusy { .. })), "{other:?}");
        assert!(events.recv_timeout(pause).is_err(), "it went on by itself");
        control.resume();
    });
    assert_same_state(&run, &whole);
    let training_secs = progress(&run).elapsed_secs;
    assert!(training_secs + pause.as_secs_f64() < begun.elapsed().as_secs_f64());
}

#[test]
fn orders_of_another_program_are_followed() {
    let place = Place::new();
    let (config, run) = (place.config(0), place.run("run"));
    let nobody = give_order(&run, Order::Stop);
    assert!(
        matches!(nobody, Err(Error::NotRunning { .. })),
        "{nobody:?}"
    );
    let (sender, events) = channel();
    let wait_for = |wanted: Phase| {
        let is_wanted = |event| matches!(event, TrainingEvent::Phase { phase } if phase == wanted);
        while !is_wanted(events.recv_timeout(SOON).expect("an event")) {}
    };
    thread::scope(|scope| {
        let running = scope.spawn(|| {
            observed(&config, &run, false, &mut |event| {
                sender.send(event.clone()).expect("somebody listens");
            })
        });
        wait_for(Phase::Train);
        assert_eq!(run_state(&run).expect("readable"), RunState::Running);
        give_order(&run, Order::Pause).expect("it runs");
        wait_for(Phase::Paused);
        give_order(&run, Order::Resume).expect("it waits");
        wait_for(Phase::Train);
        give_order(&run, Order::Stop).expect("it runs");
        let reason = running.join().expect("no panic").expect("trains");
        assert_eq!(reason, EndReason::Stopped);
    });
    let stopped = RunState::Finished(EndReason::Stopped);
    assert_eq!(run_state(&run).expect("readable"), stopped);
    assert!(!run.join("control").exists(), "an order is read once");
}

#[test]
fn an_abandoned_run_goes_on_from_its_last_checkpoint() {
    let place = Place::new();
    let (config, run) = (place.config(7), place.run("run"));
    let control = Control::default();
    let reason = steered(&config, &run, false, &control, &mut |event| {
        if matches!(event, TrainingEvent::Step { step: 5, .. }) {
            control.abandon();
        }
    });
    assert_eq!(reason.expect("trains"), EndReason::Abandoned);
    assert_eq!(progress(&run).step, 3);
    let on = trained(&config, &run, true).expect("goes on");
    assert_eq!(steps(&on), [4, 5, 6, 7]);
}

#[test]
fn an_order_breaks_a_validation_off_and_it_is_made_up_for() {
    let place = Place::new();
    let config = TrainingConfig {
        validate_every: 2,
        ..place.config(4)
    };
    let (whole, run) = (place.run("whole"), place.run("run"));
    trained(&config, &whole, false).expect("trains");
    let control = Control::default();
    let mut validated = 0;
    let reason = steered(&config, &run, false, &control, &mut |event| match event {
        TrainingEvent::Phase {
            phase: Phase::Validate,
        } => control.stop(),
        TrainingEvent::Validated { .. } => validated += 1,
        _ => {}
    });
    assert_eq!(
        (reason.expect("trains"), validated),
        (EndReason::Stopped, 0)
    );
    trained(&config, &run, true).expect("goes on");
    assert_same_state(&run, &whole);
}

#[test]
fn a_folder_shows_where_its_run_stands() {
    let place = Place::new();
    let (config, run) = (place.config(4), place.run("run"));
    let state = || run_state(&run).expect("readable");
    assert_eq!(state(), RunState::NeverBegun);
    trained(&config, &run, false).expect("trains");
    assert_eq!(state(), RunState::Finished(EndReason::Steps));
    let events = run.join("events.jsonl");
    let text = fs::read_to_string(&events).expect("readable");
    fs::write(&events, &text[..text.len() - 20]).expect("writes");
    assert_eq!(state(), RunState::Interrupted);
    let other = TrainingConfig {
        preset: "transformer-small".to_owned(),
        ..config
    };
    let refused = trained(&other, &run, true).expect_err("another preset");
    let message = refused.to_string();
    assert_eq!(state(), RunState::Failed { message });
}
