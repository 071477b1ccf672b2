//! The suggestion of a large language model below the document, and where such a model is named.

use egui::{Align, Button, ComboBox, Context, Layout, Popup, RichText, TextEdit, Ui};

use super::labels::capitalised;
use super::theme::{self, Palette};
use super::typeset;
use canopy_app::markup::to_editable;
use canopy_app::{AppState, Command, LanguageModel, LanguageModelCommand, ModelState, Tested};
use canopy_chart::charts::thousands;
use canopy_qa::llm::Suggestion;

/// The suggestion for the selected sentence, with its time and cost.
pub(crate) fn suggestion_ui(ui: &mut Ui, state: &AppState, commands: &mut Vec<Command>) {
    let Some(chosen) = &state.shared.settings.language_model else {
        return;
    };
    let palette = Palette::from_ui(ui);
    let small = |text: &str| RichText::new(text).size(12.5).color(palette.weak);
    let selected = state.document.editing.selected();
    let found = selected.and_then(|sentence| state.document.suggestions.get(sentence));
    ui.horizontal(|ui| {
        ui.add_space(14.0);
        ui.label(small(&format!("Suggestion of {}", chosen.model)));
        let is_pending = state.document.suggestions.pending().is_some();
        if let Some(found) = found {
            ui.label(small("·"));
            ui.label(small(&cost(found)));
        }
        rank_ui(ui, state, selected);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add_space(14.0);
            let mut push = |command| commands.push(Command::from(command));
            if is_pending {
                ui.spinner();
            } else if ui
                .add_enabled(selected.is_some(), Button::new("Suggest").small())
                .on_hover_text(format!("Send the selected sentence, its neighbours, its terms and similar ones of the memory to {}", chosen.address))
                .clicked()
            {
                push(LanguageModelCommand::Suggest);
            }
            let hint = "Edit the selected sentence with this suggestion";
            if found.is_some() && ui.add(Button::new("Use suggestion").small()).on_hover_text(hint).clicked() {
                push(LanguageModelCommand::Use);
            }
        });
    });
    if let Some(found) = found {
        ui.horizontal_wrapped(|ui| {
            ui.add_space(14.0);
            let font = egui::TextStyle::Body.resolve(ui.style());
            typeset::label(ui, &to_editable(&found.text), font, palette.text);
        });
    }
}

/// Which of both the open model takes for the better one.
fn rank_ui(ui: &mut Ui, state: &AppState, selected: Option<usize>) {
    let (Some(open), Some(sentence), ModelState::Open { info, .. }) = (
        &state.document.editing.open,
        selected,
        &state.models.in_use.current,
    ) else {
        return;
    };
    let Some([own, suggested]) = state
        .document
        .suggestions
        .ranked(sentence, open.targets.revision(sentence))
    else {
        return;
    };
    let palette = Palette::from_ui(ui);
    let (verdict, color) = if suggested > own {
        ("better than the translation", palette.accent)
    } else {
        ("the translation is better", palette.weak)
    };
    let hint = format!(
        "Score by {} in the document: translation {own:.2}, suggestion {suggested:.2} (mean \
         log-probability of a token)",
        info.name
    );
    let label = ui.label(RichText::new(verdict).size(12.5).color(color));
    label.on_hover_text(hint);
}

/// Time and tokens of a suggestion, and what was wrong with it.
fn cost(found: &Suggestion) -> String {
    let mut text = format!(
        "{:.1} s, {} tokens read, {} written",
        found.elapsed.as_secs_f32(),
        thousands(found.usage.prompt_tokens),
        thousands(found.usage.completion_tokens)
    );
    if found.is_repaired {
        text += ", markup repaired";
    }
    text
}

/// The question for the address and the name of a model.
#[derive(Debug, Default)]
pub(crate) struct LanguageModelForm {
    entered: Option<LanguageModel>,
}

impl LanguageModelForm {
    pub(crate) fn ui(&mut self, ctx: &Context, state: &AppState, commands: &mut Vec<Command>) {
        if !state.document.suggestions.is_naming {
            self.entered = None;
            return;
        }
        let chosen = state.shared.settings.language_model.as_ref();
        let entered = self
            .entered
            .get_or_insert_with(|| chosen.cloned().unwrap_or_default());
        let modal = theme::modal(ctx, egui::Id::unique("language-model")).show(ctx, |ui| {
            ui.set_width(440.0);
            let palette = Palette::from_ui(ui);
            ui.heading("Language model");
            ui.add_space(6.0);
            let hint = "A server that you run with OpenAI's interface, such as llama.cpp, Ollama or vLLM. Sentences are sent there, and nowhere else, when you press Suggest.";
            ui.label(RichText::new(hint).color(palette.weak));
            ui.add_space(8.0);
            let hint = "for example http://localhost:11434/v1";
            field_ui(ui, "Address", hint, &mut entered.address);
            field_ui(ui, "Model", "its name on that server", &mut entered.model);
            models_ui(ui, &state.document.suggestions.tested, entered, commands);
            ui.add_space(10.0);
            let is_choosing = Popup::is_any_open(ctx);
            let entered_key = !is_choosing && ui.input(|input| input.key_pressed(egui::Key::Enter));
            let mut push = |command| commands.push(Command::from(command));
            ui.horizontal(|ui| {
                let is_whole = !entered.address.trim().is_empty() && !entered.model.trim().is_empty();
                let label = "Use this model";
                let button = if is_whole {
                    theme::primary(ui, label)
                } else {
                    egui::Button::new(label).min_size(theme::PRIMARY_SIZE)
                };
                let uses = ui.add_enabled(is_whole, button).clicked();
                if uses || entered_key && is_whole {
                    push(LanguageModelCommand::Choose(Some(LanguageModel {
                        address: entered.address.trim().to_owned(),
                        model: entered.model.trim().to_owned(),
                    })));
                }
                if chosen.is_some() && ui.button("Use none").clicked() {
                    push(LanguageModelCommand::Choose(None));
                }
                if ui.button("Cancel").clicked() {
                    push(LanguageModelCommand::Leave);
                }
            });
        });
        if modal.should_close() {
            commands.push(LanguageModelCommand::Leave.into());
        }
    }
}

/// Lists the server's models, and shows its answer.
fn models_ui(
    ui: &mut Ui,
    tested: &Tested,
    entered: &mut LanguageModel,
    commands: &mut Vec<Command>,
) {
    let palette = Palette::from_ui(ui);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let address = entered.address.trim();
        let is_running = matches!(tested, Tested::Running(_));
        let can_test = !address.is_empty() && !is_running;
        let button = ui.add_enabled(can_test, Button::new("Test"));
        let hint = "Lists the server's models; no part of a document is sent";
        if button.on_hover_text(hint).clicked() {
            let test = LanguageModelCommand::Test(address.to_owned());
            commands.push(Command::from(test));
        }
        match tested {
            Tested::No => {}
            Tested::Running(_) => {
                ui.spinner();
            }
            Tested::Models(models) if models.is_empty() => {
                ui.label(RichText::new("The server has no models").color(palette.warning));
            }
            Tested::Models(models) => {
                let chosen = models.contains(&entered.model).then_some(&entered.model);
                let chosen = chosen.map_or("Choose a model", String::as_str).to_owned();
                let combo = ComboBox::from_id_salt("models of the server").selected_text(chosen);
                let response = combo.show_ui(ui, |ui| {
                    for model in models {
                        ui.selectable_value(&mut entered.model, model.clone(), model);
                    }
                });
                response.response.accessible_name("Models of the server");
            }
            Tested::Failed(reason) => {
                let reason = RichText::new(capitalised(reason)).color(palette.error);
                ui.add(egui::Label::new(reason).wrap());
            }
        }
    });
}

fn field_ui(ui: &mut Ui, label: &str, hint: &'static str, text: &mut String) {
    let label = ui.label(label);
    let field = TextEdit::singleline(text).hint_text(hint);
    ui.add(field.desired_width(f32::INFINITY))
        .labelled_by(label.id);
}
