//! Yin et al., "Do Context-Aware Translation Models Pay the Right Attention?", ACL 2021: SCAT, from English to French.
//!
//! A line of `highlighted.test.en` is a sentence. The same lines of `highlighted.test.fr`, `….context.en` and `….context.fr`
//! beside it are its translation, the sentences before it and theirs. `<p>it</p>` is a pronoun; `<hon>…<hoff>`, with an extra space
//! on either side, marks the words that told translators how to translate it. Where such tags are nested or broken, they
//! are dropped and the words kept.
//!
//! The wrong translation has the other gender in place of each marked pronoun; words that agree with it stay. What decides is in the
//! nearest sentence with such a choice. The sentences before are cut, and belong together in pairs if both languages have equally
//! many; otherwise all of them are one. Lines without a marked pronoun in the translation are left out.

use std::ops::Range;
use std::path::Path;

use super::{Place, read_as_many, stem};
use crate::error::Result;
use crate::set::{Contrast, ContrastiveSet, Item, SetDocument};
use canopy_base::lines::read_lines;
use canopy_document::cut_into_sentences;

/// Source and target.
const LANGUAGES: [&str; 2] = ["en", "fr"];

/// Pronouns of one gender, and those of the other.
const PRONOUNS: [[&str; 2]; 4] = [
    ["il", "elle"],
    ["elle", "il"],
    ["ils", "elles"],
    ["elles", "ils"],
];

/// Whether a file is the sentences or translations of such a set.
pub(super) fn has_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    let is_language = extension.is_some_and(|it| LANGUAGES.contains(&it));
    is_language && stem(path).starts_with("highlighted.")
}

pub(super) fn open(path: &Path) -> Result<ContrastiveSet> {
    let name = stem(path);
    let name = name.strip_suffix(".context").unwrap_or(&name);
    let file = |rest: &str| path.with_file_name(format!("{name}.{rest}"));
    let files = ["en", "fr", "context.en", "context.fr"].map(file);
    let sources = read_lines(&files[0])?;
    let read = |path| read_as_many(path, sources.len(), &files[0]);
    let targets = read(&files[1])?;
    let contexts = [read(&files[2])?, read(&files[3])?];
    let mut set = ContrastiveSet {
        name: name.to_owned(),
        ..ContrastiveSet::default()
    };
    for (line, (source, target)) in sources.iter().zip(&targets).enumerate() {
        let place = Place {
            path: &files[0],
            item: (line + 1).to_string(),
        };
        let [source, target] = [source, target].map(|it| Marked::read(it));
        for (marked, file) in [(&source, &files[0]), (&target, &files[1])] {
            if marked.text.trim().is_empty() {
                return Err(place.problem(format!("the line of {} is empty", file.display())));
            }
        }
        let context = contexts.each_ref().map(|it| Marked::read(&it[line]));
        set.add(place.item, [&source, &target], &context);
    }
    let left_out = sources.len() - set.items.len();
    let left_out = match left_out {
        0 => String::new(),
        1 => "; a line without a marked pronoun is left out".to_owned(),
        count => format!("; {count} lines without a marked pronoun are left out"),
    };
    set.about = format!("SCAT, Yin et al., ACL 2021{left_out}");
    Ok(set)
}

impl ContrastiveSet {
    /// Adds a line, unless its translation has no marked pronoun.
    fn add(&mut self, id: String, [source, target]: [&Marked; 2], context: &[Marked; 2]) {
        let Some((wrong, replacement)) = target.with_other_gender() else {
            return;
        };
        let cut = LANGUAGES.iter().zip(context);
        let cut: Vec<Vec<Range<usize>>> = cut.map(|(code, it)| it.sentences(code)).collect();
        let are_pairs = cut[0].len() == cut[1].len();
        let before = if are_pairs {
            cut[0].len()
        } else {
            usize::from(!cut[0].is_empty())
        };
        let mut lines = [0, 1].map(|side| {
            let text = &context[side].text;
            if are_pairs {
                let sentences = cut[side].iter().map(|it| text[it.clone()].to_owned());
                return sentences.collect();
            }
            vec![text.trim().to_owned(); before]
        });
        lines[0].push(source.text.trim().to_owned());
        lines[1].push(target.text.trim().to_owned());
        let distance_of = |side: usize, choice: &Range<usize>| {
            let sentences = &cut[side];
            let place = sentences.iter().rposition(|it| it.start <= choice.start);
            let distance = sentences.len() - place.unwrap_or_default();
            distance.min(before)
        };
        let own = [source, target].into_iter().flat_map(|it| &it.choices);
        let own = own.map(|_| 0);
        let far = (0..2).flat_map(|side| {
            let choices = context[side].choices.iter();
            choices.map(move |choice| (side, choice))
        });
        // Without sentences before this one, the document has nothing else that could decide.
        let far = far.filter(|_| before > 0);
        let far = far.map(|(side, choice)| distance_of(side, choice));
        let distance = own.chain(far).min();
        let chosen_by = [&context[1], target, &context[0], source];
        let mut antecedents = chosen_by.iter().flat_map(|it| it.chosen());
        let pronoun = target.pronoun();
        self.items.push(Item {
            document: self.documents.len(),
            sentence: before,
            correct: target.text.trim().to_owned(),
            contrasts: vec![Contrast {
                text: wrong,
                replacement: Some(replacement),
            }],
            category: Some(format!("{}:{pronoun}", source.pronoun())),
            pronoun: Some(pronoun),
            distance,
            intrasegmental: distance.map(|it| it == 0),
            antecedent: antecedents.next().map(str::to_owned),
            id: id.clone(),
        });
        let [sources, targets]: [Vec<String>; 2] = lines;
        let targets = targets.into_iter();
        let targets = targets.map(|it| (!it.is_empty()).then_some(it));
        let document = SetDocument::from_lines(id, sources, targets);
        self.documents.push(document);
    }
}

/// A line without its tags.
#[derive(Debug, Default)]
struct Marked {
    text: String,
    pronouns: Vec<Range<usize>>,
    /// The words by which the translation was chosen.
    choices: Vec<Range<usize>>,
}

impl Marked {
    fn read(line: &str) -> Self {
        Self::parse(line).unwrap_or_else(|| {
            let line = without_choices(line);
            let read = Self::parse(&line);
            read.unwrap_or_else(|| Self {
                text: line,
                ..Self::default()
            })
        })
    }

    /// None where tags are in pieces, or one lacks its other end.
    fn parse(line: &str) -> Option<Self> {
        let (mut marked, mut rest) = (Self::default(), line);
        let (mut pronoun, mut choice) = (None, None);
        while let Some((before, tag)) = rest.split_once('<') {
            marked.text += before;
            let (name, after) = tag.split_once('>')?;
            rest = after;
            match name {
                "p" => pronoun = Some(marked.text.len()),
                "/p" => marked.pronouns.push(pronoun.take()?..marked.text.len()),
                "hon" => {
                    if marked.text.ends_with(' ') {
                        marked.text.pop();
                    }
                    if choice.replace(marked.text.len()).is_some() {
                        return None;
                    }
                }
                "hoff" => {
                    rest = rest.strip_prefix(' ').unwrap_or(rest);
                    marked.choices.push(choice.take()?..marked.text.len());
                }
                _ => return None,
            }
        }
        marked.text += rest;
        (pronoun.is_none() && choice.is_none()).then_some(marked)
    }

    /// The first pronoun, in lower case.
    fn pronoun(&self) -> String {
        let pronoun = self.pronouns.first();
        let pronoun = pronoun.map(|it| self.text[it.clone()].to_lowercase());
        pronoun.unwrap_or_default()
    }

    /// The words by which the translation was chosen.
    fn chosen(&self) -> impl Iterator<Item = &str> {
        let words = self.choices.iter().map(|it| self.text[it.clone()].trim());
        words.filter(|words| !words.is_empty())
    }

    /// The text with the other gender in place of each pronoun, and the first of them; none where no pronoun has another.
    fn with_other_gender(&self) -> Option<(String, String)> {
        let (mut text, mut end) = (String::new(), 0);
        let mut first = None;
        for place in &self.pronouns {
            let Some(other) = of_other_gender(&self.text[place.clone()]) else {
                continue;
            };
            text += &self.text[end..place.start];
            text += &other;
            end = place.end;
            first.get_or_insert(other);
        }
        text += &self.text[end..];
        Some((text.trim().to_owned(), first?))
    }

    /// Where its sentences are.
    fn sentences(&self, language: &str) -> Vec<Range<usize>> {
        let mut end = 0;
        let sentence = |part: &str| {
            let start = end + part.len() - part.trim_start().len();
            end += part.len();
            start..start + part.trim().len()
        };
        let parts = cut_into_sentences(&self.text, language).into_iter();
        let sentences = parts.map(sentence);
        sentences.filter(|it| !it.is_empty()).collect()
    }
}

fn of_other_gender(pronoun: &str) -> Option<String> {
    let lower = pronoun.to_lowercase();
    let [_, other] = PRONOUNS.into_iter().find(|[it, _]| *it == lower)?;
    let mut letters = pronoun.chars();
    let is_large = |letter: Option<char>| letter.is_some_and(char::is_uppercase);
    Some(match [is_large(letters.next()), is_large(letters.next())] {
        [true, true] => other.to_uppercase(),
        [true, false] => other[..1].to_uppercase() + &other[1..],
        [false, _] => other.to_owned(),
    })
}

/// A line without `<hon>` and `<hoff>`. One may be inside another, so they are removed until none is left.
fn without_choices(line: &str) -> String {
    let mut line = line.to_owned();
    loop {
        let shorter = line.replace(" <hon>", "").replace("<hoff> ", "");
        if shorter == line {
            let words = line.replace("<hon>", "").replace("<hoff>", "");
            return words.replace("  ", " ");
        }
        line = shorter;
    }
}
