//! Protection against CSV cells that a spreadsheet would execute.
//!
//! Spreadsheets treat a cell that begins with a character such as `=` as a formula, which may fetch an address or start
//! a program (OWASP, *CSV Injection*). The usual defence is an apostrophe in front of the cell. Here only text cells
//! get an apostrophe, which is removed when tables are read; numbers, including negative ones, are written unchanged.

use std::borrow::Cow;
use std::io;

use csv::StringRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The character in front of a guarded text.
const GUARD: char = '\'';

/// Returns `true` if a spreadsheet may take this text for a formula. In some locales, a formula may also begin with a
/// full-width character.
fn begins_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'])
}

/// Returns the cell as it is written: with an apostrophe in front if a spreadsheet would execute the text, or if the
/// text looks guarded already.
pub fn guarded(cell: &str) -> Cow<'_, str> {
    let is_number = || cell.parse::<f64>().is_ok();
    match begins_formula(cell.trim_start_matches(GUARD)) && !is_number() {
        true => format!("{GUARD}{cell}").into(),
        false => cell.into(),
    }
}

/// Returns the original text of a [`guarded`] cell.
pub(crate) fn unguarded(cell: &str) -> &str {
    let inner = cell.strip_prefix(GUARD);
    inner.filter(|_| begins_formula(cell.trim_start_matches(GUARD))).unwrap_or(cell)
}

/// Returns the CSV text of a table that has these rows below a header with the names of their fields. The text is empty
/// if there are no rows.
///
/// # Errors
///
/// Returns an error if a row is not flat.
pub fn csv_of(rows: impl IntoIterator<Item = impl Serialize>) -> io::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row)?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(bytes.as_slice());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in reader.records() {
        writer.write_record(record?.iter().map(|cell| guarded(cell).into_owned()))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8(bytes).expect("it was written as text"))
}

/// Parses the rows of a table that [`csv_of`] has written.
///
/// # Errors
///
/// Returns an error if the rows of the table do not have this type.
pub fn rows_of<Row: DeserializeOwned>(table: impl io::Read) -> Result<Vec<Row>, csv::Error> {
    let mut reader = csv::Reader::from_reader(table);
    let header = reader.headers()?.clone();
    let row = |record: csv::Result<StringRecord>| {
        let record = record?;
        let mut plain: StringRecord = record.iter().map(unguarded).collect();
        plain.set_position(record.position().cloned());
        plain.deserialize(Some(&header))
    };
    reader.records().map(row).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[test]
    fn texts_are_guarded_and_numbers_are_not() {
        for (cell, written) in [
            ("=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"),
            ("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-x", "'-x"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("＝1", "'＝1"),
            // These texts look as if they were guarded already.
            ("'=1", "''=1"),
            ("'-1", "''-1"),
            ("-0.5", "-0.5"),
            ("+3", "+3"),
            ("-1e-9", "-1e-9"),
            ("'tis", "'tis"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(guarded(cell), written);
            assert_eq!(unguarded(written), cell);
        }
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct SampleRow {
        name: String,
        score: f64,
        other: Option<String>,
    }

    #[test]
    fn tables_have_the_same_bytes_where_nothing_is_run() {
        let row = |name: &str, score| SampleRow { name: name.into(), score, other: None };
        let rows = [row("a, \"b\"", -0.1), row("c\nd", 1.0 / 3.0)];
        let text = csv_of(&rows).expect("flat rows");
        assert_eq!(
            text,
            "name,score,other\n\"a, \"\"b\"\"\",-0.1,\n\"c\nd\",0.3333333333333333,\n"
        );
        assert_eq!(csv_of([(); 0]).expect("nothing"), "");
        let text = csv_of([row("=1", -0.1)]).expect("a flat row");
        assert_eq!(text, "name,score,other\n'=1,-0.1,\n");
        let error =
            rows_of::<SampleRow>("name,score,other\na,1,\nb,x,\n".as_bytes()).expect_err("x");
        assert_eq!(error.position().map(csv::Position::line), Some(3));
    }

    proptest! {
        #[test]
        fn every_text_is_read_as_it_was(texts in prop::collection::vec("['=+@\\-\t\r\n1.e, \"a]{0,6}", 2)) {
            let row =
                SampleRow { name: texts[0].clone(), score: -2.5, other: Some(texts[1].clone()) };
            let text = csv_of([&row]).expect("a flat row");
            let read: Vec<SampleRow> = rows_of(text.as_bytes()).expect("as written");
            let other = row.other.clone().filter(|text| !text.is_empty());
            prop_assert_eq!(read, [SampleRow { other, ..row }]);
            for cell in &texts {
                let written = guarded(cell);
                prop_assert_eq!(unguarded(&written), cell);
                prop_assert!(written.parse::<f64>().is_ok() || !begins_formula(&written));
            }
        }
    }
}
