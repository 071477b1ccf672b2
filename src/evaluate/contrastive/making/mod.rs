//! Contrastive sets made from any corpus, by rules alone.
//!
//! For every item, the right translation is that of the corpus; a wrong one differs from it in one word, which
//! fits the words around it as well. The rules are in [`RULES`]. They prefer precision: a sentence with anything that
//! could be read otherwise is left out.

mod case;
mod formality;
mod gender;
mod pronouns;
mod terms;
mod texts;
mod words;

use std::collections::HashSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::error::{BaseError, Error, Result};
use canopy_contrast::{Contrast, ContrastiveSet, Item};
use canopy_corpus::{Corpus, Split, Unit};
use gender::Genders;
use terms::Terms;
use texts::{Texts, units, whole};

/// The rules, and what a set that they make can and cannot claim.
pub const RULES: &str = "\
Pronouns: the English sentence has exactly one `it`, none of they, them, he, she, him, her, their and his, and no `it` for \
a clause that follows (it is possible to …); the German one has exactly one of er, sie, es, ihn, ihm, ihr, and no capital \
Sie is taken for one. The case follows from the form, or from whether a verb or the end of a clause follows `it`; the \
wrong translations have the other genders in that case.
Possessives: exactly one `its` and one form of sein or ihr before a noun; the wrong translation has the other stem with \
the same ending.
Antecedent: the nearest noun before the pronoun, up to 10 sentences back (for es 3), that has an article of the singular and the \
pronoun's gender. Genders are learnt from the articles in the whole corpus (at least 3, of which 90 % agree); a compound \
has that of its last part. Without such a noun the sentence is left out.
Terms: an English word that the corpus renders by two German nouns of the same gender, or in other languages by two words \
that end alike; it stands once in the sentence, earlier on the page it was rendered the same way and never the other. The \
wrong translation has the other one. `usual` are terms in their more frequent translation: there a model needs no context.
Forms of address: German sentences for an English *you* that address one politely (Ihr) or several (ihr), with the same verbs \
either way; a sentence before has the same form, and the nearest such one is named as the antecedent. The wrong translation has \
the other form in all its words. Left out are sentences with they, she and their like, with Ihnen, and with nothing but capitals \
at their beginning.
Repeated sentences, uncertain alignments, and pairs that are also in the training documents are left out.

Such a set can claim that a model prefers what the translator wrote to the same sentence with one word changed. It cannot \
claim coreference: the antecedent is the nearest fitting noun, not one that somebody has resolved, so the distance is an \
estimate: the true antecedent may stand further back, or nearer where its gender is not known; es may stand for no noun at \
all. For some items the sentence alone says enough; a difference between models says more than an accuracy. Accuracies do not compare with those on ContraPro.";

/// A kind of contrast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// German er, sie, es for `it`.
    Pronouns,
    /// German sein and ihr for `its`.
    Possessives,
    /// Terms that a page translates one way.
    Terms,
    /// German `Ihr` to one and `ihr` to several for `you`.
    Formality,
}

impl Kind {
    /// All kinds, in the order in which they are made.
    pub const ALL: [Self; 4] = [
        Self::Pronouns,
        Self::Possessives,
        Self::Terms,
        Self::Formality,
    ];

    /// Returns the name that reports and options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pronouns => "pronouns",
            Self::Possessives => "possessives",
            Self::Terms => "terms",
            Self::Formality => "address",
        }
    }
}

/// Options of the making of a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MakeOptions {
    /// The split whose sentences become items.
    pub split: Split,
    /// All that the languages allow if empty.
    pub kinds: Vec<Kind>,
    /// Maximum number of items of each kind, drawn with `seed`.
    pub limit: Option<usize>,
    /// Start of the random numbers.
    pub seed: u64,
}

/// A new set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSet {
    /// The set itself.
    pub set: ContrastiveSet,
    /// Items of each kind: found, and kept.
    pub counts: Vec<(Kind, usize, usize)>,
    /// Terms with two translations in the corpus.
    pub num_terms: usize,
}

/// A contrast that a rule has found in a sentence.
#[derive(Debug, PartialEq, Eq)]
struct Draft {
    /// Each with its replacement.
    contrasts: Vec<(String, String)>,
    category: String,
    pronoun: Option<String>,
    distance: usize,
    antecedent: String,
}

/// Makes a set of the documents of a split.
///
/// # Errors
/// If the corpus cannot be read, its languages do not allow a kind, or nothing fits.
pub fn make(corpus: &Corpus, options: &MakeOptions) -> Result<NewSet> {
    let kinds = kinds(corpus, &options.kinds)?;
    let texts = Texts::read(corpus, options.split)?;
    let is_german = is(&corpus.info().target_language, "de");
    let german = texts.pairs.iter().filter(|_| is_german);
    let genders = Genders::learn(german.map(|(_, target)| target.as_str()));
    let pairs: Vec<(&str, &str)> = texts
        .pairs
        .iter()
        .map(|(source, target)| (source.as_str(), target.as_str()))
        .collect();
    let terms = if kinds.contains(&Kind::Terms) {
        Terms::learn(&pairs, is_german.then_some(&genders))
    } else {
        Terms::default()
    };
    let mut set = ContrastiveSet {
        name: format!("{}-{}", corpus.info().name, options.split.name()),
        about: format!(
            "Made by rules from the {} documents of {}. {RULES}",
            options.split.name(),
            corpus.info().name
        ),
        ..ContrastiveSet::default()
    };
    let mut found: Vec<(Kind, Item)> = Vec::new();
    for document in corpus.documents(options.split)? {
        let document = document?;
        let number = set.documents.len();
        let sentences = texts.sentences(&document);
        for (sentence, (unit, is_new)) in units(&document).zip(&sentences.is_new).enumerate() {
            if !is_new {
                continue;
            }
            let read = &sentences.pairs[..=sentence];
            for &kind in &kinds {
                let drafts = match kind {
                    Kind::Terms => terms.drafts(read),
                    Kind::Formality => formality::draft(read).into_iter().collect(),
                    _ => pronouns::draft(read, &genders, kind).into_iter().collect(),
                };
                let item = |draft: Draft| (kind, draft.item(&document.id, number, sentence, unit));
                found.extend(drafts.into_iter().map(item));
            }
        }
        set.documents.push(whole(&document));
    }
    let counts = choose(&mut found, &kinds, options);
    set.items = found.into_iter().map(|(_, item)| item).collect();
    if set.items.is_empty() {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        return Err(Error::NothingToContrast {
            kinds: names.join(", "),
            split: options.split.name(),
            path: corpus.folder().to_owned(),
        });
    }
    keep_used_documents(&mut set);
    Ok(NewSet {
        set,
        counts,
        num_terms: terms.len(),
    })
}

/// The kinds to make: the requested ones, or all that the languages allow.
fn kinds(corpus: &Corpus, requested: &[Kind]) -> Result<Vec<Kind>> {
    let info = corpus.info();
    let pronouns = is(&info.source_language, "en") && is(&info.target_language, "de");
    let allowed = |kind: &Kind| pronouns || *kind == Kind::Terms;
    if requested.is_empty() {
        return Ok(Kind::ALL.into_iter().filter(allowed).collect());
    }
    if let Some(kind) = requested.iter().find(|kind| !allowed(kind)) {
        return Err(Error::Base(BaseError::Config {
            field: "kind",
            found: kind.name().to_owned(),
            allowed: format!(
                "terms for {} → {}; pronouns, possessives and forms of address are for en → de",
                info.source_language, info.target_language
            ),
        }));
    }
    Ok(Kind::ALL
        .into_iter()
        .filter(|kind| requested.contains(kind))
        .collect())
}

/// Whether a language code is of this language: `en-US` is English.
fn is(code: &str, language: &str) -> bool {
    code.split(['-', '_']).next() == Some(language)
}

/// Draws what is kept of each kind; the order stays.
fn choose(
    found: &mut Vec<(Kind, Item)>,
    kinds: &[Kind],
    options: &MakeOptions,
) -> Vec<(Kind, usize, usize)> {
    let mut counts = Vec::new();
    let mut kept = vec![true; found.len()];
    for &kind in kinds {
        let mut of_kind: Vec<usize> = (0..found.len()).filter(|&at| found[at].0 == kind).collect();
        let (all, limit) = (of_kind.len(), options.limit.unwrap_or(usize::MAX));
        of_kind.shuffle(&mut ChaCha8Rng::seed_from_u64(options.seed));
        for &dropped in of_kind.iter().skip(limit) {
            kept[dropped] = false;
        }
        counts.push((kind, all, all.min(limit)));
    }
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(false));
    counts
}

fn keep_used_documents(set: &mut ContrastiveSet) {
    let used: HashSet<usize> = set.items.iter().map(|item| item.document).collect();
    let mut numbers = vec![0; set.documents.len()];
    let mut next = 0;
    for (number, new) in numbers.iter_mut().enumerate() {
        *new = next;
        next += usize::from(used.contains(&number));
    }
    let mut number = 0;
    set.documents.retain(|_| {
        number += 1;
        used.contains(&(number - 1))
    });
    for item in &mut set.items {
        item.document = numbers[item.document];
    }
}

impl Draft {
    fn item(self, id: &str, document: usize, sentence: usize, unit: &Unit) -> Item {
        let contrasts = self.contrasts.into_iter();
        let contrasts = contrasts.map(|(text, replacement)| Contrast {
            text,
            replacement: Some(replacement),
        });
        Item {
            id: format!("{id}#{}", sentence + 1),
            document,
            sentence,
            correct: unit.target.clone(),
            contrasts: contrasts.collect(),
            category: Some(self.category),
            pronoun: self.pronoun,
            distance: Some(self.distance),
            intrasegmental: Some(self.distance == 0),
            antecedent: Some(self.antecedent),
        }
    }
}
