//! Layouts of parameter vectors.

use std::borrow::Cow;

/// A text that is often a constant.
pub(crate) type Text = Cow<'static, str>;

/// One coordinate of a parameter space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// A short name, unique in its space.
    pub name: Text,
    /// The effect of a larger value of this coordinate.
    pub meaning: Text,
}

impl Parameter {
    /// Creates a coordinate; `meaning` describes the effect of a larger value.
    pub fn new(name: impl Into<Text>, meaning: impl Into<Text>) -> Parameter {
        Parameter { name: name.into(), meaning: meaning.into() }
    }
}

/// Coordinates that an ablation sets to zero at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterGroup {
    /// The name that users type, unique in its space.
    pub name: Text,
    /// The indices of the group's coordinates, in ascending order. There is at least one.
    pub members: Vec<usize>,
}

/// Coordinates that together take only some values, for a method that learns about values.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// The indices of its coordinates, in ascending order. There is at least one.
    pub members: Vec<usize>,
    /// The coordinates for each value: `[value][member]`. There is at least one value.
    pub values: Vec<Vec<f64>>,
}

/// The names and meanings of the coordinates of a parameter vector. Every coordinate may have any finite value.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterSpace {
    parameters: Vec<Parameter>,
    groups: Option<Vec<ParameterGroup>>,
    levels: Vec<Levels>,
    grains: Vec<f64>,
}

/// The largest dimension for which, by default, every coordinate is its own group.
const MAX_SINGLE: usize = 12;

impl ParameterSpace {
    /// Creates a space with the given coordinates, in this order.
    pub fn new(parameters: Vec<Parameter>) -> ParameterSpace {
        let grains = vec![0.0; parameters.len()];
        ParameterSpace { parameters, groups: None, levels: Vec::new(), grains }
    }

    /// Replaces the default groups, which are derived from the names. Groups may overlap.
    ///
    /// # Panics
    ///
    /// Panics if a group is empty, or contains an index that is not in the space.
    pub fn with_groups(self, groups: Vec<ParameterGroup>) -> ParameterSpace {
        let dimension = self.dimension();
        for ParameterGroup { name, members } in &groups {
            let fits = !members.is_empty() && members.iter().all(|&member| member < dimension);
            assert!(fits, "group {name} has the members {members:?} of {dimension} parameters");
        }
        ParameterSpace { groups: Some(groups), ..self }
    }

    /// Names the values of coordinates. No coordinate may be named twice.
    ///
    /// # Panics
    ///
    /// Panics if a list of coordinates or of values is empty, a coordinate is not in the space or named twice, or a
    /// value has the wrong length or a number that is not finite.
    pub fn with_levels(self, levels: Vec<Levels>) -> ParameterSpace {
        let mut is_free = vec![true; self.dimension()];
        for Levels { members, values } in &levels {
            let are_free =
                members.iter().all(|&member| is_free.get_mut(member).is_some_and(std::mem::take));
            let fits = |value: &Vec<f64>| {
                value.len() == members.len() && value.iter().all(|x| x.is_finite())
            };
            let is_sound = are_free && !members.is_empty() && !values.is_empty();
            assert!(
                is_sound && values.iter().all(fits),
                "the coordinates {members:?} have the values {values:?}"
            );
        }
        ParameterSpace { levels, ..self }
    }

    /// Returns the named values of coordinates; by default none.
    pub fn levels(&self) -> &[Levels] {
        &self.levels
    }

    /// Sets the grain of each coordinate; see [`grains`](ParameterSpace::grains).
    ///
    /// # Panics
    ///
    /// Panics if there are not as many grains as coordinates.
    pub fn with_grains(self, grains: Vec<f64>) -> ParameterSpace {
        assert_eq!(grains.len(), self.dimension(), "a coordinate has one grain");
        ParameterSpace { grains, ..self }
    }

    /// Returns the distance between the values to which each coordinate is rounded, or 0 if it is not rounded:
    /// `[dimension]`.
    pub fn grains(&self) -> &[f64] {
        &self.grains
    }

    /// Returns the groups of coordinates. By default, each coordinate is its own group if the dimension is at most 12.
    /// In a larger space, coordinates whose names begin with the same words form a group, with the fewest words that
    /// give at least two groups. A word ends before `-`, `*`, `[` and `,`.
    pub fn groups(&self) -> Vec<ParameterGroup> {
        if let Some(groups) = &self.groups {
            return groups.clone();
        }
        let names = || self.parameters.iter().map(|parameter| &*parameter.name);
        let whole = names().map(str::to_owned).collect::<Vec<_>>();
        let most_words = names().map(num_words).max().unwrap_or(0);
        let labels = match self.dimension() {
            0..=MAX_SINGLE => whole,
            _ => (1..=most_words)
                .map(|num| names().map(|name| first_words(name, num).to_owned()).collect())
                .find(|labels: &Vec<String>| labels.iter().any(|label| *label != labels[0]))
                .unwrap_or(whole),
        };
        let mut groups: Vec<ParameterGroup> = Vec::new();
        for (index, label) in labels.into_iter().enumerate() {
            match groups.iter_mut().find(|group| group.name == label) {
                Some(group) => group.members.push(index),
                None => groups.push(ParameterGroup { name: label.into(), members: vec![index] }),
            }
        }
        groups
    }

    /// Returns the group that a user means by `wanted`: the group of this name or, if there is none, all coordinates
    /// whose names match the pattern `wanted`, in which `*` stands for any characters. Returns `None` if no name
    /// matches.
    pub fn group(&self, wanted: &str) -> Option<ParameterGroup> {
        if let Some(group) = self.groups().into_iter().find(|group| group.name == wanted) {
            return Some(group);
        }
        let fits = |parameter: &Parameter| fits(&parameter.name, wanted);
        let fitting = self.parameters.iter().enumerate().filter(|(_, parameter)| fits(parameter));
        let members: Vec<usize> = fitting.map(|(index, _)| index).collect();
        let name = Cow::Owned(wanted.to_owned());
        (!members.is_empty()).then_some(ParameterGroup { name, members })
    }

    /// Returns the number of parameters.
    pub fn dimension(&self) -> usize {
        self.parameters.len()
    }

    /// Returns the coordinates, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Checks that `theta` is a point of this space.
    ///
    /// # Errors
    ///
    /// Returns an error if the length is wrong, or a value is not finite.
    pub fn check(&self, theta: &[f64]) -> Result<(), ParameterError> {
        if theta.len() != self.dimension() {
            let (expected, found) = (self.dimension(), theta.len());
            return Err(ParameterError::WrongNumber { expected, found });
        }
        match theta.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(index) => Err(ParameterError::NotFinite {
                index,
                name: self.parameters[index].name.to_string(),
                value: theta[index],
            }),
        }
    }
}

/// The characters that end a word of a name.
const ENDS_OF_WORDS: [char; 4] = ['-', '*', '[', ','];

fn num_words(name: &str) -> usize {
    name.split(ENDS_OF_WORDS).count()
}

/// Returns the first `num` words of a name, with the characters between them.
fn first_words(name: &str, num: usize) -> &str {
    let end = name.match_indices(ENDS_OF_WORDS).nth(num - 1);
    end.map_or(name, |(end, _)| &name[..end])
}

/// Returns `true` if a name matches `form`, in which `*` stands for any characters.
fn fits(name: &str, form: &str) -> bool {
    let Some((beginning, rest)) = form.split_once('*') else { return name == form };
    let Some(name) = name.strip_prefix(beginning) else { return false };
    // The rest of `form` is matched from every position of the name; names are short.
    (0..=name.len())
        .filter(|&start| name.is_char_boundary(start))
        .any(|start| fits(&name[start..], rest))
}

/// An invalid parameter vector.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The vector is too short or too long.
    #[error("{found} parameters given, {expected} expected")]
    WrongNumber {
        /// The dimension of the space.
        expected: usize,
        /// The length of the vector.
        found: usize,
    },
    /// A value is infinite or not a number.
    #[error("parameter {index} (`{name}`) is {value}, and must be a finite number")]
    NotFinite {
        /// The index of the value, from 0.
        index: usize,
        /// The name of the coordinate.
        name: String,
        /// The value.
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(names: impl IntoIterator<Item = String>) -> ParameterSpace {
        ParameterSpace::new(names.into_iter().map(|name| Parameter::new(name, "")).collect())
    }

    fn names_of(groups: &[ParameterGroup]) -> Vec<&str> {
        groups.iter().map(|group| &*group.name).collect()
    }

    #[test]
    fn few_coordinates_are_groups_of_their_own_and_many_are_grouped_by_name() {
        let few = space(["A", "B", "C"].map(String::from));
        assert_eq!(names_of(&few.groups()), ["A", "B", "C"]);

        let show = |show: usize| (0..5).map(move |guess| format!("show-{show}-guess-{guess}"));
        let many = space((0..3).flat_map(show));
        let groups = many.groups();
        assert_eq!(names_of(&groups), ["show-0", "show-1", "show-2"]);
        assert_eq!(groups[1].members, [5, 6, 7, 8, 9]);

        let quadratic = space((0..13).map(|i| format!("A[x {i}, y]")).chain(["b[x]".into()]));
        assert_eq!(names_of(&quadratic.groups()), ["A", "b"]);

        let alike = space((0..13).map(|_| "x".into()));
        assert_eq!(names_of(&alike.groups()), ["x"]);
    }

    #[test]
    fn a_group_is_found_by_its_name_or_by_a_form() {
        let show = |show: usize| (0..5).map(move |guess| format!("show-{show}-guess-{guess}"));
        let space = space((0..3).flat_map(show));
        assert_eq!(space.group("show-2").expect("a group").members, [10, 11, 12, 13, 14]);
        assert_eq!(space.group("*guess-4").expect("three").members, [4, 9, 14]);
        assert_eq!(space.group("show-1-guess-0").expect("one").members, [5]);
        assert_eq!(space.group("*").expect("all").members.len(), 15);
        assert_eq!(space.group("show-*-guess-1*").expect("three").members, [1, 6, 11]);
        assert_eq!(space.group("show-3"), None);
        assert_eq!(space.group("guess-4"), None);
    }

    #[test]
    fn no_coordinate_is_named_twice() {
        let levels = |members: Vec<usize>, value: Vec<f64>| Levels { members, values: vec![value] };
        let space = || space(["A", "B", "C"].map(String::from));
        let named = space().with_levels(vec![levels(vec![0, 2], vec![1.0, -1.0])]);
        assert_eq!(named.levels().len(), 1);
        assert_eq!(space().levels(), []);
        for wrong in [
            vec![levels(vec![0], vec![1.0]), levels(vec![0], vec![2.0])],
            vec![levels(vec![3], vec![1.0])],
            vec![levels(vec![1], vec![f64::NAN])],
            vec![levels(vec![1, 2], vec![1.0])],
            vec![Levels { members: vec![1], values: Vec::new() }],
            vec![levels(Vec::new(), Vec::new())],
        ] {
            assert!(std::panic::catch_unwind(|| space().with_levels(wrong)).is_err());
        }
    }

    #[test]
    #[should_panic(expected = "group x has the members [3] of 3 parameters")]
    fn a_group_of_nothing_is_refused() {
        let group = ParameterGroup { name: "x".into(), members: vec![3] };
        let _ = space(["A", "B", "C"].map(String::from)).with_groups(vec![group]);
    }
}
