// Dropout with the masks of src/kernels/dropout.rs: y = x / (1 - p) where it is kept, else 0. A group computes 1,024 numbers.

struct Shape {
    numbers: u32,
    // Hashes below it are dropped.
    threshold: u32,
    // 1 / (1 - p)
    scale: f32,
    // The stream that names the mask.
    low: u32,
    high: u32,
}

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> shape: Shape;

// Whether what is below 0 is 0 first.
const RELU: bool = false;

fn hash(place: u32) -> u32 {
    var bits = ((place ^ shape.low) * 0x9E3779B1u) ^ shape.high;
    bits = (bits ^ (bits >> 16u)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15u)) * 0x846CA68Bu;
    return bits ^ (bits >> 16u);
}

@compute @workgroup_size(256)
fn drop_some(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.y * 32768u + group.x) * 1024u + thread;
    for (var four = 0u; four < 4u; four++) {
        let place = first + four * 256u;
        if place < shape.numbers {
            var value = x[place];
            if RELU {
                value = max(value, 0.0);
            }
            y[place] = select(0.0, value * shape.scale, hash(place) >= shape.threshold);
        }
    }
}
