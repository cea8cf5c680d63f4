//! Means of repeated measurements of any magnitude, with Student's intervals.

use serde::Serialize;

use super::interval::student_quantile;

/// The mean of independent measurements.
///
/// The interval of the mean is valid if the measurements are approximately normal or numerous. The interval is
/// unbounded, since measurements may be any numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SampleMean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean, or `None` if there is a single measurement.
    pub standard_error: Option<f64>,
    /// The number of measurements; 0 if the mean is computed.
    pub count: u64,
}

impl SampleMean {
    /// Returns a mean that is computed, not measured.
    pub fn exact(mean: f64) -> SampleMean {
        SampleMean { mean, standard_error: Some(0.0), count: 0 }
    }

    /// Returns the mean of `values`, or `None` if there are no values.
    pub fn of(values: &[f64]) -> Option<SampleMean> {
        if values.is_empty() {
            return None;
        }
        let count = values.len() as f64;
        // Equal values are detected here, because their sum would be rounded.
        let is_alike = values.windows(2).all(|two| two[0] == two[1]);
        let mean = if is_alike { values[0] } else { values.iter().sum::<f64>() / count };
        let variance = || if is_alike { 0.0 } else { sample_variance(values) };
        let standard_error = (values.len() > 1).then(|| (variance() / count).sqrt());
        Some(SampleMean { mean, standard_error, count: values.len() as u64 })
    }

    /// Returns `true` if there are several measurements and all of them are equal, so that their spread is unknown.
    pub fn is_all_alike(&self) -> bool {
        self.standard_error == Some(0.0) && self.count > 0
    }

    /// Returns bounds on the expected value at [`CONFIDENCE`](super::CONFIDENCE), or `None` if there is only one
    /// measurement or all measurements are equal. Both bounds of a computed mean are the mean.
    pub fn interval(&self) -> Option<[f64; 2]> {
        if self.count == 0 {
            return Some([self.mean; 2]);
        }
        let error = self.standard_error.filter(|&error| error > 0.0)?;
        let half_width = student_quantile(self.count - 1) * error;
        Some([self.mean - half_width, self.mean + half_width])
    }
}

/// Returns an unbiased estimate of the variance of the distribution from which `values` were drawn. There must be at
/// least two values.
pub fn sample_variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| value - mean).map(|d| d * d).sum::<f64>() / (values.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calculated by hand: mean 4, variance (4 + 0 + 4) / 2 = 4, standard error 2 / sqrt(3) = 1.154701; Student's
    /// quantile with two degrees of freedom is 4.30265 (tables).
    #[test]
    fn a_mean_has_the_interval_of_student() {
        let mean = SampleMean::of(&[2.0, 4.0, 6.0]).expect("values");
        assert!((mean.standard_error.expect("three") - 1.154_700_5).abs() < 1e-6);
        let [low, high] = mean.interval().expect("three");
        assert!((low - (4.0 - 4.968_27)).abs() < 1e-4 && (high - 8.968_27).abs() < 1e-4);
    }

    #[test]
    fn a_single_value_has_no_interval() {
        assert_eq!(SampleMean::of(&[]), None);
        let one = SampleMean::of(&[0.3]).expect("a value");
        assert_eq!((one.standard_error, one.interval(), one.is_all_alike()), (None, None, false));
        // .1 + .1 + .1 is not .3 in binary.
        let alike = SampleMean::of(&[0.1; 3]).expect("values");
        assert_eq!((alike.mean, alike.interval(), alike.is_all_alike()), (0.1, None, true));
        let exact = SampleMean::exact(0.1);
        assert_eq!((exact.interval(), exact.is_all_alike()), (Some([0.1; 2]), false));
    }
}
