//! Charts as PNG.

use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use super::canvas::Canvas;

/// Returns the file's bytes: 8 bits a sample, red, green, blue.
pub(super) fn encoded(canvas: &Canvas) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, canvas.width, canvas.height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    // Rows of a chart are mostly those above them.
    encoder.set_filter(Filter::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(canvas.pixels.as_flattened())?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_is_packed_well_and_comes_back() {
        let mut canvas = Canvas::new(400, 300);
        for pixel in &mut canvas.pixels[400 * 100..400 * 101] {
            *pixel = [10, 20, 30];
        }
        let file = encoded(&canvas).expect("encodes");
        assert!(file.len() < 10_000, "{}", file.len());
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        let info = reader.next_frame(&mut pixels).expect("a frame");
        assert_eq!((info.width, info.height), (400, 300));
        assert_eq!(pixels, canvas.pixels.as_flattened());
    }
}
