//! Bawden et al., "Evaluating Discourse Phenomena in Neural Machine Translation", NAACL 2018.
//!
//! Blocks by number. In `anaphora.json` a block has `src` (the previous and the current sentence) and `trg`, a list of
//! pairs, `correct` or `semi-correct` against `incorrect`, each of two sentences, with a `type` such as `m.sg`. In
//! `lexical-choice.json` it has a `type` (`repet`, `disambig`) and `examples`, each with `src` and such a `trg`.
//!
//! Every pair is an item in a document of two sentences. What decides is in the previous sentence: distance 1. Blocks
//! are balanced, so that without the given previous translation (anaphora, repetition) no system can be right more often
//! than by chance.

use std::path::Path;

use serde_json::{Map, Value};

use super::{Place, stem};
use crate::error::Result;
use crate::set::{Contrast, ContrastiveSet, Item, SetDocument};

pub(super) fn read(blocks: &Map<String, Value>, path: &Path) -> Result<ContrastiveSet> {
    let mut set = ContrastiveSet {
        name: stem(path),
        about: "the format of Bawden et al., NAACL 2018".to_owned(),
        needs_target_context: true,
        ..ContrastiveSet::default()
    };
    let mut numbered: Vec<(&String, &Value)> = blocks.iter().collect();
    numbered.sort_by_key(|(name, _)| (name.parse().unwrap_or(u64::MAX), (*name).clone()));
    for (name, block) in numbered {
        let place = Place {
            path,
            item: name.clone(),
        };
        let kind = place.optional_text(block, "type")?;
        if block.get("examples").is_some() {
            for (index, example) in place.list(block, "examples")?.iter().enumerate() {
                let place = place.within(index);
                let source = place.texts(example, "src")?;
                let pair = place.field(example, "trg")?;
                add(&mut set, &place, &source, pair, kind.clone())?;
            }
        } else {
            let source = place.texts(block, "src")?;
            for (index, pair) in place.list(block, "trg")?.iter().enumerate() {
                let place = place.within(index);
                let own = place.optional_text(pair, "type")?.or_else(|| kind.clone());
                add(&mut set, &place, &source, pair, own)?;
            }
        }
    }
    Ok(set)
}

impl Place<'_> {
    /// An example of a block, by its number from 1.
    fn within(&self, index: usize) -> Place<'_> {
        Place {
            path: self.path,
            item: format!("{}.{}", self.item, index + 1),
        }
    }
}

fn add(
    set: &mut ContrastiveSet,
    place: &Place,
    source: &[String],
    pair: &Value,
    kind: Option<String>,
) -> Result<()> {
    let is_semi = pair.get("correct").is_none() && pair.get("semi-correct").is_some();
    let right = if is_semi { "semi-correct" } else { "correct" };
    let (correct, wrong) = (place.texts(pair, right)?, place.texts(pair, "incorrect")?);
    let context = source.len() - 1;
    for (name, texts) in [(right, &correct), ("incorrect", &wrong)] {
        if texts.len() != source.len() {
            let (found, expected) = (texts.len(), source.len());
            return Err(place.problem(format!(
                "{name:?} has {found} sentences, \"src\" has {expected}"
            )));
        }
    }
    if correct[..context] != wrong[..context] {
        return Err(place.problem("the translations differ before the last sentence"));
    }
    let category = match (kind, is_semi) {
        (Some(kind), true) => Some(format!("{kind}, semi-correct")),
        (None, true) => Some("semi-correct".to_owned()),
        (kind, false) => kind,
    };
    set.items.push(Item {
        id: place.item.clone(),
        document: set.documents.len(),
        sentence: context,
        correct: correct[context].clone(),
        contrasts: vec![Contrast {
            text: wrong[context].clone(),
            replacement: None,
        }],
        category,
        distance: Some(1),
        ..Item::default()
    });
    set.documents.push(SetDocument::from_lines(
        place.item.clone(),
        source.iter().cloned(),
        correct.into_iter().map(Some),
    ));
    Ok(())
}
