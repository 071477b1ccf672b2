// gates = function(gates) · values: Shazeer, "GLU Variants Improve Transformer", 2020; or ReLU of the gates alone.

struct Shape {
    count: u32,
    // 0: SiLU; 1: GELU, by its tanh form; 2: ReLU, without values.
    function: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> gates: array<f32>;

@compute @workgroup_size(64)
fn gate(@builtin(global_invocation_id) thread: vec3<u32>) {
    if thread.x >= shape.count {
        return;
    }
    let x = gates[thread.x];
    if shape.function == 2u {
        gates[thread.x] = max(x, 0.0);
        return;
    }
    // tanh(z) = 2 σ(2z) - 1
    let z = select(x, 1.5957691216057308 * (x + 0.044715 * x * x * x), shape.function == 1u);
    gates[thread.x] = x / (1.0 + exp(-z)) * values[thread.x];
}
