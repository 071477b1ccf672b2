//! Attention to other sentences over many documents: how far away, how spread, and how much of it is exactly zero.

use std::collections::BTreeMap;

use serde::Serialize;

use super::query::{Attention, AttentionRole, Heads, Query};
use super::rows::Rows;
use super::zeros::Zeros;
use crate::error::Result;
use crate::trace::{Side, TraceSource};

/// Minimum number of sentences from the query to the key; negative before it.
const DISTANCES: [isize; 13] = [-64, -32, -16, -8, -4, -3, -2, -1, 0, 1, 2, 3, 4];

/// Sentences of a document, at least.
const LENGTHS: [usize; 7] = [1, 5, 9, 17, 33, 65, 129];

/// The distance from which on sentences that decide are counted together.
const FAR: usize = 4;

/// Statistics of one head, or of all heads of a layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HeadStatistics {
    /// Side of the sentences.
    pub side: Side,
    /// Counted from 0.
    pub layer: usize,
    /// Counted from 0; none: all heads of the layer together.
    pub head: Option<usize>,
    /// Means over all documents.
    #[serde(flatten)]
    pub all: AttentionMeans,
    /// The share of attention at each distance.
    pub distances: Vec<DistanceShare>,
    /// Means over documents of similar length.
    pub by_length: Vec<LengthMeans>,
    /// The attention to sentences that decide: to all of them, then by distance; empty where none is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deciding: Vec<DecidingShare>,
}

/// Means over the sentences of documents that read others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct AttentionMeans {
    /// Sentences that read others.
    pub sentences: usize,
    /// Entropy of a sentence's attention to sentences, in bits: 0 if all of it goes to one.
    pub entropy_bits: f64,
    /// Sentences from the query to the key, weighted by attention.
    pub distance: f64,
    /// Share of sentences that could be read and have exactly no weight, 0 to 1; none where zeros and what was dropped are
    /// not distinguished.
    pub zero_share: Option<f64>,
}

/// Attention at some distances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DistanceShare {
    /// The least and the greatest distance, both included; none has no end. Sentences before have negative ones.
    pub from: Option<isize>,
    /// The greatest distance; none has no end.
    pub to: Option<isize>,
    /// 0 to 1.
    pub share: f64,
}

/// Means over documents of similar length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LengthMeans {
    /// Least and greatest number of sentences of the documents, both included.
    pub from: usize,
    /// Greatest number of sentences; none has no end.
    pub to: Option<usize>,
    /// The means.
    #[serde(flatten)]
    pub means: AttentionMeans,
}

/// The attention of sentences to another one that decides their translation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DecidingShare {
    /// Distance in sentences, both included; none: all distances.
    pub from: Option<usize>,
    /// The greatest distance; none has no end.
    pub to: Option<usize>,
    /// Sentences whose deciding one is known.
    pub sentences: usize,
    /// Share of them that give it any weight, 0 to 1: it is among the chosen.
    pub chosen: f64,
    /// Share of them that give no sentence but themselves more.
    pub first: f64,
    /// Mean of their attention that it gets, 0 to 1.
    pub share: f64,
}

/// Sums over sentences with one that decides.
#[derive(Debug, Clone, Copy, Default)]
struct DecidingSums {
    sentences: usize,
    chosen: usize,
    first: usize,
    share: f64,
}

/// Sums over sentences.
#[derive(Debug, Clone, Default)]
struct Sums {
    sentences: usize,
    entropy: f64,
    distance: f64,
    visible: u64,
    zero: u64,
    dropped: u64,
}

#[derive(Debug, Clone, Default)]
struct HeadSums {
    all: Sums,
    /// By place in [`DISTANCES`], and before the first of them.
    distances: [f64; DISTANCES.len() + 1],
    by_length: [Sums; LENGTHS.len()],
    /// By distance, from 1 on; that of all at 0.
    deciding: [DecidingSums; FAR + 1],
}

/// Statistics that grow document by document.
#[derive(Debug, Clone, Default)]
pub struct AttentionStatistics {
    /// By side, layer and head; the heads together are after the last one.
    heads: BTreeMap<(bool, usize, Option<usize>), HeadSums>,
}

impl AttentionStatistics {
    /// Adds a document. `deciding` names for sentences of it, counted from 0, the other one that decides their translation.
    ///
    /// # Errors
    /// If the trace has no attention to other sentences, or cannot be read.
    pub fn add(&mut self, source: &TraceSource, deciding: &BTreeMap<usize, usize>) -> Result<()> {
        let mut found = false;
        for side in [Side::Source, Side::Target] {
            let maps = source
                .maps()
                .filter(|info| AttentionRole::Context.includes(info, side));
            let mut heads: Vec<(usize, usize)> = maps.map(|info| (info.layer, info.head)).collect();
            heads.sort_unstable();
            heads.dedup();
            found |= !heads.is_empty();
            for layer in heads.chunk_by(|a, b| a.0 == b.0) {
                let own = layer.iter().map(|&(_, head)| Some(head)).chain([None]);
                for head in own {
                    self.add_heads(source, (side, layer[0].0, head), deciding)?;
                }
            }
        }
        if !found {
            let query = Query::sentence(Side::Source, 0);
            // It names what is missing.
            Attention::find(source, &query, AttentionRole::Context)?;
        }
        Ok(())
    }

    fn add_heads(
        &mut self,
        source: &TraceSource,
        (side, layer, head): (Side, usize, Option<usize>),
        deciding: &BTreeMap<usize, usize>,
    ) -> Result<()> {
        let query = Query {
            layer: Some(layer),
            heads: head.map_or(Heads::Mean, Heads::One),
            ..Query::sentence(side, 0)
        };
        let attention = Attention::find(source, &query, AttentionRole::Context)?;
        let reader = Rows::new(source, &attention);
        let num_sentences = source.overview().sentences(side).len();
        let length = LENGTHS.iter().rposition(|&least| num_sentences >= least);
        let sums = self
            .heads
            .entry((side == Side::Target, layer, head))
            .or_default();
        for sentence in 0..num_sentences {
            let mean = reader.mean(attention.rows(source, sentence))?;
            let total: f64 = mean.sentences.iter().map(|it| f64::from(it.1)).sum();
            if let Some(&other) = deciding.get(&sentence) {
                let one = DecidingSums::of_one(&mean.sentences, total, [sentence, other]);
                let distance = sentence.abs_diff(other).clamp(1, FAR);
                sums.deciding[0].add(one);
                sums.deciding[distance].add(one);
            }
            if total <= 0.0 {
                continue;
            }
            let mut one = Sums {
                sentences: 1,
                ..Sums::default()
            };
            for &(other, weight) in mean.sentences.iter().filter(|(_, weight)| *weight > 0.0) {
                let share = f64::from(weight) / total;
                let distance = (other as usize).cast_signed() - sentence.cast_signed();
                one.entropy -= share * share.log2();
                let away = distance.unsigned_abs() as f64;
                one.distance += share * away;
                sums.distances[DISTANCES.partition_point(|&least| least <= distance)] += share;
            }
            let zeros = Zeros::count_sentences(source, &attention, sentence)?;
            (one.visible, one.zero, one.dropped) = (zeros.visible, zeros.zero, zeros.dropped);
            sums.all.add(&one);
            if let Some(length) = length {
                sums.by_length[length].add(&one);
            }
        }
        Ok(())
    }

    /// Statistics of every head, followed by those of all heads of the layer together, by side and layer.
    pub fn heads(&self) -> Vec<HeadStatistics> {
        let heads = self.heads.iter();
        let mut found: Vec<HeadStatistics> = heads
            .map(|(&(is_target, layer, head), sums)| HeadStatistics {
                side: if is_target {
                    Side::Target
                } else {
                    Side::Source
                },
                layer,
                head,
                all: sums.all.means(),
                distances: sums.distances(),
                by_length: sums.lengths(),
                deciding: sums.deciding(),
            })
            .collect();
        found.sort_by_key(|it| {
            let head = it.head.unwrap_or(usize::MAX);
            (it.side == Side::Target, it.layer, head)
        });
        found
    }
}

impl DecidingSums {
    /// The attention of a sentence to the one that decides, of all of its attention, `total`.
    fn of_one(attention: &[(u32, f32)], total: f64, [reader, deciding]: [usize; 2]) -> Self {
        let given = attention.iter().find(|it| it.0 as usize == deciding);
        let weight = given.map_or(0.0, |it| it.1);
        let others = attention.iter().filter(|it| it.0 as usize != reader);
        let most = others.map(|it| it.1).fold(0.0, f32::max);
        Self {
            sentences: 1,
            chosen: usize::from(weight > 0.0),
            first: usize::from(weight > 0.0 && weight >= most),
            share: if total > 0.0 {
                f64::from(weight) / total
            } else {
                0.0
            },
        }
    }

    fn add(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.chosen += other.chosen;
        self.first += other.first;
        self.share += other.share;
    }
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.sentences += other.sentences;
        self.entropy += other.entropy;
        self.distance += other.distance;
        self.visible += other.visible;
        self.zero += other.zero;
        self.dropped += other.dropped;
    }

    fn means(&self) -> AttentionMeans {
        let mean = |sum: f64| sum / self.sentences.max(1) as f64;
        let is_known = self.visible > 0 && (self.dropped == 0 || self.zero > 0);
        AttentionMeans {
            sentences: self.sentences,
            entropy_bits: mean(self.entropy),
            distance: mean(self.distance),
            zero_share: is_known.then(|| self.zero as f64 / self.visible as f64),
        }
    }
}

impl HeadSums {
    fn distances(&self) -> Vec<DistanceShare> {
        let all = self.all.sentences.max(1) as f64;
        let shares = self.distances.iter().enumerate();
        let shares = shares.map(|(place, sum)| DistanceShare {
            from: place.checked_sub(1).map(|before| DISTANCES[before]),
            to: DISTANCES.get(place).map(|next| next - 1),
            share: sum / all,
        });
        shares.filter(|it| it.share > 0.0).collect()
    }

    fn deciding(&self) -> Vec<DecidingShare> {
        let sums = self.deciding.iter().enumerate();
        let sums = sums.filter(|(_, sums)| sums.sentences > 0);
        let shares = sums.map(|(distance, sums)| {
            let mean = |sum: f64| sum / sums.sentences as f64;
            DecidingShare {
                from: (distance > 0).then_some(distance),
                to: (1..FAR).contains(&distance).then_some(distance),
                sentences: sums.sentences,
                chosen: mean(sums.chosen as f64),
                first: mean(sums.first as f64),
                share: mean(sums.share),
            }
        });
        shares.collect()
    }

    fn lengths(&self) -> Vec<LengthMeans> {
        let lengths = self.by_length.iter().enumerate();
        let lengths = lengths.filter(|(_, sums)| sums.sentences > 0);
        let lengths = lengths.map(|(place, sums)| LengthMeans {
            from: LENGTHS[place],
            to: LENGTHS.get(place + 1).map(|next| next - 1),
            means: sums.means(),
        });
        lengths.collect()
    }
}
