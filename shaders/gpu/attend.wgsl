// softmax(q kᵀ / √d) v for one query and one head in each group: Vaswani et al., "Attention Is All You Need", 2017, Eq. 1, in one
// pass over the keys, with the softmax of `running_softmax.wgsl`.

struct Shape {
    // Numbers of a head, and of all.
    width: u32,
    columns: u32,
    // Where the spans of the queries begin in `places`.
    first: u32,
    // Whether a span names places of `places` that hold the rows of its keys, in place of the rows themselves.
    is_listed: u32,
    scale: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [queries, columns]
@group(0) @binding(1) var<storage, read> queries: array<f32>;
// [rows, 2 · columns]: keys and values
@group(0) @binding(2) var<storage, read> memory: array<f32>;
// [queries, 2]: where the keys begin, and how many; lists of rows
@group(0) @binding(3) var<storage, read> places: array<u32>;
// [queries, columns]
@group(0) @binding(4) var<storage, read_write> attended: array<f32>;

var<workgroup> query: array<f32, 256>;
var<workgroup> rows: array<u32, 64>;

@compute @workgroup_size(64)
fn attend(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = places[shape.first + 2u * group.x];
    let count = places[shape.first + 2u * group.x + 1u];
    let head = group.y * shape.width;
    let own = group.x * shape.columns + head;
    for (var i = thread; i < shape.width; i += THREADS) {
        query[i] = queries[own + i] * shape.scale;
    }
    workgroupBarrier();
    var softmax = no_scores();
    // Numbers of a head that this thread sums: up to 256 in all.
    var result = vec4<f32>();
    for (var begin = 0u; begin < count; begin += THREADS) {
        let here = min(THREADS, count - begin);
        var score = -3.4e38;
        // Threads without a key look at the last one; its weight is zero for them.
        var row = first + begin + min(thread, here - 1u);
        if shape.is_listed != 0u {
            row = places[row];
        }
        rows[thread] = row;
        if thread < here {
            let key = row * 2u * shape.columns + head;
            var parts = vec4<f32>();
            var i = 0u;
            for (; i + 3u < shape.width; i += 4u) {
                let numbers = vec4(memory[key + i], memory[key + i + 1u], memory[key + i + 2u], memory[key + i + 3u]);
                parts = fma(vec4(query[i], query[i + 1u], query[i + 2u], query[i + 3u]), numbers, parts);
            }
            score = parts.x + parts.y + parts.z + parts.w;
            for (; i < shape.width; i++) {
                score = fma(query[i], memory[key + i], score);
            }
        }
        softmax = with_scores(softmax, score, thread < here, thread);
        result *= softmax.correction;
        for (var part = 0u; part < 4u; part++) {
            let column = thread + part * THREADS;
            if column < shape.width {
                var sum = result[part];
                let place = shape.columns + head + column;
                let step = 2u * shape.columns;
                // Eight at once, so that a thread waits for memory an eighth as often.
                for (var i = 0u; i < here; i += 8u) {
                    let v0 = memory[rows[i] * step + place];
                    let v1 = memory[rows[i + 1u] * step + place];
                    let v2 = memory[rows[i + 2u] * step + place];
                    let v3 = memory[rows[i + 3u] * step + place];
                    let v4 = memory[rows[i + 4u] * step + place];
                    let v5 = memory[rows[i + 5u] * step + place];
                    let v6 = memory[rows[i + 6u] * step + place];
                    let v7 = memory[rows[i + 7u] * step + place];
                    sum = fma(weights[i], v0, sum);
                    sum = fma(weights[i + 1u], v1, sum);
                    sum = fma(weights[i + 2u], v2, sum);
                    sum = fma(weights[i + 3u], v3, sum);
                    sum = fma(weights[i + 4u], v4, sum);
                    sum = fma(weights[i + 5u], v5, sum);
                    sum = fma(weights[i + 6u], v6, sum);
                    sum = fma(weights[i + 7u], v7, sum);
                }
                result[part] = sum;
            }
        }
        workgroupBarrier();
    }
    for (var part = 0u; part < 4u; part++) {
        let column = thread + part * THREADS;
        if column < shape.width {
            // Who sees no key gives zeros.
            attended[own + column] = select(0.0, result[part] / softmax.total, count > 0u);
        }
    }
}
