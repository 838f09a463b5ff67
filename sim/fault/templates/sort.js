// A click on a heading sorts the table by that column, a second one the other way; empty cells stay last.
for (const table of document.querySelectorAll("table.sort")) {
  const heads = Array.from(table.tHead.rows[0].cells);
  const value = (row, column) => {
    const text = row.cells[column].textContent.trim();
    const number = parseFloat(text.replace(/\s/g, ""));
    return text === "" ? null : Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (a === null || b === null) return 0;
    return typeof a === "number" ? a - b : a.localeCompare(b);
  };
  const sort = (head, column) => {
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows);
    const empty = (row) => Number(value(row, column) === null);
    rows.sort((a, b) => empty(a) - empty(b) || (down ? -1 : 1) * compare(value(a, column), value(b, column)));
    table.tBodies[0].append(...rows);
  };
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head, column));
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(head, column); });
  });
}
