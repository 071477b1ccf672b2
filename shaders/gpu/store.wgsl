// Keys or values go into a cache, as half floats or as they are.

struct Shape {
    // Words of the cache that are written, and those before them.
    words: u32,
    first: u32,
    in_halves: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> cache: array<u32>;

@compute @workgroup_size(64)
fn store(@builtin(global_invocation_id) thread: vec3<u32>) {
    let word = thread.x;
    if word >= shape.words {
        return;
    }
    if shape.in_halves != 0u {
        cache[shape.first + word] = pack2x16float(vec2(x[2u * word], x[2u * word + 1u]));
    } else {
        cache[shape.first + word] = bitcast<u32>(x[word]);
    }
}
