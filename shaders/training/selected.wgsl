// Attention of every row and head to the words of its list of sentences: Trankova et al., "Hierarchical Encoding and Conditional
// Attention in NMT", 2024, Eq. 6-7, or Maruf et al., "Selective Attention for Context-aware NMT", NAACL 2019, Eq. 3-6. A group takes
// a list; there are as many weights as words are read.

struct Shape {
    lists: u32,
    heads: u32,
    // Fours of numbers of a head: of queries and keys, of values; 32 at most.
    key_fours: u32,
    value_fours: u32,
    scale: f32,
    // 0: one softmax over all words; else sparsemax over the sentences times 1: a softmax, 2: a sparsemax over the words of each.
    weighting: u32,
    // Words of all lists: behind their weights stand those of the sentences of all lists.
    words: u32,
    // Where in `places` these begin: the sentences of all lists, each with where its words begin, and its row; first key and keys of
    // every sentence.
    read: u32,
    sentences: u32,
}

// [rows, heads, fours]
@group(0) @binding(0) var<storage, read_write> word_queries: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> word_keys: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> values: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> sentence_queries: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> sentence_keys: array<vec4<f32>>;
// First where the sentences of every list begin, and where the last one ends.
@group(0) @binding(5) var<storage, read_write> places: array<u32>;
@group(0) @binding(6) var<storage, read_write> weights: array<f32>;
@group(0) @binding(7) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> shape: Shape;

const THREADS: u32 = 32u;
const LINE: u32 = 32768u;
const LEAST: f32 = -3e38;

var<workgroup> word_query: array<vec4<f32>, 32>;
var<workgroup> sentence_query: array<vec4<f32>, 32>;
var<workgroup> numbers: array<vec2<f32>, 32>;
var<workgroup> sums: array<vec4<f32>, 32>;
var<workgroup> agreed: vec2<f32>;
var<workgroup> span: vec2<u32>;

// Of all threads the largest first number, or the sums of both.
fn together(thread: u32, own: vec2<f32>, is_sum: bool) -> vec2<f32> {
    numbers[thread] = own;
    workgroupBarrier();
    if thread == 0u {
        var all = own;
        for (var i = 1u; i < THREADS; i++) {
            all = select(max(all, numbers[i]), all + numbers[i], is_sum);
        }
        agreed = all;
    }
    return workgroupUniformLoad(&agreed);
}

// Makes weights of `count` scores from `first` on; each thread has every 32nd.
fn softmax(thread: u32, first: u32, count: u32, factor: f32) {
    var largest = LEAST;
    for (var i = thread; i < count; i += THREADS) {
        largest = max(largest, weights[first + i]);
    }
    largest = together(thread, vec2(largest), false).x;
    var total = 0.0;
    for (var i = thread; i < count; i += THREADS) {
        let power = exp(weights[first + i] - largest);
        weights[first + i] = power;
        total += power;
    }
    total = together(thread, vec2(total), true).x;
    for (var i = thread; i < count; i += THREADS) {
        weights[first + i] *= factor / total;
    }
}

// The same by Michelot, "A finite algorithm for finding the projection of a point onto the canonical simplex", 1986.
fn sparsemax(thread: u32, first: u32, count: u32, factor: f32) {
    var largest = LEAST;
    for (var i = thread; i < count; i += THREADS) {
        largest = max(largest, weights[first + i]);
    }
    largest = together(thread, vec2(largest), false).x;
    var threshold = -1.0;
    var support = 3e38;
    loop {
        var above = vec2<f32>();
        for (var i = thread; i < count; i += THREADS) {
            let x = weights[first + i] - largest;
            above += select(vec2<f32>(), vec2(x, 1.0), x > threshold);
        }
        above = together(thread, above, true);
        if above.y >= support || above.y == 0.0 {
            break;
        }
        support = above.y;
        threshold = (above.x - 1.0) / above.y;
    }
    for (var i = thread; i < count; i += THREADS) {
        weights[first + i] = factor * max(weights[first + i] - largest - threshold, 0.0);
    }
}

@compute @workgroup_size(32)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let list = group.y * LINE + group.x;
    if list >= shape.lists {
        return;
    }
    let heads = shape.heads;
    let head = list % heads;
    if thread == 0u {
        span = vec2(places[list], places[list + 1u]);
    }
    if thread < shape.key_fours {
        word_query[thread] = word_queries[list * shape.key_fours + thread] * shape.scale;
        sentence_query[thread] = sentence_queries[list * shape.key_fours + thread] * shape.scale;
    }
    let bounds = workgroupUniformLoad(&span);
    for (var at = bounds.x + thread; at < bounds.y; at += THREADS) {
        let key = (places[shape.read + at * 3u] * heads + head) * shape.key_fours;
        var score = 0.0;
        for (var i = 0u; i < shape.key_fours; i++) {
            score += dot(sentence_query[i], sentence_keys[key + i]);
        }
        weights[shape.words + at] = score;
    }
    if shape.weighting != 0u {
        sparsemax(thread, shape.words + bounds.x, bounds.y - bounds.x, 1.0);
    }
    storageBarrier();
    for (var at = bounds.x; at < bounds.y; at++) {
        let read = shape.read + at * 3u;
        let first = places[read + 1u];
        let rows = shape.sentences + places[read] * 2u;
        let count = places[rows + 1u];
        let of_sentence = weights[shape.words + at];
        for (var i = thread; i < count; i += THREADS) {
            let key = ((places[rows] + i) * heads + head) * shape.key_fours;
            var score = select(0.0, of_sentence, shape.weighting == 0u);
            for (var j = 0u; j < shape.key_fours; j++) {
                score += dot(word_query[j], word_keys[key + j]);
            }
            weights[first + i] = score;
        }
        if shape.weighting == 1u {
            softmax(thread, first, count, of_sentence);
        } else if shape.weighting == 2u {
            sparsemax(thread, first, count, of_sentence);
        }
    }
    storageBarrier();
    if shape.weighting == 0u && bounds.y > bounds.x {
        let first = places[shape.read + bounds.x * 3u + 1u];
        let last = shape.read + (bounds.y - 1u) * 3u;
        let end = places[last + 1u] + places[shape.sentences + places[last] * 2u + 1u];
        softmax(thread, first, end - first, 1.0);
    }
    storageBarrier();
    // Threads side by side have columns side by side; teams of them have every so manyth word.
    let width = shape.value_fours;
    let teams = THREADS / width;
    let team = thread / width;
    let column = thread % width;
    var sum = vec4<f32>();
    for (var at = bounds.x; at < bounds.y && team < teams; at++) {
        let read = shape.read + at * 3u;
        let first = places[read + 1u];
        let rows = shape.sentences + places[read] * 2u;
        for (var i = team; i < places[rows + 1u]; i += teams) {
            sum = fma(vec4(weights[first + i]), values[((places[rows] + i) * heads + head) * width + column], sum);
        }
    }
    sums[thread] = sum;
    workgroupBarrier();
    if team == 0u {
        for (var i = 1u; i < teams; i++) {
            sum += sums[i * width + column];
        }
        y[list * width + column] = sum;
    }
}
