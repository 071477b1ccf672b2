//! The pieces of SentencePiece models: the texts in field 1 of the messages in field 1, see `sentencepiece_model.proto`.

/// The pieces of a model by id; none if it is no such model.
pub(super) fn pieces(model: &[u8]) -> Option<Vec<String>> {
    let mut pieces = Vec::new();
    for (field, piece) in fields(model)? {
        if field != 1 {
            continue;
        }
        let text = fields(piece?)?.into_iter().find(|&(field, _)| field == 1)?;
        pieces.push(String::from_utf8(text.1?.to_vec()).ok()?);
    }
    (!pieces.is_empty()).then_some(pieces)
}

/// The number of a field, and its bytes.
type Field<'a> = (u64, Option<&'a [u8]>);

/// Numbers of a message's fields, each with its bytes if it has a length.
fn fields(mut message: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message)?;
        let bytes = match key & 7 {
            0 => {
                varint(&mut message)?;
                None
            }
            1 => message.split_off(..8).and(None),
            2 => {
                let length = usize::try_from(varint(&mut message)?).ok()?;
                Some(message.split_off(..length)?)
            }
            5 => message.split_off(..4).and(None),
            _ => return None,
        };
        fields.push((key >> 3, bytes));
    }
    Some(fields)
}

fn varint(message: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *message.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentencepiece_model_lists_its_pieces() {
        let model = [
            10, 10, 10, 3, b'<', b's', b'>', 21, 0, 0, 0, 0, 10, 5, 10, 1, b'a', 24, 1, 18, 2, 1, 2,
        ];
        assert_eq!(pieces(&model).expect("a model"), ["<s>", "a"]);
        for length in 1..model.len() {
            let _ = pieces(&model[..length]);
        }
        assert_eq!(pieces(b"text"), None);
    }
}
