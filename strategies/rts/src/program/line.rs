//! The lines of programs, their words, and their genes.

use std::fmt;
use std::sync::LazyLock;

use ruse_rts::UnitKind;
use ruse_strategies::programs::{divide, gene, middle, place};

use super::super::script::SOLDIERS;

/// The number of lines of a program.
pub(super) const NUM_LINES: usize = 10;
/// The largest number of conditions of a line.
pub(super) const NUM_CONDITIONS: usize = 2;
/// The largest number with which a condition compares.
pub(super) const MAX_NUMBER: u32 = 99;
/// The short names and the meanings of the genes of a line, before the genes of its conditions.
const GENES: [(&str, &str); 4] = [
    ("on", "it is left out, unless this is above 0"),
    ("unit", "the units that it is for"),
    ("order", "the order: its first word"),
    ("which", "the order: its other words"),
];
/// The short names and the meanings of the genes of a condition.
const GENES_OF_CONDITION: [(&str, &str); 3] = [
    ("", "at least, left out, or below"),
    ("what", "what is compared"),
    ("number", "the number with which it is compared, in proportion to e^theta"),
];
/// The number of genes of a line.
pub(super) const GENES_PER_LINE: usize = GENES.len() + NUM_CONDITIONS * GENES_OF_CONDITION.len();

/// Returns the short names and the meanings of the genes of a line.
pub(super) fn parts_of_line() -> Vec<(String, String)> {
    let mut parts: Vec<_> =
        GENES.iter().map(|&(name, meaning)| (name.to_string(), meaning.to_string())).collect();
    for condition in 1..=NUM_CONDITIONS {
        let genes = GENES_OF_CONDITION.iter();
        parts.extend(genes.map(|(name, meaning)| {
            (format!("if{condition}{name}"), format!("condition {condition}: {meaning}"))
        }));
    }
    parts
}

/// A group of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Any,
    Soldiers,
    Kind(UnitKind),
}

impl Group {
    pub(super) const ALL: [Group; 8] = [
        Group::Any,
        Group::Kind(UnitKind::Base),
        Group::Kind(UnitKind::Barracks),
        Group::Kind(UnitKind::Worker),
        Group::Soldiers,
        Group::Kind(UnitKind::Light),
        Group::Kind(UnitKind::Heavy),
        Group::Kind(UnitKind::Ranged),
    ];

    pub(super) fn contains(self, kind: UnitKind) -> bool {
        match self {
            Group::Any => kind != UnitKind::Mine,
            Group::Soldiers => SOLDIERS.contains(&kind),
            Group::Kind(own) => kind == own,
        }
    }

    /// Returns the name of one unit of the group, which may be any unit: `any`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Group::Any => "any",
            Group::Soldiers => "soldier",
            Group::Kind(kind) => kind.name(),
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Group::Any => "units",
            Group::Soldiers => "soldiers",
            Group::Kind(UnitKind::Base) => "bases",
            Group::Kind(UnitKind::Worker) => "workers",
            Group::Kind(kind) => kind.name(),
        }
    }

    /// Returns the name of an enemy of the group, if it is clear that an enemy is meant.
    fn enemy(self) -> &'static str {
        match self {
            Group::Any => "enemy",
            _ => self.name(),
        }
    }
}

/// A unit to which distances are measured, and to which units move: the nearest of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Landmark {
    Mine,
    Own(Group),
    Enemy(Group),
}

impl Landmark {
    pub(super) fn all() -> impl Iterator<Item = Landmark> {
        let enemies = Group::ALL.map(Landmark::Enemy);
        enemies.into_iter().chain(Group::ALL.map(Landmark::Own)).chain([Landmark::Mine])
    }
}

impl fmt::Display for Landmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Landmark::Mine => write!(f, "mine"),
            Landmark::Own(Group::Any) => write!(f, "ally"),
            Landmark::Own(group) => write!(f, "{}", group.name()),
            Landmark::Enemy(Group::Any) => write!(f, "enemy"),
            Landmark::Enemy(group) => write!(f, "enemy {}", group.name()),
        }
    }
}

/// A number that a unit can compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    /// The seat's units, with units in production.
    Own(Group),
    /// The visible enemies, with units in production.
    Enemy(Group),
    /// The visible mines.
    Mines,
    /// The seat's resources that are not reserved.
    Resources,
    /// The opponent's resources; 0 under fog.
    EnemyResources,
    /// Steps to the nearest other unit of a kind; more than all numbers if there is none.
    Distance(Landmark),
    /// The health of the unit.
    Health,
    /// The resources that the unit carries.
    Load,
    /// The seat's units of the same kind that appeared before the unit.
    Older,
    /// The free cells beside the unit.
    FreeSides,
    /// The share of the cap that has passed, in percent.
    Time,
}

impl Quantity {
    /// Returns all quantities, in the order of their genes.
    pub(super) fn all() -> &'static [Quantity] {
        // Strategies are drawn for each pair of games, without allocations.
        static ALL: LazyLock<Vec<Quantity>> = LazyLock::new(Quantity::list);
        &ALL
    }

    fn list() -> Vec<Quantity> {
        let counts =
            Group::ALL.map(Quantity::Own).into_iter().chain(Group::ALL.map(Quantity::Enemy));
        let stock = [Quantity::Mines, Quantity::Resources, Quantity::EnemyResources];
        let of_unit = [
            Quantity::Health,
            Quantity::Load,
            Quantity::Older,
            Quantity::FreeSides,
            Quantity::Time,
        ];
        let distances = Landmark::all().map(Quantity::Distance);
        counts.chain(stock).chain(distances).chain(of_unit).collect()
    }

    /// Returns the number for the gene 0.
    fn scale(self) -> f64 {
        match self {
            Quantity::Time => 30.0,
            Quantity::Resources | Quantity::EnemyResources | Quantity::Distance(_) => 4.5,
            _ => 2.5,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Own(group) => write!(f, "{}", group.plural()),
            Quantity::Enemy(group) => write!(f, "enemy {}", group.plural()),
            Quantity::Mines => write!(f, "mines"),
            Quantity::Resources => write!(f, "resources"),
            Quantity::EnemyResources => write!(f, "enemy resources"),
            Quantity::Distance(landmark) => write!(f, "distance to {landmark}"),
            Quantity::Health => write!(f, "health"),
            Quantity::Load => write!(f, "load"),
            Quantity::Older => write!(f, "older"),
            Quantity::FreeSides => write!(f, "free sides"),
            Quantity::Time => write!(f, "time"),
        }
    }
}

/// A condition: a quantity is at least a number, or below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) quantity: Quantity,
    pub(super) is_below: bool,
    /// From 1 to [`MAX_NUMBER`]. All quantities are at least 0 and below 1, for example, if they are 0.
    pub(super) number: u32,
}

impl Comparison {
    pub(super) fn holds(&self, value: u32) -> bool {
        (value < self.number) == self.is_below
    }

    /// Returns the condition for these genes, or `None` if it is left out.
    fn from_genes(genes: &[f64]) -> Option<Comparison> {
        let is_below = match divide(place(genes[0]), 3).0 {
            0 => false,
            1 => return None,
            _ => true,
        };
        let all = Quantity::all();
        let quantity = all[divide(place(genes[1]), all.len()).0];
        let number = quantity.scale() * libm::exp(genes[2].clamp(-20.0, 20.0));
        // The cast saturates.
        Some(Comparison { quantity, is_below, number: (number as u32).clamp(1, MAX_NUMBER) })
    }

    fn genes(&self) -> [f64; GENES_OF_CONDITION.len()] {
        let all = Quantity::all();
        let index = index_in(all, &self.quantity);
        [
            gene(middle(if self.is_below { 2 } else { 0 }, 3)),
            gene(middle(index, all.len())),
            libm::log((f64::from(self.number) + 0.5) / self.quantity.scale()),
        ]
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_below { "<" } else { ">=" };
        write!(f, "{} {sign} {}", self.quantity, self.number)
    }
}

/// An order to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    /// Harvest at the nearest mine, and hand over at the nearest base.
    Harvest,
    /// Hand over what the unit carries at the nearest base.
    Return,
    Build(UnitKind),
    Train(UnitKind),
    /// Attack an enemy within range.
    Strike,
    /// Attack the nearest enemy of a group: go there, if it is out of range.
    Attack(Group),
    /// Go to the nearest unit of a kind, up to two steps.
    MoveTo(Landmark),
    /// Take a step away from the nearest enemy of a group.
    MoveFrom(Group),
    Wait,
}

impl Command {
    /// Returns the orders that a unit of the group can be given, by their first words.
    pub(super) fn of(group: Group) -> &'static [Vec<Command>] {
        static ALL: LazyLock<[Vec<Vec<Command>>; Group::ALL.len()]> =
            LazyLock::new(|| Group::ALL.map(Command::list));
        &ALL[index_in(&Group::ALL, &group)]
    }

    fn list(group: Group) -> Vec<Vec<Command>> {
        let train = |kinds: &[UnitKind]| kinds.iter().map(|&kind| Command::Train(kind)).collect();
        let mut all = match group {
            Group::Kind(UnitKind::Base) => vec![train(&[UnitKind::Worker])],
            Group::Kind(UnitKind::Barracks) => vec![train(&SOLDIERS)],
            Group::Kind(UnitKind::Worker) => vec![
                vec![Command::Harvest],
                vec![Command::Return],
                [UnitKind::Base, UnitKind::Barracks].map(Command::Build).to_vec(),
            ],
            _ => Vec::new(),
        };
        if !matches!(group, Group::Kind(UnitKind::Base | UnitKind::Barracks)) {
            all.push(
                [Command::Strike].into_iter().chain(Group::ALL.map(Command::Attack)).collect(),
            );
            let from = Group::ALL.map(Command::MoveFrom);
            all.push(Landmark::all().map(Command::MoveTo).chain(from).collect());
        }
        all.push(vec![Command::Wait]);
        all
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Harvest => write!(f, "harvest"),
            Command::Return => write!(f, "return"),
            Command::Build(kind) => write!(f, "build {}", kind.name()),
            Command::Train(kind) => write!(f, "train {}", kind.name()),
            Command::Strike => write!(f, "attack in range"),
            Command::Attack(group) => write!(f, "attack the nearest {}", group.enemy()),
            Command::MoveTo(landmark) => write!(f, "move to {landmark}"),
            Command::MoveFrom(group) => write!(f, "move from {}", Landmark::Enemy(*group)),
            Command::Wait => write!(f, "wait"),
        }
    }
}

fn index_in<T: PartialEq>(all: &[T], item: &T) -> usize {
    all.iter().position(|other| other == item).expect("the list has every item")
}

/// A line: the units that it is for, its conditions, and the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) group: Group,
    /// The conditions; those left out come last.
    pub(super) conditions: [Option<Comparison>; NUM_CONDITIONS],
    pub(super) command: Command,
}

impl Instruction {
    /// Returns the line for these genes, or `None` if it is left out.
    pub(super) fn from_genes(genes: &[f64]) -> Option<Instruction> {
        let (own, of_conditions) = genes.split_at(GENES.len());
        if own[0] <= 0.0 {
            return None;
        }
        let group = Group::ALL[divide(place(own[1]), Group::ALL.len()).0];
        let all = Command::of(group);
        let commands = &all[divide(place(own[2]), all.len()).0];
        let command = commands[divide(place(own[3]), commands.len()).0];
        let mut conditions = [None; NUM_CONDITIONS];
        let mut num_conditions = 0;
        for genes in of_conditions.chunks_exact(GENES_OF_CONDITION.len()) {
            let condition = Comparison::from_genes(genes);
            if condition.is_some() && !conditions.contains(&condition) {
                conditions[num_conditions] = condition;
                num_conditions += 1;
            }
        }
        Some(Instruction { group, conditions, command })
    }

    /// Returns genes whose line is this one.
    pub(super) fn genes(&self) -> Vec<f64> {
        let all = Command::of(self.group);
        let place = all.iter().enumerate().find_map(|(index, commands)| {
            let which = commands.iter().position(|command| *command == self.command)?;
            Some((middle(index, all.len()), middle(which, commands.len())))
        });
        let (order, which) = place.expect("the group has the order");
        let unit = middle(index_in(&Group::ALL, &self.group), Group::ALL.len());
        let mut genes = vec![1.0, gene(unit), gene(order), gene(which)];
        for condition in &self.conditions {
            genes.extend(condition.as_ref().map(Comparison::genes).unwrap_or_default());
        }
        genes
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.group.name())?;
        for (index, condition) in self.conditions.iter().flatten().enumerate() {
            write!(f, "{} {condition} ", if index == 0 { "if" } else { "and" })?;
        }
        write!(f, "{}", self.command)
    }
}
