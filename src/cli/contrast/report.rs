//! Accuracies as text, as JSON and as what the figure shows.

use std::path::PathBuf;

use serde_json::{Value, json};

use canopy_evaluate::contrastive::{
    Accuracies, AccuracyFigure, Cell, ContrastiveSet, SetScores, TargetContext,
};

/// One model on the set.
pub(super) struct ModelResult {
    pub name: String,
    pub folder: PathBuf,
    pub device: String,
    pub accuracies: Accuracies,
    pub scores: SetScores,
}

/// All models on the set.
pub(super) struct Report<'a> {
    pub set: &'a ContrastiveSet,
    /// Sentences of context; all if none is said.
    pub before: Option<usize>,
    pub after: Option<usize>,
    pub models: Vec<ModelResult>,
}

impl ModelResult {
    /// With the mark of scores that no system can have.
    fn label(&self) -> String {
        match self.scores.target_context {
            TargetContext::Gold => format!("{} (GOLD target context)", self.name),
            TargetContext::None | TargetContext::Own => self.name.clone(),
        }
    }
}

impl Report<'_> {
    pub(super) fn figure(&self) -> AccuracyFigure {
        let models = self.models.iter();
        AccuracyFigure {
            title: format!("Contrastive accuracy · {}", self.set.name),
            subtitle: self.context(),
            models: models
                .map(|model| (model.label(), model.accuracies.clone()))
                .collect(),
        }
    }

    pub(super) fn json(&self) -> Value {
        let model = |model: &ModelResult| {
            let items = self.set.items.iter().zip(&model.scores.items);
            let item = |(item, scores): (
                &canopy_evaluate::contrastive::Item,
                &Option<Vec<f64>>,
            )| json!({"id": item.id, "log_probs": scores});
            json!({
                "model": model.name,
                "device": model.device,
                "target_context": model.scores.target_context,
                "accuracies": model.accuracies,
                "items": items.map(item).collect::<Vec<_>>(),
            })
        };
        json!({
            "set": {
                "name": self.set.name,
                "about": self.set.about,
                "items": self.set.items.len(),
                "documents": self.set.documents.len(),
                "needs_target_context": self.set.needs_target_context,
            },
            "score": "sum of the log-probabilities (natural logarithm) of the tokens and the end of the sentence, not normalised; the right translation first",
            "interval": "Wilson, 95 %",
            "context": {"before": self.before, "after": self.after},
            "models": self.models.iter().map(model).collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self) -> String {
        let Some(first) = self.models.first() else {
            return String::new();
        };
        let labels = self.models.iter().map(ModelResult::label);
        let header = ["", "chance"].map(str::to_owned).into_iter().chain(labels);
        let mut rows = vec![Row::Cells(header.collect())];
        let totals = self
            .models
            .iter()
            .map(|model| Some(&model.accuracies.total));
        rows.push(row("total", totals));
        for (by, cells) in first.accuracies.groups() {
            rows.push(Row::Heading(by.to_owned()));
            for cell in cells {
                let same = self.models.iter().map(|model| find(model, by, &cell.name));
                rows.push(row(&format!("  {}", cell.name), same));
            }
        }
        let mut lines = vec![
            format!(
                "{}: {} items in {} documents",
                self.set.name,
                self.set.items.len(),
                self.set.documents.len()
            ),
            self.context(),
            String::new(),
        ];
        lines.extend(aligned(&rows));
        for model in &self.models {
            let found = &model.accuracies;
            for (count, what) in [
                (found.ties, "items are ties, counted as wrong"),
                (found.left_out, "items are too long for the model"),
            ] {
                if count > 0 {
                    lines.push(format!("{}: {count} {what}", model.name));
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// The context that is read with the sentence.
    fn context(&self) -> String {
        let side = |count: Option<usize>, which: &str| match count {
            None => format!("all sentences {which}"),
            Some(1) => format!("1 sentence {which}"),
            Some(count) => format!("{count} sentences {which}"),
        };
        let mut text = format!(
            "context: {} and {}",
            side(self.before, "before"),
            side(self.after, "after")
        );
        for (context, of) in [
            (TargetContext::Own, "the model's own translations"),
            (TargetContext::Gold, "GOLD, the human translations"),
        ] {
            let reads = |model: &ModelResult| model.scores.target_context == context;
            if self.models.iter().any(reads) {
                text.push_str("; target context: ");
                text.push_str(of);
            }
        }
        text
    }
}

enum Row {
    Heading(String),
    Cells(Vec<String>),
}

/// A line of the table; all models choose among the same candidates.
fn row<'a>(name: &str, cells: impl Iterator<Item = Option<&'a Cell>>) -> Row {
    let cells: Vec<Option<&Cell>> = cells.collect();
    let chance = cells
        .iter()
        .flatten()
        .next()
        .map(|cell| 100.0 * cell.chance);
    let chance = chance.map_or_else(String::new, |chance| format!("{chance:.1} %"));
    let texts = cells.into_iter();
    let texts = texts.map(|cell| cell.map_or_else(String::new, cell_text));
    Row::Cells([name.to_owned(), chance].into_iter().chain(texts).collect())
}

fn cell_text(cell: &Cell) -> String {
    let counts = format!("{} of {}", cell.right, cell.items);
    match (cell.accuracy, cell.interval) {
        (Some(share), Some((lower, upper))) => format!(
            "{:5.1} %  [{:.1}, {:.1}]  {counts}",
            100.0 * share,
            100.0 * lower,
            100.0 * upper
        ),
        _ => format!("    –    {counts}"),
    }
}

fn find<'a>(model: &'a ModelResult, by: &str, name: &str) -> Option<&'a Cell> {
    let groups = model.accuracies.groups();
    let (_, cells) = groups.into_iter().find(|(other, _)| *other == by)?;
    cells.iter().find(|cell| cell.name == name)
}

fn aligned(rows: &[Row]) -> Vec<String> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        let Row::Cells(cells) = row else { continue };
        widths.resize(cells.len(), 0);
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &Row| match row {
        Row::Heading(text) => text.clone(),
        Row::Cells(cells) => {
            let padded = cells.iter().zip(&widths);
            let padded = padded.map(|(cell, &width)| format!("{cell:<width$}"));
            padded.collect::<Vec<_>>().join("   ").trim_end().to_owned()
        }
    };
    rows.iter().map(line).collect()
}
