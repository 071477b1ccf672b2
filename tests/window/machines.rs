//! Another machine that computes: named in the menu, with its key.

use canopy::app::{MachineCommand, NamedMachine, WindowCommand};
use canopy::inference::DeviceChoice;

use super::*;

/// A window with the dialog for another machine.
fn naming() -> Window {
    let mut window = Window::with_document(PAGE);
    window
        .state
        .apply(WindowCommand::Machine(MachineCommand::Name));
    window
}

#[test]
fn a_machine_is_named_in_the_menu() {
    let mut harness = Window::with_document(PAGE).harness();
    harness.run();
    harness.get_by_label_contains("Options").click();
    harness.run();
    harness.get_by_label("Another machine…").click();
    harness.run_steps(3);
    let commands = &harness.state().commands;
    assert!(commands.contains(&Command::Window(WindowCommand::Machine(
        MachineCommand::Name
    ))));
    let mut harness = naming().harness();
    harness.run();
    for (label, text) in [("Address", "workstation"), ("Key", "open sesame")] {
        let field = harness.get_all_by_label(label).last();
        field.expect("a field").focus();
        harness.run_steps(2);
        let field = harness.get_all_by_label(label).last();
        field.expect("a field").type_text(text);
        harness.run_steps(2);
    }
    harness.get_by_label("Compute there").click();
    harness.run_steps(3);
    let named = NamedMachine {
        address: "workstation".to_owned(),
        key: "open sesame".to_owned(),
    };
    let chosen = Command::Window(WindowCommand::Machine(MachineCommand::Choose(Box::new(
        named,
    ))));
    assert!(harness.state().commands.contains(&chosen));
    assert!(
        !format!("{chosen:?}").contains("sesame"),
        "keys are shown nowhere"
    );
}

#[test]
fn what_is_named_computes_and_its_key_is_kept_apart() {
    let folders = Folders {
        config: Some("config".into()),
        data: None,
    };
    let mut window = naming();
    window.state = AppState::new(folders, Settings::default(), Shipped::default());
    let named = NamedMachine {
        address: "127.0.0.1:7".to_owned(),
        key: "open sesame".to_owned(),
    };
    let state = &mut window.state;
    state.apply(WindowCommand::Machine(MachineCommand::Choose(Box::new(
        named,
    ))));
    assert!(!state.is_naming_machine);
    let device = DeviceChoice::from(state.shared.settings.device);
    let DeviceChoice::Remote(host) = device else {
        panic!("{device:?}")
    };
    let is_kept = |request: &FileRequest| matches!(request, FileRequest::KeepKey { .. });
    assert!(state.shared.file_requests.iter().any(is_kept));
    let settings = String::from_utf8(state.shared.settings.to_bytes()).expect("JSON");
    assert!(settings.contains("127.0.0.1:7") && !settings.contains("sesame"));
    let mut harness = window.harness();
    harness.run();
    harness.get_by_label_contains("Options").click();
    harness.run();
    harness.get_by_label("127.0.0.1:7");
    let state = &mut harness.state_mut().state;
    state.apply(WindowCommand::Machine(MachineCommand::Forget(host)));
    assert_eq!(
        DeviceChoice::from(state.shared.settings.device),
        DeviceChoice::Auto
    );
    assert!(state.shared.settings.machines.is_empty());
}

#[test]
fn an_invalid_address_is_reported() {
    let mut window = naming();
    let named = NamedMachine {
        address: "http://workstation".to_owned(),
        key: String::new(),
    };
    let state = &mut window.state;
    state.apply(WindowCommand::Machine(MachineCommand::Choose(Box::new(
        named,
    ))));
    assert!(state.is_naming_machine);
    assert_eq!(state.shared.notices.len(), 1);
    assert_eq!(
        DeviceChoice::from(state.shared.settings.device),
        DeviceChoice::Auto
    );
}
