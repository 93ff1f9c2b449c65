/** How the front page looks beyond the theme: one column in the middle, the ways on as a list of doors. */
export const style: string = `
main { max-width: 44rem; min-height: 100vh; margin: 0 auto; padding: clamp(var(--s6), 11vh, 7rem) clamp(var(--s4), 4vw, 2rem) var(--s5); display: flex; flex-direction: column; gap: var(--s6); }
main > header { display: grid; gap: var(--s3); justify-items: start; }
.mark svg { display: block; width: 3.5rem; height: 3.5rem; color: var(--accent); }
header .lead { font-size: var(--large); max-width: 56ch; }
.status { display: inline-flex; align-items: center; gap: .55rem; padding: .3rem .85rem .3rem .7rem; border-radius: 99rem; font-size: var(--small); font-weight: 600; }
.status i { width: .55rem; height: .55rem; border-radius: 50%; background: currentColor; }
.status.good { color: var(--good); background: var(--good-soft); }
.status.warn, .status.warn a { color: var(--warn); background: var(--warn-soft); }
nav ul { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); overflow: hidden; }
nav li + li { border-top: 1px solid var(--line); }
nav a { display: grid; grid-template-columns: 11rem minmax(0, 1fr) auto; gap: var(--s1) var(--s4); align-items: baseline; padding: var(--s4) var(--s5); color: var(--ink); text-decoration: none; }
nav a::after { content: "→"; color: var(--accent); font-weight: 700; }
nav a:hover, nav a:focus-visible { background: var(--accent-soft); }
nav b { font-weight: 650; }
nav span { color: var(--ink-soft); font-size: var(--small); }
section { display: grid; gap: var(--s3); }
section .small { color: var(--ink-soft); }
section pre { padding: var(--s4) var(--s5); background: var(--sunken); border: 1px solid var(--line); border-radius: var(--round-small); line-height: 1.55; }
p code { background: var(--sunken); padding: .08em .32em; border-radius: .25rem; }
footer { margin-top: auto; font-size: var(--small); color: var(--ink-soft); }
@media (max-width: 34rem) {
  nav a { grid-template-columns: minmax(0, 1fr) auto; padding: var(--s4); }
  nav a::after { grid-row: 1; grid-column: 2; }
  nav span { grid-column: 1; }
}
`;
