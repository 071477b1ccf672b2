//! The encoder's sublayer layout as a string.
//!
//! Liu & Chen, "X-Transformer", 2022, Table 2: `s` is self-attention, `f` a feed-forward layer, hyphens group; the
//! string describes the whole encoder, so that `sf-sf-sf-sf-sf-sf` is the classic one of six layers.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{BaseError, Error, Result};

/// One encoder sublayer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sublayer {
    /// Self-attention.
    SelfAttention,
    /// A feed-forward layer.
    FeedForward,
}

/// The encoder's sublayers, in groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Layout {
    groups: Vec<Vec<Sublayer>>,
}

impl Layout {
    /// All sublayers in order.
    pub fn sublayers(&self) -> impl Iterator<Item = Sublayer> + '_ {
        self.groups.iter().flatten().copied()
    }

    /// Iterates over the numbers of sublayers of the groups.
    pub fn group_sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().map(Vec::len)
    }

    /// How many sublayers of a kind there are.
    pub fn count(&self, kind: Sublayer) -> usize {
        self.sublayers()
            .filter(|&sublayer| sublayer == kind)
            .count()
    }
}

impl FromStr for Layout {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let groups = text.split('-').map(|group| {
            let sublayers = group.chars().map(|letter| match letter {
                's' => Some(Sublayer::SelfAttention),
                'f' => Some(Sublayer::FeedForward),
                _ => None,
            });
            sublayers
                .collect::<Option<Vec<_>>>()
                .filter(|group| !group.is_empty())
        });
        groups
            .collect::<Option<Vec<_>>>()
            .map(|groups| Self { groups })
            .ok_or_else(|| {
                Error::Base(BaseError::Config {
                    field: "encoder",
                    found: text.to_owned(),
                    allowed: "groups of the letters s and f between hyphens, such as s-sf-sf"
                        .to_owned(),
                })
            })
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, group) in self.groups.iter().enumerate() {
            if index > 0 {
                f.write_str("-")?;
            }
            for sublayer in group {
                f.write_str(match sublayer {
                    Sublayer::SelfAttention => "s",
                    Sublayer::FeedForward => "f",
                })?;
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Layout {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Layout> for String {
    fn from(layout: Layout) -> Self {
        layout.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_is_written_as_it_was_read() {
        for text in ["s-sf-sf", "sf-sf-sf-sf-sf-sf", "ssff", "f"] {
            assert_eq!(text.parse::<Layout>().expect("valid").to_string(), text);
        }
    }

    #[test]
    fn other_letters_and_empty_groups_are_refused() {
        for text in ["", "-", "s-", "-f", "s--f", "sx", "S", "s f"] {
            assert!(text.parse::<Layout>().is_err(), "{text:?} was accepted");
        }
    }
}
