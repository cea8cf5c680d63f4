use rand::RngExt;
use ruse_base::rng::Label;
use ruse_games::Payoff;
use ruse_play::arena::Opening;
use ruse_strategies::PairResult;

use super::*;

/// Members that win each game with a given probability; probabilities of 0 and 1 are certain.
pub(crate) struct Chances(pub(crate) Vec<Vec<f64>>);

impl League for Chances {
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first: u64,
        results: &mut [PairResult],
        _: &StopSignal,
    ) -> Result<(), Stopped> {
        for (index, result) in (first..).zip(results) {
            let mut stream = key.child(Label::Pair, index).stream();
            let mut game = || {
                if stream.random::<f64>() < self.0[a][b] { Payoff::WIN } else { Payoff::LOSS }
            };
            *result = PairResult { as_first: game(), as_second: game() };
        }
        Ok(())
    }

    fn open(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Opening<PairResult>, Stopped> {
        let mut result = [PairResult::default()];
        self.play(a, b, key, 0, &mut result, stop)?;
        let chance = self.0[a][b];
        let exact = [0.0, 1.0].contains(&chance).then_some(chance);
        Ok(Opening { seen: result[0], exact })
    }
}

/// Returns rock, paper, scissors with winning probability `edge`, and two members that nearly always lose to all three.
pub(crate) fn noisy_rps(edge: f64) -> Chances {
    let (w, l) = (edge, 1.0 - edge);
    Chances(vec![
        vec![0.5, l, w, 0.9, 0.9],
        vec![w, 0.5, l, 0.9, 0.9],
        vec![l, w, 0.5, 0.9, 0.9],
        vec![0.1, 0.1, 0.1, 0.5, 0.5],
        vec![0.1, 0.1, 0.1, 0.5, 0.5],
    ])
}

pub(crate) fn estimated(league: &Chances, effort: Effort, seed: u64) -> Payoffs {
    let (key, stop) = (StreamKey::root(seed), StopSignal::default());
    Payoffs::estimate(league, league.0.len(), effort, key, &stop, |_| ()).expect("not stopped")
}

#[test]
fn pairs_go_where_they_matter() {
    let effort = Effort { pairs_per_meeting: 400, num_rounds: 8, with_self: false };
    let payoffs = estimated(&noisy_rps(0.7), effort, 1);
    assert_eq!(payoffs.num_pairs(), 10 * 400);
    // The three meetings within the support get most pairs; meetings of the weak members do not matter.
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert!(
            payoffs.meeting(i, j).tally.num_pairs() > 900,
            "{}",
            payoffs.meeting(i, j).tally.num_pairs()
        );
    }
    assert_eq!(payoffs.meeting(3, 4).tally.num_pairs(), 100);
    // The expected score is .3. With at least 900 pairs, five standard errors are .05, so a false alarm has a
    // probability of one in two million.
    let score = payoffs.meeting(0, 1).score().expect("they met");
    assert!((score - 0.3).abs() < 0.05, "{score}");
    let equally = estimated(&noisy_rps(0.7), Effort { num_rounds: 0, ..effort }, 1);
    assert!(
        equally
            .scores
            .meetings()
            .iter()
            .all(|meeting| [0, 400].contains(&meeting.tally.num_pairs()))
    );
}

#[test]
fn exact_payoffs_take_one_pair() {
    let bits = Chances(vec![vec![0.5, 1.0, 0.0], vec![0.0, 0.5, 1.0], vec![1.0, 0.0, 0.5]]);
    let effort = Effort { pairs_per_meeting: 400, num_rounds: 8, with_self: false };
    let payoffs = estimated(&bits, effort, 1);
    assert_eq!(payoffs.num_pairs(), 3);
    let value = payoffs.matrix().expect("all met").solve().expect("solved").value();
    assert!((value - 0.5).abs() < 1e-15);
    assert_eq!(payoffs.interval(0, 1), [1.0, 1.0]);
    assert_eq!(payoffs.interval(1, 0), [0.0, 0.0]);
}

#[test]
fn payoffs_are_kept_by_seat() {
    // In their pair, member 0 wins the first game against member 1 and draws the second. As first player against
    // itself, member 0 draws and member 1 loses.
    let pair = |as_first, as_second| {
        let mut meeting = Scored::default();
        meeting.tally.add(PairResult { as_first, as_second });
        meeting
    };
    let (win, draw, loss) = (Payoff::WIN, Payoff::DRAW, Payoff::LOSS);
    let meetings = [(0, 0, pair(draw, draw)), (0, 1, pair(win, draw)), (1, 1, pair(loss, win))];
    let payoffs = Payoffs::new(2, meetings).expect("all met");
    let by_seat = payoffs.matrix_by_seat().expect("all met");
    let rows = [0, 1].map(|i| [0, 1].map(|j| by_seat.payoff(i, j)));
    // In its game as first player against member 0, member 1 drew, because member 0 drew as second player.
    assert_eq!(rows, [[0.5, 1.0], [0.5, 0.0]]);
    assert_eq!(payoffs.matrix().expect("all met").payoff(0, 1), 0.75);
    let tally = &payoffs.meeting(0, 1).tally;
    assert_eq!((tally.wins(), tally.draws(), tally.losses()), (1, 1, 0));
}

#[test]
fn missing_pairs_are_named() {
    let mut meeting = Scored::default();
    meeting.tally.add(PairResult::default());
    let error = Payoffs::new(3, [(0, 1, meeting.clone()), (1, 2, meeting.clone())])
        .expect_err("0 and 2 did not meet");
    assert_eq!(
        error.to_string(),
        "the payoff of member 0 against member 2 is missing; let them play a pair"
    );
    let (key, stop) = (StreamKey::root(1), StopSignal::default());
    let effort = Effort { pairs_per_meeting: 1, num_rounds: 0, with_self: false };
    for size in [0, 1] {
        let alone = Payoffs::estimate(&Chances(vec![]), size, effort, key, &stop, |_| ());
        assert_eq!(
            alone.expect_err("too few").to_string(),
            format!("a portfolio is chosen from 2 to 1000 different members, {size} found")
        );
    }
    let bad = Scored { exact: Some(f64::NAN), ..meeting };
    let error = Payoffs::new(2, [(0, 1, bad)]).expect_err("no score");
    assert!(
        error.to_string().starts_with("the payoff of row 0 against column 1 is NaN"),
        "{error}"
    );
}

/// Pairs worth 1/2 and 1, with one additional pair worth 0 and one worth 1: the mean of 0, 1/2, 1, 1 is 5/8, the mean of
/// the squares 9/16, and the variance 9/16 - 25/64 = 11/64.
#[test]
fn the_variance_counts_two_additional_pairs() {
    let (win, loss) = (Payoff::WIN, Payoff::LOSS);
    let mut meeting = Scored::default();
    meeting.tally.add(PairResult { as_first: win, as_second: loss });
    meeting.tally.add(PairResult { as_first: win, as_second: win });
    assert_eq!(variance(&meeting), 11.0 / 64.0);
    assert_eq!(variance(&Scored { exact: Some(0.5), ..meeting }), 0.0);
}

/// At the optimum, the numbers of pairs have the ratio of the square roots of the importances, unless a meeting has more
/// pairs already.
#[test]
fn pairs_are_shared_by_the_roots_of_the_importances() {
    assert_eq!(neyman(&[(0, 1, 1.0, 0.0), (0, 2, 4.0, 0.0)], 30), [10, 20]);
    assert_eq!(neyman(&[(0, 1, 1.0, 10.0), (0, 2, 4.0, 0.0)], 5), [0, 5]);
    // In total, 10 + 20 + 30 pairs: 4 + 16 are there.
    assert_eq!(neyman(&[(0, 1, 1.0, 4.0), (0, 2, 4.0, 16.0), (1, 2, 9.0, 0.0)], 40), [6, 4, 30]);
    // A third of ten each: remainders are carried over.
    assert_eq!(neyman(&[(0, 1, 1.0, 0.0), (0, 2, 1.0, 0.0), (1, 2, 1.0, 0.0)], 10), [3, 3, 4]);
    assert!(neyman(&[], 10).is_empty());
}

/// Creates the payoffs of members from meetings `(i, j, wins, losses)`: member i wins or loses both games of a pair.
pub(crate) fn counted<const N: usize>(
    num_members: usize,
    meetings: [(usize, usize, u64, u64); N],
) -> Payoffs {
    let tally = |(i, j, wins, losses)| {
        let mut meeting = Scored::default();
        for (payoff, count) in [(Payoff::WIN, wins), (Payoff::LOSS, losses)] {
            meeting.tally.add_many(PairResult { as_first: payoff, as_second: payoff }, count);
        }
        (i, j, meeting)
    };
    Payoffs::new(num_members, meetings.map(tally)).expect("all have met")
}

/// Calculated by hand. Members 0, 1 and 2 beat each other in a cycle, with leads 1/4, 1/4 and 1/2, so their weights are
/// 1/4, 1/2 and 1/4. Member 3 scores 1/4 against each. The variance of a pair is 2/9 if 3 of 4 pairs were won, and 5/36
/// if all or none were won, in both cases with two additional pairs.
///
/// The standard error of the score of member 3 against the mixture is sqrt((1/16 + 1/4 + 1/16) * 2/9 / 4) = 0.144, so
/// member 3 might belong to the support. The importances are 5/16 * 2/9, 1/8 * 5/36, 1/16 * 2/9, 5/16 * 2/9, 1/4 * 2/9
/// and 1/16 * 2/9, which is 10 : 2.5 : 2 : 10 : 8 : 2. In total there are 124 pairs, so a meeting has 9.1428 times the
/// root of these numbers.
///
/// With 16 pairs in the meetings of member 3, its standard error is sqrt(3/8 * 65/324 / 16) = 0.069, and only the
/// meetings within the support matter: 112 pairs, 14.167 times the root of 10, 2.5 and 10.
#[test]
fn the_next_pairs_reduce_the_variances_that_matter() {
    let open = [(0, 0), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let allocated = |wins, losses| {
        let weak = |i| (i, 3, wins, losses);
        let [a, b, c] = [(0, 1, 3, 1), (0, 2, 0, 4), (1, 2, 3, 1)];
        let payoffs = counted(4, [a, b, c, weak(0), weak(1), weak(2)]);
        payoffs.allocate(&open, 100).expect("all have met")
    };
    assert_eq!(
        allocated(3, 1),
        [(0, 1, 24), (0, 2, 11), (0, 3, 9), (1, 2, 25), (1, 3, 22), (2, 3, 9)]
    );
    assert_eq!(allocated(12, 4), [(0, 1, 40), (0, 2, 19), (1, 2, 41)]);
}
