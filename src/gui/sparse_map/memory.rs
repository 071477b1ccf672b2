//! Memory of the shader, byte by byte.

use plotters::style::RGBColor;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

use super::pipelines::MapPipelines;
use canopy_explain::{DocumentMap, MapColours, MapFrame};

/// Bytes of a cell.
const CELL: usize = 12;
/// Bytes of `Picture`.
const PICTURE: u64 = 8 * 8 + 4 * 16 + 256 * 4 + 16;
/// Bins from a row to the next are a multiple of this: textures require this of what is copied into them.
const ALIGNED: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT / 4;

/// How much memory the picture of a frame needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Bytes.
    pub places: u64,
    pub gathered: u64,
    /// Columns and rows of bins.
    bins: (u32, u32),
    /// The longer side.
    pixels: u32,
}

/// Memory for pictures up to some size.
#[derive(Debug)]
pub(super) struct Memory {
    pub sizes: Sizes,
    pub picture: wgpu::Buffer,
    places: wgpu::Buffer,
    pub gathered: wgpu::Buffer,
    bins: wgpu::Texture,
    pixels: wgpu::Texture,
}

/// Enough for all views of a map in pictures of this size: bins are never more than pixels and one, which is where cells as
/// large as pixels are cut at both edges. Allocating memory during a zoom would cost frames.
pub(super) fn needed(frame: &MapFrame) -> Sizes {
    let (columns, rows) = (&frame.columns, &frame.rows);
    let (across, down) = (number(columns.of_pixel.len()), number(rows.of_pixel.len()));
    let places = (columns.of_cell.len() + rows.of_cell.len()) as u64;
    Sizes {
        places: 4 * places.next_power_of_two(),
        gathered: gathered_bytes(across + 1, down + 1),
        bins: (across + 1, down + 1),
        pixels: across.max(down),
    }
}

/// Bytes that `gather` fills.
pub(super) fn gathered(frame: &MapFrame) -> u64 {
    gathered_bytes(frame.columns.count, frame.rows.count)
}

fn gathered_bytes(columns: u32, rows: u32) -> u64 {
    let stride = u64::from(columns.next_multiple_of(ALIGNED));
    4 * ((stride + 1) * u64::from(rows)).max(1)
}

/// From a row of bins to the next.
fn stride(frame: &MapFrame) -> u32 {
    frame.columns.count.next_multiple_of(ALIGNED)
}

fn number(size: usize) -> u32 {
    u32::try_from(size).expect("a map has less than 2³² cells")
}

impl Sizes {
    /// Whether `needed` fits.
    pub(super) fn cover(&self, needed: &Self) -> bool {
        self.grown(needed) == *self
    }

    /// So large that `needed` fits too.
    pub(super) fn grown(&self, needed: &Self) -> Self {
        Self {
            places: self.places.max(needed.places),
            gathered: self.gathered.max(needed.gathered),
            bins: (
                self.bins.0.max(needed.bins.0),
                self.bins.1.max(needed.bins.1),
            ),
            pixels: self.pixels.max(needed.pixels),
        }
    }
}

impl Memory {
    pub(super) fn new(device: &wgpu::Device, sizes: Sizes) -> Self {
        let buffer = |name, size: u64, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(name),
                size: size.max(4),
                usage: usage | BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let texture = |name, width: u32, height: u32, format| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(name),
                size: extent(width.max(1), height.max(1)),
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST,
                view_formats: &[],
            })
        };
        let (columns, rows) = sizes.bins;
        let gathered = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        Self {
            sizes,
            picture: buffer("sparse_map picture", PICTURE, BufferUsages::UNIFORM),
            places: buffer("sparse_map places", sizes.places, BufferUsages::STORAGE),
            gathered: buffer("sparse_map gathered", sizes.gathered, gathered),
            bins: texture("sparse_map bins", columns, rows, TextureFormat::Rgba8Unorm),
            pixels: texture("sparse_map pixels", sizes.pixels, 2, TextureFormat::R32Uint),
        }
    }

    /// All of it.
    pub(super) fn bytes(&self) -> u64 {
        let buffers = self.picture.size() + self.places.size() + self.gathered.size();
        let texels =
            |texture: &wgpu::Texture| u64::from(texture.width()) * u64::from(texture.height());
        buffers + 4 * (texels(&self.bins) + texels(&self.pixels))
    }

    /// Bindings of `gather` and of `shade`.
    pub(super) fn bound(
        &self,
        device: &wgpu::Device,
        pipelines: &MapPipelines,
        cells: &wgpu::Buffer,
        rests: &wgpu::Buffer,
    ) -> (wgpu::BindGroup, wgpu::BindGroup) {
        let group = |layout, bound: &[(u32, wgpu::BindingResource<'_>)]| {
            let entries = bound
                .iter()
                .map(|(binding, resource)| wgpu::BindGroupEntry {
                    binding: *binding,
                    resource: resource.clone(),
                });
            let entries: Vec<_> = entries.collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("sparse_map"),
                layout,
                entries: &entries,
            })
        };
        let view =
            |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let (bins, pixels) = (view(&self.bins), view(&self.pixels));
        let (picture, gathered) = (
            self.picture.as_entire_binding(),
            self.gathered.as_entire_binding(),
        );
        let gather = [
            (0, picture.clone()),
            (1, cells.as_entire_binding()),
            (2, rests.as_entire_binding()),
            (3, self.places.as_entire_binding()),
            (4, gathered.clone()),
        ];
        let shade = [
            (0, picture),
            (5, wgpu::BindingResource::TextureView(&bins)),
            (6, wgpu::BindingResource::TextureView(&pixels)),
            (7, gathered),
        ];
        (
            group(&pipelines.gather_layout, &gather),
            group(&pipelines.shade_layout, &shade),
        )
    }

    /// Uploads which bins cells and pixels have.
    pub(super) fn write(&self, queue: &wgpu::Queue, frame: &MapFrame) {
        let (columns, rows) = (&frame.columns, &frame.rows);
        let places = columns.of_cell.iter().chain(&rows.of_cell);
        queue.write_buffer(&self.places, 0, &bytes(places.copied()));
        for (line, pixels) in [(0, &columns.of_pixel), (1, &rows.of_pixel)] {
            let mut place = self.pixels.as_image_copy();
            place.origin.y = line;
            let layout = wgpu::TexelCopyBufferLayout::default();
            let content = bytes(pixels.iter().copied());
            queue.write_texture(place, &content, layout, extent(number(pixels.len()), 1));
        }
    }

    /// From where they were gathered to where they are shaded.
    pub(super) fn copy_bins(&self, encoder: &mut wgpu::CommandEncoder, frame: &MapFrame) {
        let (columns, rows) = (frame.columns.count, frame.rows.count);
        if columns == 0 || rows == 0 {
            return;
        }
        let source = wgpu::TexelCopyBufferInfo {
            buffer: &self.gathered,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * stride(frame)),
                rows_per_image: None,
            },
        };
        let size = extent(columns, rows);
        encoder.copy_buffer_to_texture(source, self.bins.as_image_copy(), size);
    }
}

fn extent(width: u32, height: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width,
        height,
        depth_or_array_layers: 1,
    }
}

fn bytes(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.flat_map(u32::to_ne_bytes).collect()
}

/// How many bytes [`cells`] has.
pub(super) fn cell_bytes(map: &DocumentMap) -> u64 {
    (map.num_cells().max(1) * CELL) as u64
}

/// `Cell`s of the shader; at least one, since buffers may not be empty.
pub(super) fn cells(map: &DocumentMap) -> Vec<u8> {
    let mut cells = Vec::with_capacity(map.num_cells().max(1) * CELL);
    for (row, number) in (0..map.rows()).zip(0..) {
        for (column, weight) in map.row(row) {
            cells.extend(bytes([number, column, weight.to_bits()].into_iter()));
        }
    }
    cells.resize(cells.len().max(CELL), 0);
    cells
}

/// Bits of the rests; at least one.
pub(super) fn rests(map: &DocumentMap) -> Vec<u8> {
    let mut rests = bytes(map.rest().iter().map(|rest| rest.to_bits()));
    rests.resize(rests.len().max(4), 0);
    rests
}

/// `Picture` of the shader. Of the target: the corner of the picture, its size, and whether its colours are linear.
pub(super) fn picture(
    map: &DocumentMap,
    frame: &MapFrame,
    ink: &MapColours,
    (origin, whole, is_linear): ([f32; 2], [f32; 2], bool),
) -> Vec<u8> {
    let (columns, rows) = (&frame.columns, &frame.rows);
    let range = map.range(rows.cells.clone());
    let strip = frame.strip.map_or([0, 0], |strip| [strip.gap, strip.width]);
    let numbers = |first: usize, second: usize| [number(first), number(second)];
    let head = [
        numbers(columns.cells.start, rows.cells.start),
        numbers(columns.cells.len(), rows.cells.len()),
        [rows.count, stride(frame)],
        numbers(columns.of_pixel.len(), rows.of_pixel.len()),
        numbers(range.start, range.len()),
        strip,
        origin.map(f32::to_bits),
        whole.map(f32::to_bits),
    ];
    let part = |byte: u8| {
        if is_linear {
            egui::ecolor::linear_f32_from_gamma_u8(byte)
        } else {
            f32::from(byte) / 255.0
        }
    };
    let colours = [ink.page, ink.line, ink.rest, ink.hatch].map(|RGBColor(red, green, blue)| {
        [part(red), part(green), part(blue), 1.0].map(f32::to_bits)
    });
    let step = |(step, &RGBColor(red, green, blue)): (u8, &RGBColor)| {
        u32::from_be_bytes([step, blue, green, red])
    };
    let words = head.into_iter().flatten();
    let words = words.chain(colours.into_iter().flatten());
    let words = words.chain((0..=u8::MAX).zip(&ink.ramp).map(step));
    bytes(words.chain([ink.steps.to_bits(), 0, 0, 0]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_explain::MapView;

    #[test]
    fn cells_that_are_cut_at_both_edges_have_room() {
        let map = DocumentMap::generated(400, 4, 1);
        let mut view = MapView::all(&map);
        view.zoom(view.middle(), (0.25, 0.25), &map);
        view.pan(0.5, 0.5, &map);
        let frame = MapFrame::new(&map, &view, (100, 100), None);
        assert_eq!((frame.columns.count, frame.rows.count), (101, 101));
        let Sizes { bins, gathered, .. } = needed(&frame);
        assert!(bins.0 >= 101 && bins.1 >= 101, "{bins:?}");
        assert!(gathered >= super::gathered(&frame));
    }
}
