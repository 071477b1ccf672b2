//! Which sentences look for context where, in pieces that threads take one by one.

use super::embeddings::Sentences;
use super::{Range, Rows};

/// Sentences of one task: enough that copying the candidates for each task costs little.
const SENTENCES: usize = 512;

/// Sentences that look for context among the same candidates.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// In rising order.
    pub queries: Vec<usize>,
    pub candidates: Rows,
}

/// The tasks of the sentences `queries`; each of them is in exactly one.
pub(super) fn tasks(sentences: &Sentences, range: Range, queries: &Rows) -> Vec<Task> {
    let everything = 0..sentences.len();
    let mut tasks = Vec::new();
    // Sentences that look everywhere share their tasks, also when they come from many documents.
    let mut far = Vec::new();
    for document in sentences.documents() {
        let num_far = match range {
            Range::Each => 0,
            Range::All => document.len(),
            Range::Hybrid(first) => first.min(document.len()),
        };
        let border = document.start + num_far;
        far.extend(overlap(&(document.start..border), queries));
        let near: Vec<usize> = overlap(&(border..document.end), queries).collect();
        for queries in near.chunks(SENTENCES) {
            tasks.push(Task {
                queries: queries.to_vec(),
                candidates: document.clone(),
            });
        }
    }
    for queries in far.chunks(SENTENCES) {
        tasks.push(Task {
            queries: queries.to_vec(),
            candidates: everything.clone(),
        });
    }
    tasks
}

fn overlap(left: &Rows, right: &Rows) -> Rows {
    left.start.max(right.start)..left.end.min(right.end)
}
