use super::*;

/// Returns whether the set contains four in a row. Checks cell by cell.
fn has_four_slowly(cells: u64) -> bool {
    let is_in = |column: i32, row: i32| {
        (0..7).contains(&column) && (0..7).contains(&row) && cells >> (8 * column + row) & 1 == 1
    };
    let starts = (0..7).flat_map(|column| (0..7).map(move |row| (column, row)));
    starts.into_iter().any(|(column, row)| {
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(|(right, up)| (0..4).all(|step| is_in(column + step * right, row + step * up)))
    })
}

#[test]
fn all_lines_are_found_and_no_others() {
    // All 4-subsets of the 49 cells.
    let cells: Vec<u64> = (0..7).flat_map(|c| (0..7).map(move |r| 1 << (8 * c + r))).collect();
    let mut num_lines = 0;
    for a in 0..49 {
        for b in a + 1..49 {
            for c in b + 1..49 {
                for d in c + 1..49 {
                    let set = cells[a] | cells[b] | cells[c] | cells[d];
                    let four = has_four(set);
                    assert!(!four || has_four_slowly(set), "{set:#x}");
                    num_lines += u32::from(four);
                }
            }
        }
    }
    // 4 x 7 horizontal, 7 x 4 vertical, 2 x 4 x 4 diagonal. If the function missed a line, there would be fewer.
    assert_eq!(num_lines, 28 + 28 + 32);
}

#[test]
fn fours_have_the_cells_of_all_lines() {
    let mut lines = Vec::new();
    for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        for start in (0..7i32).flat_map(|column| (0..7i32).map(move |row| (column, row))) {
            let cell = |step: i32| (start.0 + step * right, start.1 + step * up);
            if (0..7).contains(&cell(3).0) && (0..7).contains(&cell(3).1) {
                let cells = (0..4).map(|step| 1u64 << (8 * cell(step).0 + cell(step).1));
                lines.push(cells.sum::<u64>());
            }
        }
    }
    assert_eq!(lines.len(), 28 + 28 + 32);
    // Each cell is in a set with probability 3/4.
    let mut random = (1..).map(|i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31));
    for _ in 0..1000 {
        let mut draw = || random.next().map_or(0, |x| x.wrapping_mul(0xBF58_476D_1CE4_E5B9));
        let set = (draw() | draw()) & Columns::new(7).cells();
        let expected = lines.iter().filter(|&line| line & set == *line).fold(0, |a, b| a | b);
        assert_eq!(cells_in_fours(set), expected, "{set:#x}");
    }
}

#[test]
fn stones_fall_to_the_lowest_free_cell() {
    for num_rows in 1..=MAX_ROWS {
        let columns = Columns::new(num_rows);
        assert_eq!(columns.num_cells(), 7 * num_rows);
        let mut occupied = 0;
        for column in 0..NUM_COLUMNS as u8 {
            for row in 0..num_rows {
                assert!(!columns.is_full(occupied));
                assert_eq!(columns.full_columns(occupied), (1 << column) - 1);
                let cell = columns.landing(occupied, column);
                assert_eq!(cell, 1 << (8 * u32::from(column) + row));
                occupied |= cell;
            }
            assert_eq!(columns.landing(occupied, column), 0);
        }
        assert!(columns.is_full(occupied));
        assert_eq!(columns.full_columns(occupied), 0x7f);
    }
}

#[test]
fn boards_are_written_column_by_column() {
    let columns = Columns::new(4);
    let mut board = Stones::default();
    for (seat, column) in [(Seat::First, 2), (Seat::Second, 2), (Seat::First, 6), (Seat::Second, 2)]
    {
        board.put(seat, columns.landing(board.occupied(), column));
    }
    let text = serde_json::to_string(&board).expect("plain data");
    assert_eq!(text, r#"["","","xoo","","","","x"]"#);
    assert_eq!(serde_json::from_str::<Stones>(&text).expect("a board"), board);
    assert_eq!(format!("{board:?}"), r#"["", "", "xoo", "", "", "", "x"]"#);
    for wrong in [r#"["","","xo ","","","",""]"#, r#"["","","xoxoxoxo","","","",""]"#] {
        let error = serde_json::from_str::<Stones>(wrong).expect_err("not a board");
        assert!(error.to_string().contains("is not of at most 7 stones"), "{error}");
    }
}
