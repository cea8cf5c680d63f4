//! What the tests of several tables begin with.

use ruse_lab::Records;

/// Returns records of these families and methods, without any results.
pub(crate) fn records_of(families: &[&str], methods: &[&str]) -> Records {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Records { families: names(families), methods: names(methods), ..Records::default() }
}
