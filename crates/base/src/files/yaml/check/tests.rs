use std::cell::Cell;
use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::*;

/// The number of values and the depth that the parser finds. In an invalid text, the parser stops at the first error.
#[derive(Default)]
struct Found {
    num_values: Cell<usize>,
    depth: Cell<usize>,
}

/// A visitor that adds a value, and all values that it contains, to the counts in [`Found`]. The second field is the
/// depth of the value.
#[derive(Clone, Copy)]
struct At<'a>(&'a Found, usize);

impl At<'_> {
    fn add(self, num_values: usize) {
        self.0.num_values.update(|found| found + num_values);
        self.0.depth.update(|found| found.max(self.1));
    }
}

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.add(1);
        Ok(())
    }

    fn visit_none<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<(), A::Error> {
        let (_, value) = data.variant::<String>()?;
        value.newtype_variant_seed(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let inside = At(self.0, self.1 + 1);
        inside.add(2);
        while items.next_element_seed(inside)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let inside = At(self.0, self.1 + 1);
        inside.add(2);
        while entries.next_key_seed(inside)?.is_some() {
            entries.next_value_seed(inside)?;
        }
        Ok(())
    }
}

/// Returns the number of values and the depth that the parser finds.
fn parsed(text: &str) -> (usize, usize) {
    let found = Found::default();
    let _ = At(&found, 0).deserialize(serde_yaml::Deserializer::from_str(text));
    (found.num_values.get(), found.depth.get())
}

/// Returns the number of values and the depth that the check finds in a text that passes.
fn checked(text: &str) -> Option<(usize, usize)> {
    check(text).ok()?;
    let mut walk = Walk::new(text);
    let mut depth = 0;
    for event in Parser::new_from_str(text) {
        walk.take(event.ok()?.0).ok()?;
        depth = depth.max(walk.open.len());
    }
    Some((walk.num_values, depth))
}

/// In any text that passes, the parser finds no more values and levels than the check has counted. In particular, the check
/// never takes a bracket for a part of a text or a comment if the parser does not.
#[test]
fn the_parser_finds_nothing_that_was_not_foreseen() {
    const PIECES: [&str; 44] = [
        "[", "[", "]", "{", "{", "}", ",", ":", ": ", ":\n", "- ", "-", "-\n", "? ", "?", "\n",
        "\n", "\n ", "\n  ", "\n    ", " ", "\t", "a", "b", "é", "'", "''", "\"", "\\", "#", " #",
        "|", ">", "|\n", "|2-\n", ">+1\n", "&a ", "!!str ", "\n---\n", "...", "\u{2028}", "\u{85}",
        "\r\n", "%",
    ];
    let mut state = 1_u64;
    let mut draw = |bound: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let (mut deepest, mut num_passed) = (0, 0);
    for _ in 0..200_000 {
        let text: String = (0..3 + draw(25)).map(|_| PIECES[draw(PIECES.len())]).collect();
        let (num_values, depth) = parsed(&text);
        let Some((max_values, max_depth)) = checked(&text) else { continue };
        num_passed += 1;
        // At an error, the parser may insert an empty value.
        assert!(
            num_values <= max_values + 1,
            "{text:?}: {num_values} values, {max_values} foreseen"
        );
        // A text that begins with a question mark may be a map for the parser.
        assert!(depth <= max_depth + 1, "{text:?}: {depth} levels, {max_depth} foreseen");
        deepest = deepest.max(depth);
    }
    assert!(deepest >= 3 && num_passed > 10_000, "{deepest} {num_passed}");
}

fn refusal(text: &str) -> Option<(Refusal, (usize, usize))> {
    check(text).err()
}

#[test]
fn files_nest_so_deeply_and_no_deeper() {
    let brackets = |num: usize| format!("a: {}{}", "[".repeat(num - 1), "]".repeat(num - 1));
    let items = |num: usize| "- ".repeat(num);
    let keys = |num: usize| "? ".repeat(num);
    let indented =
        |num: usize| (0..num).map(|level| format!("{}a:\n", " ".repeat(level))).collect::<String>();
    let texts: [&dyn Fn(usize) -> String; 4] = [&brackets, &items, &keys, &indented];
    for text in texts {
        assert_eq!(refusal(&text(MAX_DEPTH)), None);
        for num in [MAX_DEPTH + 1, 100_000] {
            // The number of bytes of indentation is quadratic in the depth.
            let deep = text(num.min(1000));
            let found = refusal(&deep).expect("too deep");
            // Brackets are read ahead of their events.
            let is_too_deep = matches!(found.0, Refusal::TooDeep | Refusal::NoYaml(_));
            assert!(is_too_deep, "{}: {}", &deep[..20], found.0);
        }
    }
    assert_eq!(refusal(&brackets(65)), Some((Refusal::TooDeep, (1, 67))));
    assert_eq!(refusal(&items(65)), Some((Refusal::TooDeep, (1, 129))));
}

#[test]
fn brackets_in_texts_and_comments_do_not_add_up() {
    for line in [
        "- 'a [ [ { [ ''b'\n",
        "- \"a [ [ \\\" { [ b\"\n",
        "- a [ [ { [ b\n",
        "- a\n  [ { b\n",
        "# a [ [ { [ b\n",
        "- a # [ [ { [ b\n",
        "- |\n  a [ [ \" { [ b\n\n   [\n",
        "- >2-\n   - [ ' {\n",
        "- k: |\n    [ {\n   # [ {\n",
    ] {
        assert_eq!(refusal(&line.repeat(1000)), None, "{line}");
    }
}

#[test]
fn values_are_in_proportion_to_the_size() {
    let ones = |num: usize| format!("a: [{}1]", "1, ".repeat(num));
    assert_eq!(refusal(&ones(50_000)), None);
    let (found, (line, column)) = refusal(&ones(1_000_000)).expect("too many");
    // The limit is 50 000, plus one for every 16 bytes of a text of 3 000 005 bytes.
    assert_eq!(found, Refusal::TooMany(237_500));
    assert!(line == 1 && column > 3 * 237_400, "{line}, {column}");
    // This is the largest mixture that the program writes: 1000 members with the parameters of Flip.
    let member =
        format!("- weight: 0.001\n  parameters:\n{}", "  - -0.12345678901234567\n".repeat(420));
    assert_eq!(refusal(&format!("family: x\nmixture:\n{}", member.repeat(1000))), None);
}

#[test]
fn only_known_tags_are_taken() {
    let tag = |tag: &str| Refusal::Tag(tag.into());
    for (text, expected) in [
        ("a: !!str b", None),
        ("a: b!c", None),
        ("a: b\n  !c", None),
        ("a: !foo b", Some((tag("!foo"), (1, 4)))),
        ("!Run {a: b}", Some((tag("!Run"), (1, 1)))),
        ("a: [!<tag:x> b]", Some((tag("tag:x"), (1, 5)))),
        ("a:\n- !!set b", Some((tag("!!set"), (2, 3)))),
        ("%TAG !! tag:x,\n--- !!int a", Some((tag("tag:x,int"), (2, 5)))),
        ("%YAML 1.2\n--- a", None),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn a_key_is_given_once_at_any_depth() {
    let twice = |key: &str, place| Err((Refusal::Twice(key.into()), place));
    for (text, expected) in [
        ("a: 1\nb: {a: 1, c: [{a: 2}, {a: 3}]}", Ok(())),
        ("a: 1\nb: 2\na: 3", twice("a", (3, 1))),
        ("a: {suits: 3, suits: 4}", twice("suits", (1, 15))),
        ("- x\n- b:\n    c: 1\n    d: 2\n    \"c\": 3", twice("c", (5, 5))),
        ("{1: a, '1': b}", twice("1", (1, 8))),
        ("a: &x {b: 1}\nc: *x\nd: *x", Ok(())),
        ("? [a]\n: 1", Ok(())),
        ("", Ok(())),
    ] {
        assert_eq!(check(text), expected, "{text}");
    }
}

#[test]
fn invisible_characters_are_refused_wherever_they_stand() {
    for text in
        ["a: \"x\\e[31m\"", "- [\"\\u202e\"]", "\"\\x07\": 1", "a: {\"x\\n\": 1}", "- a\u{202e}b"]
    {
        assert!(check(text).is_err(), "{text}");
    }
    assert_eq!(check("words: |\n  a\n\n  b\tc \u{2660}"), Ok(()));
}

#[test]
fn aliases_do_not_multiply() {
    let ten = |of: char| (0..10).map(|_| format!("*{of}, ")).collect::<String>();
    let mut text = String::from("a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
    for (name, of) in ('b'..='f').zip('a'..) {
        text += &format!("{name}: &{name} [{}]\n", ten(of));
    }
    let (refusal, place) = check(&text).expect_err("a million values");
    assert_eq!((refusal, place.0), (Refusal::TooMany(50_000 + text.len() / 16), 5));
}

#[test]
fn keys_are_those_of_the_whole() {
    assert_eq!(keys("a: 1\nb: {c: 2}\n3: x"), ["3", "a", "b"]);
    assert_eq!(keys("- a: 1"), Vec::<String>::new());
    assert_eq!(keys("a: [1"), Vec::<String>::new());
}
