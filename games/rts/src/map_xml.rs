//! Maps in XML, the format of the program of the paper and of the competitions that are held with it.

use roxmltree::{Attribute, Document, Node};
use ruse_games::{BySeat, Seat};

use super::map::{Map, MapError, StartUnit};
use super::orders::{Cell, MAX_SIDE};
use super::unit::UnitKind;
use super::xml_fault::{ROOT, XmlFault};
use crate::map::Result;

/// The largest stock of a player at the start. It is ample, and sums of stocks stay far below 2^32.
const MAX_STOCK: i64 = 1_000_000;

/// The name of each type of unit in the files.
const TYPES: [(&str, UnitKind); 7] = [
    ("Resource", UnitKind::Mine),
    ("Base", UnitKind::Base),
    ("Barracks", UnitKind::Barracks),
    ("Worker", UnitKind::Worker),
    ("Light", UnitKind::Light),
    ("Heavy", UnitKind::Heavy),
    ("Ranged", UnitKind::Ranged),
];

/// A document, for errors with places.
struct Source<'a>(&'a Document<'a>);

impl Source<'_> {
    fn line(&self, byte: usize) -> usize {
        self.0.text_pos_at(byte).row as usize
    }

    /// Returns the error about a fault at a byte of the document.
    fn fault(&self, byte: usize, fault: XmlFault) -> MapError {
        let place = self.0.text_pos_at(byte);
        MapError::Xml { line: place.row as usize, column: place.col as usize, fault }
    }

    /// Returns the child element with this name.
    fn child<'b>(&self, parent: Node<'b, 'b>, child: &'static str) -> Result<Node<'b, 'b>> {
        let found = parent.children().find(|node| node.has_tag_name(child));
        found.ok_or_else(|| {
            let parent_name = parent.tag_name().name().to_string();
            let missing = XmlFault::NoElement { parent: parent_name, child };
            self.fault(parent.range().start, missing)
        })
    }

    fn attribute<'b>(&self, node: Node<'b, 'b>, name: &'static str) -> Result<Attribute<'b, 'b>> {
        node.attribute_node(name).ok_or_else(|| {
            let element = node.tag_name().name().to_string();
            self.fault(node.range().start, XmlFault::NoAttribute { element, attribute: name })
        })
    }

    /// Returns an attribute, which must be a whole number from `least` to `most`.
    fn number(
        &self,
        node: Node<'_, '_>,
        name: &'static str,
        (least, most): (i64, i64),
    ) -> Result<i64> {
        let attribute = self.attribute(node, name)?;
        let found = attribute.value();
        let number = found.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            let (attribute_name, found) = (name.to_string(), found.to_string());
            let wrong = XmlFault::WrongNumber { attribute: attribute_name, found, least, most };
            self.fault(attribute.range().start, wrong)
        })
    }

    /// Returns the number of a player: 0 or 1, or -1 for no player.
    fn player(&self, node: Node<'_, '_>, name: &'static str) -> Result<i64> {
        let attribute = self.attribute(node, name)?;
        match attribute.value() {
            "0" => Ok(0),
            "1" => Ok(1),
            "-1" => Ok(-1),
            found => {
                let unknown = XmlFault::UnknownPlayer { found: found.into() };
                Err(self.fault(attribute.range().start, unknown))
            }
        }
    }

    /// Returns the cells with walls.
    fn walls(&self, root: Node<'_, '_>, [width, height]: [u8; 2]) -> Result<Vec<Cell>> {
        let terrain = self.child(root, "terrain")?;
        let (mut walls, mut num_cells) = (Vec::new(), 0);
        for part in terrain.children().filter(Node::is_text) {
            for (index, found) in part.text().unwrap_or_default().char_indices() {
                match found {
                    _ if found.is_whitespace() => continue,
                    '0' => {}
                    '1' => {
                        let [x, y] =
                            [num_cells % usize::from(width), num_cells / usize::from(width)];
                        // Cells below the board are refused with the length of the terrain.
                        if y < usize::from(height) {
                            walls.push(Cell::new(x as u8, y as u8));
                        }
                    }
                    _ => {
                        let byte = part.range().start + index;
                        return Err(self.fault(byte, XmlFault::TerrainLetter { found }));
                    }
                }
                num_cells += 1;
            }
        }
        if num_cells != usize::from(width) * usize::from(height) {
            let wrong = XmlFault::TerrainLength { found: num_cells, width, height };
            return Err(self.fault(terrain.range().start, wrong));
        }
        Ok(walls)
    }

    /// Returns the resources of each player.
    fn stock(&self, root: Node<'_, '_>) -> Result<BySeat<u32>> {
        let players = self.child(root, "players")?;
        let mut stocks: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        for player in players.children().filter(Node::is_element) {
            let number = self.player(player, "ID")?;
            let stock = self.number(player, "resources", (0, MAX_STOCK))? as u32;
            // An entry with the number -1 is ignored.
            if let Some(stocks) = usize::try_from(number).ok().and_then(|seat| stocks.get_mut(seat))
            {
                stocks.push(stock);
            }
        }
        match [&stocks[0][..], &stocks[1][..]] {
            [&[first], &[second]] => Ok(BySeat { first, second }),
            [first, second] => {
                let player = u8::from(first.len() == 1);
                let times = if player == 0 { first.len() } else { second.len() };
                Err(self.fault(players.range().start, XmlFault::Players { player, times }))
            }
        }
    }

    fn unit(&self, node: Node<'_, '_>, [width, height]: [u8; 2]) -> Result<StartUnit> {
        let at = |name| node.attribute_node(name).map_or(0, |attribute| attribute.range().start);
        let found = self.attribute(node, "type")?.value();
        let &(unit, kind) = TYPES
            .iter()
            .find(|(name, _)| *name == found)
            .ok_or_else(|| self.fault(at("type"), XmlFault::UnknownType { found: found.into() }))?;
        let player = self.player(node, "player")?;
        let owner = match player {
            0 => Some(Seat::First),
            1 => Some(Seat::Second),
            _ => None,
        };
        if owner.is_none() != (kind == UnitKind::Mine) {
            return Err(self.fault(at("player"), XmlFault::WrongOwner { unit, player }));
        }
        let [x, y] = [self.number(node, "x", (0, 255))?, self.number(node, "y", (0, 255))?];
        let cell = Cell::new(x as u8, y as u8);
        if cell.x >= width || cell.y >= height {
            let outside = XmlFault::Outside { cell, width, height };
            return Err(self.fault(node.range().start, outside));
        }
        let least = i64::from(kind == UnitKind::Mine);
        let carried = self.number(node, "resources", (least, 255))? as u8;
        let hp = Some(self.number(node, "hitpoints", (1, 255))? as u8);
        Ok(StartUnit { kind, owner, cell, carried, hp })
    }
}

impl Map {
    /// Parses a map in XML, the format of the program of the paper:
    ///
    /// ```xml
    /// <rts.PhysicalGameState width="4" height="1">
    ///   <terrain>0010</terrain>
    ///   <players>
    ///     <rts.Player ID="0" resources="5"/>
    ///     <rts.Player ID="1" resources="5"/>
    ///   </players>
    ///   <units>
    ///     <rts.units.Unit type="Worker" ID="0" player="0" x="0" y="0" resources="0" hitpoints="1"/>
    ///     <rts.units.Unit type="Worker" ID="1" player="1" x="3" y="0" resources="0" hitpoints="1"/>
    ///   </units>
    /// </rts.PhysicalGameState>
    /// ```
    ///
    /// The terrain has a digit for each cell, row by row: 0 is free, 1 is a wall. The order of the units breaks ties
    /// during the game. A mine is a `Resource` of player -1. The attribute `ID` of a unit, further attributes and the
    /// names of elements in `<players>` and `<units>` are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error with the line and the column if the text is not such a map.
    pub fn from_xml(name: impl Into<String>, text: &str) -> Result<Map> {
        let document = Document::parse(text).map_err(|error| {
            let (place, problem) = (error.pos(), error.to_string());
            let problem = problem.strip_suffix(&format!(" at {place}")).unwrap_or(&problem).into();
            let (line, column) = (place.row as usize, place.col as usize);
            MapError::Xml { line, column, fault: XmlFault::NotXml { problem } }
        })?;
        let (source, root) = (Source(&document), document.root_element());
        if root.tag_name().name() != ROOT {
            let found = root.tag_name().name().to_string();
            return Err(source.fault(root.range().start, XmlFault::OtherRoot { found }));
        }
        let side = |name| source.number(root, name, (1, MAX_SIDE as i64));
        let sides = [side("width")? as u8, side("height")? as u8];
        let walls = source.walls(root, sides)?;
        let stock = source.stock(root)?;
        let list = source.child(root, "units")?;
        // The line of the unit on each cell.
        let mut lines = [[0; MAX_SIDE]; MAX_SIDE];
        let mut units: Vec<StartUnit> = Vec::new();
        for node in list.children().filter(Node::is_element) {
            let (unit, byte) = (source.unit(node, sides)?, node.range().start);
            let cell = unit.cell;
            if walls.contains(&cell) {
                return Err(source.fault(byte, XmlFault::OnWall { cell }));
            }
            let line = &mut lines[usize::from(cell.y)][usize::from(cell.x)];
            if *line > 0 {
                return Err(source.fault(byte, XmlFault::SameCell { cell, line: *line }));
            }
            *line = source.line(byte);
            units.push(unit);
        }
        for (player, seat) in [(0, Seat::First), (1, Seat::Second)] {
            if !units.iter().any(|unit| unit.owner == Some(seat)) {
                return Err(source.fault(list.range().start, XmlFault::NoUnits { player }));
            }
        }
        let [width, height] = sides;
        Map::new(name, (width, height), walls, units, stock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = r#"<rts.PhysicalGameState width="4" height="2">
  <terrain>0010
0000</terrain>
  <players>
    <rts.Player ID="0" resources="7"/>
    <rts.Player ID="1" resources="0"/>
  </players>
  <units>
    <rts.units.Unit type="Resource" ID="0" player="-1" x="3" y="1" resources="25" hitpoints="1"/>
    <rts.units.Unit type="Base" ID="9" player="0" x="0" y="0" resources="0" hitpoints="10"/>
    <rts.units.Unit type="Worker" ID="4" player="1" x="3" y="0" resources="1" hitpoints="1"/>
  </units>
</rts.PhysicalGameState>
"#;

    #[test]
    fn maps_are_read_from_xml() {
        let map = Map::from_xml("small", MAP).expect("a map");
        assert_eq!((map.name(), map.width(), map.height()), ("small", 4, 2));
        assert_eq!(map.walls(), [Cell::new(2, 0)]);
        assert_eq!(map.stock(), BySeat { first: 7, second: 0 });
        let unit = |kind, owner, (x, y), carried, hp| {
            let (cell, hp) = (Cell::new(x, y), Some(hp));
            StartUnit { kind, owner, cell, carried, hp }
        };
        let expected = [
            unit(UnitKind::Mine, None, (3, 1), 25, 1),
            unit(UnitKind::Base, Some(Seat::First), (0, 0), 0, 10),
            unit(UnitKind::Worker, Some(Seat::Second), (3, 0), 1, 1),
        ];
        assert_eq!(map.units(), expected);
    }

    /// Each case of the file replaces a part of the map above, and states how the message begins. The places are counted
    /// by hand.
    #[test]
    fn faults_are_named_with_their_place() {
        for case in include_str!("refused_maps.txt").split_terminator("\n---\n") {
            let parts: Vec<&str> = case.split("\n=>").map(str::trim).collect();
            let [found, change, expected] = parts[..] else { panic!("three parts: {case}") };
            assert!(MAP.contains(found), "{found}");
            let error = Map::from_xml("wrong", &MAP.replacen(found, change, 1));
            let error = error.expect_err(change).to_string();
            assert!(error.starts_with(expected), "{change}: {error}");
        }
        let error = Map::from_xml("wrong", "<map/>").expect_err("no map").to_string();
        assert_eq!(
            error,
            "line 1, column 1: the outermost element is `<map>`; a map is a `<rts.PhysicalGameState>`"
        );
    }
}
