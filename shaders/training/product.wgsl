// y = a b of matrices of 32 bits, either of which may be kept turned: [columns, rows]. A group computes 64 × 64 numbers, each of
// its threads eight rows of four columns, which stay in registers while the sums go on.
//
// Where there are fewer tiles than a card has room for, the inner numbers are taken in parts, and a second kernel adds their sums.

// Whether the matrices are kept [inner, rows] and [columns, inner]. Where they are, these are the lines that are others.
const A_TURNED: bool = false;
const B_TURNED: bool = false;

// Inner numbers of a tile, and fours of numbers from one of them to the next: one more than there are, for the sake of the banks.
const DEPTH: u32 = 16u;
const LINE: u32 = 17u;

struct Shape {
    rows: u32,
    inner: u32,
    columns: u32,
    // Inner numbers of a part, a multiple of DEPTH.
    part: u32,
}

@group(0) @binding(0) var<storage, read_write> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>>;
// [parts, rows, columns]
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> shape: Shape;

var<workgroup> a_tile: array<vec4<f32>, 272>;
var<workgroup> b_tile: array<vec4<f32>, 272>;

// Four numbers of `a` for thread and `half` of the tile: of one row where these follow one another, else of one inner number.
fn read_a(thread: u32, half: u32, row: u32, inner: u32, end: u32) -> vec4<f32> {
    if A_TURNED {
        let k = inner + thread / 16u + half * 8u;
        let m = row + (thread % 16u) * 4u;
        if k < end && m < shape.rows {
            return a[(k * shape.rows + m) / 4u];
        }
    } else {
        let m = row + thread / 4u + half * 32u;
        let k = inner + (thread % 4u) * 4u;
        if k < end && m < shape.rows {
            return a[(m * shape.inner + k) / 4u];
        }
    }
    return vec4<f32>();
}

fn read_b(thread: u32, half: u32, column: u32, inner: u32, end: u32) -> vec4<f32> {
    if B_TURNED {
        let n = column + thread / 4u + half * 32u;
        let k = inner + (thread % 4u) * 4u;
        if k < end && n < shape.columns {
            return b[(n * shape.inner + k) / 4u];
        }
    } else {
        let k = inner + thread / 16u + half * 8u;
        let n = column + (thread % 16u) * 4u;
        if k < end && n < shape.columns {
            return b[(k * shape.columns + n) / 4u];
        }
    }
    return vec4<f32>();
}

fn keep_a(thread: u32, half: u32, four: vec4<f32>) {
    if A_TURNED {
        a_tile[(thread / 16u + half * 8u) * LINE + thread % 16u] = four;
    } else {
        let m = thread / 4u + half * 32u;
        let place = (thread % 4u) * 4u * LINE + m / 4u;
        a_tile[place][m % 4u] = four.x;
        a_tile[place + LINE][m % 4u] = four.y;
        a_tile[place + 2u * LINE][m % 4u] = four.z;
        a_tile[place + 3u * LINE][m % 4u] = four.w;
    }
}

fn keep_b(thread: u32, half: u32, four: vec4<f32>) {
    if B_TURNED {
        let n = thread / 4u + half * 32u;
        let place = (thread % 4u) * 4u * LINE + n / 4u;
        b_tile[place][n % 4u] = four.x;
        b_tile[place + LINE][n % 4u] = four.y;
        b_tile[place + 2u * LINE][n % 4u] = four.z;
        b_tile[place + 3u * LINE][n % 4u] = four.w;
    } else {
        b_tile[(thread / 16u + half * 8u) * LINE + thread % 16u] = four;
    }
}

@compute @workgroup_size(128)
fn multiply(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * 64u;
    let column = group.y * 64u;
    let begin = group.z * shape.part;
    let end = min(begin + shape.part, shape.inner);
    let above = thread / 16u * 2u;
    let beside = thread % 16u;
    var c0 = vec4<f32>();
    var c1 = vec4<f32>();
    var c2 = vec4<f32>();
    var c3 = vec4<f32>();
    var c4 = vec4<f32>();
    var c5 = vec4<f32>();
    var c6 = vec4<f32>();
    var c7 = vec4<f32>();
    // The next tile is on its way while this one is multiplied.
    var a0 = read_a(thread, 0u, row, begin, end);
    var a1 = read_a(thread, 1u, row, begin, end);
    var b0 = read_b(thread, 0u, column, begin, end);
    var b1 = read_b(thread, 1u, column, begin, end);
    for (var inner = begin; inner < end; inner += DEPTH) {
        keep_a(thread, 0u, a0);
        keep_a(thread, 1u, a1);
        keep_b(thread, 0u, b0);
        keep_b(thread, 1u, b1);
        workgroupBarrier();
        let next = inner + DEPTH;
        if next < end {
            a0 = read_a(thread, 0u, row, next, end);
            a1 = read_a(thread, 1u, row, next, end);
            b0 = read_b(thread, 0u, column, next, end);
            b1 = read_b(thread, 1u, column, next, end);
        }
        for (var k = 0u; k < DEPTH; k++) {
            let x = a_tile[k * LINE + above];
            let z = a_tile[k * LINE + above + 1u];
            let w = b_tile[k * LINE + beside];
            c0 = fma(vec4(x.x), w, c0);
            c1 = fma(vec4(x.y), w, c1);
            c2 = fma(vec4(x.z), w, c2);
            c3 = fma(vec4(x.w), w, c3);
            c4 = fma(vec4(z.x), w, c4);
            c5 = fma(vec4(z.y), w, c5);
            c6 = fma(vec4(z.z), w, c6);
            c7 = fma(vec4(z.w), w, c7);
        }
        workgroupBarrier();
    }
    let first = row + above * 4u;
    if column + beside * 4u >= shape.columns {
        return;
    }
    let fours = shape.columns / 4u;
    let place = (group.z * shape.rows + first) * fours + group.y * 16u + beside;
    if first < shape.rows { y[place] = c0; }
    if first + 1u < shape.rows { y[place + fours] = c1; }
    if first + 2u < shape.rows { y[place + 2u * fours] = c2; }
    if first + 3u < shape.rows { y[place + 3u * fours] = c3; }
    if first + 4u < shape.rows { y[place + 4u * fours] = c4; }
    if first + 5u < shape.rows { y[place + 5u * fours] = c5; }
    if first + 6u < shape.rows { y[place + 6u * fours] = c6; }
    if first + 7u < shape.rows { y[place + 7u * fours] = c7; }
}
