//! Protocol buffers, as far as SentencePiece's files use them.
//!
//! A message is a row of fields: a number that is field · 8 + kind of value, then the value (protobuf.dev, "Encoding").

/// The fields of a message in order; a repeated number counts the last time.
#[derive(Debug, Clone, Default)]
pub(super) struct Message<'a>(Vec<(u64, Value<'a>)>);

#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    Number(u64),
    Float(f32),
    Bytes(&'a [u8]),
}

/// Reads a message; none if it is cut off.
pub(super) fn fields(mut bytes: &[u8]) -> Option<Message<'_>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes)?;
        let value = match tag & 7 {
            0 => Value::Number(number(&mut bytes)?),
            1 => {
                let (word, rest) = bytes.split_first_chunk::<8>()?;
                bytes = rest;
                Value::Bytes(word)
            }
            2 => {
                let length = usize::try_from(number(&mut bytes)?).ok()?;
                let (value, rest) = bytes.split_at_checked(length)?;
                bytes = rest;
                Value::Bytes(value)
            }
            5 => {
                let (word, rest) = bytes.split_first_chunk::<4>()?;
                bytes = rest;
                Value::Float(f32::from_le_bytes(*word))
            }
            _ => return None,
        };
        fields.push((tag >> 3, value));
    }
    Some(Message(fields))
}

/// Seven bits a byte, the lowest first.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

impl<'a> Message<'a> {
    fn last(&self, field: u64) -> Option<Value<'a>> {
        let mut fields = self.0.iter().rev();
        let found = fields.find(|(name, _)| *name == field);
        found.map(|&(_, value)| value)
    }

    /// All values of a field that may be repeated.
    pub(super) fn all(&self, field: u64) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(move |&(name, value)| match value {
            Value::Bytes(bytes) if name == field => Some(bytes),
            _ => None,
        })
    }

    pub(super) fn number(&self, field: u64) -> Option<u64> {
        match self.last(field)? {
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn float(&self, field: u64) -> Option<f32> {
        match self.last(field)? {
            Value::Float(float) => Some(float),
            _ => None,
        }
    }

    pub(super) fn bytes(&self, field: u64) -> Option<&'a [u8]> {
        match self.last(field)? {
            Value::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    pub(super) fn text(&self, field: u64) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(field)?).ok()
    }

    pub(super) fn message(&self, field: u64) -> Option<Message<'a>> {
        fields(self.bytes(field)?)
    }
}
