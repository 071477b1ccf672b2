use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Row {
    kind: String,
    block: String,
    bits: Vec<u32>,
}

#[test]
fn numbers_of_every_kind_are_those_of_gguf_to_the_bit() {
    let rows = include_str!("../tests/data/dequantised.json");
    let rows: Vec<Row> = serde_json::from_str(rows).expect("rows");
    assert_eq!(rows.len(), 12);
    for row in rows {
        let kind = (0..31).filter_map(Kind::from_code);
        let mut kinds = kind.filter(|kind| format!("{kind:?}") == row.kind);
        let kind = kinds.next().expect("a kind");
        let hexadecimal = |place: usize| u8::from_str_radix(&row.block[place..place + 2], 16);
        let block: Result<Vec<u8>, _> = (0..row.block.len()).step_by(2).map(hexadecimal).collect();
        let mut numbers = vec![0.0; row.bits.len()];
        kind.dequantise(&block.expect("bytes"), &mut numbers);
        let expected: Vec<f32> = row.bits.into_iter().map(f32::from_bits).collect();
        // Compared as numbers: 0 and -0 are one.
        assert_eq!(numbers, expected, "{kind:?}");
    }
}

#[test]
fn every_half_float_survives_both_conversions() {
    for half in 0..=u16::MAX {
        let number = f16_to_f32(half);
        if number.is_nan() {
            assert!(half & 0x7c00 == 0x7c00 && half & 0x3ff != 0);
            assert!(f16_to_f32(f32_to_f16(number)).is_nan());
        } else {
            assert_eq!(f32_to_f16(number), half, "{number}");
        }
    }
    assert!((f16_to_f32(0x3555) - 0.333_251_95).abs() < 1e-9);
    assert_eq!(f16_to_f32(0x0001).to_bits(), 2.0_f32.powi(-24).to_bits());
    assert_eq!(f32_to_f16(65520.0), 0x7c00);
    // Ties go to the even neighbour.
    assert_eq!(f32_to_f16(1.0 + 2.0_f32.powi(-11)), 0x3c00);
    assert_eq!(f32_to_f16(1.0 + 3.0 * 2.0_f32.powi(-11)), 0x3c02);
}
