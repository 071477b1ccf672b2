// The gradients of an attention by its queries, or by its keys and values: Dao et al., "FlashAttention", NeurIPS 2022, Algorithm 4.
// A group takes up to 32 rows of a segment and a head, and goes through those that they attend to, or that attend to them, 16 by
// 16. The weights are computed anew. Four threads share a row.

// Whether the own rows are keys and values, and the others queries. Where they are, this is the line that is another.
const KEYS: bool = false;

struct Shape {
    heads: u32,
    // Fours of numbers of a head, 16 at most.
    fours: u32,
    causal: u32,
    scale: f32,
}

// Queries and the gradient of what came out, or keys and values, [rows, heads, fours].
@group(0) @binding(0) var<storage, read_write> own_first: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> own_second: array<vec4<f32>>;
// The same of the others.
@group(0) @binding(2) var<storage, read_write> other_first: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> other_second: array<vec4<f32>>;
// Of queries, [rows, heads].
@group(0) @binding(4) var<storage, read_write> log_sums: array<f32>;
// What came out times its gradient, summed, [rows, heads].
@group(0) @binding(5) var<storage, read_write> deltas: array<f32>;
// First row, rows, first of the others, others; then for queries how many keys the row before the first sees, for keys which
// query is the first that sees the first row, in a causal attention.
@group(0) @binding(6) var<storage, read_write> blocks: array<i32>;
// By queries or keys.
@group(0) @binding(7) var<storage, read_write> of_first: array<vec4<f32>>;
// By values.
@group(0) @binding(8) var<storage, read_write> of_second: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> shape: Shape;

const LINE: u32 = 17u;

var<workgroup> own_a: array<vec4<f32>, 544>;
var<workgroup> own_b: array<vec4<f32>, 544>;
var<workgroup> other_a: array<vec4<f32>, 272>;
var<workgroup> other_b: array<vec4<f32>, 272>;
var<workgroup> weights: array<f32, 544>;
// Of the scores.
var<workgroup> gradients: array<f32, 544>;
var<workgroup> counts: vec4<u32>;

@compute @workgroup_size(128)
fn gradients_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let head = group.y;
    let block = group.x * 5u;
    if thread == 0u {
        counts = vec4(u32(blocks[block]), u32(blocks[block + 1u]), u32(blocks[block + 2u]), u32(blocks[block + 3u]));
    }
    let bounds = workgroupUniformLoad(&counts);
    let first = bounds.x;
    let rows = bounds.y;
    let begin = bounds.z;
    let count = bounds.w;
    let fours = shape.fours;
    for (var i = thread; i < 512u; i += 128u) {
        var a = vec4<f32>();
        var b = vec4<f32>();
        if i / 16u < rows && i % 16u < fours {
            let place = ((first + i / 16u) * shape.heads + head) * fours + i % 16u;
            a = own_first[place];
            b = own_second[place];
        }
        own_a[i / 16u * LINE + i % 16u] = a;
        own_b[i / 16u * LINE + i % 16u] = b;
    }
    let row = thread / 4u;
    let part = thread % 4u;
    let shift = blocks[block + 4u] + i32(row);
    let line = (first + row) * shape.heads + head;
    var log_sum = 0.0;
    var delta = 0.0;
    if !KEYS && row < rows {
        log_sum = log_sums[line];
        delta = deltas[line];
    }
    var a0 = vec4<f32>();
    var a1 = vec4<f32>();
    var a2 = vec4<f32>();
    var a3 = vec4<f32>();
    var b0 = vec4<f32>();
    var b1 = vec4<f32>();
    var b2 = vec4<f32>();
    var b3 = vec4<f32>();
    for (var base = 0u; base < count; base += 16u) {
        workgroupBarrier();
        for (var i = thread; i < 256u; i += 128u) {
            var a = vec4<f32>();
            var b = vec4<f32>();
            if base + i / 16u < count && i % 16u < fours {
                let place = ((begin + base + i / 16u) * shape.heads + head) * fours + i % 16u;
                a = other_first[place];
                b = other_second[place];
            }
            other_a[i / 16u * LINE + i % 16u] = a;
            other_b[i / 16u * LINE + i % 16u] = b;
        }
        workgroupBarrier();
        // Scores and the gradients of weights, of every fourth of the others.
        var scores = vec4<f32>();
        var products = vec4<f32>();
        for (var i = 0u; i < fours; i++) {
            let x = own_a[row * LINE + i];
            let z = own_b[row * LINE + i];
            let k = part * LINE + i;
            scores += vec4(
                dot(x, other_a[k]),
                dot(x, other_a[k + 4u * LINE]),
                dot(x, other_a[k + 8u * LINE]),
                dot(x, other_a[k + 12u * LINE]),
            );
            products += vec4(
                dot(z, other_b[k]),
                dot(z, other_b[k + 4u * LINE]),
                dot(z, other_b[k + 8u * LINE]),
                dot(z, other_b[k + 12u * LINE]),
            );
        }
        for (var j = 0u; j < 4u; j++) {
            let at = base + part + 4u * j;
            var weight = 0.0;
            if row < rows && at < count {
                if KEYS {
                    let of_query = (begin + at) * shape.heads + head;
                    log_sum = log_sums[of_query];
                    delta = deltas[of_query];
                }
                let is_seen = select(i32(at) <= shift, i32(at) >= shift, KEYS);
                if is_seen || shape.causal == 0u {
                    weight = exp(scores[j] * shape.scale - log_sum);
                }
            }
            let place = row * LINE + part + 4u * j;
            weights[place] = weight;
            gradients[place] = weight * (products[j] - delta) * shape.scale;
        }
        workgroupBarrier();
        for (var j = 0u; j < 16u; j++) {
            let gradient = vec4(gradients[row * LINE + j]);
            let k = j * LINE + part * 4u;
            a0 = fma(gradient, other_a[k], a0);
            a1 = fma(gradient, other_a[k + 1u], a1);
            a2 = fma(gradient, other_a[k + 2u], a2);
            a3 = fma(gradient, other_a[k + 3u], a3);
            if KEYS {
                let weight = vec4(weights[row * LINE + j]);
                b0 = fma(weight, other_b[k], b0);
                b1 = fma(weight, other_b[k + 1u], b1);
                b2 = fma(weight, other_b[k + 2u], b2);
                b3 = fma(weight, other_b[k + 3u], b3);
            }
        }
    }
    if row >= rows {
        return;
    }
    let place = line * fours + part * 4u;
    if part * 4u < fours { of_first[place] = a0; }
    if part * 4u + 1u < fours { of_first[place + 1u] = a1; }
    if part * 4u + 2u < fours { of_first[place + 2u] = a2; }
    if part * 4u + 3u < fours { of_first[place + 3u] = a3; }
    if KEYS {
        if part * 4u < fours { of_second[place] = b0; }
        if part * 4u + 1u < fours { of_second[place + 1u] = b1; }
        if part * 4u + 2u < fours { of_second[place + 2u] = b2; }
        if part * 4u + 3u < fours { of_second[place + 3u] = b3; }
    }
}
