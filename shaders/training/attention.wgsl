// softmax(q kᵀ / √d) v of every head. A group takes up to 32 queries of a segment and a head, and goes through the segment's keys
// 32 by 32, as Dao et al., "FlashAttention", NeurIPS 2022, Algorithm 1, does: no weights are kept. Four threads share a query.

struct Shape {
    heads: u32,
    // Fours of numbers of a head, 16 at most.
    fours: u32,
    causal: u32,
    scale: f32,
}

// [rows, heads, fours]
@group(0) @binding(0) var<storage, read_write> queries: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> keys: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> values: array<vec4<f32>>;
// First row, rows, first key, keys, and how many keys the row before the first sees in a causal attention.
@group(0) @binding(3) var<storage, read_write> blocks: array<i32>;
@group(0) @binding(4) var<storage, read_write> y: array<vec4<f32>>;
// The logarithm of the sum of exponentials, [rows, heads].
@group(0) @binding(5) var<storage, read_write> log_sums: array<f32>;
@group(0) @binding(6) var<storage, read> shape: Shape;

// Fours of numbers from one row of a tile to the next, and numbers from one row of weights to the next.
const LINE: u32 = 17u;
const WIDTH: u32 = 33u;
const LEAST: f32 = -3e38;

var<workgroup> own: array<vec4<f32>, 544>;
// Keys, then values.
var<workgroup> other: array<vec4<f32>, 544>;
var<workgroup> weights: array<f32, 1056>;
var<workgroup> counts: vec4<u32>;

@compute @workgroup_size(128)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
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
    for (var i = thread; i < 512u; i += 128u) {
        var four = vec4<f32>();
        if i / 16u < rows && i % 16u < shape.fours {
            four = queries[((first + i / 16u) * shape.heads + head) * shape.fours + i % 16u] * shape.scale;
        }
        own[i / 16u * LINE + i % 16u] = four;
    }
    let row = thread / 4u;
    let part = thread % 4u;
    var seen = count;
    if shape.causal != 0u {
        seen = u32(clamp(blocks[block + 4u] + i32(row) + 1, 0, i32(count)));
    }
    var largest = LEAST;
    var total = 0.0;
    var y0 = vec4<f32>();
    var y1 = vec4<f32>();
    var y2 = vec4<f32>();
    var y3 = vec4<f32>();
    for (var base = 0u; base < count; base += 32u) {
        workgroupBarrier();
        for (var i = thread; i < 512u; i += 128u) {
            var four = vec4<f32>();
            if base + i / 16u < count && i % 16u < shape.fours {
                four = keys[((begin + base + i / 16u) * shape.heads + head) * shape.fours + i % 16u];
            }
            other[i / 16u * LINE + i % 16u] = four;
        }
        workgroupBarrier();
        // The scores of every fourth key.
        var low = vec4<f32>();
        var high = vec4<f32>();
        for (var i = 0u; i < shape.fours; i++) {
            let x = own[row * LINE + i];
            let k = part * LINE + i;
            low += vec4(
                dot(x, other[k]),
                dot(x, other[k + 4u * LINE]),
                dot(x, other[k + 8u * LINE]),
                dot(x, other[k + 12u * LINE]),
            );
            high += vec4(
                dot(x, other[k + 16u * LINE]),
                dot(x, other[k + 20u * LINE]),
                dot(x, other[k + 24u * LINE]),
                dot(x, other[k + 28u * LINE]),
            );
        }
        let places = vec4(base + part) + vec4(0u, 4u, 8u, 12u);
        let is_low = places < vec4(seen);
        let is_high = places + vec4(16u) < vec4(seen);
        low = select(vec4(LEAST), low, is_low);
        high = select(vec4(LEAST), high, is_high);
        let place = row * WIDTH + part;
        for (var j = 0u; j < 4u; j++) {
            weights[place + 4u * j] = low[j];
            weights[place + 16u + 4u * j] = high[j];
        }
        workgroupBarrier();
        var found = largest;
        for (var j = 0u; j < 32u; j++) {
            found = max(found, weights[row * WIDTH + j]);
        }
        workgroupBarrier();
        low = select(vec4<f32>(), exp(low - vec4(found)), is_low);
        high = select(vec4<f32>(), exp(high - vec4(found)), is_high);
        for (var j = 0u; j < 4u; j++) {
            weights[place + 4u * j] = low[j];
            weights[place + 16u + 4u * j] = high[j];
        }
        let factor = exp(largest - found);
        largest = found;
        total = total * factor + dot(low + high, vec4(1.0));
        for (var i = thread; i < 512u; i += 128u) {
            var four = vec4<f32>();
            if base + i / 16u < count && i % 16u < shape.fours {
                four = values[((begin + base + i / 16u) * shape.heads + head) * shape.fours + i % 16u];
            }
            other[i / 16u * LINE + i % 16u] = four;
        }
        workgroupBarrier();
        y0 *= factor;
        y1 *= factor;
        y2 *= factor;
        y3 *= factor;
        for (var j = 0u; j < 32u; j++) {
            let weight = vec4(weights[row * WIDTH + j]);
            let v = j * LINE + part * 4u;
            y0 = fma(weight, other[v], y0);
            y1 = fma(weight, other[v + 1u], y1);
            y2 = fma(weight, other[v + 2u], y2);
            y3 = fma(weight, other[v + 3u], y3);
        }
    }
    workgroupBarrier();
    weights[thread] = total;
    workgroupBarrier();
    if row >= rows {
        return;
    }
    let at = row * 4u;
    total = weights[at] + weights[at + 1u] + weights[at + 2u] + weights[at + 3u];
    let factor = select(0.0, 1.0 / total, total > 0.0);
    let line = (first + row) * shape.heads + head;
    let fours = shape.fours;
    let place = line * fours + part * 4u;
    if part * 4u < fours { y[place] = y0 * factor; }
    if part * 4u + 1u < fours { y[place + 1u] = y1 * factor; }
    if part * 4u + 2u < fours { y[place + 2u] = y2 * factor; }
    if part * 4u + 3u < fours { y[place + 3u] = y3 * factor; }
    if part == 0u {
        // Nothing that is seen has a weight of zero: exp(score - this).
        log_sums[line] = select(-LEAST, largest + log(total), total > 0.0);
    }
}
