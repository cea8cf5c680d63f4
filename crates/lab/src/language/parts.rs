//! Structs that share groups of keys.
//!
//! `#[serde(flatten)]` would suffice for writing. But it reads all values up to the end of the map first, so errors
//! have no line and column. The structs of this module read each value in place.

use std::fmt;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, StringDeserializer};
use serde::de::{self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

/// A group of optional keys.
pub(crate) trait Part: Default + JsonSchema + Serialize + for<'de> Deserialize<'de> {
    /// Merges two parts. If both have a value for a key, `self` wins.
    fn or(self, other: Self) -> Self;

    /// Returns the keys that have a value, in order.
    fn said(&self) -> Vec<String> {
        // Keys without a value are not serialised.
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(said)) => said.into_iter().map(|(key, _)| key).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns `true` if `key` has a value.
    fn says(&self, key: &str) -> bool {
        self.said().iter().any(|said| said == key)
    }
}

/// A struct with parts, read and written as with `#[serde(flatten)]`.
pub(crate) trait Composed: JsonSchema + Sized {
    /// A description of the expected value, for error messages.
    const EXPECTING: &'static str;
    /// True if the struct accepts unknown keys, which are checked later.
    const IS_OPEN: bool = false;

    /// A type with all parts.
    type Parts: Default;

    /// Reads the value of `key` if the key belongs to a part; otherwise returns `false`.
    fn take<'de, A: MapAccess<'de>>(
        parts: &mut Self::Parts,
        key: &str,
        map: &mut A,
    ) -> Result<bool, A::Error>;

    /// Reads the struct. `own` contains its keys except those that belong to parts; `parts` returns the parts.
    fn read<'de, D: Deserializer<'de>>(
        own: D,
        parts: impl FnOnce() -> Self::Parts,
    ) -> Result<Self, D::Error>;

    /// Returns the struct for a name that is written instead of a map, or `None` if only a map is allowed.
    fn named(_: &str) -> Option<Self> {
        None
    }
}

pub(super) fn keys<T: JsonSchema>() -> Vec<String> {
    let schema = schemars::schema_for!(T);
    let properties = schema.get("properties").and_then(|properties| properties.as_object());
    properties.map_or(Vec::new(), |properties| properties.keys().cloned().collect())
}

/// Reads the value of `key` into the part if the key belongs to it; otherwise returns `false`.
pub(crate) fn take_into<'de, P: Part, A: MapAccess<'de>>(
    part: &mut P,
    key: &str,
    map: &mut A,
) -> Result<bool, A::Error> {
    if !keys::<P>().iter().any(|known| known == key) {
        return Ok(false);
    }
    let one = MapAccessDeserializer::new(OneEntry { key: Some(key), map });
    *part = P::deserialize(one)?.or(std::mem::take(part));
    Ok(true)
}

pub(crate) fn deserialize<'de, T: Composed, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(ComposedVisitor(PhantomData))
}

struct ComposedVisitor<T>(PhantomData<T>);

impl<'de, T: Composed> Visitor<'de> for ComposedVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTING)
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        T::named(name).ok_or_else(|| E::invalid_type(de::Unexpected::Str(name), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let parts = std::cell::RefCell::default();
        let known = if T::IS_OPEN { None } else { Some(keys::<T>()) };
        let own = Own::<T, A> { map, parts: &parts, known };
        T::read(MapAccessDeserializer::new(own), || parts.take())
    }
}

/// A map without the entries of parts. When the map is read, these entries go into `parts`.
struct Own<'a, T: Composed, A> {
    map: A,
    parts: &'a std::cell::RefCell<T::Parts>,
    known: Option<Vec<String>>,
}

impl<'de, T: Composed, A: MapAccess<'de>> MapAccess<'de> for Own<'_, T, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        loop {
            let key = self.map.next_key_seed(Key(self.known.as_deref()))?;
            let Some(key) = key else { return Ok(None) };
            if !T::take(&mut self.parts.borrow_mut(), &key, &mut self.map)? {
                let key: StringDeserializer<A::Error> = key.into_deserializer();
                return seed.deserialize(key).map(Some);
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A reader of one key, which must be in the list of known keys, if there is one. It is checked at once, so that the
/// error message has the line and column.
struct Key<'a>(Option<&'a [String]>);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<String, E> {
        match self.0 {
            Some(known) if !known.iter().any(|one| one == key) => {
                Err(E::custom(unknown_key(key, known)))
            }
            _ => Ok(key.into()),
        }
    }
}

/// Returns the message about an unknown key.
pub(super) fn unknown_key(key: &str, known: &[String]) -> String {
    let known: Vec<_> = known.iter().map(|one| format!("`{one}`")).collect();
    format!("unknown field `{key}`, expected one of {}", known.join(", "))
}

/// A map with one entry, whose value is read from another map.
struct OneEntry<'a, A> {
    key: Option<&'a str>,
    map: &'a mut A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OneEntry<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        self.key.take().map(|key| seed.deserialize(key.into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// Implements [`Composed`], `Deserialize` and `Serialize` for a struct derived with `#[serde(remote = "Self")]`.
macro_rules! composed {
    (
        $spec:ident, $expecting:literal,
        parts: { $($field:ident: $part:ty),+ }
        $(, is_open: $is_open:literal)? $(, named: $named:expr)?
    ) => {
        const _: () = {
            #[derive(Default)]
            pub(crate) struct Parts {
                $($field: $part,)+
            }

            impl $crate::language::parts::Composed for $spec {
                const EXPECTING: &'static str = $expecting;
                $(const IS_OPEN: bool = $is_open;)?

                type Parts = Parts;

                fn take<'de, A: serde::de::MapAccess<'de>>(
                    parts: &mut Parts,
                    key: &str,
                    map: &mut A,
                ) -> Result<bool, A::Error> {
                    $(if $crate::language::parts::take_into(&mut parts.$field, key, map)? {
                        return Ok(true);
                    })+
                    Ok(false)
                }

                fn read<'de, D: serde::Deserializer<'de>>(
                    own: D,
                    parts: impl FnOnce() -> Parts,
                ) -> Result<$spec, D::Error> {
                    // This is the derived function, without the keys of parts.
                    let own = $spec::deserialize(own)?;
                    let Parts { $($field),+ } = parts();
                    Ok($spec { $($field,)+ ..own })
                }

                $(fn named(name: &str) -> Option<$spec> {
                    Some($named(name))
                })?
            }

            impl<'de> serde::Deserialize<'de> for $spec {
                fn deserialize<D: serde::Deserializer<'de>>(
                    deserializer: D,
                ) -> Result<$spec, D::Error> {
                    $crate::language::parts::deserialize(deserializer)
                }
            }

            impl serde::Serialize for $spec {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    // This is the derived function.
                    $spec::serialize(self, serializer)
                }
            }
        };
    };
}

/// Implements [`Part`] for a struct of optional values.
macro_rules! part {
    ($part:ident: $($field:ident),+) => {
        impl $crate::language::parts::Part for $part {
            fn or(self, other: $part) -> $part {
                $part { $($field: self.$field.or(other.$field)),+ }
            }
        }
    };
}

pub(crate) use {composed, part};
