// A step of Adam for three parameters (src/kernels/adam). A group takes 1,024 numbers of the one that its second number names.
// Where the sum of the squares of all gradients is not finite, all stays as it is.

struct Shape {
    numbers: array<u32, 3>,
    // Decay of both means, and the share of what is new.
    beta_1: f32,
    beta_2: f32,
    new_1: f32,
    new_2: f32,
    epsilon: f32,
    rate: f32,
    bias_2: f32,
    // By which gradients are multiplied.
    scale: f32,
    // The longest that all gradients together may be before.
    limit: f32,
}

@group(0) @binding(0) var<storage, read_write> values_1: array<f32>;
@group(0) @binding(1) var<storage, read_write> gradient_1: array<f32>;
@group(0) @binding(2) var<storage, read_write> mean_1: array<f32>;
@group(0) @binding(3) var<storage, read_write> square_1: array<f32>;
@group(0) @binding(4) var<storage, read_write> after_1: array<f32>;
@group(0) @binding(5) var<storage, read_write> values_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> gradient_2: array<f32>;
@group(0) @binding(7) var<storage, read_write> mean_2: array<f32>;
@group(0) @binding(8) var<storage, read_write> square_2: array<f32>;
@group(0) @binding(9) var<storage, read_write> after_2: array<f32>;
@group(0) @binding(10) var<storage, read_write> values_3: array<f32>;
@group(0) @binding(11) var<storage, read_write> gradient_3: array<f32>;
@group(0) @binding(12) var<storage, read_write> mean_3: array<f32>;
@group(0) @binding(13) var<storage, read_write> square_3: array<f32>;
@group(0) @binding(14) var<storage, read_write> after_3: array<f32>;
// Of all gradients.
@group(0) @binding(15) var<storage, read_write> square_sum: array<f32>;
@group(0) @binding(16) var<storage, read> shape: Shape;

struct Number {
    value: f32,
    mean: f32,
    square: f32,
}

fn next(before: Number, gradient: f32) -> Number {
    let sum = square_sum[0];
    // Bits, since compilers may take every number for a finite one.
    if (bitcast<u32>(sum) & 0x7F800000u) == 0x7F800000u {
        return before;
    }
    let length = sqrt(sum);
    let scaled = gradient * select(1.0, shape.limit / length, length > shape.limit) * shape.scale;
    let mean = before.mean * shape.beta_1 + scaled * shape.new_1;
    let square = before.square * shape.beta_2 + scaled * scaled * shape.new_2;
    let change = mean / (sqrt(square / shape.bias_2) + shape.epsilon) * shape.rate;
    return Number(before.value - change, mean, square);
}

@compute @workgroup_size(256)
fn update(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let begin = group.x * 1024u;
    let end = min(begin + 1024u, shape.numbers[group.y]);
    for (var place = begin + thread; place < end; place += 256u) {
        switch group.y {
            case 0u: {
                let before = Number(values_1[place], mean_1[place], square_1[place]);
                let number = next(before, gradient_1[place]);
                after_1[place] = number.value;
                mean_1[place] = number.mean;
                square_1[place] = number.square;
            }
            case 1u: {
                let before = Number(values_2[place], mean_2[place], square_2[place]);
                let number = next(before, gradient_2[place]);
                after_2[place] = number.value;
                mean_2[place] = number.mean;
                square_2[place] = number.square;
            }
            default: {
                let before = Number(values_3[place], mean_3[place], square_3[place]);
                let number = next(before, gradient_3[place]);
                after_3[place] = number.value;
                mean_3[place] = number.mean;
                square_3[place] = number.square;
            }
        }
    }
}
