//! Tests of the pictures of strategies, for every family.

use std::collections::BTreeMap;
use std::mem::discriminant;

use ruse::family::AnyFamily;
use ruse::figures;
use ruse::lab::StrategyFile;
use ruse::registry::Registry;
use ruse_picture::{Chart, HeatMap, Panel};
use ruse_plots::{Sheet, svg};

use crate::support::gaussian;

fn file(family: &dyn AnyFamily, parameters: Vec<f64>) -> StrategyFile {
    StrategyFile { parameters, ..StrategyFile::empty(family.name()) }
}

/// Returns common parameters, and extreme parameters that are allowed.
fn parameters(family: &dyn AnyFamily) -> Vec<Vec<f64>> {
    let dimension = family.space().dimension();
    let gaussian = gaussian(family, 1);
    let huge = gaussian.iter().map(|x| 1e300 * x).collect();
    vec![vec![0.0; dimension], vec![-f64::MAX; dimension], gaussian, huge]
}

fn check(panel: &Panel, family: &str) {
    match &panel.chart {
        Chart::HeatMap(map) => {
            let num_cells = map.rows.ticks.len() * map.columns.ticks.len();
            assert_eq!(map.values.len(), num_cells, "{family}: {}", panel.title);
            assert!(map.texts.is_empty() || map.texts.len() == num_cells);
        }
        Chart::Bars(bars) => {
            assert!(bars.series.iter().all(|(_, values)| values.len() == bars.names.len()));
        }
        Chart::Lines(lines) => assert!(!lines.lines.is_empty()),
        Chart::Triangle(triangle) => {
            let shares = triangle.path.last().expect("what is shown");
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{family}: {shares:?}");
        }
        Chart::List(list) => assert!(!list.items.is_empty()),
    }
}

tests! {
    fn usual_strategies_can_be_drawn() = draw_families(|family| vec![gaussian(family, 1)]);
    @long
    fn every_strategy_can_be_drawn() = draw_families(parameters);
}

fn draw_families(parameters: impl Fn(&dyn AnyFamily) -> Vec<Vec<f64>>) {
    for family in Registry::standard().families() {
        for theta in parameters(family) {
            let picture = family.picture(&theta).expect("finite parameters");
            assert!(!picture.panels.is_empty());
            picture.panels.iter().for_each(|panel| check(panel, family.name()));
            let earlier = vec![vec![0.0; theta.len()]; 2];
            let figure = figures::strategy(family, family, &file(family, theta), &earlier);
            let document = svg(&figure.expect("finite parameters"), Sheet::default());
            assert!(document.contains("a strategy"));
            assert!(!document.contains("NaN"), "{}", family.name());
        }
        assert!(family.picture(&[f64::NAN]).is_err());
    }
}

/// Maps that show the same cells share one scale, so that their colours can be compared.
#[test]
fn maps_of_the_same_cells_have_one_scale() {
    let mut num_compared = 0;
    for family in Registry::standard().families() {
        let picture = family.picture(&gaussian(family, 1)).expect("finite parameters");
        let maps = || {
            picture.panels.iter().filter_map(|panel| match &panel.chart {
                Chart::HeatMap(map) if !map.quantity.is_empty() => Some(map),
                _ => None,
            })
        };
        for (a, b) in maps().zip(maps().skip(1)) {
            // Numbers and their differences have different kinds of scales.
            let are_of_a_kind = discriminant(&a.scale) == discriminant(&b.scale);
            let cells = |map: &HeatMap| (map.rows.clone(), map.columns.clone());
            if cells(a) == cells(b) && a.quantity == b.quantity && are_of_a_kind {
                assert_eq!(a.scale, b.scale, "{}", family.name());
                num_compared += 1;
            }
        }
    }
    assert!(num_compared > 0);
}

#[test]
fn games_of_other_rules_can_be_drawn() {
    let registry = Registry::standard();
    for (family, rule, value) in [
        ("guess-who", "characters", 2),
        ("guess-who-deterministic", "characters", 1024),
        ("nim", "heap-1", 40),
        ("nim", "heap-4", 0),
        ("nim", "heap-4", 400),
        ("pig", "goal", 2),
        ("phantom-four", "rows", 7),
        ("cheat", "cards-per-colour", 2),
        ("flip", "ranks", 7),
        ("war4", "suits", 2),
    ] {
        let usual = registry.family(family).expect("a family");
        let rules = BTreeMap::from([(rule.to_string(), value)]);
        let changed = usual.with_rules(&rules).expect("rules that are allowed");
        let theta = vec![0.5; changed.space().dimension()];
        let file = StrategyFile { rules, ..file(usual.as_ref(), theta) };
        let figure = figures::strategy(changed.as_ref(), usual.as_ref(), &file, &[]);
        let document = svg(&figure.expect("finite parameters"), Sheet::default());
        assert!(document.contains(&format!("{rule}={value}")), "{family}");
    }
}
