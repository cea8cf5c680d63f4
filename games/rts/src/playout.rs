//! Players that do not search, and playouts with such players.

use rand::Rng;
use ruse_games::{Seat, Simulate};

use super::Rts;
use super::legal::{Usage, nth_direction};
use super::orders::{Orders, WAIT};
use super::size::BoardSize;
use super::state::{Code, RtsState};
use super::unit::UnitTable;
use super::view::RtsView;

/// A playout policy: each unit draws one of its actions, in proportion to these weights. If other units rule the action
/// out, the unit waits.
///
/// The default is RandomBiased, in which attacking, harvesting and returning weigh 5, and all other actions 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// The weight of each attack.
    pub attack: u16,
    /// The weight of each mine to harvest from.
    pub harvest: u16,
    /// The weight of each base to return to.
    pub hand_over: u16,
    /// The weight of each building that a worker can build, in each direction.
    pub build: u16,
    /// The weight of each unit that a building can train, in each direction.
    pub train: u16,
    /// The weight of each direction to move in.
    pub go: u16,
    /// The weight of waiting, which is always possible; at least 1.
    pub wait: u16,
}

impl Weights {
    /// The policy RandomBiased.
    pub const BIASED: Weights =
        Weights { attack: 5, harvest: 5, hand_over: 5, build: 1, train: 1, go: 1, wait: 1 };
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::BIASED
    }
}

/// The rule by which units choose actions in playouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Each unit draws uniformly from its allowed actions.
    Random,
    /// Each unit draws one of its actions, in proportion to weights.
    Biased(Weights),
}

impl Default for Policy {
    fn default() -> Policy {
        Policy::Biased(Weights::BIASED)
    }
}

/// A random 64-bit word for two random numbers, one from each half. The probability of each number is exact to within
/// 2^-32.
#[derive(Clone, Copy)]
pub(super) struct Draw(pub(super) u64);

impl Draw {
    #[inline]
    fn first(self, below: u32) -> u32 {
        (((self.0 >> 32) * u64::from(below)) >> 32) as u32
    }

    #[inline]
    fn second(self, below: u32) -> u32 {
        (((self.0 & 0xffff_ffff) * u64::from(below)) >> 32) as u32
    }
}

impl<S: BoardSize> RtsState<S> {
    /// Draws an action for an idle unit, in proportion to the weights, and assigns it to the unit. If the action is not
    /// allowed, the unit waits instead, so there are no conflicts.
    #[inline]
    fn decide_biased<R: Rng>(
        &mut self,
        table: &UnitTable,
        weights: &Weights,
        unit: usize,
        rng: &mut R,
    ) {
        let record = self.units[unit & (S::MAX_UNITS - 1)];
        let (code, target) = self.draw_biased(table, weights, &record, Draw(rng.next_u64()));
        let action = if self.allows(table, usize::from(record.owner), (code, target)) {
            (code, target)
        } else {
            (Code(Code::WAIT), WAIT)
        };
        self.assign(table, unit, action.0, action.1);
    }

    /// Draws one of a unit's actions in proportion to the weights.
    #[inline]
    pub(super) fn draw_biased(
        &self,
        table: &UnitTable,
        weights: &Weights,
        unit: &super::state::Unit<S>,
        draw: Draw,
    ) -> (Code, u16) {
        let options = self.options(table, unit);
        let num_targets = match options.shoots {
            true => self.targets(table, unit).count() as u32,
            false => options.enemies.count_ones(),
        };
        let num_free = options.free.count_ones();
        let num_kinds = u32::from(options.produces.num_kinds);
        let produce =
            u32::from(if options.moves { weights.build } else { weights.train }) * num_kinds;
        // Each group of actions has an interval of numbers; the variable with the name of the group is its end.
        let attack = u32::from(weights.attack) * num_targets;
        let harvest = attack + u32::from(weights.harvest) * options.mines.count_ones();
        let hand_over = harvest + u32::from(weights.hand_over) * options.bases.count_ones();
        let produce = hand_over + produce * num_free;
        let go = produce + if options.moves { u32::from(weights.go) * num_free } else { 0 };
        let drawn = draw.first(go + u32::from(weights.wait));
        let towards = |verb, set: usize| {
            let direction = nth_direction(set, draw.second(set.count_ones()));
            (Code::towards(verb, direction), self.neighbour(unit.cell, direction))
        };
        if drawn >= go {
            (Code(Code::WAIT), WAIT)
        } else if drawn >= produce {
            towards(Code::MOVE, options.free)
        } else if drawn >= hand_over {
            let index = draw.second(num_kinds * num_free);
            let direction = nth_direction(options.free, index % num_free);
            let kind = options.produces.kinds[(index / num_free).min(2) as usize];
            (Code::producing(direction, kind), self.neighbour(unit.cell, direction))
        } else if drawn >= harvest {
            towards(Code::RETURN, options.bases)
        } else if drawn >= attack {
            towards(Code::HARVEST, options.mines)
        } else if options.shoots {
            let index = draw.second(num_targets) as usize;
            let target = self.targets(table, unit).nth(index).map_or(unit.cell, |enemy| enemy.cell);
            (Code(Code::ATTACK), target)
        } else {
            let (_, target) = towards(Code::ATTACK, options.enemies);
            (Code(Code::ATTACK), target)
        }
    }

    /// Draws uniformly from the actions of a unit that the assignments or `usage` allow.
    #[inline]
    fn draw_allowed<R: Rng>(
        &self,
        table: &UnitTable,
        usage: Option<&Usage<S>>,
        unit: usize,
        rng: &mut R,
    ) -> (Code, u16) {
        let owner = usize::from(self.units[unit].owner);
        let is_allowed = |action| match usage {
            Some(usage) => usage.admits(table, action),
            None => self.allows(table, owner, action),
        };
        let mut num_allowed = 0;
        self.generate(table, unit, |code, target| {
            num_allowed += u32::from(is_allowed((code, target)))
        });
        let mut index = Draw(rng.next_u64()).first(num_allowed);
        let mut drawn = (Code(Code::WAIT), WAIT);
        self.generate(table, unit, |code, target| {
            if is_allowed((code, target)) {
                if index == 0 {
                    drawn = (code, target);
                }
                index = index.wrapping_sub(1);
            }
        });
        drawn
    }

    /// Draws an action for each idle unit of a seat, uniformly from the actions still possible after earlier choices,
    /// and passes it to `hand_over`.
    pub(super) fn draw_orders<R: Rng>(
        &self,
        table: &UnitTable,
        seat: Seat,
        rng: &mut R,
        mut hand_over: impl FnMut(usize, (Code, u16)),
    ) {
        let mut usage = Usage::default();
        usage.begin(self, seat);
        for unit in self.idle_units(seat).iter() {
            let action = self.draw_allowed(table, Some(&usage), unit, rng);
            usage.fix(table, action);
            hand_over(unit, action);
        }
    }

    /// Draws an action for each idle unit of a seat by `policy`, without conflicts, and passes it to `hand_over`.
    fn draw_by_policy<R: Rng>(
        &self,
        table: &UnitTable,
        seat: Seat,
        policy: &Policy,
        rng: &mut R,
        mut hand_over: impl FnMut(usize, (Code, u16)),
    ) {
        let Policy::Biased(weights) = policy else {
            return self.draw_orders(table, seat, rng, hand_over);
        };
        let mut usage = Usage::default();
        usage.begin(self, seat);
        for unit in self.idle_units(seat).iter() {
            let drawn = self.draw_biased(table, weights, &self.units[unit], Draw(rng.next_u64()));
            let action = if usage.admits(table, drawn) { drawn } else { (Code(Code::WAIT), WAIT) };
            usage.fix(table, action);
            hand_over(unit, action);
        }
    }

    /// Plays both seats by `policy` until the time `limit`, or until the game is decided.
    #[inline]
    fn play_ahead<R: Rng>(&mut self, table: &UnitTable, policy: &Policy, limit: i16, rng: &mut R) {
        self.commit_first(table);
        while !self.is_decided() && self.time < limit {
            if self.is_anybody_idle() {
                match policy {
                    Policy::Biased(weights) => self.decide_all(|state, unit| {
                        state.decide_biased(table, weights, unit, rng);
                    }),
                    Policy::Random => self.decide_all(|state, unit| {
                        let (code, target) = state.draw_allowed(table, None, unit, rng);
                        state.assign(table, unit, code, target);
                    }),
                }
            }
            self.next_completion(table, limit, rng);
        }
    }

    /// Calls `decide` for each idle unit, first of the first player, then of the second, in the order of the list.
    #[inline]
    fn decide_all(&mut self, mut decide: impl FnMut(&mut RtsState<S>, usize)) {
        let num_words = self.num_units().div_ceil(64);
        for seat in 0..2 {
            for index in 0..num_words {
                let mut word = self.idle[seat].word(index);
                while word != 0 {
                    decide(self, 64 * index + word.trailing_zeros() as usize);
                    word &= word - 1;
                }
            }
        }
    }
}

impl<S: BoardSize> RtsView<'_, S> {
    /// Draws orders by the policy Random of the paper: the seat's idle units draw in turn, uniformly from the actions
    /// still allowed.
    pub fn random_orders<R: Rng>(&self, rng: &mut R, orders: &mut Orders) {
        orders.clear();
        let state = self.state;
        state.draw_orders(self.table, self.seat, rng, |unit, (code, target)| {
            orders.push(state.units[unit].place(), state.action_of(code, target));
        });
    }

    /// Draws orders by the policy RandomBiased of the paper: each idle unit of the seat draws one of its actions in
    /// proportion to `weights`. If the action is not allowed, the unit waits.
    pub fn biased_orders<R: Rng>(&self, weights: &Weights, rng: &mut R, orders: &mut Orders) {
        orders.clear();
        let state = self.state;
        let mut usage = Usage::default();
        usage.begin(state, self.seat);
        for unit in state.idle_units(self.seat).iter() {
            let record = &state.units[unit];
            let mut drawn = state.draw_biased(self.table, weights, record, Draw(rng.next_u64()));
            if !usage.admits(self.table, drawn) {
                drawn = (Code(Code::WAIT), WAIT);
            }
            usage.fix(self.table, drawn);
            orders.push(record.place(), state.action_of(drawn.0, drawn.1));
        }
    }
}

/// A finished game evaluates to 1 (win), -1 (loss) or 0 (draw). Any other state evaluates to the share of the points,
/// according to the [evaluation](super::Evaluation) of the game. The clock counts cycles.
///
/// In a playout, the second player decides after the first player and knows which cells are reserved, so there are no
/// conflicts.
impl<S: BoardSize> Simulate for Rts<S> {
    type Policy = Policy;

    fn play_ahead<R: Rng>(
        &self,
        state: &mut RtsState<S>,
        policy: &Policy,
        horizon: u32,
        rng: &mut R,
    ) {
        let limit = (state.time as u32).saturating_add(horizon).min(self.cap().into()) as i16;
        state.play_ahead(self.table(), policy, limit, rng);
        state.conclude(self.cap() as i16, self.asks_every_cycle);
    }

    fn draw<R: Rng>(
        &self,
        state: &RtsState<S>,
        seat: Seat,
        policy: &Policy,
        rng: &mut R,
        orders: &mut Orders,
    ) {
        orders.orders.clear();
        state.draw_by_policy(self.table(), seat, policy, rng, |unit, (code, target)| {
            orders.push(state.units[unit].place(), state.action_of(code, target));
        });
    }

    fn withdraw(&self, state: &mut RtsState<S>) {
        state.forget_first();
        state.set_turn(self.asks_every_cycle);
    }

    fn judge(&self, state: &RtsState<S>, seat: Seat) -> f64 {
        match state.turn {
            ruse_games::Turn::Over(payoff) => {
                let first = 2.0 * payoff.score() - 1.0;
                if seat == Seat::First { first } else { -first }
            }
            ruse_games::Turn::Act(_) => state.evaluate(self.table(), self.evaluation(), seat),
        }
    }

    fn clock(&self, state: &RtsState<S>) -> u32 {
        state.time as u32
    }

    /// Returns `false` under fog, which hides the time of the other seat's orders.
    fn shows_waiting(&self) -> bool {
        !self.has_fog
    }

    fn waited(&self, state: &RtsState<S>) -> u32 {
        if self.has_fog { 0 } else { (state.time - state.ordered_at).max(0) as u32 }
    }
}
