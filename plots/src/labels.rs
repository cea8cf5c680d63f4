//! Places labels beside the ends of lines without overlaps.

/// Returns positions for labels, in pixels, as close as possible to `wanted` and in the same order. Labels are at least
/// `gap` apart and within `from..=to`; if there is not enough room, they start at `from` and continue beyond `to`.
pub(crate) fn spread(wanted: &[i32], gap: i32, from: i32, to: i32) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&index| wanted[index]);
    // Without the gaps, labels may coincide, but must keep their order. This is an isotonic regression, computed by
    // merging neighbours that violate the order.
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (rank, &index) in (0..).zip(&order) {
        let mut block = (f64::from(wanted[index] - rank * gap), 1);
        while let Some((mean, size)) = blocks.pop_if(|(mean, _)| *mean > block.0) {
            let sum = mean * size as f64 + block.0 * block.1 as f64;
            block = (sum / (size + block.1) as f64, size + block.1);
        }
        blocks.push(block);
    }
    let last = wanted.len() as i32 - 1;
    let means = blocks.iter().flat_map(|&(mean, size)| std::iter::repeat_n(mean, size));
    let mut places = vec![0; wanted.len()];
    for ((rank, &index), mean) in (0..).zip(&order).zip(means) {
        let room = (to - last * gap).max(from);
        places[index] = (mean.round() as i32).clamp(from, room) + rank * gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_are_apart_stay_where_they_are() {
        assert_eq!(spread(&[50, 10, 30], 12, 0, 100), [50, 10, 30]);
        assert!(spread(&[], 12, 0, 100).is_empty());
    }

    #[test]
    fn labels_at_one_place_are_moved_apart_evenly() {
        assert_eq!(spread(&[50, 50, 50], 12, 0, 100), [38, 50, 62]);
        // The first two labels form a block around 50; the third has enough room.
        assert_eq!(spread(&[51, 49, 80], 12, 0, 100), [56, 44, 80]);
        // There is no room beyond either end.
        assert_eq!(spread(&[0, 0], 12, 0, 100), [0, 12]);
        assert_eq!(spread(&[100, 100], 12, 0, 100), [88, 100]);
        assert_eq!(spread(&[5, 5, 5], 12, 0, 10), [0, 12, 24]);
    }

    #[test]
    fn no_two_of_many_labels_overlap() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            // This is Knuth's generator for 64 bits (MMIX).
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2000 {
            let num = random(20) as usize + 1;
            let wanted: Vec<i32> = (0..num).map(|_| random(300) as i32).collect();
            let places = spread(&wanted, 13, 0, 300);
            let mut sorted = places.clone();
            sorted.sort_unstable();
            assert!(sorted.windows(2).all(|two| two[1] - two[0] >= 13), "{wanted:?}: {places:?}");
            assert!(sorted[0] >= 0 && sorted[num - 1] <= 300, "{wanted:?}: {places:?}");
            // The order of the labels is the order of the lines.
            for a in 0..num {
                let is_above = |b: usize| wanted[a] < wanted[b] && places[a] >= places[b];
                assert!(!(0..num).any(is_above), "{wanted:?}: {places:?}");
            }
        }
    }
}
