//! Cycles of methods: a beats b, b beats c, c beats a.

/// Returns the minimal cycles of a relation between the members `0..count`: cycles whose members do not form a shorter
/// cycle. If one member of every pair beats the other, these are the cycles of length three. Each cycle starts with its
/// smallest member; shorter cycles come first.
///
/// This is a depth-first search over chains. The last member of a chain beats the next, and no earlier member may close
/// a shorter cycle with it. The time is proportional to the number of chains, which is small unless very few members
/// are related.
pub(super) fn minimal_cycles(num: usize, beats: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    for first in 0..num {
        extend(&mut vec![first], num, &beats, &mut cycles);
    }
    cycles.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    cycles
}

fn extend(
    chain: &mut Vec<usize>,
    count: usize,
    beats: &impl Fn(usize, usize) -> bool,
    cycles: &mut Vec<Vec<usize>>,
) {
    let (first, last) = (chain[0], chain[chain.len() - 1]);
    // Chains that start with a lower member were searched before.
    for next in first + 1..count {
        let (middle, inner) = (&chain[1..], &chain[..chain.len() - 1]);
        let is_new = beats(last, next)
            && !chain.contains(&next)
            && !inner.iter().any(|&member| beats(member, next))
            && !middle.iter().any(|&member| beats(next, member));
        if !is_new {
            continue;
        }
        chain.push(next);
        if beats(next, first) {
            cycles.push(chain.clone());
        } else {
            extend(chain, count, beats, cycles);
        }
        chain.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles_of(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
        minimal_cycles(count, |a, b| edges.contains(&(a, b)))
    }

    #[test]
    fn cycles_without_shortcuts_are_found() {
        assert_eq!(cycles_of(3, &[(0, 1), (1, 2), (0, 2)]), Vec::<Vec<usize>>::new());
        assert_eq!(cycles_of(3, &[(0, 2), (2, 1), (1, 0)]), [[0, 2, 1]]);
        // A cycle of four, in which two pairs are not related.
        assert_eq!(cycles_of(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]), [[0, 1, 2, 3]]);
        // With 2 > 0 or 0 > 2, the only minimal cycle has length three.
        assert_eq!(cycles_of(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 0)]), [[0, 1, 2]]);
        assert_eq!(cycles_of(4, &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]), [[0, 2, 3]]);
        assert_eq!(cycles_of(0, &[]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_regular_tournament_has_as_many_cycles_of_three_as_there_can_be() {
        // Each of 21 players beats the next ten: (21^3 - 21) / 24 = 385 (Kendall & Babington Smith, Biometrika 31,
        // 1940).
        let cycles = minimal_cycles(21, |a, b| (1..=10).contains(&((b + 21 - a) % 21)));
        assert_eq!(cycles.len(), 385);
        assert!(cycles.iter().all(|cycle| cycle.len() == 3));
    }
}
