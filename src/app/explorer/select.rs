//! Which question a click or key leads to.

use super::Origin;
use super::inquiry::Inquiry;
use canopy_explain::trace::{Side, TraceSource};
use canopy_explain::{
    Choices, Heads, Query, Question, TextPosition, ViewKind, head_for_tree, query_side,
};

/// How many questions one can go back.
const HISTORY: usize = 200;

/// Views as they are offered; the first one that a trace has something for is shown first.
const FIRST_VIEWS: [ViewKind; 4] = [
    ViewKind::Tree,
    ViewKind::Cross,
    ViewKind::Memory,
    ViewKind::Itself,
];

impl Inquiry {
    /// The question to begin with: the sentence's longest word, in the view with most information.
    pub(super) fn first_question(
        &self,
        source: &TraceSource,
        origin: &Origin,
        sentence: usize,
    ) -> Question {
        let mut question = self.question;
        question.query.side = query_side(source);
        question.query.sentence = sentence.min(source.overview().source.len().saturating_sub(1));
        (question.query.layer, question.query.heads) = (None, Heads::Usual);
        let has_model = matches!(origin, Origin::Document { .. });
        let has = |view: ViewKind, side: Side| {
            (has_model || view.model_view().is_none())
                && !Choices::new(source, view, side, None).sides.is_empty()
        };
        let side = question.query.side;
        if !has(question.view, side) {
            let found = FIRST_VIEWS.into_iter().find(|&view| has(view, side));
            question.view = found.unwrap_or(ViewKind::Tree);
        }
        question.query.word = longest_word(source, question.view.side(side), sentence);
        if question.view == ViewKind::Tree {
            question.query = head_for_tree(question.query, source);
        }
        question
    }

    /// Layer and heads that the trace has in this view.
    pub(super) fn fitted(&self, mut question: Question) -> Question {
        let Some(source) = self.source() else {
            return question;
        };
        let query = &mut question.query;
        let choices = Choices::new(source, question.view, query.side, query.layer);
        if !choices.sides.contains(&question.view.side(query.side))
            && let Some(&side) = choices.sides.first()
        {
            (query.side, query.word) = (side, None);
        }
        let choices = Choices::new(source, question.view, query.side, query.layer);
        choices.fit(query);
        let side = question.view.side(query.side);
        let sentences = source.overview().sentences(side);
        query.sentence = query.sentence.min(sentences.len().saturating_sub(1));
        let words = sentences
            .get(query.sentence)
            .map_or(0, |sentence| sentence.tokens.len());
        query.word = query.word.filter(|&word| word < words);
        question
    }

    /// The query with a head that a tree can be of, as the trace has it.
    pub(super) fn for_tree(&self, query: Query) -> Query {
        let source = self.source();
        source.map_or(query, |source| head_for_tree(query, source))
    }

    /// The question about another word or sentence; what the view cannot select is shown by its sentence.
    pub(super) fn about(&self, spot: TextPosition) -> Question {
        let mut question = self.question;
        let query = &mut question.query;
        let had_word = query.word.is_some();
        query.sentence = spot.sentence;
        let is_selectable = self.choices(question.view).sides.contains(&spot.side);
        if is_selectable {
            query.side = spot.side;
        }
        query.word = spot.word.filter(|_| is_selectable);
        if question.view == ViewKind::Tree && !had_word {
            question.query = self.for_tree(question.query);
        }
        question
    }

    /// The question about a word of the translation of the selected sentence; about the sentence if it has none.
    pub(super) fn about_word(&self, word: &str) -> Question {
        let sentence = self.question.query.sentence;
        let place = self.source().and_then(|source| {
            let sentence = source.overview().sentences(Side::Target).get(sentence)?;
            let same = |token: &String| !token.trim().is_empty() && token.trim() == word;
            // A word in pieces begins with its first one.
            let begins = |token: &String| {
                let token = token.trim();
                token.chars().count() > 1 && word.starts_with(token)
            };
            let tokens = &sentence.tokens;
            tokens
                .iter()
                .position(same)
                .or_else(|| tokens.iter().position(begins))
        });
        match place {
            Some(place) => {
                self.fitted(self.about(TextPosition::word(Side::Target, sentence, place)))
            }
            None => self.question,
        }
    }

    /// Moves by a number of words, into the neighbouring sentences.
    pub(super) fn stepped_word(&self, by: isize) -> Option<Question> {
        let source = self.source()?;
        let selected = self.selected();
        let words = |sentence: usize| {
            let sentences = source.overview().sentences(selected.side);
            sentences
                .get(sentence)
                .map(|sentence| sentence.tokens.len())
        };
        let count = words(selected.sentence)?;
        let spot = match (selected.word, by) {
            (Some(word), 1) if word + 1 < count => TextPosition {
                word: Some(word + 1),
                ..selected
            },
            (Some(word), -1) if word > 0 => TextPosition {
                word: Some(word - 1),
                ..selected
            },
            (None, 1) if count > 0 => TextPosition {
                word: Some(0),
                ..selected
            },
            (None, -1) if count > 0 => TextPosition {
                word: Some(count - 1),
                ..selected
            },
            (_, 1) => {
                let mut behind = selected.sentence + 1..source.overview().source.len();
                let sentence = behind.find(|&sentence| words(sentence) > Some(0))?;
                TextPosition::word(selected.side, sentence, 0)
            }
            _ => {
                let mut before = (0..selected.sentence).rev();
                let sentence = before.find(|&sentence| words(sentence) > Some(0))?;
                TextPosition::word(selected.side, sentence, words(sentence)? - 1)
            }
        };
        Some(self.about(spot))
    }

    pub(super) fn stepped_sentence(&self, by: isize) -> Option<Question> {
        let source = self.source()?;
        let selected = self.selected();
        let sentence = selected.sentence.checked_add_signed(by)?;
        if sentence >= source.overview().source.len() {
            return None;
        }
        let mut question = self.question;
        question.query.sentence = sentence;
        if question.query.word.is_some() {
            question.query.word = longest_word(source, selected.side, sentence);
        }
        Some(question)
    }

    /// Returns to the question before, if there is one; whether there is.
    pub(super) fn go_back(&mut self) -> bool {
        let Some(question) = self.back.pop() else {
            return false;
        };
        self.question = self.fitted(question);
        true
    }

    /// Goes on to a question; returns whether it is another one.
    pub(super) fn turn_to(&mut self, question: Question) -> bool {
        let question = self.fitted(question);
        if question == self.question {
            return false;
        }
        self.back.push(self.question);
        if self.back.len() > HISTORY {
            self.back.remove(0);
        }
        self.question = question;
        true
    }
}

/// The word that a reader would select first: names and nouns are long.
pub(super) fn longest_word(source: &TraceSource, side: Side, sentence: usize) -> Option<usize> {
    let sentence = source.overview().sentences(side).get(sentence)?;
    let tokens = sentence.tokens.iter().enumerate();
    let words = tokens.filter(|(_, token)| token.chars().any(char::is_alphabetic));
    let words = words.filter(|(_, token)| !token.starts_with('<'));
    words
        .max_by_key(|(place, token)| {
            let letters = token.chars().filter(|letter| letter.is_alphabetic());
            (letters.count(), std::cmp::Reverse(*place))
        })
        .map(|(place, _)| place)
}
