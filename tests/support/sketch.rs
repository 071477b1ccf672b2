//! Traces made up from a seed.

use std::collections::BTreeSet;

use canopy::text::document::Section;
use canopy::trace::{
    AttentionMap, GateValues, MapInfo, MapKind, MapRow, NodeVisit, Normaliser, Overview,
    SentenceWeight, Side, Trace, TracedModel, TracedSentence, TracedTree, Units, Visible,
};
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const THRESHOLD: f32 = 0.02;

/// A trace like a hierarchical system's: some heads of context over a tree, and as many of cross-attention.
pub struct Sketch {
    rng: ChaCha8Rng,
    pub sentences: usize,
    /// On average in a sentence.
    pub words: usize,
    pub heads: usize,
    /// T.
    pub kept_sentences: usize,
}

impl Sketch {
    pub fn new(seed: u64, sentences: usize) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            sentences,
            words: 5,
            heads: 2,
            kept_sentences: 2,
        }
    }

    pub fn trace(mut self) -> Trace {
        let overview = self.overview();
        let mut maps = Vec::new();
        for head in 0..self.heads {
            for kind in [MapKind::Context, MapKind::Cross] {
                maps.push(self.map(&overview, kind, head));
            }
        }
        Trace { overview, maps }
    }

    fn overview(&mut self) -> Overview {
        let [source, target] = [(); 2].map(|()| {
            (0..self.sentences)
                .map(|sentence| {
                    let words = self.rng.random_range(0..=2 * self.words);
                    TracedSentence {
                        tokens: (0..words).map(|word| format!("▁wörd{word}")).collect(),
                        text: format!("Sentence \"{sentence}\" of \u{E100}."),
                        points: vec![format!("code{sentence}")],
                        section: 0,
                        paragraph: sentence / 3,
                        sentence_in_paragraph: sentence % 3,
                    }
                })
                .collect::<Vec<_>>()
        });
        let with_words = (0..).zip(&source);
        let with_words = with_words.filter(|(_, sentence)| !sentence.tokens.is_empty());
        let leaves: Vec<u32> = with_words.map(|(number, _)| number).collect();
        let tree = TracedTree { leaves };
        let values: Vec<f32> = (0..source.iter().map(|it| it.tokens.len()).sum::<usize>() * 3)
            .map(|_| self.rng.random())
            .collect();
        Overview {
            model: TracedModel {
                name: "sketch".to_owned(),
                system: "hierarchical-conditional".to_owned(),
                num_encoder_layers: 1,
                num_decoder_layers: 1,
                num_heads: self.heads,
                top_t: Some(self.kept_sentences),
                probed_heads: Vec::new(),
                looks_up: false,
            },
            document: "sketch.html".to_owned(),
            source_language: "en".to_owned(),
            target_language: "de".to_owned(),
            sections: vec![Section {
                parent: None,
                level: 0,
                heading: None,
            }],
            source,
            target,
            windows: Vec::new(),
            part: None,
            trees: (!tree.leaves.is_empty())
                .then_some(tree)
                .into_iter()
                .collect(),
            gates: vec![GateValues::new(
                "context gate".to_owned(),
                0,
                Side::Source,
                &values,
                3,
            )],
        }
    }

    fn map(&mut self, overview: &Overview, kind: MapKind, head: usize) -> AttentionMap {
        let context = kind == MapKind::Context;
        let queries = if context {
            Units::SourceWords
        } else {
            Units::TargetWords
        };
        let starts = overview.words(Side::Source);
        let own = overview.words(queries.side());
        let row = |number| {
            let sentence = own.position(number).expect("a word").0;
            if context {
                self.context_row(overview, |sentence| starts.rows(sentence))
            } else {
                self.words_row(starts.rows(sentence))
            }
        };
        AttentionMap {
            info: MapInfo {
                kind,
                layer: 0,
                head,
                queries,
                keys: Units::SourceWords,
                visible: if context { Visible::All } else { Visible::Own },
                windowed: false,
                normaliser: Normaliser::Softmax,
                sentence_normaliser: None,
                threshold: THRESHOLD,
                includes_own: false,
            },
            rows: (0..own.num_words()).map(row).collect(),
        }
    }

    fn words_row(&mut self, words: impl IntoIterator<Item = usize>) -> MapRow {
        let words: Vec<usize> = words.into_iter().collect();
        let scores: Vec<f32> = words
            .iter()
            .map(|_| self.rng.random_range(-2.0_f32..2.0).exp())
            .collect();
        let sum: f32 = scores.iter().sum();
        let weights = words.iter().zip(scores);
        let weights = weights.map(|(&word, score)| (number(word), score / sum));
        MapRow::new(Units::SourceWords, weights, THRESHOLD)
    }

    fn context_row(
        &mut self,
        overview: &Overview,
        rows: impl Fn(usize) -> std::ops::Range<usize>,
    ) -> MapRow {
        let tree = &overview.trees[0];
        let mut visits = self.descend(tree);
        let kept: Vec<NodeVisit> = visits
            .iter()
            .filter(|visit| visit.kept && visit.level == 0)
            .copied()
            .collect();
        let sentence = |visit: &NodeVisit| tree.leaves[visit.node as usize];
        let words = kept.iter().flat_map(|visit| rows(sentence(visit) as usize));
        let row = self.words_row(words);
        let sentences = kept.iter().map(|visit| {
            let words = rows(sentence(visit) as usize).map(number);
            SentenceWeight {
                sentence: sentence(visit),
                weight: words.filter_map(|word| row.word(word)).sum(),
                relevance: Some(visit.relevance),
                cumulative: self.rng.random_bool(0.9).then_some(visit.cumulative),
            }
        });
        let sentences: Vec<_> = sentences.collect();
        if self.rng.random_bool(0.1) {
            // No traversal leaves such visits; a file keeps them all the same.
            visits[0].cumulative += 1.0;
        }
        row.with_sentences(sentences).with_visits(0, visits)
    }

    fn descend(&mut self, tree: &TracedTree) -> Vec<NodeVisit> {
        let mut visits = Vec::new();
        let mut candidates = vec![(0, 0.0)];
        for level in (0..tree.num_levels()).rev() {
            let chosen = self.kept_sentences.min(candidates.len());
            let kept: BTreeSet<usize> = sample(&mut self.rng, candidates.len(), chosen)
                .into_iter()
                .collect();
            let mut below = Vec::new();
            for (place, (node, above)) in candidates.into_iter().enumerate() {
                let relevance = self.rng.random_range(-3.0..3.0);
                let cumulative = above + relevance;
                let kept = kept.contains(&place);
                visits.push(NodeVisit {
                    level: u8::try_from(level).expect("few levels"),
                    node: number(node),
                    relevance,
                    cumulative,
                    kept,
                });
                if kept {
                    let children = tree.children(level, node);
                    below.extend(children.map(|child| (child, cumulative)));
                }
            }
            candidates = below;
        }
        visits
    }
}

fn number(place: usize) -> u32 {
    u32::try_from(place).expect("few words")
}
