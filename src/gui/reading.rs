//! How the open document is read: the options of its format.

use egui::{Button, Id, RichText, TextEdit, Ui};

use super::theme::Palette;
use canopy_app::{Command, DocumentCommand, SegmentsCommand};
use canopy_document::document::{Column, Document, ReadingChoice};

/// The choices of the document's format.
pub(crate) fn reading_ui(ui: &mut Ui, document: &Document, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    ui.label(
        RichText::new("In this document")
            .size(12.5)
            .color(palette.weak),
    );
    let mut reading = document.reading.clone();
    segmentation_ui(ui, document, commands);
    for choice in document.format.choices() {
        match choice {
            ReadingChoice::Columns => columns_ui(ui, document, commands),
            ReadingChoice::Comments => {
                ui.checkbox(&mut reading.comments, "Translate comments");
            }
            ReadingChoice::SheetNames => {
                ui.checkbox(&mut reading.sheet_names, "Translate names of sheets")
                    .on_hover_text("Formulas, charts and links follow them");
            }
            ReadingChoice::Drafts => {
                ui.checkbox(&mut reading.drafts, "Translate drafts of the file anew")
                    .on_hover_text(
                        "Targets marked as fuzzy, unfinished, or in need of translation or review",
                    );
            }
        }
    }
    if reading != document.reading {
        commands.push(DocumentCommand::ReadAs(reading).into());
    }
}

/// The choice of rules for where sentences end.
fn segmentation_ui(ui: &mut Ui, document: &Document, commands: &mut Vec<Command>) {
    let srx = document.reading.srx.as_deref();
    let mut choose = |command| commands.push(Command::from(command));
    let usual = ui.radio(srx.is_none(), "Sentence splitting: built-in");
    if usual.clicked() && srx.is_some() {
        choose(SegmentsCommand::UseRules(None));
    }
    if let Some(path) = srx {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let path = path.display();
        let hint = match &document.reading.language {
            Some(language) => format!("{path}\nRules for {language}"),
            None => path.to_string(),
        };
        ui.radio(
            true,
            format!("Sentence splitting: {}", name.to_string_lossy()),
        )
        .on_hover_text(hint);
    }
    let button = ui.button("Sentence splitting: SRX rules…");
    if button
        .on_hover_text("A file of sentence splitting rules, as other translation tools use")
        .clicked()
    {
        choose(SegmentsCommand::ChooseRules);
    }
}

/// The columns of a table, as they are entered.
fn columns_ui(ui: &mut Ui, document: &Document, commands: &mut Vec<Command>) {
    let palette = Palette::from_ui(ui);
    let spelt: Vec<String> = document
        .reading
        .columns
        .iter()
        .map(Column::to_string)
        .collect();
    let spelt = spelt.join(", ");
    // What is entered belongs to the columns that were chosen when it was begun.
    let id = Id::unique("columns").with((&document.name, &spelt));
    let mut entered: String = ui
        .data(|data| data.get_temp(id))
        .unwrap_or_else(|| spelt.clone());
    let label = ui.label("Columns to translate");
    let field = TextEdit::singleline(&mut entered)
        .hint_text("as in the first line")
        .desired_width(f32::INFINITY);
    let field = ui.add(field).labelled_by(label.id);
    field.on_hover_text("By number or by the name in the first line; en:de puts the translation of en into de where that is empty");
    let columns: Result<Vec<Column>, String> = match entered.trim() {
        "" => Ok(Vec::new()),
        columns => columns.split(',').map(str::parse).collect(),
    };
    match columns {
        Err(problem) => {
            ui.label(RichText::new(problem).size(12.5).color(palette.warning));
        }
        Ok(columns) => {
            let is_new = columns != document.reading.columns;
            if ui
                .add_enabled(is_new, Button::new("Use these columns"))
                .clicked()
            {
                let mut reading = document.reading.clone();
                reading.columns = columns;
                commands.push(DocumentCommand::ReadAs(reading).into());
            }
        }
    }
    ui.data_mut(|data| data.insert_temp(id, entered));
}
