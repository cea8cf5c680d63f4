//! The course of time: assigning actions, resolving conflicts, and completing actions.

use rand::{Rng, RngExt};
use ruse_games::{Payoff, Seat, Turn};

use super::orders::WAIT;
use super::size::{Array, BoardSize, Narrow};
use super::state::{Code, IDLE, RtsState, mark};
use super::unit::{Facts, UnitKind, UnitTable};

/// The rule for conflicts. A conflict arises if two units of different players are ordered, in the same cycle, to move
/// to the same cell or to produce on it. The waiting time of a unit is the shorter of the durations of the two orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conflicts {
    /// Both units wait.
    #[default]
    CancelBoth,
    /// One of the two units waits: the second player's unit in the first conflict, the first player's unit in the
    /// second, and so on.
    Alternate,
    /// One of the two units waits, each with probability 1/2.
    Random,
}

impl UnitTable {
    /// Returns the duration of an action, in cycles.
    #[inline]
    pub(super) fn duration(&self, kind: UnitKind, code: Code, target: u16) -> u16 {
        let facts = self.facts(kind);
        match code.verb() {
            Code::MOVE | Code::RETURN => facts.move_time.into(),
            Code::HARVEST => facts.harvest_time.into(),
            Code::PRODUCE => self.facts(code.produced()).build_time,
            Code::ATTACK => facts.attack_time.into(),
            _ => target,
        }
    }
}

/// The number of actions due in a cycle that fit on the stack; more are stored on the heap.
const FEW: usize = 32;

/// The key of a due action. The upper 32 bits are its number in the order of assignment. The lower 32 bits are the
/// unit's index or, if the unit was removed, its attack.
mod due {
    /// Set if the unit was removed earlier in the cycle.
    pub(super) const REMOVED: u64 = 1 << 31;
    pub(super) const PAYLOAD: u64 = REMOVED - 1;
    /// The lowest bit of the kind of a removed unit that attacks; the 16 bits below are the target place.
    pub(super) const KIND_SHIFT: u32 = 16;
}

impl<S: BoardSize> RtsState<S> {
    /// Assigns an action to a unit. No other unit may have reserved the target cell, and the stock must suffice.
    #[inline]
    pub(super) fn assign(&mut self, table: &UnitTable, unit: usize, code: Code, target: u16) {
        let seq = self.next_seq;
        self.next_seq += 1;
        self.assign_at(table, unit, code, target, seq);
    }

    #[inline]
    pub(super) fn assign_at(
        &mut self,
        table: &UnitTable,
        unit: usize,
        code: Code,
        target: u16,
        seq: u32,
    ) {
        let time = self.time;
        let record = &mut self.units[unit];
        record.seq = seq;
        record.code = code;
        record.target = target;
        let (kind, owner) = (record.kind(), usize::from(record.owner & 1));
        // No action and no game lasts longer than 2^14 cycles.
        self.done_at[unit] = time + table.duration(kind, code, target).clamp(1, 1 << 14) as i16;
        self.idle[owner].remove(unit);
        if code.takes_cell() {
            let place = usize::from(target);
            self.set_marks(place, self.marks_at(place) | mark::RESERVED);
            if code.verb() == Code::PRODUCE {
                self.bound[owner] += u32::from(table.facts(code.produced()).cost);
            }
        }
    }

    /// Assigns an order of this cycle to a unit. If the target cell is reserved or the stock does not suffice, the unit
    /// waits. If the only obstacle is a reservation of the opponent in this cycle, the rule for conflicts decides which
    /// units wait.
    pub(super) fn issue<R: Rng>(
        &mut self,
        table: &UnitTable,
        conflicts: Conflicts,
        unit: usize,
        (code, target): (Code, u16),
        rng: &mut R,
    ) {
        let record = self.units[unit];
        let owner = usize::from(record.owner & 1);
        let duration = table.duration(record.kind(), code, target);
        let is_affordable = code.verb() != Code::PRODUCE || {
            let cost = u32::from(table.facts(code.produced()).cost);
            self.bound[owner] + cost <= self.stock[owner]
        };
        let is_taken = code.takes_cell() && self.marks_at(target.into()) & mark::RESERVED != 0;
        if is_affordable && !is_taken {
            return self.assign(table, unit, code, target);
        }
        let rival = is_taken.then(|| self.holder(target)).filter(|&rival| {
            let other = &self.units[rival];
            let lasts = table.duration(other.kind(), other.code, other.target);
            is_affordable
                && other.owner != record.owner
                && self.done_at[rival] - self.time == lasts as i16
        });
        let Some(rival) = rival else {
            return self.assign(table, unit, Code(Code::WAIT), duration);
        };
        let other = self.units[rival];
        let shorter = duration.min(table.duration(other.kind(), other.code, other.target));
        let (old_waits, new_waits) = match conflicts {
            Conflicts::CancelBoth => (true, true),
            Conflicts::Alternate => {
                (self.num_conflicts % 2 == 1, self.num_conflicts.is_multiple_of(2))
            }
            Conflicts::Random => {
                let old = rng.next_u64() >> 63 == 1;
                (old, !old)
            }
        };
        self.num_conflicts += 1;
        if old_waits {
            self.release(table, &other);
            // The rival keeps its place in the order of assignment, but waits for the shorter duration.
            self.assign_at(table, rival, Code(Code::WAIT), shorter, other.seq);
        }
        if new_waits {
            self.assign(table, unit, Code(Code::WAIT), shorter);
        } else {
            self.assign(table, unit, code, target);
        }
    }

    /// Returns the busy unit that has reserved a place.
    fn holder(&self, place: u16) -> usize {
        let holds = |unit: &usize| {
            let record = &self.units[*unit];
            self.done_at[*unit] != IDLE && record.code.takes_cell() && record.target == place
        };
        (0..self.num_units()).find(holds).expect("a reserved cell is somebody's")
    }

    /// Records an order of the first player until the second player has decided.
    #[inline]
    pub(super) fn note(&mut self, unit: usize, (code, target): (Code, u16)) {
        let seq = self.next_seq;
        self.next_seq += 1;
        let record = &mut self.units[unit];
        (record.code, record.target, record.seq) = (code, target, seq);
    }

    /// Carries out the recorded orders of the first player, if any. Idle units without an order wait.
    pub(super) fn commit_first(&mut self, table: &UnitTable) {
        if !std::mem::take(&mut self.first_chose) {
            return;
        }
        for unit in self.idle_units(Seat::First).iter() {
            let record = self.units[unit];
            if record.seq == 0 {
                self.assign(table, unit, Code(Code::WAIT), WAIT);
            } else {
                self.assign_at(table, unit, record.code, record.target, record.seq);
            }
        }
    }

    /// Discards the recorded orders of the first player.
    pub(super) fn forget_first(&mut self) {
        self.first_chose = false;
        for unit in self.idle_units(Seat::First).iter() {
            let record = &mut self.units[unit];
            (record.code, record.target, record.seq) = (Code::default(), 0, 0);
        }
    }

    #[inline]
    pub(super) fn is_anybody_idle(&self) -> bool {
        !(self.idle[0].is_empty() && self.idle[1].is_empty())
    }

    /// Returns whether at most one player has units.
    #[inline]
    pub(super) fn is_decided(&self) -> bool {
        self.num_own[0] == 0 || self.num_own[1] == 0
    }

    /// Plays cycles until a unit waits for orders, the game is decided, or the time is `limit`. Only the time changes
    /// between completions, so the time jumps from one completion to the next.
    #[inline]
    pub(super) fn run<R: Rng>(&mut self, table: &UnitTable, limit: i16, rng: &mut R) {
        while !self.is_decided() && !self.is_anybody_idle() && self.time < limit {
            self.next_completion(table, limit, rng);
        }
    }

    /// Plays to the end of the next cycle that completes an action, or to `limit` if that comes first.
    #[inline]
    pub(super) fn next_completion<R: Rng>(&mut self, table: &UnitTable, limit: i16, rng: &mut R) {
        let next = self.done_at[..self.num_units()].iter().fold(IDLE, |next, &done| next.min(done));
        if next > limit {
            self.time = limit;
            return;
        }
        self.time = next;
        self.complete(table, rng);
    }

    /// Completes all actions that are due now, in the order of assignment.
    #[inline]
    fn complete<R: Rng>(&mut self, table: &UnitTable, rng: &mut R) {
        let mut few = [0; FEW];
        let mut num_due = 0;
        for unit in 0..self.num_units() {
            if self.done_at[unit] == self.time {
                if let Some(place) = few.get_mut(num_due) {
                    *place = u64::from(self.units[unit].seq) << 32 | unit as u64;
                }
                num_due += 1;
            }
        }
        if num_due <= FEW {
            self.complete_all(table, &mut few[..num_due], rng);
        } else {
            self.complete_many(table, rng);
        }
    }

    #[cold]
    fn complete_many<R: Rng>(&mut self, table: &UnitTable, rng: &mut R) {
        let mut many = S::PerUnit::<u64>::filled(0);
        let mut num_due = 0;
        for unit in 0..self.num_units() {
            if self.done_at[unit] == self.time {
                many[num_due] = u64::from(self.units[unit].seq) << 32 | unit as u64;
                num_due += 1;
            }
        }
        self.complete_all(table, &mut many[..num_due], rng);
    }

    #[inline]
    fn complete_all<R: Rng>(&mut self, table: &UnitTable, due: &mut [u64], rng: &mut R) {
        due.sort_unstable();
        for index in 0..due.len() {
            let (payload, is_removed) = (due[index] & due::PAYLOAD, due[index] & due::REMOVED != 0);
            let later = &mut due[index + 1..];
            if !is_removed {
                self.complete_one(table, payload as usize, later, rng);
            } else if payload != 0 {
                let kind = UnitKind::of_index((payload >> due::KIND_SHIFT) as u8);
                self.hit(table, payload as usize & 0xffff, kind, later, rng);
            }
        }
    }

    /// Applies the action of a unit, and ends its assignment. `later` contains the keys of the actions still due in
    /// this cycle.
    #[inline]
    fn complete_one<R: Rng>(
        &mut self,
        table: &UnitTable,
        unit: usize,
        later: &mut [u64],
        rng: &mut R,
    ) {
        let unit = unit & (S::MAX_UNITS - 1);
        let record = self.units[unit];
        let owner = usize::from(record.owner & 1);
        let target = usize::from(record.target);
        self.done_at[unit] = IDLE;
        self.idle[owner].insert(unit);
        let done = &mut self.units[unit];
        (done.code, done.target, done.seq) = (Code::default(), 0, 0);
        match record.code.verb() {
            Code::MOVE => {
                let row = 1usize << S::Narrow::SIDE_BITS;
                let steps = [row.wrapping_neg(), 1, row, 1usize.wrapping_neg()];
                let step = steps[usize::from(record.code.direction())];
                done.cell = record.target;
                done.xy = S::Narrow::of(record.xy.get().wrapping_add(step));
                self.set_marks(record.cell.into(), 0);
                self.set_marks(target, record.marks());
                self.set_unit_at(target, unit);
            }
            Code::HARVEST if self.marks_at(target) & mark::MINE != 0 && record.carried == 0 => {
                self.units[unit].carried = 1;
                let mine = self.unit_at(target);
                self.units[mine].carried -= 1;
                if self.units[mine].carried == 0 {
                    self.remove_due(table, mine, later);
                }
            }
            Code::RETURN if self.marks_at(target) & (mark::BASE | mark::BASE << 1) != 0 => {
                self.stock[owner] += u32::from(record.carried);
                self.units[unit].carried = 0;
            }
            Code::PRODUCE => {
                self.release(table, &record);
                let kind = record.code.produced();
                let facts = table.facts(kind);
                if let Some(rest) = self.stock[owner].checked_sub(facts.cost.into()) {
                    self.stock[owner] = rest;
                    self.add(kind, record.owner, target, (0, facts.hp));
                }
            }
            Code::ATTACK => self.hit(table, target, record.kind(), later, rng),
            _ => {}
        }
    }

    /// Applies the attack of a unit of this kind to the unit on a place, if there is one. Only then, and only if the
    /// damage of the kind varies, draws a random number.
    #[inline]
    fn hit<R: Rng>(
        &mut self,
        table: &UnitTable,
        place: usize,
        kind: UnitKind,
        later: &mut [u64],
        rng: &mut R,
    ) {
        if self.has_unit(place) {
            let unit = self.unit_at(place);
            let &Facts { least_damage, damage, .. } = table.facts(kind);
            let damage = if least_damage < damage {
                rng.random_range(least_damage..=damage)
            } else {
                damage
            };
            match self.units[unit].hp.checked_sub(damage) {
                None | Some(0) => self.remove_due(table, unit, later),
                Some(hp) => self.units[unit].hp = hp,
            }
        }
    }

    /// Removes a unit, and updates the keys of the actions still due. Due attacks of the unit still take effect; its
    /// other actions do not.
    #[cold]
    fn remove_due(&mut self, table: &UnitTable, unit: usize, later: &mut [u64]) {
        let removed = self.units[unit];
        for key in later {
            let (order, payload) = (*key & !due::PAYLOAD, *key & due::PAYLOAD);
            if order & due::REMOVED != 0 {
                continue;
            }
            if payload == unit as u64 {
                let is_attack = removed.code.verb() == Code::ATTACK;
                let payload =
                    u64::from(removed.kind) << due::KIND_SHIFT | u64::from(removed.target);
                *key = order | due::REMOVED | if is_attack { payload } else { 0 };
            } else if payload > unit as u64 {
                *key -= 1;
            }
        }
        self.remove(table, unit);
    }

    /// Plays on to the next time at which a unit is idle, and sets whose turn it is.
    pub(super) fn advance<R: Rng>(&mut self, table: &UnitTable, cap: i16, rng: &mut R) {
        self.run(table, cap, rng);
        self.conclude(cap, false);
    }

    /// Sets whether the game is over and, if not, whose turn it is.
    pub(super) fn conclude(&mut self, cap: i16, asks_every_cycle: bool) {
        match (self.num_own, self.time >= cap) {
            ([0, 0], _) => self.turn = Turn::Over(Payoff::DRAW),
            ([0, _], _) => self.turn = Turn::Over(Payoff::LOSS),
            ([_, 0], _) => self.turn = Turn::Over(Payoff::WIN),
            (_, true) => self.turn = Turn::Over(Payoff::DRAW),
            (_, false) => self.set_turn(asks_every_cycle),
        }
    }
}
