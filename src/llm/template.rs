//! Chat templates: messages in, the prompt that a model was trained with out.

use std::path::PathBuf;

use crate::error::{Error, Result};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, ErrorKind, Value, context};
use serde::Serialize;

use super::folder::Folder;
use super::gguf::Gguf;
use super::tokens::Tokenizer;

/// Steps that a template may take: a prompt of a few messages needs some hundred.
const FUEL: u64 = 1_000_000;

/// Bytes of a template and of what it makes.
const MOST_BYTES: usize = 1 << 20;

/// Calls within calls of a template.
const DEPTH: usize = 100;

const KEY: &str = "tokenizer.chat_template";

/// The template of a model.
#[derive(Debug)]
pub struct ChatTemplate {
    environment: Environment<'static>,
    bos: String,
    eos: String,
    place: Place,
}

/// Where a template stands.
#[derive(Debug)]
struct Place {
    field: String,
    path: PathBuf,
}

impl Place {
    fn problem(&self, problem: String) -> Error {
        Error::LanguageModel {
            field: self.field.clone(),
            problem,
            path: self.path.clone(),
        }
    }
}

impl ChatTemplate {
    /// The template of a file, if it has one.
    ///
    /// # Errors
    /// [`Error::LanguageModel`], if it is no template, or a huge one.
    pub fn read(file: &Gguf, tokenizer: &Tokenizer) -> Result<Option<Self>> {
        let Some(source) = file.text(KEY)? else {
            return Ok(None);
        };
        let place = Place {
            field: KEY.to_owned(),
            path: file.path().to_owned(),
        };
        Self::new(source, tokenizer, place).map(Some)
    }

    /// The template of a folder, if it has one.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_folder(folder: &Folder, tokenizer: &Tokenizer) -> Result<Option<Self>> {
        let Some((source, [field, path])) = folder.template()? else {
            return Ok(None);
        };
        let place = Place {
            field: field.display().to_string(),
            path,
        };
        Self::new(&source, tokenizer, place).map(Some)
    }

    fn new(source: &str, tokenizer: &Tokenizer, place: Place) -> Result<Self> {
        if source.len() > MOST_BYTES {
            return Err(place.problem(format!("it has {} bytes", source.len())));
        }
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(DEPTH);
        let failed = |error: minijinja::Error| place.problem(error.to_string());
        // As transformers sets up its templates.
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(syntax.map_err(failed)?);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function(
            "raise_exception",
            |message: String| -> Result<Value, minijinja::Error> {
                Err(minijinja::Error::new(ErrorKind::InvalidOperation, message))
            },
        );
        let added = environment.add_template_owned("chat", source.to_owned());
        added.map_err(failed)?;
        Ok(Self {
            environment,
            bos: tokenizer.special_text(tokenizer.bos()).to_owned(),
            eos: tokenizer.special_text(tokenizer.eos()).to_owned(),
            place,
        })
    }

    /// The prompt of a conversation, after which the model answers. Messages have a `role` (`system`, `user`, `assistant`)
    /// and `content`.
    ///
    /// # Errors
    /// [`Error::LanguageModel`], if the template fails, refuses the messages, or does not come to an end.
    pub fn prompt(&self, messages: &[impl Serialize]) -> Result<String> {
        let failed = |error: minijinja::Error| self.place.problem(error.to_string());
        let template = self.environment.get_template("chat").map_err(failed)?;
        let variables = context! {
            messages => Value::from(Serde(messages)),
            bos_token => self.bos.as_str(),
            eos_token => self.eos.as_str(),
            add_generation_prompt => true,
            // For models that would reason first, such as Qwen 3.
            enable_thinking => false,
        };
        let mut prompt = Bounded(Vec::new());
        template
            .render_captured_to(variables, &mut prompt)
            .map_err(failed)?;
        Ok(String::from_utf8_lossy(&prompt.0).into_owned())
    }
}

/// Bytes that refuse to become too many.
struct Bounded(Vec<u8>);

impl std::io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > 16 * MOST_BYTES {
            return Err(std::io::Error::other("the prompt becomes too long"));
        }
        self.0.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{Fixture, open};
    use serde_json::json;

    fn prompt(source: &str) -> Result<String> {
        let file = open(Fixture::words().text(KEY, source));
        let tokenizer = Tokenizer::read(&file)?;
        let template = ChatTemplate::read(&file, &tokenizer)?;
        let template = template.expect("a template");
        template.prompt(&[
            json!({"role": "system", "content": "Translate."}),
            json!({"role": "user", "content": " Hello "}),
        ])
    }

    #[test]
    fn templates_of_hugging_face_make_prompts() {
        let source = "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'].strip() + '<|im_end|>' + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";
        let expected = "<|im_start|>system\nTranslate.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n";
        assert_eq!(prompt(source).expect("a prompt"), expected);
    }

    #[test]
    fn a_template_that_loops_recurses_fails_or_refuses_is_an_error() {
        for (source, word) in [
            (
                "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
                "fuel",
            ),
            (
                "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
                "recursion",
            ),
            ("{{ raise_exception('no system role') }}", "no system role"),
            ("{% for message in", "syntax"),
            ("{{ messages.nothing.at_all }}", "undefined"),
        ] {
            let error = prompt(source).expect_err(source).to_string();
            assert!(
                error.contains(word) && error.contains(KEY),
                "{source}: {error}"
            );
        }
    }
}
