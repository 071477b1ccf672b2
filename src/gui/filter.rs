//! The bar above a document that shows some of its sentences, and the question for the number of a sentence.

use egui::{ComboBox, Context, Id, Key, RichText, TextEdit, Ui};

use super::labels;
use super::theme::{self, Palette};
use canopy_app::{Command, Filter, GoCommand, OpenDocument};

/// Says which sentences are shown, and leads back to all.
pub(super) fn filter_ui(ui: &mut Ui, open: &OpenDocument, commands: &mut Vec<Command>) {
    let Some(filtered) = &open.filtered else {
        return;
    };
    let palette = Palette::from_ui(ui);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new("Show").color(palette.weak));
        let combo = ComboBox::from_id_salt("filter")
            .width(150.0)
            .selected_text(filtered.filter.label());
        let response = combo.show_ui(ui, |ui| {
            for filter in Filter::ALL {
                let is_chosen = filtered.filter == filter;
                if ui.selectable_label(is_chosen, filter.label()).clicked() {
                    commands.push(GoCommand::Filter(Some(filter)).into());
                }
            }
        });
        response.response.accessible_name("Sentences to show");
        let all = labels::count(open.num_sentences(), "sentence");
        let text = format!("{} of {all}", filtered.count());
        ui.label(RichText::new(text).color(palette.weak));
        if ui.button("Show all").clicked() {
            commands.push(GoCommand::Filter(None).into());
        }
    });
}

/// Asks for the number of a sentence.
pub(super) fn sentence_question_ui(
    ctx: &Context,
    open: &OpenDocument,
    text: &mut String,
    commands: &mut Vec<Command>,
) {
    let modal = theme::modal(ctx, Id::unique("go to sentence")).show(ctx, |ui| {
        ui.set_width(260.0);
        ui.heading("Go to sentence");
        ui.add_space(8.0);
        let hint = format!("1 to {}", open.num_sentences());
        let field = ui.add(
            TextEdit::singleline(text)
                .hint_text(hint)
                .desired_width(f32::INFINITY),
        );
        let field = field.accessible_name("Number of the sentence");
        field.request_focus();
        let entered = ui.input(|input| input.key_pressed(Key::Enter));
        ui.add_space(10.0);
        ui.horizontal(|ui| {
            let number = text.trim().parse::<usize>().ok();
            let button = theme::primary(ui, "Go");
            let goes = ui.add_enabled(number.is_some(), button).clicked() || entered;
            if let Some(number) = number.filter(|_| goes) {
                commands.push(GoCommand::ToNumber(number).into());
                text.clear();
            }
            if ui.button("Cancel").clicked() {
                commands.push(GoCommand::AskForNumber(false).into());
            }
        });
    });
    let leaves = ctx.input(|input| input.key_pressed(Key::Escape));
    if modal.backdrop_response.clicked() || leaves {
        commands.push(GoCommand::AskForNumber(false).into());
    }
}
