//! Which words of the translation each piece of markup encloses, or the words around it.

use std::ops::Range;

use super::source::{Kind, Node, StrippedSource};
use super::words::Words;
use canopy_document::placeholder::Placeholder;

/// Below this share of a word's weight, the word counts as outside; with the bonus, chosen on help pages.
const INSIDE: f32 = 0.8;

/// A share above which a word may be the one that an initial is of.
const SMALL: f32 = 0.1;

/// For a word that is what a source word is most of all aligned to.
const BEST_BONUS: f32 = 1.0;

/// A node at its place in the translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed<'s> {
    pub node: &'s Node,
    /// The words that it encloses or that it replaces; empty if it is before this word.
    pub words: Range<usize>,
    pub children: Vec<Placed<'s>>,
}

pub(super) struct Placing<'s> {
    source: &'s StrippedSource,
    source_words: &'s Words<'s>,
    target_words: &'s Words<'s>,
    /// A row for each target word.
    weights: Vec<Vec<f32>>,
    /// For each source word the target word that has most to do with it.
    best: Vec<Option<usize>>,
    is_repaired: bool,
}

impl<'s> Placing<'s> {
    pub(crate) fn new(
        source: &'s StrippedSource,
        source_words: &'s Words<'s>,
        target_words: &'s Words<'s>,
        weights: Vec<Vec<f32>>,
    ) -> Self {
        let mut placing = Self {
            source,
            source_words,
            target_words,
            weights,
            best: Vec::new(),
            is_repaired: false,
        };
        placing.trust_kept(&source.nodes);
        placing.best = (0..source_words.len())
            .map(|word| placing.best(word))
            .collect();
        placing
    }

    /// Aligns the texts that stay as they are to themselves, where each occurs once.
    fn trust_kept(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.trust_kept(&node.children);
            if node.kind.encloses() {
                continue;
            }
            let all = 0..self.target_words.len();
            let places = self.occurrences(&self.source.text[node.range.clone()], &all);
            let own = self.source_words.within(&node.range);
            if let ([place], false) = (places.as_slice(), own.is_empty()) {
                let share = 1.0 / own.len() as f32;
                for row in &mut self.weights[place.clone()] {
                    row.fill(0.0);
                    row[own.clone()].fill(share);
                }
            }
        }
    }

    fn best(&self, word: usize) -> Option<usize> {
        let rows = self.weights.iter().map(|row| row[word]).enumerate();
        // The first of equal ones.
        let best = rows.rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
        best.filter(|&(_, weight)| weight > 0.0)
            .map(|(place, _)| place)
    }

    /// All nodes at their places, and whether a word had to be put in.
    pub(crate) fn place(mut self) -> (Vec<Placed<'s>>, bool) {
        let all = 0..self.target_words.len();
        let source = self.source;
        let placed = self.within(&source.nodes, &(0..source.text.len()), all);
        (placed, self.is_repaired)
    }

    /// Places the children of a node that encloses `bytes` of the source and `span` of the translation.
    fn within(
        &mut self,
        nodes: &'s [Node],
        bytes: &Range<usize>,
        span: Range<usize>,
    ) -> Vec<Placed<'s>> {
        let mut spans: Vec<Option<Range<usize>>> = vec![None; nodes.len()];
        let mut taken = vec![false; self.target_words.len()];
        self.find_kept(nodes, &span, &mut spans, &mut taken);
        self.find_aligned(nodes, bytes, &span, &mut spans, &mut taken);
        let placed = nodes.iter().zip(spans).map(|(node, found)| {
            let words = found.unwrap_or_else(|| {
                let gap = self.gap(node, &span);
                self.is_repaired |= !node.range.is_empty() && !node.kind.encloses();
                gap..gap
            });
            // Between the placeholders of what the model has written.
            let inner = match node.kind {
                Kind::Read if words.len() > 1 => words.start + 1..words.end - 1,
                _ => words.clone(),
            };
            let children = if node.kind.encloses() {
                self.within(&node.children, &node.range, inner)
            } else {
                Vec::new()
            };
            Placed {
                node,
                words,
                children,
            }
        });
        let mut placed: Vec<Placed> = placed.collect();
        separate(&mut placed);
        placed
    }

    /// Finds the texts that stay as they are, wherever they occur unchanged.
    fn find_kept(
        &self,
        nodes: &[Node],
        span: &Range<usize>,
        spans: &mut [Option<Range<usize>>],
        taken: &mut [bool],
    ) {
        for (node, found) in nodes.iter().zip(spans) {
            if node.kind == Kind::Read {
                *found = self.written_pair(node, span);
                taken[found.clone().unwrap_or_default()].fill(true);
            }
            if node.kind.encloses() || node.range.is_empty() {
                continue;
            }
            let places = self.occurrences(&self.source.text[node.range.clone()], span);
            let free = places
                .into_iter()
                .filter(|place| !taken[place.clone()].contains(&true));
            let near = free.max_by(|a, b| {
                let weight =
                    |place: &Range<usize>| self.inside(node, place.clone()).iter().sum::<f32>();
                weight(a).total_cmp(&weight(b)).then(b.start.cmp(&a.start))
            });
            if let Some(place) = near {
                taken[place.clone()].fill(true);
                *found = Some(place);
            }
        }
    }

    /// The words from one placeholder to the other of a pair that the model has written.
    fn written_pair(&self, node: &Node, span: &Range<usize>) -> Option<Range<usize>> {
        let opening = self.source.text[node.range.clone()].chars().next()?;
        let placeholder = |place: usize| {
            let character = self.target_words.word(place).chars().next()?;
            Some((character, Placeholder::from_char(character)?))
        };
        let is_it = |&place: &usize| placeholder(place).is_some_and(|(it, _)| it == opening);
        let start = span.clone().find(is_it)?;
        let mut depth = 0;
        for place in start..span.end {
            match placeholder(place) {
                Some((_, Placeholder::Open(_))) => depth += 1,
                Some((_, Placeholder::Close)) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(start..place + 1);
            }
        }
        None
    }

    /// Runs of words that are this text, but perhaps for space and case.
    fn occurrences(&self, text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
        let plain = |text: &str| {
            text.chars()
                .filter(|c| !c.is_whitespace())
                .flat_map(char::to_lowercase)
                .collect::<String>()
        };
        let wanted = plain(text);
        let run = |start: usize| {
            let mut rest = wanted.as_str();
            for end in start..span.end {
                rest = rest.strip_prefix(plain(self.target_words.word(end)).as_str())?;
                if rest.is_empty() {
                    return Some(start..end + 1);
                }
            }
            None
        };
        if wanted.is_empty() {
            return Vec::new();
        }
        span.clone().filter_map(run).collect()
    }

    /// Finds the words that belong to what the other nodes enclose, the surest first.
    fn find_aligned(
        &mut self,
        nodes: &[Node],
        bytes: &Range<usize>,
        span: &Range<usize>,
        spans: &mut [Option<Range<usize>>],
        taken: &mut [bool],
    ) {
        loop {
            let mut surest: Option<(usize, Range<usize>, f32)> = None;
            for (index, node) in nodes.iter().enumerate() {
                if spans[index].is_some() || node.range.is_empty() {
                    continue;
                }
                let is_all = node.kind.encloses() && node.range == *bytes;
                let candidate =
                    if is_all && !taken[span.clone()].contains(&true) && !span.is_empty() {
                        Some((span.clone(), f32::INFINITY))
                    } else {
                        // In place of words that have nothing to do with it, it would take them away.
                        let is_pair = node.kind.encloses();
                        let run = self.best_run(node, span, taken);
                        run.filter(|(run, _)| is_pair || self.stems_from(run, node))
                    };
                if let Some((run, score)) = candidate
                    && surest.as_ref().is_none_or(|(_, _, other)| score > *other)
                {
                    surest = Some((index, run, score));
                }
            }
            let Some((index, run, _)) = surest else {
                return;
            };
            self.is_repaired |= !nodes[index].kind.encloses();
            taken[run.clone()].fill(true);
            spans[index] = Some(run);
        }
    }

    /// How much each of these words is inside a node, in share of its weight.
    fn inside(&self, node: &Node, words: Range<usize>) -> Vec<f32> {
        let own = self.source_words.within(&node.range);
        let share = |place: usize| {
            let weight: f32 = self.weights[place][own.clone()].iter().sum();
            let is_best = self.best[own.clone()].contains(&Some(place));
            weight + if is_best { BEST_BONUS } else { 0.0 }
        };
        words.map(share).collect()
    }

    /// Whether any of these words has most to do with a word of the node.
    fn stems_from(&self, words: &Range<usize>, node: &Node) -> bool {
        let own = self.source_words.within(&node.range);
        words.clone().any(|place| {
            let row = self.weights[place].iter().enumerate();
            let most = row.rev().max_by(|(_, a), (_, b)| a.total_cmp(b));
            most.is_some_and(|(word, _)| own.contains(&word))
        })
    }

    /// The free words, in one run, that are inside a node rather than outside: the largest sum of what they are more than
    /// outside. At least the most probable word, if any is free.
    fn best_run(
        &self,
        node: &Node,
        span: &Range<usize>,
        taken: &[bool],
    ) -> Option<(Range<usize>, f32)> {
        let shares = self.inside(node, span.clone());
        if node.is_initial {
            return self.initial_word(node, span.clone().zip(shares), taken);
        }
        let mut best: Option<(Range<usize>, f32)> = None;
        let (mut start, mut sum) = (span.start, 0.0);
        for (place, share) in span.clone().zip(shares) {
            if taken[place] {
                (start, sum) = (place + 1, 0.0);
                continue;
            }
            if sum <= 0.0 {
                (start, sum) = (place, 0.0);
            }
            sum += share - INSIDE;
            // The first and shortest of equal ones.
            if best.as_ref().is_none_or(|(_, other)| sum > *other) {
                best = Some((start..place + 1, sum));
            }
        }
        best.map(|(run, score)| (self.without_signs(node, run), score))
    }

    /// The free word that most of a node's word went to; of those that have much of it, one with the same first letter.
    fn initial_word(
        &self,
        node: &Node,
        shares: impl Iterator<Item = (usize, f32)>,
        taken: &[bool],
    ) -> Option<(Range<usize>, f32)> {
        let first = |text: &str| text.chars().next().map(|c| c.to_lowercase().to_string());
        let own = first(&self.source.text[node.range.clone()]);
        let is_word = |place: usize| self.target_words.word(place).contains(char::is_alphabetic);
        let ranked = shares.filter(|&(place, _)| !taken[place] && is_word(place));
        let ranked = ranked.map(|(place, share)| {
            let is_same = share > SMALL && first(self.target_words.word(place)) == own;
            (place, share + if is_same { BEST_BONUS } else { 0.0 })
        });
        let best = ranked.max_by(|(a, one), (b, other)| one.total_cmp(other).then(b.cmp(a)));
        best.map(|(place, share)| (place..place + 1, share))
    }

    /// Without signs at the ends, if the source has none there: what attends to quotation marks says little.
    fn without_signs(&self, node: &Node, mut run: Range<usize>) -> Range<usize> {
        let text = &self.source.text[node.range.clone()];
        let is_sign = |place: usize| {
            !self
                .target_words
                .word(place)
                .contains(char::is_alphanumeric)
        };
        let [first, last] = [text.chars().next(), text.chars().next_back()];
        let is_word = |end: Option<char>| end.is_some_and(char::is_alphanumeric);
        while is_word(first) && run.len() > 1 && is_sign(run.start) {
            run.start += 1;
        }
        while is_word(last) && run.len() > 1 && is_sign(run.end - 1) {
            run.end -= 1;
        }
        run
    }

    /// The word that follows something without words: as many words as can be are on the same side of it as in the
    /// source.
    fn gap(&self, node: &Node, span: &Range<usize>) -> usize {
        let before = self
            .source_words
            .ranges
            .partition_point(|word| word.end <= node.range.start);
        let wrong = |place: usize, gap: usize| -> f32 {
            let row = &self.weights[place];
            let strange = if place < gap {
                &row[before..]
            } else {
                &row[..before]
            };
            strange.iter().sum()
        };
        let cost = |gap: usize| span.clone().map(|place| wrong(place, gap)).sum::<f32>();
        let gaps = (span.start..=span.end).map(|gap| (gap, cost(gap)));
        let best = gaps.min_by(|(_, a), (_, b)| a.total_cmp(b));
        best.map_or(span.start, |(gap, _)| gap)
    }
}

/// Brings nodes into the order of the translation, and takes those without words out of others.
fn separate(placed: &mut [Placed]) {
    let spans: Vec<Range<usize>> = placed
        .iter()
        .map(|it| it.words.clone())
        .filter(|it| !it.is_empty())
        .collect();
    for it in placed.iter_mut().filter(|it| it.words.is_empty()) {
        let gap = it.words.start;
        let around = spans.iter().find(|span| span.start < gap && gap < span.end);
        if let Some(span) = around {
            let nearer_start = gap - span.start <= span.end - gap;
            let gap = if nearer_start { span.start } else { span.end };
            shift(it, gap);
        }
    }
    // Stable: what is at one place keeps the order of the source.
    placed.sort_by_key(|it| (it.words.start, it.words.end));
}

/// Moves something without words, and all in it.
fn shift(placed: &mut Placed, gap: usize) {
    placed.words = gap..gap;
    for child in &mut placed.children {
        shift(child, gap);
    }
}
