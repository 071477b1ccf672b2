//! Leave one out: how much less probable a translation becomes when one sentence of its context is taken away, or edited.
//!
//! Attention shows what was read, not whether it mattered. The figure of a sentence is
//! `ln p(translation | source, context without it) − ln p(translation | source, context)`, in nats, by forced decoding of the
//! same translation: erasure, after Li, Monroe & Jurafsky, "Understanding Neural Networks through Representation Erasure",
//! 2016. How attention and erasure rank the sentences is compared as Jain & Wallace, "Attention is not Explanation", NAACL
//! 2019, §4.1, do, with Spearman's coefficient in place of Kendall's.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::measure::rank_correlation;

/// An edited sentence of the context, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextEdit {
    /// Number of the sentence.
    pub sentence: usize,
    /// None: as in the document.
    pub source: Option<String>,
    /// Its translation, for models that read translations; none: as it is.
    pub target: Option<String>,
}

/// A translation scored without each of the sentences that its model can read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LeaveOneOut {
    /// Name of the model.
    pub model: String,
    /// Number of the sentence, from 0.
    pub sentence: usize,
    /// The source text.
    pub source: String,
    /// The translation that is scored.
    pub translation: String,
    /// Subwords of the translation and its end, with the whole context.
    pub words: Vec<ScoredWord>,
    /// Sentences that were taken away, in the order of the document; then those that were edited.
    pub changes: Vec<ContextChange>,
    /// The meaning of attention mass: whose words, which layer and heads; none where no attention to sentences is traced.
    pub attention: Option<String>,
    /// Spearman's coefficient of attention mass and the size of the change in nats, over the sentences that were taken
    /// away.
    pub rank_correlation: Option<f64>,
    /// The selected word.
    pub selected: Option<usize>,
}

/// A subword of a translation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoredWord {
    /// The subword for display.
    pub label: String,
    /// Whether a space precedes it.
    pub begins: bool,
    /// Natural logarithm of its probability after the words before it.
    pub log_prob: f32,
}

/// A change of the context, and what it does to the translation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextChange {
    /// Number of the changed sentence, from 0.
    pub sentence: usize,
    /// Its text in the document.
    pub text: String,
    /// None: it was taken away.
    pub edit: Option<ContextEdit>,
    /// Attention mass of the sentence, 0 to 1.
    pub attention: Option<f32>,
    /// Change of the translation's log-probability.
    pub nats: f32,
    /// Change of its likelihood in per cent, `100 · (e^nats − 1)`.
    pub percent: f32,
    /// Change of each word's log-probability, in nats.
    pub words: Vec<f32>,
}

impl ContextChange {
    /// Change by a sentence: `before` and `after` are log-probabilities of the translation's words.
    pub fn new(sentence: usize, text: String, before: &[ScoredWord], after: &[f32]) -> Self {
        let pairs = before.iter().zip(after);
        let words: Vec<f32> = pairs.map(|(word, after)| after - word.log_prob).collect();
        let nats: f32 = words.iter().sum();
        Self {
            sentence,
            text,
            edit: None,
            attention: None,
            nats,
            percent: 100.0 * nats.exp_m1(),
            words,
        }
    }

    /// The text in place of the sentence; none if it was taken away.
    pub fn edited_text(&self) -> Option<&str> {
        let edit = self.edit.as_ref()?;
        edit.source.as_deref().or(edit.target.as_deref())
    }
}

impl LeaveOneOut {
    /// Ranks attention against the changes.
    #[must_use]
    pub fn correlated(mut self) -> Self {
        let pairs = self.left_out();
        let pairs = pairs.filter_map(|change| Some((change.attention?, change.nats.abs())));
        let pairs: Vec<(f64, f64)> = pairs.map(|(a, b)| (a.into(), b.into())).collect();
        self.rank_correlation = rank_correlation(&pairs);
        self
    }

    /// Puts the edits of another answer about the same translation before those that are here; whether it was one.
    pub fn add_edits(&mut self, other: &Self) -> bool {
        let is_same = (self.sentence, &self.translation) == (other.sentence, &other.translation);
        if is_same {
            let edits = other.changes.iter().filter(|change| change.edit.is_some());
            self.changes.extend(edits.cloned());
        }
        is_same
    }

    fn left_out(&self) -> impl Iterator<Item = &ContextChange> {
        self.changes.iter().filter(|change| change.edit.is_none())
    }

    /// Change of the selected word, or of the whole translation, in nats.
    pub fn change(&self, change: &ContextChange) -> f32 {
        let of_word = self.selected.and_then(|word| change.words.get(word));
        of_word.copied().unwrap_or(change.nats)
    }

    /// Numbers of the changes: edits first, the last one before the others, then the sentences that were taken away,
    /// largest change first.
    pub fn ranked(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.changes.len()).collect();
        order.sort_by(|&a, &b| {
            let [one, other] = [a, b].map(|number| &self.changes[number]);
            match (one.edit.is_some(), other.edit.is_some()) {
                (true, true) => b.cmp(&a),
                (false, false) => {
                    let [one, other] = [one, other].map(|it| self.change(it).abs());
                    other.total_cmp(&one).then(a.cmp(&b))
                }
                (one_is, other_is) => other_is.cmp(&one_is),
            }
        });
        order
    }

    /// The queried word, such as `sentence 4 · word 2 “Der” · ln p −0.31`.
    pub fn query(&self) -> String {
        let all: f32 = self.words.iter().map(|word| word.log_prob).sum();
        let sentence = format!("sentence {}", self.sentence + 1);
        match self
            .selected
            .and_then(|place| Some((place, self.words.get(place)?)))
        {
            Some((place, word)) => format!(
                "{sentence} · word {} “{}” · ln p {}",
                place + 1,
                word.label,
                nats(word.log_prob)
            ),
            None => format!("{sentence} · all words · ln p {}", nats(all)),
        }
    }

    /// The rank correlation in words; nothing where there is none.
    pub fn correlation(&self) -> Option<String> {
        let value = format!("{:.2}", self.rank_correlation?).replace('-', "−");
        let count = self.left_out().count();
        Some(format!(
            "rank correlation of attention and change (Spearman): {value} over {count} sentences"
        ))
    }

    /// For a terminal: a sentence a line, largest change first.
    pub fn text(&self) -> String {
        let mut text = format!("{} · {}\n", self.query(), self.model);
        // Writing to a string does not fail.
        let _ = writeln!(text, "{:>7}  {}", self.sentence + 1, self.source);
        let _ = writeln!(text, "{:>7}  {}\n", "", self.translation);
        let _ = writeln!(
            text,
            "{:>7}  {:>10}  {:>8}  {:>9}",
            "without", "likelihood", "nats", "attention"
        );
        for number in self.ranked() {
            let change = &self.changes[number];
            let value = self.change(change);
            let attention = change
                .attention
                .map_or_else(String::new, |mass| format!("{mass:.3}"));
            let own = change.edited_text().map_or_else(
                || change.text.clone(),
                |edited| format!("{} → {edited}", change.text),
            );
            let (number, percent, nats) = (change.sentence + 1, percent(value), nats(value));
            let _ = writeln!(
                text,
                "{number:>7}  {percent:>10}  {nats:>8}  {attention:>9}  {own}"
            );
        }
        if let Some(attention) = &self.attention {
            let _ = writeln!(text, "\nattention: {attention}");
        }
        if let Some(correlation) = self.correlation() {
            let _ = writeln!(text, "{correlation}");
        }
        text
    }

    /// In a sentence, for who cannot see the figure.
    pub fn description(&self) -> String {
        let first = self.ranked().into_iter().find_map(|number| {
            let change = &self.changes[number];
            change.edit.is_none().then_some(change)
        });
        let mut text = match first {
            Some(change) => format!(
                "Without sentence {} the likelihood changes most: {}.",
                change.sentence + 1,
                percent(self.change(change))
            ),
            None => "No sentence was left out.".to_owned(),
        };
        if let Some(correlation) = self.correlation() {
            let _ = write!(text, " {correlation}.");
        }
        text
    }
}

/// A change of log-probability as a change of likelihood: `−84 %`, `+0.3 %`, `×12`.
pub fn percent(nats: f32) -> String {
    let change = 100.0 * f64::from(nats).exp_m1();
    let size = change.abs();
    let text = if size < 0.05 {
        "0 %".to_owned()
    } else if change < -99.9 {
        "< −99.9 %".to_owned()
    } else if change >= 1_000.0 {
        format!("×{:.0}", f64::from(nats).exp())
    } else if size < 10.0 || change < -99.0 {
        format!("{change:+.1} %")
    } else {
        format!("{change:+.0} %")
    };
    text.replace('-', "−")
}

/// A log-probability or a change of one, with its sign: `−1.83`, `+0.02`, `0.00`.
pub fn nats(value: f32) -> String {
    let text = format!("{value:+.2}");
    let is_zero = text.trim_start_matches(['+', '-']) == "0.00";
    if is_zero {
        return "0.00".to_owned();
    }
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(label: &str, log_prob: f32) -> ScoredWord {
        ScoredWord {
            label: label.to_owned(),
            begins: true,
            log_prob,
        }
    }

    /// A view of three sentences, the second of which decides.
    fn left_out() -> LeaveOneOut {
        let words = vec![word("Er", -0.5), word("geht", -0.25)];
        let change = |sentence, after: [f32; 2], attention| ContextChange {
            attention: Some(attention),
            ..ContextChange::new(sentence, format!("S{sentence}"), &words, &after)
        };
        let changes = vec![
            change(0, [-0.5, -0.25], 0.0),
            change(1, [-2.5, -0.25], 0.75),
            change(3, [-0.25, -0.5], 0.25),
            change(4, [-0.25, -0.25], 0.125),
        ];
        LeaveOneOut {
            model: "m".to_owned(),
            sentence: 2,
            source: "It goes".to_owned(),
            translation: "Er geht".to_owned(),
            changes,
            words,
            attention: None,
            rank_correlation: None,
            selected: None,
        }
        .correlated()
    }

    #[test]
    fn the_sentence_that_decides_comes_first_and_a_word_has_an_order_of_its_own() {
        let mut view = left_out();
        assert_eq!(
            view.ranked(),
            [1, 3, 0, 2],
            "the third changed nothing in sum"
        );
        assert!((view.changes[1].nats + 2.0).abs() < 1e-6);
        view.selected = Some(1);
        assert_eq!(view.ranked()[0], 2, "only this one changes the second word");
        assert!(view.query().contains("word 2 “geht”"), "{}", view.query());
        let edited = ContextChange {
            edit: Some(ContextEdit {
                sentence: 0,
                source: Some("New".to_owned()),
                target: None,
            }),
            ..view.changes[0].clone()
        };
        let answer = LeaveOneOut {
            changes: vec![edited],
            ..view.clone()
        };
        assert!(view.add_edits(&answer));
        assert_eq!(view.ranked()[0], 4, "an edit stands first");
        assert!(view.text().contains("S0 → New"), "{}", view.text());
        let other = LeaveOneOut {
            sentence: 7,
            ..answer
        };
        assert!(!view.add_edits(&other), "of another sentence");
    }

    #[test]
    fn attention_is_ranked_against_the_size_of_the_change() {
        // Ranks 1, 4, 3, 2 of attention, 1.5, 4, 1.5, 3 of the change: 3 / √(5 · 4.5).
        let found = left_out().rank_correlation.expect("four sentences");
        assert!((found - 0.632_455_5).abs() < 1e-6, "{found}");
    }

    #[test]
    fn changes_are_given_in_per_cent_of_likelihood() {
        for (value, expected) in [
            (0.0, "0 %"),
            (-0.000_1, "0 %"),
            (-1.832, "−84 %"),
            (0.03, "+3.0 %"),
            (-5.0, "−99.3 %"),
            (-12.0, "< −99.9 %"),
            (3.0, "×20"),
        ] {
            assert_eq!(percent(value), expected);
        }
        assert_eq!(
            [nats(-1.832), nats(0.001), nats(0.5)],
            ["−1.83", "0.00", "+0.50"]
        );
    }
}
