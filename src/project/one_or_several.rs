//! Lists that files spell as their only item where they have one, so that what older versions wrote is read.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelt<T> {
    One(T),
    Several(Vec<T>),
}

impl<T> From<Spelt<T>> for Vec<T> {
    fn from(spelt: Spelt<T>) -> Self {
        match spelt {
            Spelt::One(one) => vec![one],
            Spelt::Several(several) => several,
        }
    }
}

/// The list as files have it; none of an empty one.
fn spelt<T>(list: &[T]) -> Option<Spelt<&T>> {
    match list {
        [] => None,
        [one] => Some(Spelt::One(one)),
        several => Some(Spelt::Several(several.iter().collect())),
    }
}

pub(crate) fn serialize<T: Serialize, S: Serializer>(
    list: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    spelt(list).serialize(serializer)
}

pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let spelt = Option::<Spelt<T>>::deserialize(deserializer)?;
    Ok(spelt.map_or_else(Vec::new, Into::into))
}

/// Such lists by keys.
pub(crate) mod by_key {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Spelt, spelt};

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        lists: &BTreeMap<String, Vec<T>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(lists.iter().map(|(key, list)| (key, spelt(list))))
    }

    pub(crate) fn deserialize<'de, T, D>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Vec<T>>, D::Error>
    where
        T: Deserialize<'de>,
        D: Deserializer<'de>,
    {
        let spelt = BTreeMap::<String, Option<Spelt<T>>>::deserialize(deserializer)?;
        let lists = spelt.into_iter();
        Ok(lists
            .map(|(key, list)| (key, list.map_or_else(Vec::new, Into::into)))
            .collect())
    }
}
