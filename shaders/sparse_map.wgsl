// A sparse map: rows × columns, of which few cells have weight.
//
// First `gather` puts every visible cell into its bin, where the greatest weight stays: no weight is hidden, however many
// cells share a pixel. Then `shade` colours each pixel by its bin. Which bin a cell lies in and which a pixel shows is
// computed before (`Bins` in src/explain/document_map/bins.rs), with more digits than a shader has.
//
// A bin holds the step of the ramp and below it the colour of that step: of two steps the greater number is the greater
// weight, and no pixel has to look its colour up. Rests are not negative, so that their bits order as they do. The bins are
// copied into a texture before they are shaded: a GPU made of software reads textures far quicker than buffers.
//
// binding 0  picture   sizes and colours
// binding 1  cells     [cells]: row, column and bits of the weight; by row
// binding 2  rests     [rows]: bits of the weight that belongs to no column
// binding 3  places    bins of the visible columns, then of the visible rows
// binding 4  gathered  [rows, stride] of bins: 0 for blank, else step and colour; then [rows] of bins: the greatest rest
// binding 5  bins      [rows, columns] of bins: red, green, blue and step
// binding 6  pixels    [2, pixels]: bins of the pixels across, and of the pixels down
// binding 7  greatest  what was gathered, to be read only

struct Picture {
    // First visible column and row.
    first: vec2<u32>,
    // How many are visible.
    seen: vec2<u32>,
    // How many rows of bins there are, and from one to the next.
    rows: u32,
    stride: u32,
    // Pixels of the cells, across and down.
    size: vec2<u32>,
    // Visible rows among all cells: where they begin and how many cells they have.
    range: vec2<u32>,
    // Pixels before the bars of the rest, and of the longest; 0 without bars.
    strip: vec2<u32>,
    // Upper left corner of the picture on the target, and the size of the target, in pixels.
    origin: vec2<f32>,
    whole: vec2<f32>,
    page: vec4<f32>,
    line: vec4<f32>,
    rest: vec4<f32>,
    hatch: vec4<f32>,
    // Step, blue, green and red from the highest byte to the lowest; four in a row.
    ramp: array<vec4<u32>, 64>,
    // Steps of the ramp a unit of weight.
    steps: f32,
}

struct Cell {
    row: u32,
    column: u32,
    weight: u32,
}

@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read> cells: array<Cell>;
@group(0) @binding(2) var<storage, read> rests: array<u32>;
@group(0) @binding(3) var<storage, read> places: array<u32>;
@group(0) @binding(4) var<storage, read_write> gathered: array<atomic<u32>>;
@group(0) @binding(5) var bins: texture_2d<f32>;
@group(0) @binding(6) var pixels: texture_2d<u32>;
@group(0) @binding(7) var<storage, read> greatest: array<u32>;

// Whether every pixel shows the bin of its own number.
override direct: bool = false;
// Whether the target wants linear colours.
override linear: bool = false;

// A pixel between two cells.
const LINE: u32 = 0xffffffffu;
const HATCH: u32 = 4u;
const SHORTEST: f32 = 2.0;

// One invocation a cell of the visible rows, then one a visible row for its rest.
@compute @workgroup_size(256)
fn gather(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = (group.y * groups.x + group.x) * 256u + local;
    if index < picture.range.y {
        let cell = cells[picture.range.x + index];
        let column = cell.column - picture.first.x;
        // Columns left of the first wrap around and are as far off as those on the right.
        if column < picture.seen.x {
            let row = places[picture.seen.x + cell.row - picture.first.y];
            let step = min(u32(bitcast<f32>(cell.weight) * picture.steps + 0.5), 255u);
            let colour = picture.ramp[step / 4u][step % 4u];
            atomicMax(&gathered[row * picture.stride + places[column]], colour);
        }
        return;
    }
    let row = index - picture.range.y;
    if row < picture.seen.y {
        let bin = picture.rows * picture.stride + places[picture.seen.x + row];
        atomicMax(&gathered[bin], rests[picture.first.y + row]);
    }
}

// Two triangles that cover the cells.
@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return corner(index, 0u, picture.size.x);
}

// Two triangles that cover all right of the cells.
@vertex
fn cover_rest(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let left = picture.size.x;
    return corner(index, left, left + picture.strip.x + picture.strip.y);
}

fn corner(index: u32, left: u32, right: u32) -> vec4<f32> {
    let x = select(left, right, (index & 1u) == 1u);
    let y = select(0u, picture.size.y, index > 1u);
    let share = (picture.origin + vec2<f32>(f32(x), f32(y))) / picture.whole;
    return vec4<f32>(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0, 0.0, 1.0);
}

// One invocation a pixel.
@fragment
fn shade(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    var bin = vec2<u32>(position.xy - picture.origin);
    if !direct {
        let column = textureLoad(pixels, vec2<u32>(bin.x, 0u), 0).r;
        let row = textureLoad(pixels, vec2<u32>(bin.y, 1u), 0).r;
        if column == LINE || row == LINE {
            return picture.line;
        }
        bin = vec2<u32>(column, row);
    }
    let colour = textureLoad(bins, bin, 0);
    if all(colour == vec4<f32>(0.0)) {
        return picture.page;
    }
    if linear {
        return vec4<f32>(linear_from_gamma(colour.rgb), 1.0);
    }
    return vec4<f32>(colour.rgb, 1.0);
}

// IEC 61966-2-1.
fn linear_from_gamma(gamma: vec3<f32>) -> vec3<f32> {
    let high = pow((gamma + 0.055) / 1.055, vec3<f32>(2.4));
    return select(high, gamma / 12.92, gamma <= vec3<f32>(0.04045));
}

// One invocation a pixel.
@fragment
fn shade_rest(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<u32>(position.xy - picture.origin);
    let row = textureLoad(pixels, vec2<u32>(at.y, 1u), 0).r;
    let start = picture.size.x + picture.strip.x;
    if row == LINE || at.x < start {
        return picture.page;
    }
    let rest = bitcast<f32>(greatest[picture.rows * picture.stride + row]);
    let length = max(rest * f32(picture.strip.y), SHORTEST);
    if rest <= 0.0 || f32(at.x - start) + 0.5 >= length {
        return picture.page;
    }
    return select(picture.rest, picture.hatch, (at.x + at.y) % HATCH == 0u);
}
