//! Cutting by merges: of all neighbours that form a piece, those with the best score are joined first.
//!
//! Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", ACL 2016, as the library
//! `sentencepiece` does it: the score of a piece determines when it is merged.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::Cut;
use super::pieces::{Kind, Pieces};

/// A run of the text that will become a piece.
#[derive(Debug, Clone)]
struct Symbol {
    range: Range<usize>,
    previous: Option<usize>,
    next: Option<usize>,
    /// Defined by the model's maker: never merged.
    is_frozen: bool,
}

/// Two neighbours that may be merged.
#[derive(Debug, Clone)]
struct Pair {
    score: f32,
    left: usize,
    right: usize,
    /// Bytes of both together; a different number means that one was merged with another piece.
    length: usize,
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = self.score.total_cmp(&other.score);
        by_score.then(Reverse(self.left).cmp(&Reverse(other.left)))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

struct Merging<'a> {
    text: &'a str,
    pieces: &'a Pieces,
    symbols: Vec<Symbol>,
    agenda: BinaryHeap<Pair>,
    /// Bytes of the first of the two parts from which a piece that is not used was merged.
    origins: HashMap<&'a str, usize>,
}

pub(super) fn cut(text: &str, pieces: &Pieces) -> Vec<Cut> {
    let mut merging = Merging {
        text,
        pieces,
        symbols: symbols(text, pieces),
        agenda: BinaryHeap::new(),
        origins: HashMap::new(),
    };
    for right in 1..merging.symbols.len() {
        merging.consider(Some(right - 1), Some(right));
    }
    while let Some(pair) = merging.agenda.pop() {
        merging.merge(&pair);
    }
    let mut cuts = Vec::new();
    let mut place = (!merging.symbols.is_empty()).then_some(0);
    while let Some(index) = place {
        let symbol = &merging.symbols[index];
        merging.written(symbol.range.clone(), &mut cuts);
        place = symbol.next;
    }
    cuts
}

fn symbols(text: &str, pieces: &Pieces) -> Vec<Symbol> {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut start = 0;
    while let Some(character) = text[start..].chars().next() {
        let symbol = pieces.user_defined.longest(&text[start..]);
        let end = start + symbol.unwrap_or(character.len_utf8());
        let index = symbols.len();
        symbols.push(Symbol {
            range: start..end,
            previous: index.checked_sub(1),
            next: (end < text.len()).then_some(index + 1),
            is_frozen: symbol.is_some(),
        });
        start = end;
    }
    symbols
}

impl Merging<'_> {
    fn consider(&mut self, left: Option<usize>, right: Option<usize>) {
        let (Some(left), Some(right)) = (left, right) else {
            return;
        };
        let [one, other] = [left, right].map(|index| &self.symbols[index]);
        if one.is_frozen || other.is_frozen {
            return;
        }
        let text = &self.text[one.range.start..other.range.end];
        let Some(id) = self.pieces.ordinary(text) else {
            return;
        };
        let piece = &self.pieces.list[id as usize];
        if piece.kind == Kind::Unused {
            self.origins.insert(text, one.range.len());
        }
        self.agenda.push(Pair {
            score: piece.score,
            left,
            right,
            length: text.len(),
        });
    }

    fn merge(&mut self, pair: &Pair) {
        let [left, right] = [pair.left, pair.right].map(|index| self.symbols[index].clone());
        let is_gone = left.range.is_empty() || right.range.is_empty();
        if is_gone || left.range.len() + right.range.len() != pair.length {
            return;
        }
        self.symbols[pair.left].range.end = right.range.end;
        self.symbols[pair.left].next = right.next;
        if let Some(next) = right.next {
            self.symbols[next].previous = Some(pair.left);
        }
        self.symbols[pair.right].range = right.range.end..right.range.end;
        self.consider(left.previous, Some(pair.left));
        self.consider(Some(pair.left), right.next);
    }

    /// Writes a run as a piece, or as what it was merged from if it is a piece that is not used.
    fn written(&self, range: Range<usize>, cuts: &mut Vec<Cut>) {
        let mut left = vec![range];
        while let Some(range) = left.pop() {
            let text = &self.text[range.clone()];
            let id = self.pieces.id(text);
            let is_unused = self.pieces.list[id as usize].kind == Kind::Unused;
            match self.origins.get(text).filter(|_| is_unused) {
                Some(first) => {
                    let middle = range.start + first;
                    left.push(middle..range.end);
                    left.push(range.start..middle);
                }
                None => cuts.push(Cut { range, id }),
            }
        }
    }
}
