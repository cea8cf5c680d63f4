//! Figures of measurements: their appearance, compared with `tests/golden/`, and unusual data.

use std::fmt::Debug;

use ruse_plots::*;

use crate::figures;

fn assert_golden<T: Drawable>(name: &str, data: T) {
    figures::assert_golden(name, &Checked::new(data).expect("good data"));
}

/// Checks that a picture is an SVG document with all texts within its bounds, and returns it.
fn assert_picture<T: Drawable>(data: T) -> String {
    let figure = Checked::new(data).expect("good data");
    let document = svg(&figure, Sheet::default());
    assert!(document.starts_with("<svg") && document.trim_end().ends_with("</svg>"));
    assert!(!document.contains("NaN") && !document.contains("inf"), "{document}");
    let (width, height) = figure.size(Sheet::default());
    assert!((width, height) > (100, 60) && height < 10_000, "{width} x {height}");
    for (attributes, text) in texts(&document) {
        let (x, y) = (attribute(attributes, "x"), attribute(attributes, "y"));
        assert!((0.0..=f64::from(width)).contains(&x), "text at x = {x} of {width}: {text}");
        assert!((0.0..=f64::from(height)).contains(&y), "text at y = {y} of {height}: {text}");
    }
    assert!(png(&figure, Sheet::default()).starts_with(b"\x89PNG"));
    document
}

fn assert_refused<T: Drawable + Debug + PartialEq>(data: T, part_of_message: &str) {
    let error = Checked::new(data).expect_err("bad data");
    assert!(error.to_string().contains(part_of_message), "{error}");
}

fn changed<T>(mut data: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut data);
    data
}

pub(crate) fn point(games: f64, score: f64) -> CurvePoint {
    CurvePoint { games, score, interval: [(score - 0.03).max(0.0), (score + 0.03).min(1.0)] }
}

pub(crate) fn run(scores: &[f64]) -> RunCurve {
    let points = (0..).zip(scores).map(|(k, &score)| {
        let games = if k == 0 { 0.0 } else { 1000.0 * libm::pow(3.0, f64::from(k)) };
        point(games, score)
    });
    let sigma =
        (0..scores.len()).map(|k| (1000.0 * libm::pow(3.0, k as f64), libm::pow(0.84, k as f64)));
    RunCurve { points: points.collect(), games: 2e5, sigma: sigma.collect() }
}

pub(crate) fn method(name: &str, runs: &[&[f64]]) -> MethodCurves {
    let mean = match runs {
        [first, _, ..] => run(first).points,
        _ => Vec::new(),
    };
    let bin = |from: f64, share| Acceptance { from, to: 10.0 * from, share };
    MethodCurves {
        name: name.into(),
        runs: runs.iter().map(|scores| run(scores)).collect(),
        mean,
        acceptance: vec![bin(1e3, 0.5), bin(1e4, 0.25)],
    }
}

pub(crate) fn curves(methods: Vec<MethodCurves>) -> LearningCurves {
    LearningCurves {
        title: "war: score of the incumbent against the baseline".into(),
        caption: "2 methods, bernstein races, seeds 1–2; 1000 pairs a point <&>.".into(),
        methods,
        has_all_panels: false,
    }
}

fn cell(score: f64) -> Option<CellScore> {
    Some(CellScore { score, interval: [score - 0.02, score + 0.02] })
}

fn names(num: usize, name: &str) -> Vec<String> {
    (0..num).map(|index| format!("{name}-{index}")).collect()
}

pub(crate) fn table(num: usize, name: &str) -> HeadToHead {
    let score = |a: usize, b: usize| 0.5 + 0.4 * (a as f64 - b as f64) / num as f64;
    let row = |a| (0..num).map(|b| if a == b { None } else { cell(score(a, b)) }).collect();
    HeadToHead {
        title: "war: score of the row against the column".into(),
        caption: "Champions of seeds 1–3.".into(),
        names: names(num, name),
        cells: (0..num).map(row).collect(),
    }
}

pub(crate) fn bars(num_families: usize, num_methods: usize, name: &str) -> ScoreDots {
    let score = |f: usize, m: usize| 0.4 + 0.5 * ((3 * f + 5 * m) % 11) as f64 / 11.0;
    let scores = |f| {
        let of = |m| MethodScore {
            score: (m % 7 != 6).then(|| (score(f, m), [score(f, m) - 0.05, score(f, m) + 0.02])),
            runs: [-0.03, 0.01, 0.02].map(|deviation| score(f, m) + deviation).into(),
            published: (m % 2 == 0).then_some(0.6),
        };
        (0..num_methods).map(of).collect()
    };
    ScoreDots {
        title: "Score against the baseline".into(),
        caption: "Champions of seeds 1–3, 20000 pairs each.".into(),
        middle: Some(0.5),
        methods: names(num_methods, name),
        families: (0..num_families)
            .map(|f| FamilyScores {
                name: format!("family-{f}-{name}"),
                scores: scores(f),
                yardsticks: [Some(0.7), (f == 0).then_some(0.95)],
            })
            .collect(),
    }
}

pub(crate) fn race(num_points: i32) -> RaceTrace {
    let point = |k: i32| {
        let games = 8.0 * libm::pow(1.5, f64::from(k));
        let width = (1.0 / games.sqrt()).min(0.3);
        let score = 0.6 + 0.3 * width;
        RacePoint { games, score, interval: [score - width, score + width] }
    };
    let bound = |k: i32| {
        let k = f64::from(k);
        (8.0 * libm::pow(1.5, k), [0.2 + 0.04 * k, 0.95 - 0.02 * k])
    };
    let end = |verdict: &str, games| RaceEnd { verdict: verdict.into(), games };
    let proven = "bernstein race: the first is better after 300 games";
    RaceTrace {
        title: "war: descending against random".into(),
        caption: "Seed 1, 2000 pairs of games.".into(),
        points: (0..num_points).map(point).collect(),
        bounds: (0..num_points / 2).map(bound).collect(),
        bounds_name: "bounds of the bernstein race, until it stops".into(),
        ends: vec![end(proven, Some(300.0)), end("betting race: undecided", None)],
    }
}

pub(crate) fn ranks(num: usize, name: &str) -> CriticalDifference {
    let rank = |index: usize| 1.5 + (num as f64 - 2.0) * index as f64 / num as f64;
    CriticalDifference {
        title: "Mean ranks by the score against the baseline".into(),
        caption: "16 families; Nemenyi's test, 5%.".into(),
        ranks: names(num, name).into_iter().enumerate().map(|(k, name)| (name, rank(k))).collect(),
        critical_difference: 2.25,
        groups: if num > 4 { vec![[0, 2], [1, 4]] } else { Vec::new() },
    }
}

pub(crate) fn forest(num: usize) -> Forest {
    let row = |k: usize| {
        let value = 0.18 - 0.05 * k as f64;
        let interval = [(value - 0.03).max(-1.0), (value + 0.03).min(1.0)];
        ForestRow { name: format!("group {k}"), value, interval }
    };
    Forest {
        title: "What its parameters are worth".into(),
        caption: "20,000 pairs each.".into(),
        quantity: "score lost without them".into(),
        reference: 0.0,
        rows: (0..num).map(row).collect(),
    }
}

pub(crate) fn costs(rates: &[f64]) -> DecisionCosts {
    let operator = |name: &str, factor: f64| OperatorCosts {
        name: name.into(),
        points: rates
            .iter()
            .map(|&rate| {
                let games = factor / (0.01 + (rate - 0.5) * (rate - 0.5));
                CostPoint { rate, games, range: [games / 2.0, games * 2.0] }
            })
            .collect(),
    };
    DecisionCosts {
        title: "Games that a decision takes, by comparison operator".into(),
        caption: "100 races a point, seed 1.".into(),
        operators: vec![operator("bernstein", 40.0), operator("betting", 10.0)],
        limits: vec![LeastGames {
            name: "least".into(),
            points: rates.iter().map(|&rate| (rate, 120.0 + 1000.0 * (0.6 - rate).abs())).collect(),
        }],
    }
}

#[test]
fn learning_curves_look_as_they_did() {
    let several = vec![
        method("cma-es", &[&[0.45, 0.55, 0.62, 0.66], &[0.48, 0.5, 0.6, 0.64]]),
        method("iterative", &[&[0.47, 0.58, 0.63]]),
    ];
    assert_golden("learning-curves", curves(several.clone()));
    let all = LearningCurves { has_all_panels: true, ..curves(several.clone()) };
    assert_golden("learning-curves-all-panels", all);
    let many = (0..6).map(|k| {
        let end = 0.6 + 0.004 * f64::from(k % 3);
        method(&format!("method-{k}"), &[&[0.45, 0.5 + 0.03 * f64::from(k), end]])
    });
    assert_golden("learning-curves-of-many-methods", curves(many.collect()));
    assert_golden("learning-curve-of-one-run", curves(vec![method("seeds", &[&[0.4, 0.6]])]));
}

#[test]
fn comparisons_look_as_they_did() {
    assert_golden("head-to-head", table(4, "method"));
    assert_golden("score-dots", bars(3, 4, "method"));
}

pub(crate) fn rates(num_points: i32, num_names: usize, num_panels: usize) -> RateCurves {
    let line = |index: usize| {
        let rate = |k: i32| 0.1 + 0.7 * libm::pow(0.8, f64::from(k + index as i32));
        let point = |k: i32| RatePoint {
            x: libm::pow(2.0, f64::from(k)),
            rate: rate(k),
            interval: [rate(k) - 0.03, rate(k) + 0.03],
        };
        let points = (0..num_points).map(point).collect();
        RateLine { points, level: (index == 0).then_some(0.2) }
    };
    RateCurves {
        title: "phantom-four: what ucbt loses".into(),
        caption: "Means over 1000 runs with 95% bands <&>.".into(),
        x_title: "games learnt from".into(),
        kind: CurveKind::Rates,
        names: (0..num_names).map(|index| format!("opponent {index}")).collect(),
        panels: (0..num_panels)
            .map(|index| RatePanel {
                title: format!("lost, seat {index}"),
                lines: (0..num_names).map(line).collect(),
            })
            .collect(),
    }
}

#[test]
fn rates_look_as_they_did() {
    assert_golden("rate-curves", rates(11, 3, 2));
    for (points, names, panels) in [(1, 1, 1), (2, 5, 6), (40, 12, 3)] {
        assert_picture(rates(points, names, panels));
    }
    assert!(assert_picture(rates(0, 2, 1)).contains("nothing was measured"));
    assert!(assert_picture(RateCurves::default()).contains("nothing was measured"));
}

pub(crate) fn amounts(num_points: i32, num_names: usize, factor: f64) -> RateCurves {
    scaled(rates(num_points, num_names, 2), CurveKind::Amounts, factor, |_, x| 50.0 * x)
}

/// Returns the curves with other arguments and rates, without levels. `x` takes the index and the argument of a point.
fn scaled(
    mut curves: RateCurves,
    kind: CurveKind,
    factor: f64,
    x: impl Fn(usize, f64) -> f64,
) -> RateCurves {
    curves.kind = kind;
    for line in curves.panels.iter_mut().flat_map(|panel| &mut panel.lines) {
        line.level = None;
        for (index, point) in line.points.iter_mut().enumerate() {
            point.x = x(index, point.x);
            point.rate *= factor;
            point.interval = point.interval.map(|bound| factor * bound);
        }
    }
    curves
}

/// A figure of amounts equals the reviewed picture, and amounts up to 1e12 can be drawn. The amounts stand for regrets;
/// the arguments are powers of ten.
#[test]
fn amounts_look_as_they_did() {
    assert_golden("amount-curves", amounts(6, 3, 40.0));
    for (points, names, factor) in [(1, 1, 0.0), (9, 2, -3.0), (3, 4, 1e-9), (2, 2, 1e11)] {
        assert_picture(amounts(points, names, factor));
    }
    assert!(assert_picture(amounts(0, 2, 1.0)).contains("nothing was measured"));
    for wrong in [f64::NAN, 1e12, f64::INFINITY] {
        let mut curves = amounts(3, 2, 1.0);
        curves.panels[1].lines[0].points[2].interval[0] = wrong;
        assert!(Checked::new(curves).is_err(), "{wrong}");
    }
}

pub(crate) fn times(num_points: i32) -> RateCurves {
    scaled(rates(num_points, 2, 1), CurveKind::Times, 10.0, |index, _| 12.5 * index as f64)
}

/// A figure of amounts as functions of time equals the reviewed picture: time begins at 0, and ticks are evenly spaced.
#[test]
fn amounts_by_time_look_as_they_did() {
    assert_golden("time-curves", times(9));
    assert_picture(times(1));
    assert!(assert_picture(times(0)).contains("nothing was measured"));
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        let mut curves = times(3);
        curves.panels[0].lines[1].points[0].x = wrong;
        assert!(Checked::new(curves).is_err(), "{wrong}");
    }
}

/// Returns curves with steps, like the shares of reached targets.
pub(crate) fn shares() -> RateCurves {
    let mut curves = RateCurves { kind: CurveKind::Shares, ..rates(2, 3, 1) };
    for (index, line) in (0..).zip(&mut curves.panels[0].lines) {
        let step = |k: i32| {
            let rate = 0.2 + 0.05 * f64::from(k + index);
            let x = 1e3 * libm::pow(3.0, f64::from(k));
            RatePoint { x, rate, interval: [rate; 2] }
        };
        *line = RateLine { points: (0..7).map(step).collect(), level: None };
    }
    curves
}

fn labels(document: &str) -> Vec<&str> {
    texts(document).map(|(_, label)| label).collect()
}

#[test]
fn shares_and_learning_curves_have_the_same_axes() {
    assert_golden("share-curves", shares());
    let document = assert_picture(shares());
    let found = labels(&document);
    // The axis goes from 1000 games to 3^6 times this number.
    for label in ["0", ".5", "1.0", "1k", "10k", "100k"] {
        assert!(found.contains(&label), "{label}: {found:?}");
    }
    let learning = assert_picture(curves(vec![method("seeds", &[&[0.4, 0.6]])]));
    for label in ["1k", "10k", "100k"] {
        assert!(labels(&learning).contains(&label), "{label}");
    }
}

/// The ticks are powers of ten, unless the numbers are powers of two.
#[test]
fn budgets_are_where_the_ticks_are() {
    let doubled = assert_picture(rates(11, 1, 1));
    assert!(labels(&doubled).contains(&"1024") && !labels(&doubled).contains(&"1k"));
    let mut by_tens = rates(4, 1, 1);
    for (k, point) in (0..).zip(&mut by_tens.panels[0].lines[0].points) {
        point.x = libm::pow(10.0, f64::from(k + 1));
    }
    let document = assert_picture(by_tens);
    for label in ["10", "100", "1k", "10k"] {
        assert!(labels(&document).contains(&label), "{label}: {document}");
    }
}

#[test]
fn rates_that_make_no_sense_are_refused() {
    let bad = changed(rates(3, 2, 1), |bad| bad.panels[0].lines[1].points[2].rate = f64::NAN);
    assert_refused(bad, "opponent 1 in lost, seat 0");
    let bad = changed(rates(3, 2, 1), |bad| bad.panels[0].lines[0].points[0].x = 0.0);
    assert_refused(bad, "a number above 0");
    let bad = changed(rates(3, 2, 1), |bad| drop(bad.panels[0].lines.pop()));
    assert_refused(bad, "the lines of lost, seat 0: 1 entries where 2 should be");
}

#[test]
fn races_look_as_they_did() {
    assert_golden("race", race(16));
    assert_golden("critical-difference", ranks(7, "method"));
    assert_golden("decisions", costs(&[0.5, 0.52, 0.56, 0.6]));
    assert_golden("forest", forest(6));
    let row = |(name, value): (&str, f64)| ForestRow {
        name: name.into(),
        value,
        interval: [value - 0.06, value + 0.06],
    };
    let rows = [("as it is", 0.5), ("no cache", 0.41), ("joint", 0.06)].map(row).into();
    assert_golden("forest-of-scores", Forest { reference: 0.5, rows, ..forest(0) });
}

#[test]
fn without_data_a_picture_says_so() {
    for document in [
        assert_picture(LearningCurves::default()),
        assert_picture(curves(vec![MethodCurves { name: "a".into(), ..Default::default() }])),
        assert_picture(curves(vec![MethodCurves {
            runs: vec![RunCurve::default(), RunCurve::default()],
            ..Default::default()
        }])),
        assert_picture(ScoreDots::default()),
        assert_picture(bars(2, 0, "")),
        assert_picture(Forest::default()),
    ] {
        assert!(document.contains("nothing was measured"), "{document}");
    }
    assert!(assert_picture(HeadToHead::default()).contains("no games were played"));
    assert!(assert_picture(CriticalDifference::default()).contains("nothing was compared"));
    assert!(assert_picture(RaceTrace::default()).contains("nothing was played"));
    assert!(assert_picture(DecisionCosts::default()).contains("nothing was decided"));
    assert_picture(bars(0, 3, "method"));
}

#[test]
fn a_single_point_is_enough() {
    let one = RunCurve { points: vec![point(0.0, 0.5)], games: 0.0, sigma: vec![(0.0, 1.0)] };
    let method = MethodCurves { name: "a".into(), runs: vec![one], ..Default::default() };
    assert_picture(curves(vec![method]));
    assert_picture(race(1));
    assert_picture(costs(&[0.5]));
    assert_picture(table(1, "alone"));
    assert_picture(ranks(1, "alone"));
    assert_picture(ranks(40, "many"));
    assert_picture(ranks(7, &"long".repeat(30)));
    for num in [1, 40] {
        assert_picture(forest(num.min(7)));
        let row = ForestRow { name: "long".repeat(30), ..ForestRow::default() };
        assert_picture(Forest { rows: vec![row; num], ..forest(0) });
    }
    assert_picture(bars(1, 1, "alone"));
}

#[test]
fn extreme_numbers_fit() {
    let extreme = |score| CurvePoint { games: 1e15, score, interval: [0.0, 1.0] };
    let run = RunCurve {
        points: vec![point(0.0, 0.0), point(1.0, 1.0), extreme(0.0)],
        games: 1e15,
        sigma: vec![(0.0, 1e-300), (1.0, 1e300)],
    };
    let method = MethodCurves { name: "a".into(), runs: vec![run], ..Default::default() };
    assert_picture(curves(vec![method]));
    assert_picture(costs(&[0.0, 1.0]));
    let rows =
        [-1.0, 1.0].map(|value| ForestRow { value, interval: [-1.0, 1.0], ..Default::default() });
    assert_picture(Forest { rows: rows.into(), ..forest(0) });
}

const LONG: &str = "a-very-long-name-of-a-method-which-nobody-would-want-to-type";

tests! {
    fn one_family_or_sixteen_and_one_method_or_twelve_fit() = check_fit(&[LONG], &[1, 12]);
    @long
    fn one_family_or_sixteen_and_two_methods_or_twenty_fit() = check_fit(&["a", LONG], &[1, 2, 20]);
}

fn check_fit(names: &[&str], nums: &[usize]) {
    for &name in names {
        for &num in nums {
            let document = assert_picture(table(num, name));
            assert!(num == 1 || document.matches("<text").count() > num * num);
            for num_families in [1, 16] {
                assert_picture(bars(num_families, num, name));
            }
            let runs: Vec<MethodCurves> = (0..num)
                .map(|index| method(&format!("{name}-{index}"), &[&[0.5, 0.6], &[0.4, 0.7]]))
                .collect();
            assert_picture(curves(runs));
        }
    }
}

#[test]
fn many_points_make_no_larger_picture_than_can_be_seen() {
    let many: Vec<f64> = (0..100_000).map(|k| 0.5 + 0.2 * f64::from(k % 7) / 7.0).collect();
    let points = many.iter().enumerate().map(|(k, &score)| point(10.0 * k as f64, score));
    let sigma = (0..100_000).map(|k| (10.0 * f64::from(k), 1.0 + f64::from(k % 5)));
    let run = RunCurve { points: points.collect(), games: 1e6, sigma: sigma.collect() };
    let one = MethodCurves { name: "a".into(), runs: vec![run], ..Default::default() };
    let document = assert_picture(curves(vec![one]));
    assert!(document.len() < 100_000, "{} bytes", document.len());
}

#[test]
fn invalid_numbers_are_refused() {
    let with = |change: &dyn Fn(&mut RunCurve)| {
        let mut one = run(&[0.5, 0.6]);
        change(&mut one);
        curves(vec![MethodCurves { name: "cma-es".into(), runs: vec![one], ..Default::default() }])
    };
    assert_refused(
        with(&|run| run.points[1].score = f64::NAN),
        "the learning curve of cma-es: NaN",
    );
    assert_refused(with(&|run| run.points[0].interval[1] = 1.5), "1.5 where a number from 0 to 1");
    assert_refused(with(&|run| run.points[0].games = f64::INFINITY), "games of cma-es: inf");
    assert_refused(with(&|run| run.games = -1.0), "-1 where a number of at least 0");
    assert_refused(with(&|run| run.sigma[0].1 = 0.0), "a step size of cma-es: 0");
    let bad = changed(table(3, "m"), |bad| bad.cells[1][2] = cell(f64::NAN));
    assert_refused(bad, "the score of m-1 against m-2: NaN");
    let bad = changed(table(3, "m"), |bad| bad.cells[1].truncate(2));
    assert_refused(bad, "the scores of m-1: 2 entries where 3 should be");
    let bad = changed(bars(2, 2, "m"), |bad| bad.families[1].scores[0].published = Some(f64::NAN));
    assert_refused(bad, "the score of m-0 in family-1-m: NaN");
    let bad = changed(race(4), |bad| bad.points[0].games = 0.0);
    assert_refused(bad, "games of a match: 0 where a number above 0");
    let bad = changed(costs(&[0.5, 0.6]), |bad| bad.operators[0].points[0].range[1] = f64::NAN);
    assert_refused(bad, "the games of bernstein: NaN");
    let bad = changed(ranks(7, "m"), |bad| bad.ranks[2].1 = f64::NAN);
    assert_refused(bad, "the rank of m-2: NaN");
    let bad = changed(forest(3), |bad| bad.rows[1].interval[0] = f64::NAN);
    assert_refused(bad, "the number of group 1: NaN where a number from -1 to 1");
    let bad = Forest { reference: f64::NAN, ..forest(3) };
    assert_refused(bad, "the line of no effect: NaN where a number from -1 to 1");
    for group in [[3, 7], [2, 2]] {
        let bad = CriticalDifference { groups: vec![group], ..ranks(7, "m") };
        assert_refused(bad, "a group of ranks");
    }
}

/// Returns the texts of a document, with their attributes.
pub(crate) fn texts(document: &str) -> impl Iterator<Item = (&str, &str)> {
    let texts = document.split("<text ").skip(1);
    texts.filter_map(|text| {
        let (attributes, rest) = text.split_once('>')?;
        Some((attributes, rest.split_once("</text>")?.0.trim()))
    })
}

/// Returns the value of a numeric attribute of a text.
pub(crate) fn attribute(attributes: &str, key: &str) -> f64 {
    let from = attributes.find(&format!("{key}=\"")).expect("an attribute") + key.len() + 2;
    attributes[from..].split('"').next().expect("ends").parse().expect("a number")
}

/// Returns all texts of a document, with lines joined.
fn words(document: &str) -> String {
    texts(document).map(|(_, text)| text).collect::<Vec<_>>().join(" ")
}

/// Returns the vertical positions of the texts at or to the right of `left`.
fn labels_from(document: &str, left: f64) -> Vec<i32> {
    let places = texts(document).map(|(of, _)| (attribute(of, "x"), attribute(of, "y") as i32));
    places.filter(|(x, _)| *x >= left).map(|(_, y)| y).collect()
}

#[test]
fn names_beside_curves_never_cover_each_other() {
    for num in [2, 4, 5, 8, 20, 30] {
        // The final scores are unsorted, within a hundredth of each other, and some are equal.
        let scores = (0..num).map(|k| 0.6 + 0.001 * f64::from((7 * k) % 10));
        let methods = (0..num).zip(scores).map(|(k, end)| method(&format!("m{k}"), &[&[0.4, end]]));
        let document = assert_picture(curves(methods.collect()));
        // The panel ends at x = 344.
        let mut places = labels_from(&document, 350.0);
        assert_eq!(places.len(), num as usize);
        places.sort_unstable();
        // Letters of this size are 10 pixels high.
        assert!(places.windows(2).all(|two| two[1] - two[0] >= 12), "{places:?}");
    }
}

#[test]
fn families_without_scores_are_left_out() {
    let mut data = bars(5, 2, "method");
    let nothing = MethodScore { score: None, runs: Vec::new(), published: None };
    for family in &mut data.families[1..3] {
        family.scores = vec![nothing.clone(); 2];
    }
    data.families[0].scores[0].score = Some((0.6, [0.0, 1.0]));
    let document = assert_picture(data);
    assert!(document.contains("family-0-method") && !document.contains("family-1-method"));
    let document = words(&document);
    assert!(document.contains("2 families without a score, of 5, are left out"), "{document}");
    assert!(document.contains("An arrow says"), "{document}");
    assert!(!words(&assert_picture(bars(3, 2, "method"))).contains("An arrow says"));
}
