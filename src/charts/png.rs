//! PNG, as small as a chart allows and as simple as can be (ISO/IEC 15948:2003; compression: RFC 1950 and RFC 1951).
//!
//! Every row is stored as its difference to the one above (filter 2), which in a chart is mostly zeros, and runs of equal
//! bytes become one length each.

use super::canvas::Canvas;

/// The file's bytes.
pub(super) fn encoded(canvas: &Canvas) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(canvas.width.to_be_bytes());
    header.extend(canvas.height.to_be_bytes());
    // 8 bits a sample, red-green-blue, the only compression, the only filters, not interlaced.
    header.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"IDAT", &zlib(&filtered(canvas)));
    chunk(&mut file, *b"IEND", &[]);
    file
}

fn filtered(canvas: &Canvas) -> Vec<u8> {
    let width = canvas.width as usize;
    let mut bytes = Vec::with_capacity(canvas.pixels.len() * 3 + canvas.height as usize);
    let mut above = vec![[0; 3]; width];
    for row in canvas.pixels.chunks_exact(width.max(1)) {
        bytes.push(2);
        let pairs = row.as_flattened().iter().zip(above.as_flattened());
        bytes.extend(pairs.map(|(here, above)| here.wrapping_sub(*above)));
        above.copy_from_slice(row);
    }
    bytes
}

fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).expect("a figure has less than 4 GB");
    file.extend(length.to_be_bytes());
    let start = file.len();
    file.extend(name);
    file.extend(data);
    let checksum = crc(&file[start..]);
    file.extend(checksum.to_be_bytes());
}

/// The cyclic redundancy check of annex D.
fn crc(bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|index| {
        let byte = u32::try_from(index).expect("a byte");
        (0..8).fold(byte, |c, _| {
            if c & 1 == 1 {
                0xedb8_8320 ^ (c >> 1)
            } else {
                c >> 1
            }
        })
    });
    let step = |c: u32, byte: &u8| table[((c ^ u32::from(*byte)) & 255) as usize] ^ (c >> 8);
    !bytes.iter().fold(u32::MAX, step)
}

fn adler(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits {
        bytes: vec![0x78, 0x01],
        ..Bits::default()
    };
    // The last block, with the fixed codes.
    bits.push(0b011, 3);
    let mut rest = bytes;
    let mut before = None;
    while let Some(&byte) = rest.first() {
        let run = rest
            .iter()
            .take(258)
            .take_while(|next| **next == byte)
            .count();
        if before == Some(byte) && run >= 3 {
            bits.length(run);
            // The distance is 1: symbol 0 in 5 bits.
            bits.push(0, 5);
            rest = &rest[run..];
        } else {
            bits.symbol(u32::from(byte));
            rest = &rest[1..];
        }
        before = Some(byte);
    }
    bits.symbol(256);
    let mut packed = bits.finish();
    packed.extend(adler(bytes).to_be_bytes());
    packed
}

/// Bits, the lowest of each byte first.
#[derive(Debug, Default)]
struct Bits {
    bytes: Vec<u8>,
    pending: u32,
    count: u32,
}

impl Bits {
    fn push(&mut self, bits: u32, count: u32) {
        self.pending |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.pending.to_le_bytes()[0]);
            self.pending >>= 8;
            self.count -= 8;
        }
    }

    /// A code of RFC 1951, section 3.2.6; its highest bit comes first.
    fn symbol(&mut self, symbol: u32) {
        let (code, count) = match symbol {
            0..144 => (0x30 + symbol, 8),
            144..256 => (0x190 + symbol - 144, 9),
            256..280 => (symbol - 256, 7),
            _ => (0xc0 + symbol - 280, 8),
        };
        self.push(code.reverse_bits() >> (32 - count), count);
    }

    /// The length of a match, 3 to 258: section 3.2.5.
    fn length(&mut self, length: usize) {
        let length = u32::try_from(length).expect("at most 258");
        if length == 258 {
            return self.symbol(285);
        }
        let offset = length - 3;
        // Four symbols a power of two, from 8 on.
        let extra = offset.max(4).ilog2() - 2;
        self.symbol(257 + 4 * extra + (offset >> extra));
        self.push(offset & ((1 << extra) - 1), extra);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.push(0, 8 - self.count);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        assert_eq!(adler(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn a_chart_is_packed_well() {
        let mut canvas = Canvas::new(400, 300);
        for pixel in &mut canvas.pixels[400 * 100..400 * 101] {
            *pixel = [10, 20, 30];
        }
        let length = encoded(&canvas).len();
        assert!(length < 10_000, "{length}");
    }

    #[test]
    fn an_empty_stream_is_what_others_write() {
        assert_eq!(zlib(&[]), [0x78, 0x01, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01]);
    }
}
