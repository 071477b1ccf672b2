//! The table of models that catalogues offer.

use egui::{
    Align, Button, Color32, Label, Layout, Rect, RichText, ScrollArea, Sense, Ui, UiBuilder, pos2,
    vec2,
};

use crate::labels;
use crate::theme::{self, Palette, semibold};
use canopy_app::models::GettingCommand;
use canopy_app::{AppState, language};
use canopy_translate::catalogue::{CatalogueModel, Installation};

const ROW_HEIGHT: f32 = 48.0;

/// Between two columns.
const GAP: f32 = 14.0;

/// Width of the button at the end of a row.
const ACTION_WIDTH: f32 = 96.0;

/// Width of each column other than the name, which takes the rest.
struct Column {
    title: &'static str,
    width: f32,
    /// Left out where the table is narrower.
    from: f32,
    text: fn(&CatalogueModel) -> String,
}

const COLUMNS: [Column; 5] = [
    Column {
        title: "Kind",
        width: 88.0,
        from: 560.0,
        text: |model| or_unknown(&model.kind),
    },
    Column {
        title: "Size",
        width: 76.0,
        from: 0.0,
        text: |model| {
            model
                .num_bytes
                .map_or_else(|| "–".to_owned(), labels::bytes)
        },
    },
    Column {
        title: "Licence",
        width: 84.0,
        from: 480.0,
        text: |model| or_unknown(&model.licence),
    },
    Column {
        title: "Published scores",
        width: 160.0,
        from: 720.0,
        text: |model| or_unknown(&scores(model)),
    },
    Column {
        title: "Source",
        width: 118.0,
        from: 420.0,
        text: |model| source(model).to_owned(),
    },
];

/// The scores of the first test; the tooltip has all.
fn scores(model: &CatalogueModel) -> String {
    let first = model.scores.first().map(|score| &score.test);
    let same = model
        .scores
        .iter()
        .filter(|score| Some(&score.test) == first);
    let same: Vec<String> = same
        .take(2)
        .map(canopy_translate::catalogue::PublishedScore::short)
        .collect();
    same.join(", ")
}

/// The name of a known catalogue; of an own one the host, or the last part of its path.
fn source(model: &CatalogueModel) -> &str {
    let name = model.catalogue.as_str();
    match name.split_once("://") {
        Some((_, rest)) => rest
            .split('/')
            .find(|part| !part.is_empty())
            .unwrap_or(rest),
        None => name.rsplit(['/', '\\']).next().unwrap_or(name),
    }
}

fn or_unknown(text: &str) -> String {
    if text.is_empty() { "–" } else { text }.to_owned()
}

pub(super) fn offers_ui(ui: &mut Ui, state: &AppState, requests: &mut Vec<GettingCommand>) {
    let palette = Palette::from_ui(ui);
    let models = state.models.getting.shown();
    if models.is_empty() {
        none_ui(ui, state);
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let width = ui.available_width() - 10.0;
    let (head, _) = ui.allocate_exact_size(vec2(width, 24.0), Sense::hover());
    for (column, place) in places(head) {
        let title = RichText::new(column.map_or("Model", |it| it.title));
        cell_ui(ui, place, title.size(12.0).color(palette.weak));
    }
    let line = (1.0, palette.line);
    ui.painter().hline(head.x_range(), head.bottom(), line);
    ScrollArea::vertical()
        .auto_shrink(false)
        .id_salt("offers")
        .show_rows(ui, ROW_HEIGHT, models.len(), |ui, rows| {
            for at in rows {
                row_ui(ui, state, models[at], width, requests);
            }
        });
}

/// The columns that go into a row, the name first.
fn places(row: Rect) -> Vec<(Option<&'static Column>, Rect)> {
    let shown: Vec<&Column> = COLUMNS.iter().filter(|it| row.width() >= it.from).collect();
    let taken: f32 = shown.iter().map(|it| it.width + GAP).sum();
    let name = row.width() - taken - ACTION_WIDTH - GAP - 8.0;
    let mut x = row.left() + 8.0;
    let mut place = |width: f32| {
        let place = Rect::from_min_size(pos2(x, row.top()), vec2(width, row.height()));
        x += width + GAP;
        place
    };
    let first = (None, place(name));
    let others = shown.into_iter().map(|it| (Some(it), place(it.width)));
    std::iter::once(first).chain(others).collect()
}

fn cell_ui(ui: &mut Ui, place: Rect, text: RichText) {
    let layout = Layout::left_to_right(Align::Center);
    let mut cell = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    cell.add(Label::new(text).truncate().selectable(false));
}

fn row_ui(
    ui: &mut Ui,
    state: &AppState,
    model: &CatalogueModel,
    width: f32,
    requests: &mut Vec<GettingCommand>,
) {
    let palette = Palette::from_ui(ui);
    let (row, response) = ui.allocate_exact_size(vec2(width, ROW_HEIGHT), Sense::hover());
    if response.contains_pointer() {
        let fill = theme::blend(palette.page, palette.text, 0.04);
        ui.painter().rect_filled(row, 6.0, fill);
    }
    for (column, place) in places(row) {
        match column {
            None => name_ui(ui, place, model),
            Some(column) => {
                let text = RichText::new((column.text)(model)).size(12.5);
                cell_ui(ui, place, text.color(palette.text));
            }
        }
    }
    let right = row.right() - 4.0;
    let place = Rect::from_x_y_ranges(right - ACTION_WIDTH..=right, row.y_range());
    let layout = Layout::right_to_left(Align::Center);
    let mut action = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    action_ui(&mut action, state, model, requests);
    response.on_hover_ui(|ui| about_ui(ui, model));
    let bottom = row.bottom() - 0.5;
    ui.painter().hline(
        row.x_range(),
        bottom,
        (1.0, palette.line.gamma_multiply(0.6)),
    );
}

/// The name, and under it the languages, or what is wrong with the model.
fn name_ui(ui: &mut Ui, place: Rect, model: &CatalogueModel) {
    let palette = Palette::from_ui(ui);
    let layout = Layout::top_down(Align::Min);
    let place = place.shrink2(vec2(0.0, 5.0));
    let mut cell = ui.new_child(UiBuilder::new().max_rect(place).layout(layout));
    cell.spacing_mut().item_spacing.y = 1.0;
    let name = RichText::new(&model.name).font(semibold(13.5));
    let mut line = |text: RichText| {
        cell.add(Label::new(text).truncate().selectable(false));
    };
    line(name.color(palette.strong));
    let (text, color): (String, Color32) = match (&model.problem, &model.doubt) {
        (Some(problem), _) => (format!("Cannot be downloaded: {problem}"), palette.error),
        (None, Some(doubt)) => (doubt.clone(), palette.warning),
        (None, None) => (languages(model), palette.weak),
    };
    line(RichText::new(text).size(12.0).color(color));
}

fn languages(model: &CatalogueModel) -> String {
    let some = |codes: &[String]| match codes {
        [] => "unknown".to_owned(),
        few if few.len() <= 3 => {
            let names: Vec<String> = few.iter().map(|code| language::name(code)).collect();
            names.join(", ")
        }
        many => format!("{} languages", many.len()),
    };
    format!("{} → {}", some(&model.sources), some(&model.targets))
}

fn action_ui(
    ui: &mut Ui,
    state: &AppState,
    model: &CatalogueModel,
    requests: &mut Vec<GettingCommand>,
) {
    let palette = Palette::from_ui(ui);
    if model.problem.is_some() {
        return;
    }
    let getting = &state.models.getting;
    let is_it =
        |other: &CatalogueModel| other.name == model.name && other.catalogue == model.catalogue;
    if getting
        .downloading
        .as_ref()
        .is_some_and(|it| is_it(&it.model))
    {
        ui.add(egui::Spinner::new().size(14.0).color(palette.accent));
        return;
    }
    let label = match model.installation(&state.models.library.all) {
        Installation::Yes => {
            ui.label(RichText::new("Installed").size(12.5).color(palette.accent));
            return;
        }
        Installation::Update => "Update",
        Installation::No if getting.arrived(model) > 0 => "Resume",
        Installation::No => "Download",
    };
    let button = Button::new(label).min_size(vec2(86.0, 28.0));
    let response = ui.add_enabled(getting.downloading.is_none(), button);
    response.widget_info(|| {
        let label = format!("{label} {}", model.name);
        egui::WidgetInfo::labeled(egui::accesskit::Role::Button, true, label)
    });
    if response.clicked() {
        requests.push(GettingCommand::Get {
            catalogue: model.catalogue.clone(),
            name: model.name.clone(),
        });
    }
}

/// All information of the list.
fn about_ui(ui: &mut Ui, model: &CatalogueModel) {
    ui.set_max_width(460.0);
    ui.label(RichText::new(&model.name).font(semibold(13.5)));
    ui.label(languages(model));
    for text in [&model.problem, &model.doubt].into_iter().flatten() {
        ui.label(text);
    }
    if !model.scores.is_empty() {
        ui.label(model.scores_line());
    }
    if let Some(count) = model.num_parameters {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        ui.label(format!(
            "{} parameters",
            canopy_chart::charts::thousands(count)
        ));
    }
    for file in &model.files {
        ui.label(RichText::new(file.source.to_string()).size(11.5).weak());
    }
}

/// Where nothing is listed between these languages.
fn none_ui(ui: &mut Ui, state: &AppState) {
    let palette = Palette::from_ui(ui);
    let getting = &state.models.getting;
    let of = |word: &str, code: &Option<String>| {
        let code = code.as_deref();
        code.map_or(String::new(), |code| {
            format!(" {word} {}", language::name(code))
        })
    };
    let (from, to) = (of("from", &getting.from), of("to", &getting.to));
    ui.add_space(40.0);
    ui.vertical_centered(|ui| {
        let text = format!("No catalogue lists a model{from}{to}.");
        ui.label(RichText::new(text).color(palette.text));
        if getting.from.is_some() && getting.to.is_some() {
            let text = "Two chained models also work: one to English, and one from English.";
            ui.label(RichText::new(text).color(palette.weak));
        }
    });
}
