//! The score of the incumbents of one run, as games go by.

use std::ops::Range;

use plotters::prelude::*;

use crate::canvas::{Area, DrawResult, Figure, svg};
use crate::style::{Frame, GRID, HEADING, INK, LABEL, WIDTH, centred, count, series, text};

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Games played until then, at least 0.
    pub games: f64,
    /// The score, in [0, 1].
    pub score: f64,
    /// Its interval, in [0, 1].
    pub interval: [f64; 2],
}

/// The data of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningCurve {
    /// What is shown.
    pub title: String,
    /// Where it comes from: method, seed, sample size.
    pub caption: String,
    /// The points, by increasing games; each holds until the next.
    pub points: Vec<CurvePoint>,
    /// Games of the whole run, up to which the last point holds.
    pub games: f64,
}

/// The height of the axes with their labels.
const HEIGHT: u32 = 240;

/// Draws the figure as an SVG document. Without points it has axes and says so.
pub fn learning_curve(data: &LearningCurve) -> String {
    svg(data)
}

impl Figure for LearningCurve {
    fn size(&self) -> (u32, u32) {
        (WIDTH, Frame::new(&self.title, &self.caption).height(HEIGHT))
    }

    fn draw(&self, area: &Area<'_>) -> DrawResult {
        draw(self, &Frame::new(&self.title, &self.caption).draw(area)?)
    }
}

fn draw(data: &LearningCurve, figure: &Area<'_>) -> DrawResult {
    let points: Vec<CurvePoint> = data
        .points
        .iter()
        .copied()
        .filter(|point| [point.games, point.score].into_iter().all(f64::is_finite))
        .collect();
    let (games, scores) = ranges(&points, data.games);
    let mut chart = ChartBuilder::on(figure)
        .margin(6)
        .margin_right(20)
        .x_label_area_size(40)
        .y_label_area_size(54)
        .build_cartesian_2d(games.clone().log_scale(), scores)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(text(LABEL, INK))
        .x_labels(6)
        .y_labels(6)
        .x_desc("games in comparisons")
        .y_desc("score")
        .x_label_formatter(&|games| count(*games))
        .y_label_formatter(&|score| format!("{score:.2}"))
        .draw()?;
    if points.is_empty() {
        let (width, height) = figure.dim_in_pixel();
        let place = (width as i32 / 2, height as i32 / 2);
        return figure.draw(&Text::new("nothing was measured", place, centred(HEADING, INK)));
    }

    // An incumbent keeps its score until the next one: steps, not slopes.
    let ends = points.iter().skip(1).map(|next| next.games).chain([games.end]);
    let steps: Vec<(f64, f64, &CurvePoint)> = points
        .iter()
        .zip(ends)
        .map(|(point, end)| (point.games.max(games.start), end.max(games.start), point))
        .collect();
    chart.draw_series(steps.iter().map(|&(start, end, point)| {
        let [low, high] = point.interval;
        Rectangle::new([(start, low), (end, high)], series(0).mix(0.2).filled())
    }))?;
    let line =
        steps.iter().flat_map(|&(start, end, point)| [(start, point.score), (end, point.score)]);
    chart.draw_series(LineSeries::new(line, series(0).stroke_width(2)))?;
    Ok(())
}

/// What the axes have to show: the games from the power of ten before the first step, all intervals, and
/// the score of equals.
fn ranges(points: &[CurvePoint], games: f64) -> (Range<f64>, Range<f64>) {
    let first = points.iter().map(|point| point.games).filter(|&games| games > 0.0);
    let first = first.fold(f64::INFINITY, f64::min);
    let start = if first.is_finite() { 10f64.powf(first.log10().floor()).max(1.0) } else { 1e3 };
    // NaN loses against every number.
    let end = points.iter().fold(games.max(10.0 * start), |last, point| last.max(point.games));
    let (low, high) = points.iter().fold((0.5f64, 0.5f64), |(low, high), point| {
        (low.min(point.interval[0]), high.max(point.interval[1]))
    });
    let margin = 0.05 * (high - low).max(0.1);
    (start..end, (low - margin).max(0.0)..(high + margin).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(points: Vec<CurvePoint>) -> String {
        learning_curve(&LearningCurve {
            title: "war: score".into(),
            caption: "seed 1 <&>".into(),
            games: points.iter().fold(0.0, |last: f64, point| last.max(point.games)),
            points,
        })
    }

    fn point(games: f64, score: f64) -> CurvePoint {
        CurvePoint { games, score, interval: [score - 0.02, score + 0.02] }
    }

    #[test]
    fn a_run_is_drawn_as_steps_with_bands() {
        let svg = curve(vec![point(0.0, 0.5), point(1e4, 0.6), point(3e6, 0.67)]);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
        // One band a point, and the background.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("100k") && svg.contains("1M"), "powers of ten are labelled");
        assert!(svg.contains("seed 1 &lt;&amp;&gt;"), "text is escaped");
    }

    #[test]
    fn odd_data_give_a_picture_all_the_same() {
        assert!(curve(Vec::new()).contains("nothing was measured"));
        assert!(curve(vec![point(f64::NAN, 0.5)]).contains("nothing was measured"));
        assert_eq!(curve(vec![point(0.0, 0.5)]).matches("<rect").count(), 2);
        assert!(curve(vec![point(0.0, 1.0), point(10.0, 0.0)]).contains("</svg>"));
    }
}
