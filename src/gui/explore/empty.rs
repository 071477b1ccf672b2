//! Before there is a trace, and where it has no answer.

use egui::{Button, RichText, Ui};

use crate::theme::Palette;
use canopy_app::actions::label_of;
use canopy_app::explorer::{Awaited, Explorer};
use canopy_app::{
    AppState, Command, DocumentCommand, ExploreCommand, ModelState, Scope, WindowCommand,
};

pub(super) fn empty_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.3);
        ui.heading("See what the model looked at");
        ui.add_space(6.0);
        let weak = |text: &str| RichText::new(text).color(palette.weak);
        if let Some(awaited) = &state.explorer.awaited {
            let text = match awaited {
                Awaited::Trace { .. } => "The model reads the document once more…",
                Awaited::File { .. } => "The trace is being read…",
            };
            ui.label(weak(text));
            ui.add_space(12.0);
            ui.spinner();
            return;
        }
        let about = "The sentences and words of the document that each word was translated with.";
        ui.label(weak(about));
        ui.add_space(4.0);
        let why_not = state.present().why_no_trace();
        if let Some(why_not) = why_not {
            ui.label(weak(why_not));
        }
        ui.add_space(16.0);
        let translate = Command::Document(DocumentCommand::Translate(Scope::Document));
        if why_not.is_none() {
            if other_model_ui(ui, state, commands) {
                ui.add_space(4.0);
            }
            trace_buttons_ui(ui, state, commands);
        } else if state.document.editing.open.is_some() {
            if ui
                .add_enabled(
                    state.is_enabled(&translate),
                    Button::new(label_of(&translate)),
                )
                .clicked()
            {
                commands.push(translate);
            }
        } else if ui.button("Open a document…").clicked() {
            commands.push(WindowCommand::Open.into());
        }
        ui.add_space(4.0);
        if ui.button("Open a saved trace…").clicked() {
            commands.push(Command::Explore(ExploreCommand::AskOpenTrace));
        }
    });
}

/// Offers a model that reads documents where the open one does not; false where there is nothing to offer.
pub(super) fn other_model_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) -> bool {
    let (Some(other), ModelState::Open { info, .. }) = (
        state.present().model_of_documents(),
        &state.models.in_use.current,
    ) else {
        return false;
    };
    let name = &info.name;
    let text = format!(
        "{name} reads each sentence by itself; {} reads the whole document.",
        other.name
    );
    ui.label(RichText::new(text).color(Palette::from_ui(ui).text));
    let button = Button::new(format!("Trace with {}", other.name));
    let response = ui.add_enabled(state.present().why_no_trace().is_none(), button);
    if response
        .on_hover_text("Opens that model and shows the tree of sentences it looks at; translations are not changed")
        .clicked()
    {
        let command = ExploreCommand::TraceWith(other.folder.clone());
        commands.push(Command::Explore(command));
    }
    true
}

/// Traces the document, or only its section where the whole is large, and shows how large.
fn trace_buttons_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let sentence = state.document.editing.selected().unwrap_or(0);
    if let Some(part) = state.present().traced_section(sentence) {
        let label = format!("Trace sentences {} to {}", part.start + 1, part.end);
        if ui
            .button(label + &size(state.present().trace_bytes(Some(part))))
            .clicked()
        {
            let command = ExploreCommand::TraceSection(sentence);
            commands.push(Command::Explore(command));
        }
        ui.add_space(4.0);
        let label = "Trace the whole document".to_owned();
        if ui
            .button(label + &size(state.present().trace_bytes(None)))
            .clicked()
        {
            commands.push(Command::Explore(ExploreCommand::Trace(None)));
        }
    } else if ui.button("Trace the document").clicked() {
        commands.push(Command::Explore(ExploreCommand::Trace(None)));
    }
}

/// The size of a trace, after the name of what is traced.
fn size(bytes: Option<usize>) -> String {
    const MIB: usize = 1 << 20;
    match bytes {
        Some(bytes) if bytes >= 1024 * MIB => {
            format!(
                " (about {}.{} GB)",
                bytes / (1024 * MIB),
                bytes % (1024 * MIB) * 10 / (1024 * MIB)
            )
        }
        Some(bytes) => format!(" (about {} MB)", (bytes / MIB).max(1)),
        None => String::new(),
    }
}

/// A sentence outside of the part that was traced.
pub(super) fn other_part_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.3);
        let text = "Another part of the document was traced";
        ui.label(RichText::new(text).font(crate::theme::semibold(15.0)));
        ui.add_space(8.0);
        let why_not = state.present().why_no_trace();
        let sentence = state.explorer.inquiry.selected().sentence;
        let button = ui.add_enabled(why_not.is_none(), Button::new("Trace this section"));
        if button.clicked() {
            let command = ExploreCommand::TraceSection(sentence);
            commands.push(Command::Explore(command));
        }
        if let Some(why_not) = why_not {
            button.on_disabled_hover_text(why_not);
        }
    });
}

/// The trace cannot answer this.
pub(super) fn problem_ui(
    ui: &mut Ui,
    explorer: &Explorer,
    problem: &str,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    let height = ui.available_height();
    ui.vertical_centered(|ui| {
        ui.add_space(height * 0.3);
        ui.label(RichText::new("Nothing to show here").font(crate::theme::semibold(15.0)));
        ui.add_space(4.0);
        ui.label(RichText::new(problem).color(palette.weak));
        let needs_model = explorer.inquiry.question.view.model_view().is_some();
        if needs_model && !explorer.is_behind() {
            ui.add_space(8.0);
            if ui.button("Try again").clicked() {
                commands.push(Command::Explore(ExploreCommand::Retry));
            }
        }
    });
}
