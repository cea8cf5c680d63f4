//! Domains and other reversible numbers, with a trail to restore them.

/// A literal with its value as a position in the initial domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) variable: u32,
    pub(super) position: u16,
    pub(super) is_equal: bool,
}

impl Place {
    pub(super) fn negated(self) -> Place {
        Place { is_equal: !self.is_equal, ..self }
    }
}

/// The numbers of all literals of some variables.
#[derive(Debug, Clone)]
pub(super) struct LiteralNumbers {
    /// The number of the first literal of each variable, and the number of all literals.
    first: Box<[u32]>,
}

impl LiteralNumbers {
    /// Numbers the literals of variables with these numbers of positions.
    pub(super) fn new(sizes: &[u32]) -> LiteralNumbers {
        let mut end = 0;
        let ends = sizes.iter().map(|size| {
            end += 2 * size;
            end
        });
        LiteralNumbers { first: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the number of literals.
    pub(super) fn len(&self) -> usize {
        self.first[self.first.len() - 1] as usize
    }

    #[inline]
    pub(super) fn of(&self, literal: Place) -> usize {
        let first = self.first[literal.variable as usize];
        (first + 2 * u32::from(literal.position) + u32::from(literal.is_equal)) as usize
    }
}

/// A loss of values in one word of a domain. Each word has 64 positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) variable: u32,
    /// The index of the word in the domain.
    pub(super) word: u32,
    pub(super) removed: u64,
    /// True if the variable has only one value left.
    pub(super) is_fixed: bool,
    /// The table that removed the values, or [`NO_TABLE`].
    pub(super) cause: u32,
}

/// Marks an event without a table as its cause.
pub(super) const NO_TABLE: u32 = u32::MAX;

/// All reversible state of a search, in cells of 64 bits.
///
/// The sizes of the domains come first, then the domains, with one bit for each position, then the cells of
/// propagators. Between two marks, a cell is saved at most once, when it first changes.
#[derive(Debug, Clone)]
pub(super) struct Store {
    cells: Vec<u64>,
    /// For each cell, the stamp of the time when it was last saved.
    stamps: Vec<u64>,
    stamp: u64,
    trail: Vec<(u32, u64)>,
    /// The offset of the words of each variable, and the end of the last variable's words.
    first_words: Vec<u32>,
    /// Changes of domains. The changes before `next_event` have been processed.
    events: Vec<Event>,
    next_event: usize,
}

impl Store {
    /// Creates full domains of these sizes.
    pub(super) fn new(sizes: &[u32]) -> Store {
        let mut cells: Vec<u64> = sizes.iter().map(|&size| u64::from(size)).collect();
        let mut first_words = Vec::with_capacity(sizes.len() + 1);
        for &size in sizes {
            first_words.push(cells.len() as u32);
            let (full, rest) = (size / 64, size % 64);
            cells.extend((0..full).map(|_| u64::MAX));
            // An empty domain gets a word, too, so that every domain has at least one.
            if rest > 0 || size == 0 {
                cells.push((1 << rest) - 1);
            }
        }
        first_words.push(cells.len() as u32);
        Store {
            stamps: vec![0; cells.len()],
            cells,
            stamp: 1,
            trail: Vec::new(),
            first_words,
            events: Vec::new(),
            next_event: 0,
        }
    }

    /// Adds `num` cells with this value, and returns the index of the first new cell.
    pub(super) fn add_cells(&mut self, num: usize, value: u64) -> u32 {
        let first = self.cells.len() as u32;
        self.cells.resize(self.cells.len() + num, value);
        self.stamps.resize(self.cells.len(), 0);
        first
    }

    #[inline]
    pub(super) fn get(&self, cell: u32) -> u64 {
        self.cells[cell as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, cell: u32, value: u64) {
        let index = cell as usize;
        if self.stamps[index] != self.stamp {
            self.stamps[index] = self.stamp;
            self.trail.push((cell, self.cells[index]));
        }
        self.cells[index] = value;
    }

    /// Returns the length of the trail, for [`Store::undo`].
    pub(super) fn mark(&mut self) -> usize {
        self.stamp += 1;
        self.trail.len()
    }

    pub(super) fn undo(&mut self, mark: usize) {
        self.stamp += 1;
        while self.trail.len() > mark {
            let (cell, value) = self.trail.pop().expect("it is longer than the mark");
            self.cells[cell as usize] = value;
        }
        self.forget_events();
    }

    /// Makes the current state the initial state, so that there is nothing to undo.
    pub(super) fn settle(&mut self) {
        self.stamp += 1;
        self.trail.clear();
    }

    pub(super) fn next_event(&mut self) -> Option<Event> {
        let event = self.events.get(self.next_event).copied();
        if event.is_some() {
            self.next_event += 1;
        } else {
            self.forget_events();
        }
        event
    }

    pub(super) fn has_events(&self) -> bool {
        self.next_event < self.events.len()
    }

    pub(super) fn forget_events(&mut self) {
        self.events.clear();
        self.next_event = 0;
    }

    #[inline]
    pub(super) fn size(&self, variable: u32) -> u64 {
        self.cells[variable as usize]
    }

    #[inline]
    pub(super) fn is_fixed(&self, variable: u32) -> bool {
        self.size(variable) == 1
    }

    #[inline]
    pub(super) fn words(&self, variable: u32) -> &[u64] {
        let first = self.first_words[variable as usize] as usize;
        &self.cells[first..self.first_words[variable as usize + 1] as usize]
    }

    #[inline]
    pub(super) fn contains(&self, variable: u32, position: u16) -> bool {
        let first = self.first_words[variable as usize] as usize;
        self.cells[first + usize::from(position / 64)] >> (position % 64) & 1 != 0
    }

    /// Returns the first position of the domain that is at least `from`.
    #[inline]
    pub(super) fn position_from(&self, variable: u32, from: u32) -> Option<u16> {
        let words = self.words(variable);
        let mut index = (from / 64) as usize;
        let mut word = words.get(index)? & (u64::MAX << (from % 64));
        while word == 0 {
            index += 1;
            word = *words.get(index)?;
        }
        Some((64 * index) as u16 + word.trailing_zeros() as u16)
    }

    /// Intersects 64 positions of a domain with `mask`. Returns `false`, without a change, if the domain would become
    /// empty.
    #[inline]
    pub(super) fn intersect(&mut self, variable: u32, word: u32, mask: u64, cause: u32) -> bool {
        let cell = self.first_words[variable as usize] + word;
        let old = self.get(cell);
        let removed = old & !mask;
        if removed == 0 {
            return true;
        }
        let size = self.size(variable) - u64::from(removed.count_ones());
        if size == 0 {
            return false;
        }
        self.set(cell, old & mask);
        self.set(variable, size);
        self.events.push(Event { variable, word, removed, is_fixed: size == 1, cause });
        true
    }

    /// Intersects a domain with masks of 64 positions each. Returns `false` if the domain would become empty.
    #[inline]
    pub(super) fn intersect_all(&mut self, variable: u32, masks: &[u64], cause: u32) -> bool {
        (0..).zip(masks).all(|(word, &mask)| self.intersect(variable, word, mask, cause))
    }

    /// Removes the positions of a domain for which `is_kept` returns `false`. Returns `false` if the domain would become
    /// empty.
    #[inline]
    pub(super) fn retain(
        &mut self,
        variable: u32,
        cause: u32,
        mut is_kept: impl FnMut(&Store, usize) -> bool,
    ) -> bool {
        (0..self.words(variable).len()).all(|word| {
            let domain = self.words(variable)[word];
            let removed = bits(domain).filter(|&bit| !is_kept(self, 64 * word + bit as usize));
            let kept = removed.fold(domain, |kept, bit| kept & !(1 << bit));
            kept == domain || self.intersect(variable, word as u32, kept, cause)
        })
    }

    /// Makes a literal true. Returns `false`, with the domain unchanged, if that is impossible.
    pub(super) fn hold(&mut self, literal: Place) -> bool {
        let Place { variable, position, is_equal } = literal;
        let (word, bit) = (u32::from(position / 64), 1 << (position % 64));
        if !is_equal {
            return self.intersect(variable, word, !bit, NO_TABLE);
        }
        if !self.contains(variable, position) {
            return false;
        }
        for index in 0..self.words(variable).len() as u32 {
            let mask = if index == word { bit } else { 0 };
            let is_left = self.intersect(variable, index, mask, NO_TABLE);
            debug_assert!(is_left, "the position is in the domain");
        }
        true
    }

    #[inline]
    pub(super) fn is_true(&self, literal: Place) -> bool {
        let contains = self.contains(literal.variable, literal.position);
        if literal.is_equal { contains && self.is_fixed(literal.variable) } else { !contains }
    }

    #[inline]
    pub(super) fn is_false(&self, literal: Place) -> bool {
        let contains = self.contains(literal.variable, literal.position);
        if literal.is_equal { !contains } else { contains && self.is_fixed(literal.variable) }
    }

    /// Returns the cells, for tests that compare them.
    #[cfg(test)]
    pub(super) fn cells(&self) -> &[u64] {
        &self.cells
    }
}

/// Iterates over the set bits of a word, in increasing order.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// Concatenates lists. Returns the start of each list with the end of the last list, and the items.
pub(super) fn flatten<T: Copy>(lists: &[Vec<T>]) -> (Box<[u32]>, Box<[T]>) {
    let mut starts = vec![0];
    for list in lists {
        starts.push(starts[starts.len() - 1] + list.len() as u32);
    }
    (starts.into(), lists.iter().flatten().copied().collect())
}
