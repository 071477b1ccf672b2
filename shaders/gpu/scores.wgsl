// What is read of the scores of one row in each group: by `top_k` what a search requests, by `label` the log-probability of one
// token.

struct Shape {
    vocab: u32,
    // Ids whose scores are given whatever they are.
    first: u32,
    top_k: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, vocab]
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// [rows, 1 + first + 2 · top_k]: the bits of the normaliser and of the scores, and the ids of the top-scoring
@group(0) @binding(2) var<storage, read_write> selected: array<u32>;
// [rows], and as many
@group(0) @binding(2) var<storage, read> labels: array<u32>;
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;

const THREADS = 256u;
const NONE = 0xffffffffu;

var<workgroup> values: array<f32, 256>;
var<workgroup> ids: array<u32, 256>;

// The logarithm of the sum of the exponentials of a row, of which each thread knows the largest of its own ids.
fn log_sum(row: u32, thread: u32, own_largest: f32) -> f32 {
    values[thread] = own_largest;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            values[thread] = max(values[thread], values[thread + half]);
        }
        workgroupBarrier();
    }
    let largest = values[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var id = thread; id < shape.vocab; id += THREADS) {
        sum += exp(scores[row + id] - largest);
    }
    values[thread] = sum;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            values[thread] += values[thread + half];
        }
        workgroupBarrier();
    }
    return largest + log(values[0]);
}

@compute @workgroup_size(256)
fn label(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * shape.vocab;
    var largest = -3.4e38;
    for (var id = thread; id < shape.vocab; id += THREADS) {
        largest = max(largest, scores[row + id]);
    }
    let normaliser = log_sum(row, thread, largest);
    if thread == 0u {
        log_probs[group.x] = scores[row + labels[group.x]] - normaliser;
    }
}

struct Found {
    score: f32,
    // None where there is no other.
    id: u32,
}

// The best of the ids of a thread, or of those that come after one that was already selected.
fn after(row: u32, thread: u32, was_told: bool, last: f32, last_id: u32) -> Found {
    var found = Found(-3.4e38, NONE);
    for (var id = shape.first + thread; id < shape.vocab; id += THREADS) {
        let score = scores[row + id];
        let is_left = !was_told || score < last || (score == last && id > last_id);
        if is_left && (score > found.score || found.id == NONE) {
            found = Found(score, id);
        }
    }
    return found;
}

// The logarithm of the sum of exponentials, the scores of the lowest ids, and of the other ids the top-scoring, of equal ones the
// lowest first.
@compute @workgroup_size(256)
fn top_k(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * shape.vocab;
    let output = group.x * (1u + shape.first + 2u * shape.top_k);
    // The best of the own ids is kept, and searched again only when it is selected.
    var own = after(row, thread, false, 0.0, 0u);
    var first = -3.4e38;
    for (var id = thread; id < shape.first; id += THREADS) {
        first = max(first, scores[row + id]);
        selected[output + 1u + id] = bitcast<u32>(scores[row + id]);
    }
    let normaliser = log_sum(row, thread, max(first, own.score));
    if thread == 0u {
        selected[output] = bitcast<u32>(normaliser);
    }
    for (var place = 0u; place < shape.top_k; place++) {
        workgroupBarrier();
        values[thread] = own.score;
        ids[thread] = own.id;
        workgroupBarrier();
        for (var half = THREADS / 2u; half > 0u; half /= 2u) {
            if thread < half {
                let score = values[thread + half];
                let id = ids[thread + half];
                let is_better = score > values[thread] || (score == values[thread] && id < ids[thread]);
                if id != NONE && (ids[thread] == NONE || is_better) {
                    values[thread] = score;
                    ids[thread] = id;
                }
            }
            workgroupBarrier();
        }
        if thread == 0u {
            selected[output + 1u + shape.first + place] = bitcast<u32>(values[0]);
            selected[output + 1u + shape.first + shape.top_k + place] = ids[0];
        }
        if own.id != NONE && own.id == ids[0] {
            own = after(row, thread, true, own.score, own.id);
        }
    }
}
