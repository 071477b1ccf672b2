//! Small GGUF files for tests.

use crate::gguf::Gguf;

/// A file in the making.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fixture {
    values: Vec<(String, Vec<u8>)>,
    tensors: Vec<(String, Vec<u64>, u32, Vec<u8>)>,
}

fn text_bytes(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

impl Fixture {
    fn value(mut self, key: &str, kind: u32, bytes: &[u8]) -> Self {
        self.values.retain(|(other, _)| other != key);
        let bytes = [&kind.to_le_bytes()[..], bytes].concat();
        self.values.push((key.to_owned(), bytes));
        self
    }

    pub(crate) fn text(self, key: &str, text: &str) -> Self {
        self.value(key, 8, &text_bytes(text))
    }

    pub(crate) fn count(self, key: &str, count: u32) -> Self {
        self.value(key, 4, &count.to_le_bytes())
    }

    pub(crate) fn float(self, key: &str, float: f32) -> Self {
        self.value(key, 6, &float.to_le_bytes())
    }

    pub(crate) fn bool(self, key: &str, value: bool) -> Self {
        self.value(key, 7, &[u8::from(value)])
    }

    fn list(self, key: &str, kind: u32, items: &[Vec<u8>]) -> Self {
        let count = (items.len() as u64).to_le_bytes();
        let bytes = [&kind.to_le_bytes()[..], &count, &items.concat()].concat();
        self.value(key, 9, &bytes)
    }

    pub(crate) fn texts(self, key: &str, texts: &[&str]) -> Self {
        let items: Vec<Vec<u8>> = texts.iter().map(|text| text_bytes(text)).collect();
        self.list(key, 8, &items)
    }

    pub(crate) fn floats(self, key: &str, floats: &[f32]) -> Self {
        let items: Vec<Vec<u8>> = floats.iter().map(|it| it.to_le_bytes().to_vec()).collect();
        self.list(key, 6, &items)
    }

    pub(crate) fn integers(self, key: &str, integers: &[i32]) -> Self {
        let items: Vec<Vec<u8>> = integers
            .iter()
            .map(|it| it.to_le_bytes().to_vec())
            .collect();
        self.list(key, 5, &items)
    }

    /// A tensor of 32-bit floats.
    pub(crate) fn tensor(mut self, name: &str, shape: &[u64], numbers: &[f32]) -> Self {
        let bytes = numbers.iter().flat_map(|it| it.to_le_bytes()).collect();
        self.tensors
            .push((name.to_owned(), shape.to_vec(), 0, bytes));
        self
    }

    /// A tokenizer of a few words, bytes as letters.
    pub(crate) fn words() -> Self {
        Self::default()
            .text("tokenizer.ggml.model", "gpt2")
            .text("tokenizer.ggml.pre", "gpt-2")
            .texts(
                "tokenizer.ggml.tokens",
                &["<s>", "a", "b", "Ġ", "ab", "Ġab", "<x>"],
            )
            .integers("tokenizer.ggml.token_type", &[3, 1, 1, 1, 1, 1, 4])
            .texts("tokenizer.ggml.merges", &["a b", "Ġ ab"])
            .count("tokenizer.ggml.bos_token_id", 0)
            .count("tokenizer.ggml.eos_token_id", 0)
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend((self.tensors.len() as u64).to_le_bytes());
        file.extend((self.values.len() as u64).to_le_bytes());
        for (key, value) in &self.values {
            file.extend(text_bytes(key));
            file.extend(value);
        }
        let mut data = Vec::new();
        for (name, shape, kind, bytes) in &self.tensors {
            file.extend(text_bytes(name));
            file.extend(u32::try_from(shape.len()).expect("few").to_le_bytes());
            for dimension in shape {
                file.extend(dimension.to_le_bytes());
            }
            file.extend(kind.to_le_bytes());
            file.extend((data.len() as u64).to_le_bytes());
            data.extend(bytes);
            data.resize(data.len().next_multiple_of(32), 0);
        }
        file.resize(file.len().next_multiple_of(32), 0);
        file.extend(data);
        file
    }
}

/// The file, opened; its name is gone as soon as it is mapped.
pub(crate) fn open(fixture: Fixture) -> Gguf {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("made.gguf");
    std::fs::write(&path, fixture.bytes()).expect("a file");
    Gguf::open(&path).expect("a whole file")
}
