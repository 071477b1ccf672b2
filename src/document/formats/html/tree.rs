//! The open elements of a page, and the paragraphs that begin and end with them.

use std::ops::Range;

use html5ever::{Attribute, LocalName};

use super::{
    elements::{self, Role},
    spans::{Receiver, Span},
};
use crate::{
    builder::{Builder, Context, Failure, MAX_DEPTH},
    document::ParagraphKind,
    inline::Run,
};

/// Follows the open block elements, by the rules by which browsers end them, and collects runs of inline content.
pub(super) struct Tree<'s, 'b> {
    source: &'s str,
    builder: &'b mut Builder,
    stack: Vec<Element>,
    run: Run,
    opaque: Option<Opaque>,
    /// Whether elements may close themselves.
    is_xml: bool,
}

/// An open block element.
struct Element {
    name: LocalName,
    /// Not yet given to a paragraph.
    id: Option<String>,
    skipped: bool,
    /// How many paragraphs there were when it began.
    first_paragraph: usize,
}

/// An inline element whose content is not read.
struct Opaque {
    name: LocalName,
    start: usize,
    /// Elements of the same name that are open, this one included.
    depth: usize,
    role: Role,
    /// Shows something, so that its place in the sentence matters.
    is_content: bool,
}

impl Receiver for Tree<'_, '_> {
    type Failure = Failure;

    fn span(&mut self, span: Span, range: Range<usize>) -> Result<(), Failure> {
        match span {
            Span::Start {
                name,
                attributes,
                self_closing,
            } => self.start(&name, &attributes, self_closing, range)?,
            Span::End { name } => self.end(&name, range),
            Span::Text => self.text(range, None),
            Span::Reference(text) => self.text(range, Some(&text)),
            Span::Other => self.tag(range),
        }
        Ok(())
    }

    fn is_foreign(&self) -> bool {
        self.opaque
            .as_ref()
            .is_some_and(|opaque| matches!(&*opaque.name, "svg" | "math"))
    }
}

impl<'s, 'b> Tree<'s, 'b> {
    pub(super) fn new(source: &'s str, is_xml: bool, builder: &'b mut Builder) -> Self {
        Self {
            source,
            builder,
            stack: Vec::new(),
            run: Run::default(),
            opaque: None,
            is_xml,
        }
    }

    pub(super) fn finish(mut self) {
        self.boundary(self.source.len());
        self.pop_to(0);
    }

    fn start(
        &mut self,
        name: &LocalName,
        attributes: &[Attribute],
        closed: bool,
        range: Range<usize>,
    ) -> Result<(), Failure> {
        let offset = range.start;
        let role = match self.role(name) {
            Role::Block if elements::is_field(name) && self.hides_field(name, range.end) => {
                Role::Hidden
            }
            role => role,
        };
        let is_whole = closed && self.closes_itself(name);
        if let Some(opaque) = &mut self.opaque {
            let ends = matches!(role, Role::Block | Role::Rule) && opaque.role != Role::Hidden;
            if !ends {
                let nested = opaque.name == *name && !is_whole;
                opaque.depth += usize::from(nested);
                if **name == *"foreignobject" {
                    // From here on it may hold blocks.
                    opaque.role = Role::Hidden;
                }
                return Ok(());
            }
        }
        if self.top_is("head") && !elements::belongs_to_head(name) {
            self.boundary(range.start);
            self.pop_to(self.stack.len() - 1);
        }
        if closed && self.is_xml && !matches!(role, Role::Void | Role::LineBreak | Role::Rule) {
            if role == Role::Block {
                self.start_block(name, attributes, role, offset);
                self.end(name, range);
            } else {
                self.tag(range);
            }
            return Ok(());
        }
        match role {
            Role::Block | Role::Rule => self.start_block(name, attributes, role, offset),
            Role::Code | Role::Hidden => self.start_opaque(name, role, closed, range),
            _ if self.is_skipped() => {}
            Role::Void => self.run.tag(range),
            Role::LineBreak => self.run.line_break(range),
            Role::Inline
                if elements::translatable(attributes) == Some(false)
                    || elements::is_literal(attributes) =>
            {
                self.start_opaque(name, role, false, range);
            }
            Role::Inline => {
                if **name == *"a" {
                    self.run.abandon(name);
                }
                self.run.open(name, range);
            }
        }
        if self.stack.len() + self.run.depth() > MAX_DEPTH {
            Err(Failure::too_deep(self.source, offset))
        } else {
            Ok(())
        }
    }

    fn start_block(
        &mut self,
        name: &LocalName,
        attributes: &[Attribute],
        role: Role,
        offset: usize,
    ) {
        self.boundary(offset);
        if matches!(&**name, "html" | "body" | "head") && self.position(name, &[]).is_some() {
            return;
        }
        for (ended, scope) in elements::implied_ends(name) {
            let ends = |element: &Element| ended.contains(&&*element.name);
            let found = match scope {
                ["*"] => self
                    .stack
                    .last()
                    .is_some_and(ends)
                    .then(|| self.stack.len() - 1),
                _ => self.find(ends, scope),
            };
            if let Some(index) = found {
                self.pop_to(index);
            }
        }
        if **name == *"html" {
            self.builder
                .set_language(elements::attribute(attributes, "lang"));
        }
        if role == Role::Rule {
            return;
        }
        let around = self
            .stack
            .iter()
            .rev()
            .find(|element| &*element.name != "head")
            .is_some_and(|element| element.skipped);
        let skipped = match elements::translatable(attributes) {
            _ if elements::is_verbatim(name) => true,
            Some(translated) => !translated,
            None if &**name == "title" => around,
            None => self.is_skipped(),
        };
        self.stack.push(Element {
            name: name.clone(),
            id: elements::attribute(attributes, "id")
                .filter(|id| !id.is_empty())
                .map(str::to_owned),
            skipped,
            first_paragraph: self.builder.paragraph_count(),
        });
    }

    /// Whether the content of a form's field that begins is not for a translator: in the middle of a sentence it stands for
    /// itself, and several lines are kept as they are.
    fn hides_field(&self, name: &str, start: usize) -> bool {
        let rest = &self.source[start..];
        let end_tag = format!("</{name}");
        let end = rest
            .char_indices()
            .find(|(at, _)| {
                let tag = rest.get(*at..at + end_tag.len());
                tag.is_some_and(|tag| tag.eq_ignore_ascii_case(&end_tag))
            })
            .map_or(rest.len(), |(at, _)| at);
        let behind = rest[end..].split_once('>').map_or("", |(_, behind)| behind);
        let goes_on = behind
            .split('<')
            .next()
            .is_some_and(|text| text.contains(char::is_alphabetic));
        let has_lines = name == "textarea" && rest[..end].trim().contains(['\n', '\r']);
        has_lines || goes_on && self.run.holds_letter()
    }

    fn start_opaque(&mut self, name: &LocalName, role: Role, closed: bool, range: Range<usize>) {
        if closed && self.closes_itself(name) {
            return self.run.tag(range);
        }
        let is_content = matches!(role, Role::Code | Role::Inline) && **name != *"svg";
        self.opaque = Some(Opaque {
            name: name.clone(),
            start: range.start,
            depth: 1,
            role,
            is_content,
        });
    }

    fn closes_itself(&self, name: &LocalName) -> bool {
        self.is_xml || matches!(&**name, "svg" | "math")
    }

    fn end(&mut self, name: &LocalName, range: Range<usize>) {
        let role = self.role(name);
        if let Some(opaque) = &mut self.opaque {
            if opaque.name == *name {
                opaque.depth -= 1;
                if opaque.depth == 0 {
                    self.end_opaque(range.end);
                }
                return;
            }
            let ends = role == Role::Block
                && opaque.role != Role::Hidden
                && self.open_block(name).is_some();
            if !ends {
                return;
            }
        }
        match role {
            Role::Block => match self.open_block(name) {
                Some(index) => {
                    self.boundary(range.start);
                    self.pop_to(index);
                }
                // Browsers make an empty paragraph of it.
                None if **name == *"p" => self.boundary(range.start),
                None => self.tag(range),
            },
            Role::LineBreak if !self.is_skipped() => self.run.line_break(range),
            Role::Inline if !self.is_skipped() => self.run.close(name, range),
            _ => self.tag(range),
        }
    }

    fn text(&mut self, range: Range<usize>, decoded: Option<&str>) {
        if self.opaque.is_some() {
            return;
        }
        let text = &self.source[range.clone()];
        if self.top_is("head") && !text.trim().is_empty() {
            self.boundary(range.start);
            self.pop_to(self.stack.len() - 1);
        }
        if self.is_skipped() {
            return;
        }
        match decoded {
            Some(decoded) => self.run.decoded(decoded, range),
            None => self.run.text(text, range.start),
        }
    }

    fn tag(&mut self, range: Range<usize>) {
        if self.opaque.is_none() && !self.is_skipped() {
            self.run.tag(range);
        }
    }

    /// Ends the run of inline content, at byte `at`, and makes a paragraph of it.
    fn boundary(&mut self, at: usize) {
        if self.opaque.is_some() {
            self.end_opaque(at);
        }
        if self.run.holds_letter() {
            let context = self.context();
            self.builder.paragraph(&self.run, context);
        }
        self.run.clear();
    }

    fn end_opaque(&mut self, at: usize) {
        let Some(opaque) = self.opaque.take() else {
            return;
        };
        if opaque.is_content {
            self.run.opaque(opaque.start..at);
        } else {
            self.run.tag(opaque.start..at);
        }
    }

    /// The kind of the run, by the elements around it.
    fn context(&mut self) -> Context {
        let own = self
            .stack
            .last_mut()
            .filter(|element| !elements::is_container(&element.name));
        let id = own.and_then(|element| element.id.take());
        let mut context = Context {
            id,
            ..Context::default()
        };
        for element in self.stack.iter().rev() {
            context.level = elements::heading_level(&element.name);
            context.kind = match &*element.name {
                "title" => ParagraphKind::Title,
                "li" | "dt" | "dd" => ParagraphKind::ListItem,
                "td" | "th" => ParagraphKind::TableCell,
                _ if context.level.is_some() => ParagraphKind::Heading,
                _ => continue,
            };
            break;
        }
        context
    }

    /// Ends open elements until `length` are left.
    fn pop_to(&mut self, length: usize) {
        while self.stack.len() > length {
            let Some(element) = self.stack.pop() else {
                return;
            };
            if let Some(id) = element.id {
                self.builder
                    .name_only_paragraph(element.first_paragraph, id);
            }
        }
    }

    fn role(&self, name: &str) -> Role {
        let in_text = self
            .stack
            .last()
            .is_some_and(|top| &*top.name == "p" || elements::is_heading(&top.name));
        match elements::role(name) {
            Role::Block if name == "title" && self.is_foreign() => Role::Inline,
            Role::Block if in_text && elements::is_control(name) => Role::Inline,
            role => role,
        }
    }

    /// The open element that an end tag ends.
    fn open_block(&self, name: &str) -> Option<usize> {
        if elements::is_heading(name) {
            return self.find(
                |element| elements::is_heading(&element.name),
                elements::end_scope(name),
            );
        }
        self.position(name, elements::end_scope(name))
    }

    fn position(&self, name: &str, scope: &[&str]) -> Option<usize> {
        self.find(|element| &*element.name == name, scope)
    }

    /// The innermost element that `is_it`, unless one of `scope` is further in.
    fn find(&self, is_it: impl Fn(&Element) -> bool, scope: &[&str]) -> Option<usize> {
        for (index, element) in self.stack.iter().enumerate().rev() {
            if is_it(element) {
                return Some(index);
            }
            if scope.contains(&&*element.name) {
                return None;
            }
        }
        None
    }

    fn top_is(&self, name: &str) -> bool {
        self.opaque.is_none()
            && self
                .stack
                .last()
                .is_some_and(|element| &*element.name == name)
    }

    fn is_skipped(&self) -> bool {
        self.stack.last().is_some_and(|element| element.skipped)
    }
}
