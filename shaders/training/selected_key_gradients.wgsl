// The gradients of an attention to the words of chosen sentences (selected.wgsl) by keys and values. A group takes a head of a word
// or, behind the words, of a sentence, and goes through the lists that have its sentence.

struct Shape {
    heads: u32,
    key_fours: u32,
    value_fours: u32,
    // Keys of words, and sentences.
    rows: u32,
    count: u32,
    words: u32,
    // Where in `places` these begin: as in selected.wgsl; the sentence of every key; where the readers of every sentence and head
    // begin, and where the last ones end; readers, by their number among the sentences of all lists.
    read: u32,
    sentences: u32,
    owners: u32,
    begins: u32,
    readers: u32,
}

// [rows, heads, fours]
@group(0) @binding(0) var<storage, read_write> gradient: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> word_queries: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> sentence_queries: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> scores: array<f32>;
@group(0) @binding(6) var<storage, read_write> of_word_keys: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> of_values: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> of_sentence_keys: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read> shape: Shape;

const THREADS: u32 = 32u;
const LINE: u32 = 32768u;
// The sentence of a key that is in none.
const NONE: u32 = 4294967295u;

var<workgroup> sums: array<vec4<f32>, 32>;

// The sums of all teams, for the first one.
fn together(thread: u32, width: u32, own: vec4<f32>) -> vec4<f32> {
    sums[thread] = own;
    workgroupBarrier();
    var all = own;
    for (var i = thread + width; i < THREADS / width * width; i += width) {
        all += sums[i];
    }
    workgroupBarrier();
    return all;
}

@compute @workgroup_size(32)
fn gradients_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let heads = shape.heads;
    let item = (group.y * LINE + group.x) / heads;
    let head = (group.y * LINE + group.x) % heads;
    if item >= shape.rows + shape.count {
        return;
    }
    let is_word = item < shape.rows;
    var sentence = item - shape.rows;
    if is_word {
        sentence = places[shape.owners + item];
    }
    var begin = 0u;
    var end = 0u;
    var place = 0u;
    if sentence != NONE {
        begin = places[shape.begins + sentence * heads + head];
        end = places[shape.begins + sentence * heads + head + 1u];
        place = item - places[shape.sentences + sentence * 2u];
    }
    var width = shape.key_fours;
    var teams = THREADS / width;
    var sum = vec4<f32>();
    for (var i = begin + thread / width; i < end && thread < teams * width; i += teams) {
        let reader = places[shape.readers + i];
        let query = (places[shape.read + reader * 3u + 2u] * heads + head) * width + thread % width;
        if is_word {
            let score = scores[places[shape.read + reader * 3u + 1u] + place];
            sum = fma(vec4(score), word_queries[query], sum);
        } else {
            sum = fma(vec4(scores[shape.words + reader]), sentence_queries[query], sum);
        }
    }
    sum = together(thread, width, sum);
    if thread < width {
        if is_word {
            of_word_keys[(item * heads + head) * width + thread] = sum;
        } else {
            of_sentence_keys[(sentence * heads + head) * width + thread] = sum;
        }
    }
    width = shape.value_fours;
    teams = THREADS / width;
    sum = vec4<f32>();
    for (var i = begin + thread / width; is_word && i < end && thread < teams * width; i += teams) {
        let read = shape.read + places[shape.readers + i] * 3u;
        let line = (places[read + 2u] * heads + head) * width + thread % width;
        sum = fma(vec4(weights[places[read + 1u] + place]), gradient[line], sum);
    }
    sum = together(thread, width, sum);
    if is_word && thread < width {
        of_values[(item * heads + head) * width + thread] = sum;
    }
}
