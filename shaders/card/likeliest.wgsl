// What a search reads of the scores of one hypothesis in each group: the logarithm of the sum of their exponentials, the scores of
// the lowest ids, and of the other ids the likeliest, of equal ones the lowest first.

struct Shape {
    vocab: u32,
    // Ids whose scores are told whatever they are.
    first: u32,
    likeliest: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, vocab]
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// [rows, 1 + first + 2 · likeliest]: the bits of the normaliser and of the scores, and the ids of the likeliest
@group(0) @binding(2) var<storage, read_write> told: array<u32>;

const THREADS = 256u;
const NONE = 0xffffffffu;

var<workgroup> values: array<f32, 256>;
var<workgroup> ids: array<u32, 256>;

@compute @workgroup_size(256)
fn likeliest(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * shape.vocab;
    let output = group.x * (1u + shape.first + 2u * shape.likeliest);
    var largest = -3.4e38;
    for (var id = thread; id < shape.vocab; id += THREADS) {
        largest = max(largest, scores[row + id]);
    }
    values[thread] = largest;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            values[thread] = max(values[thread], values[thread + half]);
        }
        workgroupBarrier();
    }
    largest = values[0];
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
    if thread == 0u {
        told[output] = bitcast<u32>(largest + log(values[0]));
    }
    for (var id = thread; id < shape.first; id += THREADS) {
        told[output + 1u + id] = bitcast<u32>(scores[row + id]);
    }
    // One after the other: the best of those that come after the last one.
    var last = 0.0;
    var last_id = NONE;
    for (var place = 0u; place < shape.likeliest; place++) {
        var best = -3.4e38;
        var best_id = NONE;
        for (var id = shape.first + thread; id < shape.vocab; id += THREADS) {
            let score = scores[row + id];
            let is_after = place == 0u || score < last || (score == last && id > last_id);
            if is_after && (score > best || best_id == NONE) {
                best = score;
                best_id = id;
            }
        }
        workgroupBarrier();
        values[thread] = best;
        ids[thread] = best_id;
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
        last = values[0];
        last_id = ids[0];
        if thread == 0u {
            told[output + 1u + shape.first + place] = bitcast<u32>(last);
            told[output + 1u + shape.first + shape.likeliest + place] = last_id;
        }
    }
}
