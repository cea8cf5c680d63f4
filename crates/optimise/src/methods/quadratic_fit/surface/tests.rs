use super::*;

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-9, "{found:?} for {expected:?}");
    }
}

/// The coefficients were computed in Python with exact fractions, by the elimination of Gauss and Jordan in the normal
/// equations of both fits. The first fit has the mean curvature 26473/533992.
#[test]
fn nine_differences() {
    let mut surface = Surface::new(2);
    for (x, y, response) in [
        ([1.0, -1.0], [-1.0, 1.0], 0.5),
        ([1.0, 0.0], [0.0, -1.0], -0.25),
        ([0.0, 1.0], [1.0, -1.0], -0.5),
        ([-1.0, 1.0], [1.0, 0.0], -0.25),
        ([1.0, 1.0], [0.0, -1.0], -0.5),
        ([-1.0, -1.0], [1.0, 0.0], -0.5),
        ([0.0, -1.0], [0.0, 0.0], 0.25),
        ([1.0, 0.0], [0.0, 0.0], 0.25),
        ([2.0, 0.0], [0.0, 0.0], -0.25),
    ] {
        surface.learn(&x, &y, response);
    }
    // The squares of the responses are 4/4 and 5/16, in nine differences.
    assert_eq!((surface.num_responses, surface.squares), (9, 1.3125));
    let expected = [
        0.100_002_420_790_599_57,
        -0.177_674_300_092_959_8,
        -0.088_991_561_997_713_95,
        -0.007_234_038_443_304_75,
        -0.086_965_001_418_219_42,
    ];
    assert_close(&surface.blocks[0].coefficients(1.3125 / 9.0), &expected);
}

/// The first surface is x - y/2 - x² + xy/2 - 3y²/4, whose gradient vanishes at (5, -2)/11. The top in a box that ends at
/// -.2 is at the edge, where y = -.6/1.5. In the second surface, x/10 - y/5 + x² - y², an end of x is best; y is -.1. A
/// search of a grid in Python found the same points. If nothing matters, the point stays.
#[test]
fn tops() {
    let hill = [1.0, -0.5, -1.0, 0.5, -0.75];
    assert_close(&climb(&hill, &[0.0, 0.0], 1.0), &[5.0 / 11.0, -2.0 / 11.0]);
    assert_close(&climb(&hill, &[-1.0, -1.0], 0.8), &[-0.2, -0.4]);
    assert_close(&climb(&[0.1, -0.2, 1.0, 0.0, -1.0], &[0.0, 0.0], 1.0), &[1.0, -0.1]);
    assert_close(&climb(&[0.0; 5], &[0.3, 0.7], 1.0), &[0.3, 0.7]);
}

/// With more than ten coordinates each has its own fit. In every difference only one coordinate moves, so the separate
/// fits are exact up to the prior: the height is -(x - a)², and the top is a.
#[test]
fn many_coordinates_are_fitted_one_by_one() {
    let a: Vec<f64> = (0..12).map(|i| f64::from(i) / 12.0 - 0.5).collect();
    let mut surface = Surface::new(12);
    for i in 0..12 {
        let height = |x: f64| -(x - a[i]) * (x - a[i]);
        for _ in 0..10_000 {
            for ends in [[1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]] {
                let [x, y] = ends.map(|end| {
                    let mut z = vec![0.0; 12];
                    z[i] = end;
                    z
                });
                surface.learn(&x, &y, height(ends[0]) - height(ends[1]));
            }
        }
    }
    let top = surface.top(&[0.0; 12], 1.0);
    for (found, expected) in top.iter().zip(&a) {
        assert!((found - expected).abs() < 1e-3, "{top:?}");
    }
    // A top further away than the radius is at the edge.
    assert_eq!(surface.top(&[0.0; 12], 0.25)[0], -0.25);
}
