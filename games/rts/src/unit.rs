//! Kinds of units, and the three tables of their costs and abilities.

use serde::{Deserialize, Serialize};

/// A kind of unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum UnitKind {
    /// Holds resources and has no owner.
    Mine,
    /// Receives resources and trains workers.
    Base,
    /// Trains soldiers.
    Barracks,
    /// Harvests and builds, and can fight.
    Worker,
    /// A fast soldier.
    Light,
    /// A strong soldier.
    Heavy,
    /// A soldier that attacks from a distance.
    Ranged,
}

impl UnitKind {
    /// All kinds.
    pub const ALL: [UnitKind; 7] = [
        UnitKind::Mine,
        UnitKind::Base,
        UnitKind::Barracks,
        UnitKind::Worker,
        UnitKind::Light,
        UnitKind::Heavy,
        UnitKind::Ranged,
    ];

    /// Returns the letter of the kind, in upper case; `*` for a mine.
    pub const fn letter(self) -> char {
        match self {
            UnitKind::Mine => '*',
            UnitKind::Base => 'B',
            UnitKind::Barracks => 'K',
            UnitKind::Worker => 'W',
            UnitKind::Light => 'L',
            UnitKind::Heavy => 'H',
            UnitKind::Ranged => 'R',
        }
    }

    /// Returns the kind with this letter, which must be in upper case.
    pub fn of_letter(letter: char) -> Option<UnitKind> {
        UnitKind::ALL.into_iter().find(|kind| kind.letter() == letter)
    }

    /// Returns the name of the kind in sentences.
    pub const fn name(self) -> &'static str {
        match self {
            UnitKind::Mine => "mine",
            UnitKind::Base => "base",
            UnitKind::Barracks => "barracks",
            UnitKind::Worker => "worker",
            UnitKind::Light => "light",
            UnitKind::Heavy => "heavy",
            UnitKind::Ranged => "ranged",
        }
    }

    /// Returns the kind with this index in [`UnitKind::ALL`]. The index must be below 8; 7 stands for a mine, too.
    #[inline]
    pub(super) const fn of_index(index: u8) -> UnitKind {
        const KINDS: [UnitKind; 8] = {
            let mut kinds = [UnitKind::Mine; 8];
            let mut index = 0;
            while index < UnitKind::ALL.len() {
                kinds[index] = UnitKind::ALL[index];
                index += 1;
            }
            kinds
        };
        KINDS[(index & 7) as usize]
    }
}

/// The cost and the abilities of one kind of unit. Times are in cycles. The time of an action is 0 if units of this
/// kind cannot carry out the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The resources needed to produce a unit.
    pub cost: u8,
    /// The initial health.
    pub hp: u8,
    /// The health that an attack takes at most; 0 if the kind does not attack.
    pub damage: u8,
    /// The health that an attack takes at least. All numbers from this one to [`damage`](Facts::damage) are equally
    /// likely.
    pub least_damage: u8,
    /// The range of attacks: a unit can attack cells whose dx² + dy² is at most the square of this number.
    pub range: u8,
    /// The range of sight, measured like the range of attacks.
    pub sight: u8,
    /// The time to produce a unit.
    pub build_time: u16,
    /// The time to move, and to hand over a resource.
    pub move_time: u8,
    /// The time to attack.
    pub attack_time: u8,
    /// The time to harvest.
    pub harvest_time: u8,
    /// The kinds of units that this kind produces, in the order in which the productions are listed.
    pub produces: &'static [UnitKind],
}

/// An upper bound on all costs. A stock above this bound does not make more kinds affordable.
const MAX_COST: usize = 15;

/// The kinds of units that a unit can produce with a given stock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Affordable {
    pub(super) num_kinds: u8,
    /// The kinds for which the stock suffices, in the order of [`Facts::produces`].
    pub(super) kinds: [UnitKind; 3],
}

/// A table of the costs and abilities of all kinds of units.
#[derive(Debug, PartialEq, Eq)]
pub struct UnitTable {
    facts: [Facts; 8],
    /// The kinds that a unit can produce, by the kind of the producing unit and by the stock.
    affordable: [[Affordable; MAX_COST + 1]; 8],
}

const NOTHING: Facts = Facts {
    cost: 0,
    hp: 1,
    damage: 0,
    least_damage: 0,
    range: 0,
    sight: 0,
    build_time: 0,
    move_time: 0,
    attack_time: 0,
    harvest_time: 0,
    produces: &[],
};

const fn soldier(cost: u8, hp: u8, damage: u8, build_time: u16, move_time: u8) -> Facts {
    Facts {
        cost,
        hp,
        damage,
        least_damage: damage,
        range: 1,
        sight: 2,
        build_time,
        move_time,
        attack_time: 5,
        ..NOTHING
    }
}

impl UnitTable {
    /// Table 1, which the experiments of Ontañón use.
    pub const FIRST: &'static UnitTable =
        &UnitTable::new(250, 200, UnitTable::fighters(soldier(2, 4, 4, 120, 12)));
    /// Table 2: buildings are built faster, and a Heavy costs 3, has 8 hp and moves in 10 cycles.
    pub const SECOND: &'static UnitTable =
        &UnitTable::new(200, 100, UnitTable::fighters(soldier(3, 8, 4, 120, 10)));
    /// Table 3: like table 2, but the damage of an attack is random: 0 to 2 for a Worker, 1 to 3 for a Light, 0 to 6
    /// for a Heavy, and 1 or 2 for a Ranged.
    pub const THIRD: &'static UnitTable = {
        let [worker, light, heavy, ranged] = UnitTable::fighters(soldier(3, 8, 6, 120, 10));
        let fighters = [
            Facts { least_damage: 0, damage: 2, ..worker },
            Facts { least_damage: 1, damage: 3, ..light },
            Facts { least_damage: 0, ..heavy },
            Facts { least_damage: 1, damage: 2, ..ranged },
        ];
        &UnitTable::new(200, 100, fighters)
    };

    /// Returns the table with this number, from 1 to 3.
    pub(super) const fn numbered(number: u8) -> &'static UnitTable {
        match number {
            3 => UnitTable::THIRD,
            2 => UnitTable::SECOND,
            _ => UnitTable::FIRST,
        }
    }

    /// Returns the kinds that fight: Worker, Light, Heavy and Ranged.
    const fn fighters(heavy: Facts) -> [Facts; 4] {
        let worker = Facts {
            sight: 3,
            harvest_time: 20,
            produces: &[UnitKind::Base, UnitKind::Barracks],
            ..soldier(1, 1, 1, 50, 10)
        };
        let light = soldier(2, 4, 2, 80, 8);
        let ranged = Facts { range: 3, sight: 3, ..soldier(2, 1, 1, 100, 10) };
        [worker, light, heavy, ranged]
    }

    const fn new(base_time: u16, barracks_time: u16, fighters: [Facts; 4]) -> UnitTable {
        let base = Facts {
            cost: 10,
            hp: 10,
            sight: 5,
            build_time: base_time,
            produces: &[UnitKind::Worker],
            ..NOTHING
        };
        let barracks = Facts {
            cost: 5,
            hp: 4,
            sight: 3,
            build_time: barracks_time,
            produces: &[UnitKind::Light, UnitKind::Heavy, UnitKind::Ranged],
            ..NOTHING
        };
        let [worker, light, heavy, ranged] = fighters;
        let facts = [NOTHING, base, barracks, worker, light, heavy, ranged, NOTHING];
        let none = Affordable { num_kinds: 0, kinds: [UnitKind::Mine; 3] };
        let mut affordable = [[none; MAX_COST + 1]; 8];
        let mut kind = 0;
        while kind < 8 {
            let produces = facts[kind].produces;
            let mut stock = 0;
            while stock <= MAX_COST {
                let listed = &mut affordable[kind][stock];
                let mut index = 0;
                while index < produces.len() {
                    if facts[produces[index] as usize].cost as usize <= stock {
                        listed.kinds[listed.num_kinds as usize] = produces[index];
                        listed.num_kinds += 1;
                    }
                    index += 1;
                }
                stock += 1;
            }
            kind += 1;
        }
        UnitTable { facts, affordable }
    }

    /// Returns the costs and abilities of this kind.
    #[inline]
    pub const fn facts(&self, kind: UnitKind) -> &Facts {
        &self.facts[kind as usize]
    }

    /// Returns the kinds of units that a unit of this kind can produce with this stock, ignoring reserved resources.
    #[inline]
    pub(super) fn affordable(&self, kind: UnitKind, stock: u32) -> &Affordable {
        &self.affordable[kind as usize][(stock as usize).min(MAX_COST)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are from the table of units in the description of the game: cost, hp, damage and range;
    /// times to build, move, attack and harvest; sight.
    #[test]
    fn the_first_table_is_that_of_the_paper() {
        for (letter, expected) in [
            ('B', [10, 10, 0, 0, 250, 0, 0, 0, 5]),
            ('K', [5, 4, 0, 0, 200, 0, 0, 0, 3]),
            ('W', [1, 1, 1, 1, 50, 10, 5, 20, 3]),
            ('L', [2, 4, 2, 1, 80, 8, 5, 0, 2]),
            ('H', [2, 4, 4, 1, 120, 12, 5, 0, 2]),
            ('R', [2, 1, 1, 3, 100, 10, 5, 0, 3]),
        ] {
            let kind = UnitKind::of_letter(letter).expect("a kind");
            let facts = UnitTable::FIRST.facts(kind);
            let found = [
                facts.cost.into(),
                facts.hp.into(),
                facts.damage.into(),
                facts.range.into(),
                facts.build_time,
                facts.move_time.into(),
                facts.attack_time.into(),
                facts.harvest_time.into(),
                facts.sight.into(),
            ];
            assert_eq!(found, expected, "{letter}");
        }
        let heavy = UnitTable::SECOND.facts(UnitKind::Heavy);
        assert_eq!((heavy.cost, heavy.hp, heavy.move_time), (3, 8, 10));
        // Tables 2 and 3 differ from table 1 only here, and table 3 from table 2 only in the damage.
        for table in [UnitTable::SECOND, UnitTable::THIRD] {
            for kind in UnitKind::ALL {
                let [first, facts] = [UnitTable::FIRST, table].map(|table| *table.facts(kind));
                let expected = match kind {
                    UnitKind::Base => Facts { build_time: 200, ..first },
                    UnitKind::Barracks => Facts { build_time: 100, ..first },
                    UnitKind::Heavy => Facts { cost: 3, hp: 8, move_time: 10, ..first },
                    _ => first,
                };
                let Facts { damage, least_damage, .. } = facts;
                let found = Facts { damage: first.damage, least_damage: first.damage, ..facts };
                assert_eq!(found, expected);
                let range = match (table == UnitTable::THIRD, kind) {
                    (true, UnitKind::Worker) => [0, 2],
                    (true, UnitKind::Light) => [1, 3],
                    (true, UnitKind::Heavy) => [0, 6],
                    (true, UnitKind::Ranged) => [1, 2],
                    _ => [first.damage; 2],
                };
                assert_eq!([least_damage, damage], range, "{kind:?}");
            }
        }
    }

    #[test]
    fn only_what_the_stock_pays_for_is_listed() {
        let listed = |table: &UnitTable, kind, stock| {
            let affordable = table.affordable(kind, stock);
            affordable.kinds[..usize::from(affordable.num_kinds)].to_vec()
        };
        use UnitKind::{Barracks, Base, Heavy, Light, Ranged, Worker};
        let table = UnitTable::FIRST;
        assert_eq!(listed(table, Worker, 4), []);
        assert_eq!(listed(table, Worker, 9), [Barracks]);
        assert_eq!(listed(table, Worker, 10), [Base, Barracks]);
        assert_eq!(listed(table, Barracks, 1_000), [Light, Heavy, Ranged]);
        assert_eq!(listed(UnitTable::SECOND, Barracks, 2), [Light, Ranged]);
        assert_eq!(listed(table, Base, 0), []);
        assert_eq!(listed(table, Heavy, 50), []);
    }
}
