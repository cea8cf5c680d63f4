//! Pictures of strategies as plain data. The drawing is done elsewhere.

use ruse_picture::{Bars, Chart, Panel, Picture};
use ruse_search::ParameterSpace;

/// Returns a picture that suits any strategy: its parameters by name, or only the largest of many.
///
/// `theta` has one number for each coordinate of `space`.
pub fn picture_of_parameters(space: &ParameterSpace, theta: &[f64]) -> Picture {
    /// The largest number of parameters shown; more names are hard to read.
    const MOST: usize = 40;
    let mut shown: Vec<usize> = (0..theta.len().min(space.dimension())).collect();
    let num_all = shown.len();
    if num_all > MOST {
        shown.sort_by(|&i, &j| theta[j].abs().total_cmp(&theta[i].abs()));
        shown.truncate(MOST);
        shown.sort_unstable();
    }
    let names = shown.iter().map(|&index| space.parameters()[index].name.to_string());
    let bars = Bars {
        quantity: "value".into(),
        names: names.collect(),
        series: vec![("value".into(), shown.iter().map(|&index| theta[index]).collect())],
        level: None,
    };
    let panel = Panel::new("Parameters", Chart::Bars(bars));
    let panel = match num_all {
        0..=MOST => panel,
        _ => panel.with_note(format!("The {MOST} largest of {num_all} parameters, by size.")),
    };
    Picture::of([panel])
}

#[cfg(test)]
mod tests {
    use ruse_search::Parameter;

    use super::*;

    #[test]
    fn the_largest_of_many_parameters_are_shown_in_their_order() {
        let parameter = |index: usize| Parameter::new(format!("p{index}"), "a number");
        let space = ParameterSpace::new((0..100).map(parameter).collect());
        let theta: Vec<f64> = (0..100).map(|index| -f64::from(index)).collect();
        let picture = picture_of_parameters(&space, &theta);
        let Chart::Bars(bars) = &picture.panels[0].chart else { panic!("parameters are bars") };
        assert_eq!(bars.names.len(), 40);
        assert_eq!((bars.names[0].as_str(), bars.series[0].1[0]), ("p60", -60.0));
        assert!(picture.panels[0].note.contains("40 largest of 100"));
        assert_eq!(picture_of_parameters(&ParameterSpace::new(Vec::new()), &[]).panels.len(), 1);
    }
}
