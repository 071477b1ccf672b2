// One word of a simpler simple recurrent unit: Kim et al., "From Research to Production and Back", 2019, §3:
// c = f ∘ c' + (1 - f) ∘ x W, h = max(0, c). A thread for each number.

struct Shape {
    columns: u32,
    // Rows of the cells before those of this word.
    first: u32,
    // Words before this one.
    before: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [hypotheses, 2 · columns]: f before the logistic function, and x W
@group(0) @binding(1) var<storage, read> gates: array<f32>;
// [hypotheses, 2]: where the list of rows of a hypothesis begins, and its length; the lists
@group(0) @binding(2) var<storage, read> places: array<u32>;
// [rows, 2 · columns], of which the first half are cells
@group(0) @binding(3) var<storage, read_write> cells: array<f32>;
// [hypotheses, columns]
@group(0) @binding(4) var<storage, read_write> output: array<f32>;

@compute @workgroup_size(64)
fn ssru(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let column = group.y * 64u + thread;
    if column >= shape.columns {
        return;
    }
    let width = 2u * shape.columns;
    let f = 1.0 / (1.0 + exp(-gates[group.x * width + column]));
    var cell = 0.0;
    if shape.before > 0u {
        let last = places[places[2u * group.x] + shape.before - 1u];
        cell = cells[last * width + column];
    }
    cell = f * cell + (1.0 - f) * gates[group.x * width + shape.columns + column];
    cells[(shape.first + group.x) * width + column] = cell;
    output[group.x * shape.columns + column] = max(cell, 0.0);
}
