//! Forms that the translations of terms have in texts: "Zelle", "Zellen" and so on.

use std::collections::HashMap;
use std::sync::Arc;

use super::look_up::TermIndex;
use super::termbase::{Term, Termbase};

/// Forms of a translation beside the one in the termbase.
const MOST: usize = 8;

/// Spellings that stand for the translations of each term.
#[derive(Debug, Clone, Default)]
pub struct TermForms {
    /// By the number of the term, the most frequent first.
    seen: HashMap<usize, Vec<String>>,
}

impl TermForms {
    /// Counts the forms in texts of the target language, such as those of a translation memory.
    pub fn seen_in<'t>(base: &Termbase, texts: impl Iterator<Item = &'t str>) -> Self {
        let (mut flipped, mut owners) = (
            Termbase::empty(&base.target_language, &base.source_language),
            Vec::new(),
        );
        for (number, term) in base.terms.iter().enumerate() {
            for target in &term.targets {
                flipped.terms.push(Term {
                    source: target.clone(),
                    ..Term::default()
                });
                owners.push(number);
            }
        }
        let index = TermIndex::new(Arc::new(flipped));
        let mut counts: HashMap<usize, HashMap<String, usize>> = HashMap::new();
        for text in texts {
            for found in index.find(text) {
                for &target in &found.terms {
                    let forms = counts.entry(owners[target]).or_default();
                    *forms
                        .entry(text[found.range.clone()].to_owned())
                        .or_default() += 1;
                }
            }
        }
        let sorted = |forms: HashMap<String, usize>| {
            let mut forms: Vec<(String, usize)> = forms.into_iter().collect();
            forms.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            forms.truncate(MOST);
            forms.into_iter().map(|(form, _)| form).collect()
        };
        let seen = counts.into_iter();
        Self {
            seen: seen.map(|(term, forms)| (term, sorted(forms))).collect(),
        }
    }

    /// All spellings of a term's translations: those of the termbase, then those that were seen, each once.
    pub fn get(&self, number: usize, term: &Term) -> Vec<String> {
        let mut forms = term.targets.clone();
        for form in self.seen.get(&number).into_iter().flatten() {
            if !forms.contains(form) {
                forms.push(form.clone());
            }
        }
        forms
    }
}
