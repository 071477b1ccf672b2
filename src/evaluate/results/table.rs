//! Results as a table in Markdown.

use std::fmt::Write;

use super::{ResultRow, Results};
use canopy_metrics::comparison::{SIGNIFICANT, p_number};

const HEADINGS: [&str; 13] = [
    "system",
    "BLEU, unseen",
    "p",
    "BLEU, all",
    "p",
    "chrF",
    "TER",
    "METEOR",
    "contrastive",
    "parameters",
    "trained, tokens/s",
    "decoded, tokens/s",
    "time of an epoch",
];

impl Results {
    /// A row a system, the best one by the development documents in bold type, and what the numbers mean.
    pub fn to_markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&HEADINGS.map(str::to_owned));
        let rules = HEADINGS.iter().enumerate();
        let rules = rules.map(|(at, _)| if at == 0 { "---" } else { "---:" }.to_owned());
        text += &line(&rules.collect::<Vec<_>>());
        let best = self.best();
        for (at, row) in self.rows.iter().enumerate() {
            let mut cells = row.cells();
            if best == Some(at) {
                cells[0] = format!("**{}**", cells[0]);
            }
            text += &line(&cells);
        }
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "\n{}, {}: {} segments in {} documents, {} of them unseen in training, in {} documents; beam {}. chrF, TER and \
             METEOR of the unseen segments. p: BLEU against “{}”, by document, corrected for the number of systems (Holm); * p < {SIGNIFICANT}. Bold: best on the development documents.",
            self.corpus,
            self.split.name(),
            self.segments,
            self.documents_all,
            self.unseen,
            self.documents,
            self.beam_size,
            self.reference
        );
        if let Some(set) = &self.contrastive_set {
            let _ = write!(text, " Contrastive: {set}.");
        }
        text.push('\n');
        text += &self.choices_markdown();
        for signature in &self.signatures {
            let _ = write!(text, "\n    {signature}");
        }
        text.push('\n');
        text
    }
}

impl ResultRow {
    fn cells(&self) -> [String; 13] {
        let number = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
        };
        if self.seeds.is_empty() {
            let mut cells = [const { String::new() }; 13];
            cells[0].clone_from(&self.name);
            cells[1].clone_from(&self.status);
            return cells;
        }
        let mut unseen = number(self.bleu_unseen, 1);
        if let Some(deviation) = self.bleu_unseen_deviation {
            // Writing to a string does not fail.
            let _ = write!(unseen, " ± {deviation:.1} ({} seeds)", self.seeds.len());
        }
        let written = |p: Option<f64>| match p {
            Some(p) if p < SIGNIFICANT => p_number(p) + "*",
            p => p.map_or_else(|| "–".to_owned(), p_number),
        };
        let chosen = self.contrastive.filter(|found| found.items > 0);
        let chosen = chosen.map(|found| format!("{} of {}", found.right, found.items));
        let parameters = self.parameters.map(|number| format!("{}", number / 1_000));
        [
            self.name.clone(),
            unseen,
            written(self.p_document),
            number(self.bleu_all, 1),
            written(self.p_document_all),
            number(self.chrf, 1),
            number(self.ter, 1),
            number(self.meteor, 1),
            chosen.unwrap_or_else(|| "–".to_owned()),
            parameters.map_or_else(|| "–".to_owned(), |number| number + "k"),
            number(self.train_tokens_per_second, 0),
            number(self.decode_tokens_per_second, 0),
            number(self.relative_epoch_time, 2),
        ]
    }
}
