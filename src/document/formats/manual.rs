//! Manuals in XML: DITA, DocBook and Mallard.
//!
//! Translated: titles, paragraphs, lists, tables, notes, footnotes, index entries. Left alone: listings, screens, names of
//! commands, files and functions, metadata, what says `translate="no"`, and references to entities.

use super::direction::set_attributes;
use super::edits::Edits;
use super::language::{instead_of, is_right_to_left};
use super::mixed::{MixedPlace, MixedReader, Role};
use super::slots::{Slot, SlotFile};
use super::xml::{Id, Kind, Xml, escaped_attribute, outermost};
use super::{DocumentFormat, Encoding, Kept};
use crate::builder::{Builder, Context, Failure};
use crate::document::ParagraphKind;
use crate::view::Translation;
use crate::words::Words;

/// A vocabulary of XML for manuals.
pub(super) struct Manual {
    /// Marks at the beginning of its files only.
    pub marks: &'static [&'static str],
    /// With the sections the outermost elements of files that others include as entities, which have no mark.
    pub parts: Words,
    /// Elements within a sentence whose text is translated.
    pub inline: Words,
    /// Elements within a sentence that are names or program text.
    pub opaque: Words,
    /// Elements that hang on a place in a sentence and have text of their own.
    pub anchors: Words,
    /// Elements that are left alone.
    pub skipped: Words,
    /// Elements that a title makes a section of.
    pub sections: Words,
    pub direction: Direction,
}

/// How a vocabulary declares that its text runs from right to left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// The attribute `dir`.
    Attribute,
    /// The attribute `dir`, in versions that have a namespace.
    AttributeWithNamespace,
    /// `xml:lang`, which a translation is given.
    Language,
}

pub(super) const DITA: Manual = Manual {
    marks: &["//DTD DITA ", "dita.oasis-open.org"],
    parts: Words::NONE,
    inline: Words(
        "b i u tt sup sub ph term xref cite q keyword line-through overline tm uicontrol wintitle menucascade shortcut text
         abbreviated-form strong em sort-as mark",
    ),
    opaque: Words(
        "codeph filepath cmdname varname apiname option parmname systemoutput userinput msgnum synph kwd xmlelement xmlatt
         xmlnsname xmlpi textentity numcharref parameterentity delim sep oper var mathml equation-inline equation-number",
    ),
    anchors: Words("fn indexterm image"),
    skipped: Words(
        "codeblock screen msgblock pre lines syntaxdiagram prolog draft-comment required-cleanup data data-about unknown
         foreign svg-container equation-block resourceid metadata critdates author prodinfo othermeta keydef object",
    ),
    sections: Words("topic concept task reference section map bookmap example glossentry"),
    direction: Direction::Attribute,
};

pub(super) const DOCBOOK: Manual = Manual {
    marks: &[
        "docbook.org/ns/docbook",
        "//DTD DocBook",
        "//DTD Simplified DocBook",
    ],
    parts: Words(
        "refentry glossentry legalnotice para itemizedlist orderedlist variablelist varlistentry listitem table note tip
         warning important caution",
    ),
    inline: Words(
        "emphasis phrase quote link ulink olink citetitle firstterm foreignphrase glossterm guibutton guiicon guilabel
         guimenu guimenuitem guisubmenu menuchoice shortcut keycap keycombo productname application subscript superscript
         trademark abbrev acronym personname orgname wordasword interface database hardware",
    ),
    opaque: Words(
        "code command computeroutput constant envar filename function literal option parameter prompt property replaceable
         sgmltag tag systemitem type userinput uri varname classname methodname interfacename exceptionname structname
         structfield markup email inlineequation token symbol errorcode errorname returnvalue package keycode keysym
         productnumber medialabel accel action mousebutton citerefentry",
    ),
    anchors: Words("footnote indexterm inlinemediaobject mediaobject"),
    skipped: Words(
        "programlisting programlistingco screen screenco literallayout synopsis cmdsynopsis funcsynopsis classsynopsis
         equation informalequation remark imageobject imageobjectco videoobject audioobject author authorgroup editor date
         copyright pubdate releaseinfo revhistory isbn issn address bibliography bibliolist refmeta edition volumenum
         pagenums beginpage",
    ),
    sections: Words(
        "article book chapter appendix preface part section sect1 sect2 sect3 sect4 sect5 simplesect refsection refsect1
         refsect2 glossary info set topic",
    ),
    // The fifth version introduced `dir`.
    direction: Direction::AttributeWithNamespace,
};

/// GNOME's help, after the rules of itstool for it; names of files, commands and variables stay as in the other vocabularies.
pub(super) const MALLARD: Manual = Manual {
    marks: &["projectmallard.org/1."],
    parts: Words::NONE,
    inline: Words("app cite em gui guiseq hi key keyseq link span"),
    opaque: Words("cmd code file input output sys var"),
    anchors: Words("media"),
    skipped: Words("comment credit include revision rules screen synopsis"),
    sections: Words("page section stack"),
    direction: Direction::Language,
};

/// How much of a file is searched for what it says it is.
const HEAD: usize = 4_096;

impl DocumentFormat for Manual {
    fn is_content(&self, bytes: &[u8]) -> bool {
        if self.is_part(bytes) {
            return true;
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        let head = head.trim_start_matches('\u{FEFF}').trim_start();
        let says = |text: &str| self.marks.iter().any(|mark| text.contains(mark));
        if head.starts_with("<?xml") {
            // Not a page that describes such files.
            return !head.contains("<html") && says(head);
        }
        let first_tag = head.split('>').next().unwrap_or_default();
        let declares = first_tag.contains("xmlns") || first_tag.contains("DTD");
        head.starts_with('<') && declares && says(first_tag)
    }

    fn read(&self, name: &str, bytes: Vec<u8>, builder: &mut Builder) -> Result<Kept, Failure> {
        let is_part = self.is_part(&bytes);
        let (text, encoding) = Encoding::decode_xml(bytes)?;
        let xml = if is_part {
            Xml::read_entity(name, text)?
        } else {
            Xml::read(name, text)?
        };
        let language = xml.qualified_attribute(xml.root(), "xml:lang");
        let language = language.or_else(|| xml.attribute(xml.root(), "lang"));
        builder.set_language(language.as_deref());
        let mut reader = MixedReader {
            xml: &xml,
            builder,
            role: &|id| self.role(&xml, id),
            context: &|id| self.context(&xml, id),
            places: Vec::new(),
        };
        for root in xml.roots() {
            reader.blocks(root);
        }
        let mut places = reader.places;
        places.sort_by_key(|place| place.bytes.end);
        Ok(SlotFile::kept(
            self.direction,
            xml,
            encoding,
            places.into_iter().map(ManualParagraph).collect(),
        ))
    }
}

impl Manual {
    /// Whether a file has no mark and is a part of a manual by its outermost element and the paragraphs in it, which have another
    /// name in other places.
    fn is_part(&self, bytes: &[u8]) -> bool {
        /// A licence may come before the first element.
        const HEAD: usize = 1 << 16;
        if self.parts.0.is_empty() {
            return false;
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]);
        let begins = |name: &str| self.parts.contains(name) || self.sections.contains(name);
        outermost(&head).is_some_and(begins)
            && ["<para>", "<para ", "<simpara>"]
                .iter()
                .any(|tag| head.contains(tag))
            && !self.marks.iter().any(|mark| head.contains(mark))
    }

    fn role(&self, xml: &Xml, id: Id) -> Role {
        let name = xml.name(id);
        let is_in_text = self.inline.contains(name) || has_text(xml, id);
        let says_no = xml.attribute(id, "translate").as_deref() == Some("no");
        match () {
            () if self.skipped.contains(name) || says_no && !is_in_text => {
                if has_text(xml, id) {
                    Role::Point
                } else {
                    Role::Skipped
                }
            }
            () if says_no || self.opaque.contains(name) => Role::Opaque(xml.whole_text(id)),
            () if self.anchors.contains(name) => {
                if xml.is_empty_tag(id) {
                    Role::Point
                } else {
                    Role::Anchor
                }
            }
            () if self.inline.contains(name) => Role::Inline,
            () if xml.is_empty_tag(id) && has_text(xml, id) => Role::Point,
            () if holds_blocks(name) || self.sections.contains(name) => Role::Block,
            () if has_text(xml, id) => Role::Inline,
            () => Role::Block,
        }
    }

    fn context(&self, xml: &Xml, holder: Id) -> Context {
        let mut context = Context {
            id: xml.value(holder, "id"),
            ..Context::default()
        };
        let is_section = |id: &Id| self.sections.contains(xml.name(*id)) && xml.name(*id) != "info";
        let own = std::iter::once(holder).chain(xml.ancestors(holder));
        for element in own {
            context.kind = match xml.name(element) {
                "title" | "mainbooktitle" => {
                    let above = xml.parent(element);
                    if above.is_some_and(|above| self.sections.contains(xml.name(above))) {
                        let depth = xml.ancestors(element).filter(is_section).count();
                        context.level = Some(u8::try_from(depth.clamp(1, 6)).unwrap_or(6));
                        ParagraphKind::Heading
                    } else {
                        ParagraphKind::Text
                    }
                }
                "li" | "listitem" | "item" | "step" | "substep" | "dt" | "dd" | "sli" => {
                    ParagraphKind::ListItem
                }
                "entry" | "stentry" | "td" | "th" => ParagraphKind::TableCell,
                _ => continue,
            };
            break;
        }
        context
    }
}

/// Elements that may be in a text and yet begin a paragraph.
fn holds_blocks(name: &str) -> bool {
    Words(
        "p para ul ol sl dl itemizedlist orderedlist variablelist simplelist table informaltable simpletable note fig
         figure lq blockquote tip warning caution important example informalexample simpara formalpara glosslist
         segmentedlist procedure calloutlist title parml item alt",
    ).contains(name)
}

/// Whether text is next to an element.
fn has_text(xml: &Xml, id: Id) -> bool {
    let is_ink = |child: Id| match xml.kind(child) {
        Kind::Text => !xml.slice(xml.range(child)).trim().is_empty(),
        Kind::CData => true,
        // A reference alone may stand for a whole chapter.
        Kind::Reference => xml.text_of(child).is_some(),
        _ => false,
    };
    xml.parent(id)
        .is_some_and(|parent| xml.children(parent).any(is_ink))
}

/// A paragraph in its file.
#[derive(Debug)]
struct ManualParagraph(MixedPlace);

impl Slot for ManualParagraph {
    type Source = Xml;
    type Facts = Direction;

    /// Has the root say the language of the text, and the direction it runs in.
    fn begin(file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Some(language) = translation.language else {
            return;
        };
        let (xml, root) = (&file.source, file.source.root());
        for name in ["xml:lang", "lang"] {
            let attributes = xml.attributes(root);
            if let Some((_, range)) = attributes.into_iter().find(|(found, _)| *found == name)
                && let Some(language) = instead_of(xml.slice(range.clone()), language)
            {
                edits.replace(range, escaped_attribute(&language));
            }
        }
        let has_attribute = match file.facts {
            Direction::Attribute => true,
            Direction::AttributeWithNamespace => !xml.namespace(root).is_empty(),
            Direction::Language => {
                if xml.qualified_attribute(root, "xml:lang").is_none() {
                    set_attributes(xml, root, &[("xml:lang", language)], edits);
                }
                false
            }
        };
        let is_right = is_right_to_left(language);
        if has_attribute && (is_right || xml.attribute(root, "dir").is_some()) {
            let side = if is_right { "rtl" } else { "ltr" };
            set_attributes(xml, root, &[("dir", side)], edits);
        }
    }

    fn write(&self, file: &SlotFile<Self>, translation: &Translation, edits: &mut Edits) {
        let Self(place) = self;
        if let Some(parts) = translation.parts(place.unit) {
            let written = place.written(&file.source, file.encoding, &parts, edits);
            edits.replace(place.bytes.clone(), written);
        }
    }
}
