//! Tables of words that are compiled in, as `include_str!` reads them: a row a line, a tab between two cells.

/// The cells of each row behind its first one, which names it; a line that begins with `# ` is a remark.
///
/// ```
/// use canopy_base::table::rows;
///
/// let mut table = rows("# units\nkm\tkilom\n%\tprozent\tpercent\n");
/// assert_eq!(table.next(), Some(("km", "kilom")));
/// assert_eq!(table.next(), Some(("%", "prozent\tpercent")));
/// ```
pub fn rows(table: &str) -> impl Iterator<Item = (&str, &str)> {
    let rows = table.lines().filter(|line| !line.starts_with("# "));
    rows.filter_map(|line| line.split_once('\t'))
}

/// The cell of the first row of this name.
pub fn row<'t>(table: &'t str, name: &str) -> Option<&'t str> {
    rows(table).find_map(|(found, cell)| (found == name).then_some(cell))
}
