//! Where another machine that computes is named.

use egui::{Button, Context, RichText, TextEdit, Ui};

use super::labels;
use super::theme::{self, Palette};
use canopy_app::{AppState, Command, MachineCommand, ModelsCommand, NamedMachine, WindowCommand};
use canopy_translate::inference::DeviceChoice;

/// The devices of this machine, and those others that a person has named.
pub(crate) fn devices(state: &AppState) -> Vec<DeviceChoice> {
    let others = state.shared.settings.machines.iter().copied();
    let here = [DeviceChoice::Auto, DeviceChoice::Cpu, DeviceChoice::Gpu].into_iter();
    here.chain(others.map(DeviceChoice::Remote)).collect()
}

/// The choice of the device.
pub(crate) fn device_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let current = DeviceChoice::from(state.shared.settings.device);
    for choice in devices(state) {
        let radio = ui.radio(current == choice, labels::device(choice));
        if radio.clicked() && current != choice {
            commands.push(ModelsCommand::SetDevice(choice).into());
        }
        if let DeviceChoice::Remote(host) = choice {
            radio.context_menu(|ui| {
                if ui.button("Forget this machine").clicked() {
                    commands.push(WindowCommand::Machine(MachineCommand::Forget(host)).into());
                }
            });
        }
    }
    if ui.button("Another machine…").clicked() {
        commands.push(WindowCommand::Machine(MachineCommand::Name).into());
    }
}

/// The question for the address and the key of a machine.
#[derive(Debug, Default)]
pub(crate) struct MachineForm {
    entered: NamedMachine,
}

impl MachineForm {
    pub(crate) fn ui(&mut self, ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
        if !state.is_naming_machine {
            self.entered = NamedMachine::default();
            return;
        }
        let entered = &mut self.entered;
        let modal = theme::modal(ctx, egui::Id::unique("machine")).show(ctx, |ui| {
            ui.set_width(440.0);
            let palette = Palette::from_ui(ui);
            ui.heading("Another machine");
            ui.add_space(6.0);
            let hint = "A computer that runs canopy serve --compute (same version). Models and the sentences to translate are sent to it; your files stay here.";
            ui.label(RichText::new(hint).color(palette.weak));
            ui.add_space(8.0);
            let address = TextEdit::singleline(&mut entered.address).hint_text("workstation:8600");
            field_ui(ui, "Address", address);
            let key = TextEdit::singleline(&mut entered.key).hint_text("as it is shown there");
            field_ui(ui, "Key", key.password(true));
            ui.add_space(10.0);
            ui.horizontal(|ui| {
                let is_whole = !entered.address.trim().is_empty();
                let mut push = |command| commands.push(WindowCommand::Machine(command).into());
                if ui.add_enabled(is_whole, Button::new("Compute there")).clicked() {
                    push(MachineCommand::Choose(Box::new(entered.clone())));
                }
                if ui.button("Cancel").clicked() {
                    push(MachineCommand::Leave);
                }
            });
        });
        if modal.should_close() {
            commands.push(WindowCommand::Machine(MachineCommand::Leave).into());
        }
    }
}

fn field_ui(ui: &mut Ui, label: &str, field: TextEdit<'_>) {
    let label = ui.label(label);
    ui.add(field.desired_width(f32::INFINITY))
        .labelled_by(label.id);
}
