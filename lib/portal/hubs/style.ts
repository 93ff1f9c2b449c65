/** CSS for lists of hubs and spokes. */
export const listStyle: string = `
.list .progress { min-width: 0; }
.spokes > li > .small { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.list > li > .badge { justify-self: end; }
.hubs > li { grid-template-columns: minmax(10rem, 3fr) minmax(0, 4fr) auto minmax(7.5rem, auto); }
.spokes > li { grid-template-columns: auto minmax(10rem, 3fr) minmax(0, 3fr) minmax(7.5rem, auto); }
.spokes > li:not(:has(input)) { grid-template-columns: minmax(10rem, 3fr) minmax(0, 3fr) minmax(7.5rem, auto); }
.plain > li { grid-template-columns: minmax(10rem, 2fr) minmax(0, 3fr) minmax(7.5rem, auto); }
.panel .list { border: 0; margin: calc(-1 * var(--s3)) calc(-1 * var(--s4)); border-radius: 0; }
.marks { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; }
.bulk { align-items: center; }
.bulk .field { flex: 0 1 auto; display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2); }
.bulk select { width: auto; }
form:not(:has(.spokes > li)) > .bulk { display: none; }
form:not(:has(.spokes input:checked)) .bulk > :not(label) { visibility: hidden; }
.bulk label.small { display: flex; gap: var(--s2); align-items: center; min-height: 2.5rem; }
.bulk label.small:has([hidden]) { display: none; }
@media (max-width: 44rem) {
  .hubs > li, .plain > li { grid-template-columns: minmax(0, 1fr) auto; }
  .spokes > li { grid-template-columns: auto minmax(0, 1fr) auto; }
  .spokes > li:not(:has(input)) { grid-template-columns: minmax(0, 1fr) auto; }
  .list > li > :nth-last-child(1) { grid-row: 1; grid-column: -2; }
  .list > li > .progress, .list > li > .small, .list > li > .marks { grid-column: 1 / -1; }
  .spokes > li:has(input) > .progress, .spokes > li:has(input) > .small { grid-column: 2 / -1; }
  .list .created { display: none; }
}
`;
