//! Settings that most runs leave as they are.

use egui::{CollapsingHeader, ComboBox, RichText, Ui, vec2};

use super::choosing::described;
use super::{CONTROL, Form};
use crate::theme::{self, Palette};
use crate::training::caption;
use crate::training::fields::{FIELDS, Field, Section};
use canopy_app::training::Probe;
use canopy_train::{ProductPrecision, RECIPES, Schedule};

impl Form<'_> {
    /// A choice on which memory and time depend.
    fn precision_ui(&mut self, ui: &mut Ui) {
        let filled = &mut *self.filled;
        for (precision, label) in [
            (ProductPrecision::Float32, "32 bits"),
            (ProductPrecision::Float16, "16 bits"),
            (ProductPrecision::BFloat16, "bfloat16"),
        ] {
            let radio = ui.radio_value(&mut filled.config.precision, precision, label);
            if radio.changed() {
                filled.probe = Probe::None;
            }
        }
    }

    /// Settings for experts, folded unless one of them is wrong.
    pub(super) fn advanced_ui(&mut self, ui: &mut Ui) {
        const CHOICES: [&str; 4] = ["recipe", "schedule", "precision", "contrastive_set"];
        let is_advanced = |name: &str| {
            let mut fields = FIELDS.iter();
            CHOICES.contains(&name) || fields.any(|field| field.name == name && !field.is_common())
        };
        let is_wrong = self
            .problem
            .is_some_and(|problem| is_advanced(problem.field));
        ui.add_space(10.0);
        let title = RichText::new("Advanced").font(theme::semibold(14.5));
        let header = CollapsingHeader::new(title).id_salt("advanced");
        let shown = header.open(is_wrong.then_some(true)).show(ui, |ui| {
            for (section, title) in [
                (Section::Length, "Length"),
                (Section::Optimisation, "Optimisation"),
                (Section::Validation, "Validation and checkpoints"),
            ] {
                caption(ui, title);
                if section == Section::Optimisation {
                    self.choices_ui(ui);
                }
                self.fields_ui(ui, |field| field.section == section && !field.is_common());
                if section == Section::Validation {
                    self.row_ui(
                        ui,
                        "contrastive_set",
                        "Contrastive set",
                        "After each validation: how often the model prefers its right translations. Made by canopy contrast make.",
                        Self::contrastive_ui,
                    );
                }
            }
        });
        let about = "Learning rate, batch, dropout, validation, checkpoints: each has a default that suits your choice";
        shown.header_response.on_hover_text(about);
    }

    /// Recipes of papers; the one that the settings follow is shown as chosen.
    fn recipe_ui(&mut self, ui: &mut Ui) {
        let palette = Palette::from_ui(ui);
        let mut followed = None;
        let mut taken = None;
        for recipe in RECIPES {
            let mut config = self.filled.config.clone();
            if recipe.apply(&mut config).is_ok() && config == self.filled.config {
                followed = Some(recipe.name);
            }
        }
        let recipes = ComboBox::from_id_salt("recipe")
            .width(CONTROL)
            .selected_text(followed.unwrap_or("None"))
            .show_ui(ui, |ui| {
                ui.set_min_width(560.0);
                for recipe in RECIPES {
                    let text = described(recipe.name, recipe.description, &palette);
                    let is_followed = followed == Some(recipe.name);
                    if ui.selectable_label(is_followed, text).clicked() {
                        taken = Some(recipe);
                    }
                }
            });
        recipes.response.accessible_name("Recipe");
        if let Some(recipe) = taken {
            // A preset that does not exist has its own message.
            recipe.apply(&mut self.filled.config).unwrap_or_default();
            self.filled.probe = Probe::None;
        }
    }

    /// The choices among schedules and numbers.
    fn choices_ui(&mut self, ui: &mut Ui) {
        self.row_ui(
            ui,
            "recipe",
            "Recipe",
            "Takes the learning rate, regularisation and stopping of a paper.",
            Self::recipe_ui,
        );
        self.row_ui(
            ui,
            "schedule",
            "Schedule",
            "Warm-up and decay to train from random weights; constant to fine-tune a model, with a warm-up if it comes from \
             another program.",
            |form, ui| {
                let schedule = &mut form.filled.config.schedule;
                ui.radio_value(schedule, Schedule::Noam, "Warm-up and decay");
                ui.radio_value(schedule, Schedule::Constant, "Constant");
                let warmed_up = Schedule::ConstantWithWarmup;
                ui.radio_value(schedule, warmed_up, "Warm-up, then constant");
            },
        );
        self.row_ui(
            ui,
            "precision",
            "Matrix products",
            "16-bit numbers are for GPUs that support them, and slower on the CPU.",
            Self::precision_ui,
        );
    }

    /// The numbers of some fields that mean something under the schedule.
    pub(super) fn fields_ui(&mut self, ui: &mut Ui, is_shown: impl Fn(&Field) -> bool) {
        let schedule = self.filled.config.schedule;
        let fields = FIELDS
            .iter()
            .filter(|field| is_shown(field) && field.applies(schedule));
        for field in fields {
            self.row_ui(
                ui,
                field.name,
                field.label,
                field.explanation,
                |form, ui| {
                    let drag = field.drag(&mut form.filled.config);
                    let number = ui.add_sized(vec2(110.0, 28.0), drag);
                    if number.accessible_name(field.label).changed() {
                        form.filled.probe = Probe::None;
                    }
                    let palette = Palette::from_ui(ui);
                    ui.label(RichText::new(field.unit).color(palette.weak));
                },
            );
        }
    }
}
