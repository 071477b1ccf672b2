//! The languages above the columns of a document: each a menu of what installed models translate.

use std::sync::Arc;

use egui::{
    Align, Button, Label, Layout, Popup, PopupCloseBehavior, Rangef, Rect, RichText, ScrollArea,
    Sense, Stroke, Ui, UiBuilder, vec2,
};

use super::row_layout::Columns;
use super::theme::{self, Palette};
use canopy_app::models::{GettingCommand, LanguageNote, Reach, pair_name};
use canopy_app::{Command, Models, ModelsCommand, Page, Settings, WindowCommand, language};
use canopy_corpus::is_same_language;
use canopy_translate::inference::InstalledModel;

const HEIGHT: f32 = 34.0;

/// Content of the line, and its choices.
#[derive(Clone, Copy)]
pub(crate) struct LanguageLine<'a> {
    /// Codes of source and target; none while no model is open.
    pub languages: Option<(&'a str, &'a str)>,
    pub note: Option<&'a LanguageNote>,
    /// The name of the model.
    pub model: &'a str,
    pub models: &'a Models,
    pub settings: &'a Settings,
}

/// The choices of both menus, and what is being looked for.
#[derive(Default)]
pub(crate) struct LanguageMenus {
    /// The models and the source language that they belong to.
    of: Option<(Arc<Vec<InstalledModel>>, String)>,
    sources: Vec<(String, String)>,
    targets: Vec<Reach>,
    wanted: String,
}

impl LanguageMenus {
    pub(crate) fn ui(
        &mut self,
        ui: &mut Ui,
        columns: &Columns,
        line: LanguageLine<'_>,
        commands: &mut Vec<Command>,
    ) {
        let palette = Palette::from_ui(ui);
        let size = vec2(ui.available_width(), HEIGHT);
        let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
        let bottom = rect.bottom() - 0.5;
        let stroke = Stroke::new(1.0, palette.line);
        ui.painter().hline(rect.x_range(), bottom, stroke);
        let place = |column: Rangef| {
            // The text, not the frame of the button, is above the column.
            let x = rect.left() + column.min - PADDING..=rect.left() + column.max;
            UiBuilder::new()
                .max_rect(Rect::from_x_y_ranges(x, rect.y_range()))
                .layout(Layout::left_to_right(Align::Center))
        };
        ui.scope_builder(place(columns.source), |ui| {
            self.source_ui(ui, line, &palette, commands);
        });
        ui.scope_builder(place(columns.target), |ui| {
            self.target_ui(ui, line, &palette, commands);
        });
        ui.add_space(-ui.spacing().item_spacing.y);
    }

    fn source_ui(
        &mut self,
        ui: &mut Ui,
        line: LanguageLine<'_>,
        palette: &Palette,
        commands: &mut Vec<Command>,
    ) {
        let Some((source, _)) = line.languages else {
            plain_ui(ui, "Source", palette);
            note_ui(ui, line.note, palette, commands);
            return;
        };
        let name = language::name(source);
        let hint = "The language of the document";
        menu_ui(ui, &name, hint, palette, |ui| {
            self.refresh(line, source);
            let Self {
                sources, wanted, ..
            } = self;
            let choices = sources.iter().map(|(code, name)| Choice {
                code,
                name,
                remark: String::new(),
            });
            let chosen = choices_ui(ui, choices.collect(), source, wanted, palette, commands);
            if let Some(code) = chosen {
                commands.push(Command::Models(ModelsCommand::TranslateFrom(code)));
            }
        });
        note_ui(ui, line.note, palette, commands);
    }

    fn target_ui(
        &mut self,
        ui: &mut Ui,
        line: LanguageLine<'_>,
        palette: &Palette,
        commands: &mut Vec<Command>,
    ) {
        let Some((source, target)) = line.languages else {
            return plain_ui(ui, "Target", palette);
        };
        let name = language::name(target);
        let hint = "The language of the translation";
        menu_ui(ui, &name, hint, palette, |ui| {
            self.refresh(line, source);
            let Self {
                targets, wanted, ..
            } = self;
            let choices = targets.iter().map(|reach| Choice {
                code: &reach.code,
                name: &reach.name,
                remark: reach
                    .through
                    .as_ref()
                    .map_or(String::new(), |between| format!("through {between}")),
            });
            let chosen = choices_ui(ui, choices.collect(), target, wanted, palette, commands);
            if let Some(code) = chosen {
                commands.push(Command::Models(ModelsCommand::TranslateTo(code)));
            }
        });
        if let Some(LanguageNote::NoPair { source, target }) = line.note {
            let text = format!("No model for {}. Get one…", pair_name(source, target));
            let hint =
                "You can edit, match and check without one. Show those that can be downloaded";
            if warning_ui(ui, &text, hint, palette) {
                commands.push(get_between(Some(source), Some(target)));
            }
            return;
        }
        if line.model.is_empty() {
            return;
        }
        let text = match line.models.in_use.pivot() {
            Some(between) => format!("through {}: {}", language::name(between), line.model),
            None => format!("with {}", line.model),
        };
        ui.add(Label::new(small(&text, palette)).truncate())
            .on_hover_text(text);
    }

    /// Choices are looked for anew only when models or source are others: there may be hundreds.
    fn refresh(&mut self, line: LanguageLine<'_>, source: &str) {
        let is_same = self.of.as_ref().is_some_and(|(models, of)| {
            Arc::ptr_eq(models, &line.models.library.all) && of == source
        });
        if is_same {
            return;
        }
        self.sources = line.models.library.sources();
        self.targets = line.models.library.targets(line.settings, source);
        self.of = Some((line.models.library.all.clone(), source.to_owned()));
    }
}

const PADDING: f32 = 8.0;

/// A note about the language of the document.
fn note_ui(
    ui: &mut Ui,
    note: Option<&LanguageNote>,
    palette: &Palette,
    commands: &mut Vec<Command>,
) {
    match note {
        // That is above the translation.
        None | Some(LanguageNote::NoPair { .. }) => {}
        Some(LanguageNote::Detected) => {
            ui.add(Label::new(small("detected", palette)).truncate())
                .on_hover_text("Detected in its text");
        }
        Some(LanguageNote::Other { code, name }) => {
            let text = format!("The text looks like {name}");
            if warning_ui(ui, &text, "Translate from this language", palette) {
                let command = ModelsCommand::TranslateFrom(code.clone());
                commands.push(Command::Models(command));
            }
        }
        Some(LanguageNote::NoModel { code, name, target }) => {
            let text = match target {
                Some((_, target)) => format!("No model for {name} → {target}. Get one…"),
                None => format!("No model for {name}. Get one…"),
            };
            let hint = format!(
                "The text looks like {name}, which no installed model translates: show those that can be downloaded"
            );
            if warning_ui(ui, &text, &hint, palette) {
                let to = target.as_ref().map(|(code, _)| code.as_str());
                commands.push(get_between(Some(code), to));
            }
        }
        Some(LanguageNote::Unlike { percent }) => {
            let hint = format!(
                "Its translations are {percent} % likely to be good, according to the model's confidence. A larger model may do better: show the models"
            );
            if warning_ui(ui, "Unlike the model's training texts", &hint, palette) {
                commands.push(WindowCommand::ShowPage(Page::Models).into());
            }
        }
    }
}

/// Shows the models that can be downloaded between these languages.
fn get_between(from: Option<&str>, to: Option<&str>) -> Command {
    Command::Models(ModelsCommand::Get(GettingCommand::Open {
        from: from.map(str::to_owned),
        to: to.map(str::to_owned),
    }))
}

fn small(text: &str, palette: &Palette) -> RichText {
    RichText::new(text).size(12.0).color(palette.weak)
}

fn plain_ui(ui: &mut Ui, text: &str, palette: &Palette) {
    ui.add_space(PADDING);
    ui.label(RichText::new(text).size(12.5).color(palette.weak));
}

/// Something to look at, which a click acts upon.
fn warning_ui(ui: &mut Ui, text: &str, hint: &str, palette: &Palette) -> bool {
    let text = RichText::new(text).size(12.0).color(palette.warning);
    let label = Label::new(text).truncate().sense(Sense::click());
    let response = ui.add(label).on_hover_text(hint);
    response
        .on_hover_cursor(egui::CursorIcon::PointingHand)
        .clicked()
}

fn menu_ui(ui: &mut Ui, name: &str, hint: &str, palette: &Palette, choices: impl FnOnce(&mut Ui)) {
    let text = RichText::new(name)
        .font(theme::semibold(12.5))
        .color(palette.text);
    let arrow = RichText::new("▾").size(11.0).color(palette.weak);
    ui.spacing_mut().button_padding.x = PADDING;
    let button = Button::new((text, arrow)).frame_when_inactive(false);
    let response = ui.add(button);
    response.widget_info(|| {
        let label = format!("{hint}: {name}");
        egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, label)
    });
    let response = response.on_hover_text(hint);
    Popup::menu(&response)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside)
        .width(250.0)
        .show(choices);
}

struct Choice<'a> {
    code: &'a str,
    name: &'a str,
    remark: String,
}

/// The code of the language that was clicked.
fn choices_ui(
    ui: &mut Ui,
    choices: Vec<Choice<'_>>,
    current: &str,
    wanted: &mut String,
    palette: &Palette,
    commands: &mut Vec<Command>,
) -> Option<String> {
    let mut chosen = None;
    let field = theme::text_field(ui, wanted).hint_text("Any language");
    let field = ui.add(field).accessible_name("Language to look for");
    let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
    let looked_for = wanted.trim().to_lowercase();
    let others = match looked_for.as_str() {
        "" => Vec::new(),
        wanted => language::like(wanted),
    };
    let mut choices = choices;
    let has_model = |code: &str| -> bool {
        let mut known = choices.iter();
        known.any(|choice| is_same_language(choice.code, code))
    };
    let others: Vec<_> = others
        .into_iter()
        .map(|(code, name)| {
            let remark = if has_model(&code) { "" } else { "no model" };
            (code, name, remark)
        })
        .collect();
    choices.retain(|choice| {
        choice.code == looked_for || choice.name.to_lowercase().contains(&looked_for)
    });
    // A document may be translated by hand into any language.
    for (code, name, remark) in &others {
        if !choices
            .iter()
            .any(|choice| is_same_language(choice.code, code))
        {
            choices.push(Choice {
                code,
                name,
                remark: (*remark).to_owned(),
            });
        }
    }
    if choices.is_empty() {
        let text = match looked_for.as_str() {
            "" => "No installed model states its languages",
            _ => "No language of this name",
        };
        ui.label(small(text, palette));
    }
    let mut is_done = false;
    ScrollArea::vertical().max_height(330.0).show(ui, |ui| {
        for (number, choice) in choices.into_iter().enumerate() {
            let button = Button::selectable(choice.code == current, choice.name);
            let button = button.right_text(small(&choice.remark, palette));
            let is_first = number == 0 && is_entered && !looked_for.is_empty();
            if ui.add(button).clicked() || is_first {
                chosen = Some(choice.code.to_owned());
                is_done = true;
                ui.close();
            }
        }
    });
    if is_done {
        wanted.clear();
    }
    ui.separator();
    if ui.button("Installed models…").clicked() {
        commands.push(WindowCommand::ShowPage(Page::Models).into());
        ui.close();
    }
    if ui.button("Get models…").clicked() {
        commands.push(get_between(None, None));
        ui.close();
    }
    chosen
}
