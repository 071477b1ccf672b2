// Sums of the squares of eight gradients. A group takes 16,384 numbers of the gradient that its second number names.

struct Shape {
    // Numbers of each, and the place of the first of its sums.
    numbers: array<u32, 8>,
    begins: array<u32, 8>,
}

@group(0) @binding(0) var<storage, read_write> first: array<f32>;
@group(0) @binding(1) var<storage, read_write> second: array<f32>;
@group(0) @binding(2) var<storage, read_write> third: array<f32>;
@group(0) @binding(3) var<storage, read_write> fourth: array<f32>;
@group(0) @binding(4) var<storage, read_write> fifth: array<f32>;
@group(0) @binding(5) var<storage, read_write> sixth: array<f32>;
@group(0) @binding(6) var<storage, read_write> seventh: array<f32>;
@group(0) @binding(7) var<storage, read_write> eighth: array<f32>;
@group(0) @binding(8) var<storage, read_write> sums: array<f32>;
@group(0) @binding(9) var<storage, read> shape: Shape;

const CHUNK: u32 = 16384u;

var<workgroup> of_threads: array<f32, 256>;

fn number(which: u32, place: u32) -> f32 {
    switch which {
        case 0u: { return first[place]; }
        case 1u: { return second[place]; }
        case 2u: { return third[place]; }
        case 3u: { return fourth[place]; }
        case 4u: { return fifth[place]; }
        case 5u: { return sixth[place]; }
        case 6u: { return seventh[place]; }
        default: { return eighth[place]; }
    }
}

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let begin = group.x * CHUNK;
    let all = shape.numbers[group.y];
    if begin >= all {
        return;
    }
    let end = min(begin + CHUNK, all);
    var sum = 0.0;
    for (var place = begin + thread; place < end; place += 256u) {
        let value = number(group.y, place);
        sum += value * value;
    }
    of_threads[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if thread < half {
            of_threads[thread] += of_threads[thread + half];
        }
        workgroupBarrier();
    }
    if thread == 0u {
        sums[shape.begins[group.y] + group.x] = of_threads[0];
    }
}
