// Scores of some tokens of each hypothesis: of those that followed its nearest states.

struct Shape {
    vocab: u32,
    // States of each hypothesis.
    count: u32,
    // Where in a row of `near` their numbers begin, and how long a row is.
    first: u32,
    width: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, vocab]
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// [rows, width], with `count` numbers of states from `first` on
@group(0) @binding(2) var<storage, read> near: array<u32>;
// [states]: the token that followed each
@group(0) @binding(3) var<storage, read> next: array<u32>;
// [rows, count]
@group(0) @binding(4) var<storage, read_write> gathered: array<f32>;

@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    for (var i = thread; i < shape.count; i += 64u) {
        let state = near[group.x * shape.width + shape.first + i];
        // There are none where distances are no numbers.
        let id = next[min(state, arrayLength(&next) - 1u)];
        gathered[group.x * shape.count + i] = scores[group.x * shape.vocab + min(id, shape.vocab - 1u)];
    }
}
