//! Small figures, compared with `tests/golden/`, and figures of unusual data.
//!
//! `GOLDEN=overwrite cargo test -p ruse-plots` writes the current drawings; review them like code.

use std::path::Path;

use ruse_plots::{
    Axis, Bars, Chart, Figure, HeatMap, Line, Lines, List, Mark, Panel, Picture, Scale, Sheet,
    Triangle, svg,
};

pub(crate) fn assert_golden(name: &str, figure: &impl Figure) {
    let document = svg(figure, Sheet::default());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.svg"));
    if std::env::var("GOLDEN").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&path, &document).expect("the directory can be written to");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        golden == document,
        "{name}.svg is drawn in another way than before; look at it, and if it is right, write it with \
         `GOLDEN=overwrite cargo test -p ruse-plots`"
    );
}

pub(crate) fn picture(title: &str, chart: Chart) -> Picture {
    let panel = Panel {
        title: "A part".into(),
        note: "A note < that & says > something.".into(),
        is_half: false,
        chart,
    };
    Picture { title: title.into(), caption: "seed 1, 100 pairs".into(), panels: vec![panel] }
}

fn axis(name: &str, ticks: &[&str]) -> Axis {
    Axis { name: name.into(), ticks: ticks.iter().map(|tick| (*tick).into()).collect() }
}

pub(crate) fn map() -> HeatMap {
    HeatMap {
        rows: axis("rows", &["a", "b"]),
        columns: axis("columns", &["long name", "y", "z"]),
        values: vec![Some(-1.0), Some(0.0), None, Some(0.5), Some(f64::NAN), Some(1.0)],
        texts: ["-1", "0", "", "1/2", "?", "1"].map(String::from).into(),
        scale: Scale::Diverging { centre: 0.0, reach: 1.0 },
        quantity: "number".into(),
        has_sums: true,
    }
}

pub(crate) fn bars() -> Bars {
    Bars {
        quantity: "value".into(),
        names: vec!["first".into(), "second".into()],
        series: vec![("one".into(), vec![1.0, -0.5]), ("two".into(), vec![f64::NAN, 1e-9])],
        level: Some((0.25, "a quarter".into())),
    }
}

pub(crate) fn lines() -> Lines {
    Lines {
        x: "x (units)".into(),
        y: "y (units)".into(),
        lines: vec![Line { name: "line".into(), points: vec![(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)] }],
        marks: vec![Mark { name: "mark".into(), place: (1.0, 2.0) }],
        level: Some(0.5),
    }
}

pub(crate) fn triangle() -> Triangle {
    Triangle {
        corners: ["up", "left", "right"].map(String::from),
        path: vec![[0.2, 0.3, 0.5], [f64::NAN; 3], [0.0, 0.0, 1.0]],
    }
}

pub(crate) fn list() -> List {
    let item = |label: &str, words: &str| (label.to_string(), words.to_string());
    List { items: vec![item("label", "words"), item("", &"many words ".repeat(12))] }
}

#[test]
fn figures_are_what_they_were() {
    assert_golden("heat-map", &picture("A map", Chart::HeatMap(map())));
    assert_golden("bars", &picture("Bars", Chart::Bars(bars())));
    assert_golden("lines", &picture("Lines", Chart::Lines(lines())));
    assert_golden("triangle", &picture("A triangle", Chart::Triangle(triangle())));
    assert_golden("list", &picture("A list", Chart::List(list())));
}

const HUGE: [f64; 6] = [f64::MAX, -f64::MAX, 1e300, f64::MIN_POSITIVE, f64::INFINITY, f64::NAN];

tests! {
    fn odd_data_give_a_picture_all_the_same() = check_odd_data(&[f64::MAX, f64::NAN], 20);
    @long
    fn all_odd_data_give_a_picture_all_the_same() = check_odd_data(&HUGE, 200);
}

fn check_odd_data(values: &[f64], num_ticks: usize) {
    let endless = "Rindfleischetikettierungsueberwachung".repeat(6);
    let corners = [(); 3].map(|()| endless.clone());
    let mut figures = vec![
        Picture { title: String::new(), caption: String::new(), panels: Vec::new() },
        picture(&endless, Chart::List(List { items: Vec::new() })),
        picture("", Chart::List(List { items: vec![(endless.clone(), endless.clone())] })),
        picture("", Chart::Triangle(Triangle { corners, path: Vec::new() })),
    ];
    for scale in [
        Scale::Sequential { low: -f64::MAX, high: f64::MAX },
        Scale::Sequential { low: f64::NAN, high: f64::NAN },
        Scale::Diverging { centre: f64::MAX, reach: f64::MAX },
        Scale::Diverging { centre: 0.0, reach: 0.0 },
    ] {
        let values = HUGE.map(Some).into();
        figures.push(picture("", Chart::HeatMap(HeatMap { values, scale, ..map() })));
    }
    let empty = Axis::default();
    figures.push(picture("", Chart::HeatMap(HeatMap { rows: empty, values: Vec::new(), ..map() })));
    let ticks = vec![endless.clone(); num_ticks];
    let many = Axis { name: endless.clone(), ticks: ticks.clone() };
    figures.push(picture("", Chart::HeatMap(HeatMap { columns: many.clone(), ..map() })));
    figures.push(picture("", Chart::HeatMap(HeatMap { rows: many, ..map() })));
    figures
        .push(picture("", Chart::Bars(Bars { names: Vec::new(), series: Vec::new(), ..bars() })));
    for &value in values {
        let series = vec![(endless.clone(), vec![value, -value])];
        let level = Some((value, endless.clone()));
        let names = ticks[..2].to_vec();
        figures.push(picture("", Chart::Bars(Bars { names, series, level, ..bars() })));
        for place in [(value, 0.0), (0.0, value), (value, value)] {
            let mark = Mark { name: endless.clone(), place };
            let line = Line { name: endless.clone(), points: vec![place, (1.0, 1.0)] };
            for lines in [Vec::new(), vec![line.clone()]] {
                let marks = vec![mark.clone()];
                let x = endless.clone();
                let chart = Lines { x, lines, marks, level: Some(value), ..self::lines() };
                figures.push(picture("", Chart::Lines(chart)));
            }
        }
    }
    let nothing = Lines { lines: Vec::new(), marks: Vec::new(), level: None, ..lines() };
    figures.push(picture("", Chart::Lines(nothing)));
    for mut figure in figures {
        for is_half in [false, true] {
            figure.panels.iter_mut().for_each(|panel| panel.is_half = is_half);
            let document = svg(&figure, Sheet::default());
            assert!(document.trim_end().ends_with("</svg>"));
            assert!(!document.contains("NaN") && !document.contains("inf"), "{document}");
        }
    }
}
