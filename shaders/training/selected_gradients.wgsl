// The gradients of an attention to the words of chosen sentences (selected.wgsl) by its scores and queries. A group takes a list.

struct Shape {
    lists: u32,
    heads: u32,
    key_fours: u32,
    value_fours: u32,
    scale: f32,
    weighting: u32,
    words: u32,
    read: u32,
    sentences: u32,
}

// Of what came out, [rows, heads, fours].
@group(0) @binding(0) var<storage, read_write> gradient: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> word_keys: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> values: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> sentence_keys: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> places: array<u32>;
@group(0) @binding(5) var<storage, read_write> weights: array<f32>;
// By scores of words and of sentences before they are scaled, where their weights stand in `weights`.
@group(0) @binding(6) var<storage, read_write> scores: array<f32>;
@group(0) @binding(7) var<storage, read_write> of_word_queries: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> of_sentence_queries: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> shape: Shape;

const THREADS: u32 = 32u;
const LINE: u32 = 32768u;

var<workgroup> own: array<vec4<f32>, 32>;
var<workgroup> numbers: array<vec2<f32>, 32>;
var<workgroup> sums: array<vec4<f32>, 64>;
var<workgroup> agreed: vec2<f32>;
var<workgroup> span: vec2<u32>;

// The sums of all threads.
fn together(thread: u32, own: vec2<f32>) -> vec2<f32> {
    numbers[thread] = own;
    workgroupBarrier();
    if thread == 0u {
        var all = own;
        for (var i = 1u; i < THREADS; i++) {
            all += numbers[i];
        }
        agreed = all;
    }
    return workgroupUniformLoad(&agreed);
}

@compute @workgroup_size(32)
fn gradients_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let list = group.y * LINE + group.x;
    if list >= shape.lists {
        return;
    }
    let heads = shape.heads;
    let head = list % heads;
    if thread == 0u {
        span = vec2(places[list], places[list + 1u]);
    }
    if thread < shape.value_fours {
        own[thread] = gradient[list * shape.value_fours + thread];
    }
    let bounds = workgroupUniformLoad(&span);
    // By the weights of words, and what these give together.
    var total = 0.0;
    for (var at = bounds.x; at < bounds.y; at++) {
        let read = shape.read + at * 3u;
        let first = places[read + 1u];
        let rows = shape.sentences + places[read] * 2u;
        for (var i = thread; i < places[rows + 1u]; i += THREADS) {
            let value = ((places[rows] + i) * heads + head) * shape.value_fours;
            var of_weight = 0.0;
            for (var j = 0u; j < shape.value_fours; j++) {
                of_weight += dot(own[j], values[value + j]);
            }
            scores[first + i] = of_weight;
            total += weights[first + i] * of_weight;
        }
    }
    if shape.weighting == 0u {
        total = together(thread, vec2(total)).x;
    }
    for (var at = bounds.x; at < bounds.y; at++) {
        let read = shape.read + at * 3u;
        let first = places[read + 1u];
        let count = places[shape.sentences + places[read] * 2u + 1u];
        let of_sentence = weights[shape.words + at];
        // What the words' weights give, and with a sparsemax over words what those give that have one, and how many have.
        var given = vec2<f32>();
        var support = 0.0;
        if shape.weighting != 0u {
            for (var i = thread; i < count; i += THREADS) {
                let weight = weights[first + i];
                given.x += weight * scores[first + i];
                given.y += select(0.0, scores[first + i], weight > 0.0);
                support += select(0.0, 1.0, weight > 0.0);
            }
            given = together(thread, given);
            support = together(thread, vec2(support)).x;
        }
        // By the weight of the sentence.
        let raw = select(0.0, given.x / of_sentence, of_sentence > 0.0);
        var sum = 0.0;
        for (var i = thread; i < count; i += THREADS) {
            let weight = weights[first + i];
            var score = weight * (scores[first + i] - select(raw, total, shape.weighting == 0u));
            if shape.weighting == 2u {
                score = select(0.0, of_sentence * (scores[first + i] - given.y / support), weight > 0.0);
            }
            score *= shape.scale;
            scores[first + i] = score;
            sum += score;
        }
        if shape.weighting == 0u {
            sum = together(thread, vec2(sum)).x;
        }
        if thread == 0u {
            scores[shape.words + at] = select(raw, sum, shape.weighting == 0u);
        }
    }
    storageBarrier();
    if shape.weighting != 0u {
        // Through the sparsemax over sentences.
        var given = vec2<f32>();
        for (var at = bounds.x + thread; at < bounds.y; at += THREADS) {
            given += select(vec2<f32>(), vec2(scores[shape.words + at], 1.0), weights[shape.words + at] > 0.0);
        }
        given = together(thread, given);
        for (var at = bounds.x + thread; at < bounds.y; at += THREADS) {
            let score = (scores[shape.words + at] - given.x / given.y) * shape.scale;
            scores[shape.words + at] = select(0.0, score, weights[shape.words + at] > 0.0);
        }
    }
    storageBarrier();
    let width = shape.key_fours;
    let teams = THREADS / width;
    let team = thread / width;
    let column = thread % width;
    var of_words = vec4<f32>();
    var of_sentences = vec4<f32>();
    for (var at = bounds.x; at < bounds.y && team < teams; at++) {
        let read = shape.read + at * 3u;
        let sentence = places[read];
        let first = places[read + 1u];
        let rows = shape.sentences + sentence * 2u;
        for (var i = team; i < places[rows + 1u]; i += teams) {
            of_words = fma(vec4(scores[first + i]), word_keys[((places[rows] + i) * heads + head) * width + column], of_words);
        }
        if at % teams == team {
            let key = sentence_keys[(sentence * heads + head) * width + column];
            of_sentences = fma(vec4(scores[shape.words + at]), key, of_sentences);
        }
    }
    sums[thread] = of_words;
    sums[THREADS + thread] = of_sentences;
    workgroupBarrier();
    if team == 0u {
        for (var i = 1u; i < teams; i++) {
            of_words += sums[i * width + column];
            of_sentences += sums[THREADS + i * width + column];
        }
        of_word_queries[list * width + column] = of_words;
        of_sentence_queries[list * width + column] = of_sentences;
    }
}
