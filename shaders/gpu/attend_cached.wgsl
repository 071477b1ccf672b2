// softmax(scale · q kᵀ + bias) v for one query and one head in each group, over the positions of a cache up to the query's own, or
// over all: Vaswani et al., "Attention Is All You Need", 2017, Eq. 1, in one pass over the keys, with the softmax of
// `running_softmax.wgsl`. Heads of queries share heads of keys: Ainslie et al., "GQA", 2023. Biases are those of relative
// positions: Raffel et al., "Exploring the Limits of Transfer Learning", JMLR 2020, Section 2.1.

struct Shape {
    // Numbers of a head: even.
    width: u32,
    heads: u32,
    kv_heads: u32,
    // Position of the first query.
    first: u32,
    // Positions that a query sees at most.
    window: u32,
    scale: f32,
    // Scores s become cap · tanh(s / cap), unless it is 0.
    cap: f32,
    in_halves: u32,
    // Weights of a query and head that are recorded; 0: none are.
    recorded: u32,
    // Positions that every query sees; 0: those up to its own.
    all: u32,
    // Biases of a head; 0: there are none.
    biases: u32,
    // The place of that of the query's own position.
    zero: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [tokens, heads, width]
@group(0) @binding(1) var<storage, read> queries: array<f32>;
// [positions, kv_heads, width], of 16 or 32 bits
@group(0) @binding(2) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<u32>;
// [heads, biases]: by the distance from the query to the key
@group(0) @binding(4) var<storage, read> biases: array<f32>;
// [tokens, heads, width]
@group(0) @binding(5) var<storage, read_write> attended: array<f32>;
// [tokens, heads, recorded]: weights of what a query sees, from its first position on
@group(0) @binding(6) var<storage, read_write> record: array<f32>;

var<workgroup> query: array<vec2<f32>, 128>;

fn key_pair(pair: u32) -> vec2<f32> {
    if shape.in_halves != 0u {
        return unpack2x16float(keys[pair]);
    }
    return vec2(bitcast<f32>(keys[2u * pair]), bitcast<f32>(keys[2u * pair + 1u]));
}

fn value_pair(pair: u32) -> vec2<f32> {
    if shape.in_halves != 0u {
        return unpack2x16float(values[pair]);
    }
    return vec2(bitcast<f32>(values[2u * pair]), bitcast<f32>(values[2u * pair + 1u]));
}

@compute @workgroup_size(64)
fn attend_cached(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let pairs = shape.width / 2u;
    let position = shape.first + group.x;
    let end = select(position + 1u, shape.all, shape.all != 0u);
    let begin = end - min(end, shape.window);
    let own = group.x * shape.heads + group.y;
    let kv_head = group.y / (shape.heads / shape.kv_heads);
    for (var i = thread; i < pairs; i += THREADS) {
        let place = own * shape.width + 2u * i;
        query[i] = vec2(queries[place], queries[place + 1u]) * shape.scale;
    }
    workgroupBarrier();
    var softmax = no_scores();
    // Pairs of a head that this thread sums: up to 128 in all.
    var low = vec2<f32>();
    var high = vec2<f32>();
    for (var first = begin; first < end; first += THREADS) {
        let here = min(THREADS, end - first);
        var score = -3.4e38;
        if thread < here {
            let key = ((first + thread) * shape.kv_heads + kv_head) * pairs;
            var sum = 0.0;
            for (var i = 0u; i < pairs; i++) {
                sum += dot(query[i], key_pair(key + i));
            }
            if shape.cap > 0.0 {
                sum = shape.cap * tanh(clamp(sum / shape.cap, -20.0, 20.0));
            }
            if shape.biases != 0u {
                sum += biases[group.y * shape.biases + shape.zero + first + thread - position];
            }
            score = sum;
            if shape.recorded != 0u {
                record[own * shape.recorded + first - begin + thread] = score;
            }
        }
        softmax = with_scores(softmax, score, thread < here, thread);
        low *= softmax.correction;
        high *= softmax.correction;
        let step = shape.kv_heads * pairs;
        var place = (first * shape.kv_heads + kv_head) * pairs + thread;
        for (var i = 0u; i < here; i++) {
            if thread < pairs {
                low = fma(vec2(weights[i]), value_pair(place), low);
            }
            if thread + THREADS < pairs {
                high = fma(vec2(weights[i]), value_pair(place + THREADS), high);
            }
            place += step;
        }
        workgroupBarrier();
    }
    let place = own * shape.width + 2u * thread;
    if thread < pairs {
        attended[place] = low.x / softmax.total;
        attended[place + 1u] = low.y / softmax.total;
    }
    if thread + THREADS < pairs {
        attended[place + 2u * THREADS] = high.x / softmax.total;
        attended[place + 2u * THREADS + 1u] = high.y / softmax.total;
    }
    if shape.recorded != 0u {
        // Each thread reads what it has written itself.
        for (var i = thread; i < end - begin; i += THREADS) {
            let weight = own * shape.recorded + i;
            record[weight] = exp(record[weight] - softmax.largest) / softmax.total;
        }
    }
}
