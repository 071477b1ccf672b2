//! Rows as bytes, all numbers little-endian.
//!
//! | bytes | holds |
//! |---|---|
//! | 3 × `u32` | number of sentences, words and visits |
//! | `f32` | rest |
//! | sentences × (`u32`, 3 × `f32`) | sentence, weight, relevance, cumulative; NaN where there is none |
//! | words × (`u32`, `f32`) | row of the word, weight |
//! | `u32`, `u8` | only with visits: the tree, and which of the next two follows |
//! | visits × (`u8`, `u32`, 2 × `f32`, `u8`) | 0, listed: level, node, relevance, cumulative, kept |
//! | visits × `f32`, visits bits | 1, walked: relevance and kept, from the root down; the rest follows from the tree |
//! | `u32` | FNV-1a of the bytes before |

use super::check::Problem;
use super::row::{MapRow, NodeVisit, SentenceWeight};
use super::tree::TracedTree;

const LISTED: u8 = 0;
const WALKED: u8 = 1;

/// Fowler, Noll & Vo's hash: a single changed byte always shows.
pub(super) fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Appends a row to `bytes`.
pub(super) fn write_row(row: &MapRow, trees: &[TracedTree], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    for count in [row.sentences.len(), row.words.len(), row.visits.len()] {
        let count = u32::try_from(count).expect("numbers of words and nodes are u32");
        bytes.extend(count.to_le_bytes());
    }
    bytes.extend(row.rest.to_le_bytes());
    for sentence in &row.sentences {
        bytes.extend(sentence.sentence.to_le_bytes());
        bytes.extend(sentence.weight.to_le_bytes());
        for score in [sentence.relevance, sentence.cumulative] {
            bytes.extend(score.unwrap_or(f32::NAN).to_le_bytes());
        }
    }
    for (word, weight) in &row.words {
        bytes.extend(word.to_le_bytes());
        bytes.extend(weight.to_le_bytes());
    }
    if !row.visits.is_empty() {
        bytes.extend(row.tree.to_le_bytes());
        write_visits(&row.visits, tree(trees, row.tree), bytes);
    }
    let hash = fnv1a(&bytes[start..]);
    bytes.extend(hash.to_le_bytes());
}

fn tree(trees: &[TracedTree], number: u32) -> Option<&TracedTree> {
    trees.get(usize::try_from(number).ok()?)
}

fn write_visits(visits: &[NodeVisit], tree: Option<&TracedTree>, bytes: &mut Vec<u8>) {
    let from_root = || {
        visits
            .chunk_by(|a, b| a.level == b.level)
            .rev()
            .flatten()
            .map(|visit| (visit.relevance, visit.kept))
    };
    if tree.and_then(|tree| walk(tree, from_root())).as_deref() == Some(visits) {
        bytes.push(WALKED);
        bytes.extend(from_root().flat_map(|(relevance, _)| relevance.to_le_bytes()));
        let kept: Vec<bool> = from_root().map(|(_, kept)| kept).collect();
        bytes.extend(kept.chunks(8).map(|bits| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |byte, (bit, &kept)| byte | u8::from(kept) << bit)
        }));
        return;
    }
    bytes.push(LISTED);
    for visit in visits {
        bytes.push(visit.level);
        bytes.extend(visit.node.to_le_bytes());
        bytes.extend(visit.relevance.to_le_bytes());
        bytes.extend(visit.cumulative.to_le_bytes());
        bytes.push(u8::from(visit.kept));
    }
}

/// All visits of a traversal, from relevance and kept of each node it looked at, root first; `None` if there are more or
/// fewer than the kept ones have children.
fn walk(
    tree: &TracedTree,
    numbers: impl IntoIterator<Item = (f32, bool)>,
) -> Option<Vec<NodeVisit>> {
    let sizes = tree.level_sizes();
    let mut numbers = numbers.into_iter();
    let mut levels = Vec::with_capacity(sizes.len());
    // Node and cumulative relevance of its parent.
    let mut candidates = vec![(0_u32, 0.0_f32)];
    for level in (0..sizes.len()).rev() {
        let below = level.checked_sub(1).map(|below| sizes[below]);
        let level = u8::try_from(level).ok()?;
        let mut visits = Vec::with_capacity(candidates.len());
        let mut children = Vec::new();
        for (node, above) in candidates {
            let (relevance, kept) = numbers.next()?;
            let cumulative = above + relevance;
            visits.push(NodeVisit {
                level,
                node,
                relevance,
                cumulative,
                kept,
            });
            if let (true, Some(size)) = (kept, below) {
                let pair = [2 * node, 2 * node + 1].into_iter();
                let there =
                    pair.filter(|&child| usize::try_from(child).is_ok_and(|child| child < size));
                children.extend(there.map(|child| (child, cumulative)));
            }
        }
        levels.push(visits);
        candidates = children;
    }
    levels.reverse();
    numbers.next().is_none().then(|| levels.concat())
}

/// The row that `bytes` are, and nothing else.
///
/// # Errors
/// If the bytes are not a row.
pub(super) fn read_row(bytes: &[u8], trees: &[TracedTree]) -> Result<MapRow, Problem> {
    let Some((content, hash)) = bytes.split_last_chunk::<4>() else {
        return Err(format!("{} bytes are not a row", bytes.len()));
    };
    if fnv1a(content) != u32::from_le_bytes(*hash) {
        return Err("its checksum is wrong".to_owned());
    }
    let mut reader = Reader { bytes: content };
    match reader.row(trees) {
        Some(row) if reader.bytes.is_empty() => Ok(row),
        _ => Err("its length is wrong".to_owned()),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn row(&mut self, trees: &[TracedTree]) -> Option<MapRow> {
        let [sentences, words, visits] = [self.count()?, self.count()?, self.count()?];
        let rest = self.f32()?;
        let sentences = self.items(sentences, 16, Self::sentence)?;
        let words = self.items(words, 8, |word| Some((word.u32()?, word.f32()?)))?;
        if visits == 0 {
            return Some(MapRow {
                sentences,
                words,
                rest,
                ..MapRow::default()
            });
        }
        let number = self.u32()?;
        let visits = match self.u8()? {
            LISTED => self.items(visits, 14, Self::visit)?,
            WALKED => self.walked(visits, tree(trees, number)?)?,
            _ => return None,
        };
        Some(MapRow {
            sentences,
            words,
            rest,
            tree: number,
            visits,
        })
    }

    fn sentence(&mut self) -> Option<SentenceWeight> {
        let score = |score: f32| (!score.is_nan()).then_some(score);
        Some(SentenceWeight {
            sentence: self.u32()?,
            weight: self.f32()?,
            relevance: score(self.f32()?),
            cumulative: score(self.f32()?),
        })
    }

    fn visit(&mut self) -> Option<NodeVisit> {
        Some(NodeVisit {
            level: self.u8()?,
            node: self.u32()?,
            relevance: self.f32()?,
            cumulative: self.f32()?,
            kept: self.u8()? != 0,
        })
    }

    fn walked(&mut self, visits: usize, tree: &TracedTree) -> Option<Vec<NodeVisit>> {
        let relevance = self.items(visits, 4, Self::f32)?;
        let bits = self.slice(visits.div_ceil(8))?;
        let kept = (0..visits).map(|place| bits[place / 8] >> (place % 8) & 1 == 1);
        walk(tree, relevance.into_iter().zip(kept))
    }

    /// Makes room only for what can be read.
    fn items<T>(
        &mut self,
        count: usize,
        size: usize,
        item: impl Fn(&mut Reader<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut bytes = Reader {
            bytes: self.slice(count.checked_mul(size)?)?,
        };
        (0..count).map(|_| item(&mut bytes)).collect()
    }

    fn slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (slice, left) = self.bytes.split_at_checked(length)?;
        self.bytes = left;
        Some(slice)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, left) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = left;
        Some(*array)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u32()?).ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(level: u8, node: u32, relevance: f32, cumulative: f32, kept: bool) -> NodeVisit {
        NodeVisit::from((level, node, relevance, cumulative, kept))
    }

    /// Three leaves, T = 1: down to the last one, which was copied up.
    fn traversal() -> MapRow {
        let visits = [
            visit(2, 0, 0.5, 0.5, true),
            visit(1, 0, -1.0, -0.5, false),
            visit(1, 1, 2.0, 2.5, true),
            visit(0, 2, 2.0, 4.5, true),
        ];
        MapRow::default().with_visits(0, visits)
    }

    fn bytes(row: &MapRow) -> Vec<u8> {
        let trees = [TracedTree {
            leaves: vec![0, 1, 2],
        }];
        let mut bytes = Vec::new();
        write_row(row, &trees, &mut bytes);
        assert_eq!(read_row(&bytes, &trees).as_ref(), Ok(row));
        bytes
    }

    #[test]
    fn a_traversal_takes_four_bytes_and_a_bit_for_each_node() {
        let without = bytes(&MapRow::default()).len();
        assert_eq!(bytes(&traversal()).len(), without + 5 + 4 * 4 + 1);
    }

    #[test]
    fn visits_that_no_traversal_makes_are_kept_as_they_are() {
        let mut row = traversal();
        row.visits[3].cumulative = 9.0;
        bytes(&row);
        row.visits.remove(1);
        bytes(&row);
        row.visits.clear();
        bytes(&row.with_visits(0, [visit(0, 1, 1.0, 1.0, false)]));
    }
}
