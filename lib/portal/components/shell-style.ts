/** CSS for the frame around portal pages: the navigation is at the side or, on narrow screens, at the top. */
export const shellStyle: string = `
.shell { display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); min-height: 100vh; }
.side { position: sticky; top: 0; height: 100vh; display: flex; flex-direction: column; gap: var(--s4); padding: var(--s5) var(--s3) var(--s4); border-inline-end: 1px solid var(--line); overflow-y: auto; }
.side .brand { padding: 0 var(--s3); font-size: var(--large); }
.side nav { flex: 1; display: flex; flex-direction: column; gap: var(--s4); }
.side ul { list-style: none; padding: 0; display: grid; gap: 2px; }
.side nav a { position: relative; display: flex; align-items: center; gap: .65rem; min-height: 2.25rem; padding: .3rem var(--s3); border-radius: var(--round-small); color: var(--ink-soft); font-size: var(--small); font-weight: 550; text-decoration: none; }
.side nav a:hover { background: var(--sunken); color: var(--ink); }
.side nav a[aria-current] { background: var(--accent-soft); color: var(--ink); }
.side nav a[aria-current] .icon { color: var(--accent); }
.side .own { border-top: 1px solid var(--line); padding-top: var(--s4); }
.count { margin-inline-start: auto; min-width: 1.5rem; padding: 0 .4rem; border-radius: 1rem; background: var(--accent); color: var(--on-accent); font-size: var(--tiny); font-weight: 650; line-height: 1.25rem; text-align: center; font-variant-numeric: tabular-nums; }
.me { display: flex; align-items: center; gap: var(--s2); padding: var(--s2) var(--s1) var(--s2) var(--s3); border-top: 1px solid var(--line); }
.me .who { flex: 1; min-width: 0; display: grid; font-size: var(--small); line-height: 1.35; }
.me b { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 600; }
.me form { display: block; }
.side .outer { display: flex; align-items: center; gap: 0 var(--s4); margin-top: auto; padding: 0 var(--s3); }
.side .outer a, .outer button { min-height: 1.5rem; padding: 0; color: var(--ink-soft); background: none; font-size: var(--tiny); font-weight: 400; text-decoration: underline; text-decoration-thickness: .06em; text-underline-offset: .18em; }
.outer button { border: 0; }
.outer li { display: flex; align-items: center; }
main { width: 100%; max-width: 74rem; padding: var(--s5) clamp(var(--s4), 3.4vw, 3rem) var(--s7); display: grid; gap: var(--s5); align-content: start; }
main:focus { outline: none; }
main > :empty, .column > :empty, .button-row:empty { display: none; }
.icon { width: 1.15rem; height: 1.15rem; flex: none; }
.lead .icon { width: 1em; height: 1em; vertical-align: -.12em; }
.soft { color: var(--ink-soft); }
.head { display: grid; gap: var(--s2); }
.crumbs ol { list-style: none; display: flex; flex-wrap: wrap; padding: 0; font-size: var(--small); }
.crumbs li { display: flex; min-width: 0; overflow-wrap: anywhere; }
.crumbs li:not(:last-child)::after { content: "/"; padding: 0 .45rem; color: var(--ink-soft); }
.crumbs a { color: var(--ink-soft); text-decoration: none; }
.crumbs a:hover { text-decoration: underline; }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: var(--s2) var(--s3); min-height: 2.75rem; }
.title h1 { font-size: var(--title); overflow-wrap: anywhere; }
.title .button-row { margin-inline-start: auto; }
.button-row { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; }
.tabs { margin-top: var(--s2); border-bottom: 1px solid var(--line); overflow-x: auto; scrollbar-width: none; }
.tabs ul { list-style: none; padding: 0; display: flex; gap: var(--s4); }
.tabs a { display: block; padding: .55rem 0 .6rem; color: var(--ink-soft); font-size: var(--small); font-weight: 600; text-decoration: none; border-bottom: 2px solid transparent; white-space: nowrap; }
.tabs a:hover { color: var(--ink); }
.tabs a[aria-current] { color: var(--ink); border-color: var(--accent); }
@media (max-width: 56rem) {
  .shell { display: block; }
  .side { position: static; height: auto; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: var(--s2) var(--s3); padding: var(--s3) var(--s4) 0; border: 0; border-bottom: 1px solid var(--line); overflow: visible; }
  .side .brand { padding: 0; align-self: center; }
  .me { grid-row: 1; grid-column: 2; border: 0; padding: 0; }
  .me .who { text-align: end; max-width: 12rem; }
  .side nav { grid-column: 1 / -1; min-width: 0; flex-direction: row; gap: 2px; margin: 0 calc(-1 * var(--s4)); padding: 2px var(--s4) var(--s2); overflow-x: auto; scrollbar-width: none; }
  .side nav ul { display: flex; }
  .side nav a { white-space: nowrap; min-height: 2.75rem; }
  .side .own { border: 0; padding: 0; }
  .side .outer { margin: 0; align-items: center; }
  .outer li:has(button) { display: none; }
  .count { margin-inline-start: 0; }
  main { padding-top: var(--s4); }
  .title .button-row { position: relative; margin-inline-start: 0; width: 100%; }
  .title .menu { position: static; }
  .title .menu > ul { inset-inline: 0 auto; }
}
@media (max-width: 26rem) { .me .who { display: none; } }
@media print { .side, .button-row, .tabs { display: none; } .shell { display: block; } }
`;
