//! The languages of a model whose files do not say them: two menus, in which a person says them.

use std::path::{Path, PathBuf};

use egui::{ComboBox, PopupCloseBehavior, RichText, ScrollArea, Ui, vec2};

use crate::theme::{self, Palette};
use canopy_app::language;
use canopy_translate::inference::InstalledModel;

/// The choices in the menus.
#[derive(Default)]
pub(super) struct Stating {
    /// The model that it is chosen for.
    of: PathBuf,
    pair: [String; 2],
    wanted: String,
}

impl Stating {
    /// Draws both menus; at first they show what is known of the model.
    pub(super) fn ui(&mut self, ui: &mut Ui, model: &InstalledModel, path: &Path) {
        if self.of != path {
            let first = |codes: &[String]| codes.first().cloned().unwrap_or_default();
            *self = Self {
                of: path.to_owned(),
                pair: [first(&model.sources), first(&model.targets)],
                wanted: String::new(),
            };
        }
        let palette = Palette::from_ui(ui);
        let Self { pair, wanted, .. } = self;
        let [source, target] = pair;
        ui.horizontal(|ui| {
            ui.label(RichText::new("From").color(palette.weak));
            language_ui(ui, "Source language of the model", source, wanted);
            ui.label(RichText::new("to").color(palette.weak));
            language_ui(ui, "Target language of the model", target, wanted);
        });
    }

    /// The languages, once both are chosen and differ.
    pub(super) fn chosen(&self) -> Option<[String; 2]> {
        let [source, target] = &self.pair;
        let is_pair = !source.is_empty() && !target.is_empty() && source != target;
        is_pair.then(|| self.pair.clone())
    }
}

/// A menu of languages with a field to look for one.
pub(crate) fn language_ui(ui: &mut Ui, name: &str, chosen: &mut String, wanted: &mut String) {
    let shown = if chosen.is_empty() {
        "Choose…".to_owned()
    } else {
        language::name(chosen)
    };
    let combo = ComboBox::from_id_salt(name)
        .width(170.0)
        .selected_text(shown)
        .close_behavior(PopupCloseBehavior::CloseOnClickOutside);
    let response = combo.show_ui(ui, |ui| {
        let field = theme::text_field(ui, wanted).hint_text("Language or code");
        ui.add_sized(vec2(ui.available_width(), 26.0), field)
            .accessible_name("Language to look for");
        let found = language::like(wanted);
        ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
            for (code, name) in found {
                if ui.selectable_label(*chosen == code, name).clicked() {
                    *chosen = code;
                    wanted.clear();
                    ui.close();
                }
            }
        });
    });
    response.response.accessible_name(name);
}
