// Turns the headings of tables into buttons that sort the rows: numbers by size, the largest first, and words by
// letter.
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  if ([0, 1].includes(body.rows.length)) continue;
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    const isText = column === 0 || head.classList.contains("text");
    const key = row => {
      // If a published number comes first, our number is behind the sign.
      const text = row.cells[column].textContent.split(/[=\x3c\x3e\/]/).pop();
      const found = isText ? null : text.replace(/,/g, "").match(/-?\d*\.?\d+/);
      return isText ? text : found ? Number(found[0]) : NaN;
    };
    const button = document.createElement("button");
    button.type = "button";
    button.title = "Sort by this column";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const first = isText ? "ascending" : "descending";
      const second = isText ? "descending" : "ascending";
      const order = before === first ? second : first;
      const sign = order === "ascending" ? 1 : -1;
      const rows = Array.from(body.rows, row => [key(row), row]);
      const compare = (a, b) => isText ? a.localeCompare(b) : a - b;
      // Cells without a number come last in either order.
      rows.sort(([a], [b]) => Number.isNaN(a) - Number.isNaN(b) || sign * compare(a, b) || 0);
      body.append(...rows.map(([, row]) => row));
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
    });
  });
}
