//! The document's own tree: sections, paragraphs, sentences.

use super::tree_node::TreeNode;
use crate::trace::{Overview, Side};

/// Nodes, the document first and each before its children, and the number of levels: sentences on level 0, paragraphs on
/// 1, sections above by depth.
pub(super) fn nodes(overview: &Overview, side: Side) -> (Vec<TreeNode>, usize) {
    let sections = &overview.sections;
    let parent = |section: usize| sections.get(section).and_then(|section| section.parent);
    let mut depths: Vec<usize> = Vec::with_capacity(sections.len());
    for section in sections {
        let above = section.parent.and_then(|parent| depths.get(parent));
        depths.push(above.map_or(0, |depth| depth + 1));
    }
    let root_level = 2 + depths.iter().copied().max().unwrap_or(0);
    let level = |section: usize| root_level - depths.get(section).copied().unwrap_or(0);

    let sentences = overview.sentences(side);
    let mut tree = Outline {
        nodes: vec![TreeNode {
            leaves: 0,
            ..TreeNode::new(None, root_level, (0, 0))
        }],
        of_sections: vec![None; sections.len()],
    };
    tree.nodes[0].name.clone_from(&overview.document);
    if let Some(document) = tree.of_sections.first_mut() {
        *document = Some(0);
    }
    let mut paragraph = None;
    for (number, sentence) in sentences.iter().enumerate() {
        let mut missing = Vec::new();
        let mut section = Some(sentence.section);
        // Sections above this one that have no node yet.
        let mut above = 0;
        while let Some(here) = section {
            match tree.of_sections.get(here).copied().flatten() {
                Some(node) => {
                    above = node;
                    break;
                }
                None if here < sections.len() => missing.push(here),
                None => break,
            }
            section = parent(here).filter(|&parent| parent < here);
        }
        for here in missing.into_iter().rev() {
            above = tree.push(above, level(here), number);
            tree.of_sections[here] = Some(above);
            let heading = sections[here].heading;
            let heading = heading.filter(|&heading| heading == sentence.paragraph);
            if heading.is_some() {
                tree.nodes[above].name = sentence.plain_text();
            }
        }
        let place = (above, sentence.paragraph);
        let node = match paragraph {
            Some((known, node)) if known == place => node,
            _ => tree.push(above, 1, number),
        };
        paragraph = Some((place, node));
        tree.push(node, 0, number);
    }
    for node in (0..tree.nodes.len()).rev() {
        let (leaves, last) = (tree.nodes[node].leaves, tree.nodes[node].span.1);
        if let Some(parent) = tree.nodes[node].parent {
            let parent = &mut tree.nodes[parent];
            parent.leaves += leaves;
            parent.span.1 = parent.span.1.max(last);
        }
    }
    (tree.nodes, root_level + 1)
}

struct Outline {
    nodes: Vec<TreeNode>,
    /// `[sections]`
    of_sections: Vec<Option<usize>>,
}

impl Outline {
    fn push(&mut self, parent: usize, level: usize, sentence: usize) -> usize {
        let number = self.nodes.len();
        let mut node = TreeNode::new(Some(parent), level, (sentence, sentence));
        // Counted when all are known.
        node.leaves = usize::from(level == 0);
        self.nodes.push(node);
        self.nodes[parent].children.push(number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::TracedSentence;
    use canopy_document::document::Section;

    #[test]
    fn sections_hold_their_paragraphs_and_those_their_sentences() {
        let section = |parent, level, heading| Section {
            parent,
            level,
            heading,
        };
        let sentence = |section, paragraph: usize| TracedSentence {
            text: format!("p{paragraph}"),
            section,
            paragraph,
            ..TracedSentence::default()
        };
        let overview = Overview {
            document: "a.md".to_owned(),
            sections: vec![
                section(None, 0, None),
                section(Some(0), 1, Some(1)),
                section(Some(1), 2, Some(3)),
            ],
            source: vec![
                sentence(0, 0),
                sentence(1, 1),
                sentence(1, 2),
                sentence(1, 2),
                sentence(2, 3),
            ],
            ..Overview::default()
        };
        let (nodes, levels) = nodes(&overview, Side::Source);
        assert_eq!(levels, 5);
        let found: Vec<_> = nodes
            .iter()
            .map(|node| (node.level, node.span, node.leaves, node.name.as_str()))
            .collect();
        let expected = [
            (4, (0, 4), 5, "a.md"),
            (1, (0, 0), 1, ""),
            (0, (0, 0), 1, ""),
            (3, (1, 4), 4, "p1"),
            (1, (1, 1), 1, ""),
            (0, (1, 1), 1, ""),
            (1, (2, 3), 2, ""),
            (0, (2, 2), 1, ""),
            (0, (3, 3), 1, ""),
            (2, (4, 4), 1, "p3"),
            (1, (4, 4), 1, ""),
            (0, (4, 4), 1, ""),
        ];
        assert_eq!(found, expected);
        assert_eq!(nodes[3].children, [4, 6, 9]);
    }
}
