//! Conditional attention, flat and by the tree.

use canopy::kernels::SelectedWeights;
use canopy::model::{
    ConditionalAttention, Documents, HierarchicalConditionalAttention, SelectedSentences,
    TraversalRule, TreeHeads,
};

use super::Case;

/// The layout of a file's words: sentences in rows of `m` places.
struct Grid {
    documents: Documents,
    /// Places of each sentence.
    m: usize,
    num_heads: usize,
}

impl Grid {
    fn new(case: &Case, num_heads: usize) -> Self {
        Self {
            documents: Documents::one(case.sentences("mask")),
            m: case.shape("mask")[1],
            num_heads,
        }
    }

    fn num_sentences(&self) -> usize {
        self.documents.sentences.len()
    }

    fn rows(&self) -> usize {
        self.num_sentences() * self.m
    }

    fn is_word(&self, row: usize) -> bool {
        self.documents
            .sentences
            .iter()
            .any(|sentence| sentence.contains(&row))
    }

    /// Scores as `[heads, n, m, n]`: minus infinity where a word does not read a sentence, 0 at padding.
    fn scores(&self, choice: &[SelectedSentences]) -> Vec<f64> {
        let mut scores = Vec::new();
        for head in 0..self.num_heads {
            for row in 0..self.rows() {
                let missing = if self.is_word(row) {
                    f64::NEG_INFINITY
                } else {
                    0.0
                };
                let start = scores.len();
                scores.resize(start + self.num_sentences(), missing);
                let kept = &choice[row * self.num_heads + head];
                for (sentence, score) in kept.sentences.iter().zip(&kept.scores) {
                    scores[start + sentence] = f64::from(*score);
                }
            }
        }
        scores
    }

    /// Word weights as `[heads, n, m, n, m]`, 0 where nothing is read.
    fn weights(&self, choice: &[SelectedSentences], weights: &[SelectedWeights]) -> Vec<f64> {
        let rows = self.rows();
        let mut dense = vec![0.0; self.num_heads * rows * rows];
        for (list, (kept, weights)) in choice.iter().zip(weights).enumerate() {
            let (row, head) = (list / self.num_heads, list % self.num_heads);
            let keys = kept
                .sentences
                .iter()
                .flat_map(|&sentence| self.documents.sentences[sentence].clone());
            for (key, weight) in keys.zip(&weights.words) {
                dense[(head * rows + row) * rows + key] = f64::from(*weight);
            }
        }
        dense
    }
}

pub fn conditional_attention_head(case: &Case) {
    let (grid, words) = (Grid::new(case, 1), case.rows("words"));
    let (sentences, documents) = (&grid.documents.sentences, &grid.documents);
    let encodings = case
        .source2token_layer("source2token.")
        .forward(words.clone(), sentences);
    let heads = case.conditional_heads(1);
    let projected = heads.project(words.clone(), words, encodings.clone());
    let choice = heads.choose(&projected, &documents.query_spans(), documents);
    case.output("sentence_encodings", encodings);
    let map = sentences
        .iter()
        .flat_map(|sentence| (0..grid.rows()).map(|row| usize::from(sentence.contains(&row))));
    case.output_sizes("sentence_to_word_map", map);
    case.output_numbers("kept_relevance", grid.scores(&choice));
    case.output_numbers(
        "weights",
        grid.weights(&choice, &heads.weights(&projected, sentences, &choice)),
    );
    let context = heads.attend(projected, sentences, &choice, None);
    case.output("context", context.clone());
    case.differentiate("context", context);
}

pub fn conditional_attention_multi_head(case: &Case) {
    let (grid, words) = (Grid::new(case, case.size("heads")), case.rows("words"));
    let attention = ConditionalAttention {
        source2token: case.source2token_layer("source2token."),
        heads: case.conditional_heads(grid.num_heads),
        output: case.linear("w_o"),
    };
    let encodings = attention
        .source2token
        .forward(words.clone(), &grid.documents.sentences);
    let query_spans = grid.documents.query_spans();
    let projected = attention
        .heads
        .project(words.clone(), words.clone(), encodings.clone());
    let choice = attention
        .heads
        .choose(&projected, &query_spans, &grid.documents);
    case.output("sentence_encodings", encodings);
    case.output_numbers("kept_relevance", grid.scores(&choice));
    let output = attention.forward(words.clone(), &query_spans, words, &grid.documents);
    case.output("output", output.clone());
    case.differentiate("output", output);
}

const RULES: [(&str, TraversalRule); 2] = [
    ("by_node", TraversalRule::ByNode),
    ("by_cumulative", TraversalRule::ByCumulative),
];

pub fn hierarchical_conditional_attention_head(case: &Case) {
    let (grid, words) = (Grid::new(case, 1), case.rows("words"));
    let encodings = case
        .source2token_layer("source2token.")
        .forward(words.clone(), &grid.documents.sentences);
    let mut tree = TreeHeads {
        heads: case.conditional_heads(1),
        merge: case.merge(),
        rule: TraversalRule::ByNode,
    };
    for (name, rule) in RULES {
        tree.rule = rule;
        let choice = tree.choose(
            words.clone(),
            &grid.documents.query_spans(),
            words.clone(),
            encodings.clone(),
            &grid.documents,
        );
        for (level, nodes) in choice.trees[0].tree.levels.iter().enumerate() {
            case.output(&format!("level_{level}"), nodes.clone());
        }
        case.output_numbers(&format!("leaf_scores_{name}"), grid.scores(&choice.choice));
        let context = tree.heads.attend(
            choice.projected,
            &grid.documents.sentences,
            &choice.choice,
            None,
        );
        case.output(&format!("context_{name}"), context.clone());
        if rule == TraversalRule::ByNode {
            case.differentiate("context_by_node", context);
        }
    }
}

pub fn hierarchical_conditional_attention_multi_head(case: &Case) {
    let (grid, words) = (Grid::new(case, case.size("heads")), case.rows("words"));
    let mut attention = HierarchicalConditionalAttention {
        source2token: case.source2token_layer("source2token."),
        tree: TreeHeads {
            heads: case.conditional_heads(grid.num_heads),
            merge: case.merge(),
            rule: TraversalRule::ByNode,
        },
        output: case.linear("w_o"),
    };
    for (name, rule) in RULES {
        attention.tree.rule = rule;
        let output = attention.forward(
            words.clone(),
            &grid.documents.query_spans(),
            words.clone(),
            &grid.documents,
        );
        case.output(&format!("output_{name}"), output.clone());
        if rule == TraversalRule::ByNode {
            case.differentiate("output_by_node", output);
        }
    }
}
