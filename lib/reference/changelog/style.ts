/** Contains the CSS for the changelog page, in addition to the CSS that all pages share. */
export const changelogCss: string = `
:root { --bar: 3.5rem; scroll-padding-top: calc(var(--bar) + 1.25rem); }
body > header { position: sticky; top: 0; z-index: 5; height: var(--bar); display: flex; align-items: center; justify-content: space-between; gap: var(--s4); padding: 0 clamp(var(--s4), 3vw, 2rem); background: var(--surface); border-bottom: 1px solid var(--line); }
body > header > a:last-child { font-size: var(--small); white-space: nowrap; }
.brand { white-space: nowrap; }
.brand small { color: var(--ink-soft); font-weight: 500; font-size: 1em; }
main { max-width: 60rem; margin: 0 auto; padding: var(--s6) clamp(var(--s4), 3.5vw, 3rem) var(--s7); outline: none; }
.intro > .lead { font-size: var(--large); margin-top: var(--s3); max-width: 60ch; }
.ways { list-style: none; padding: 0; margin-top: var(--s4); display: flex; flex-wrap: wrap; gap: var(--s2); }
.ways a { display: inline-flex; align-items: center; gap: .45rem; padding: .35rem .85rem; border: 1px solid var(--line); border-radius: 99rem; background: var(--surface); font-size: var(--small); font-weight: 600; text-decoration: none; }
.ways a:hover { border-color: var(--accent); }
.ways svg { width: .9rem; height: .9rem; flex: none; }
.part { margin-top: var(--s7); display: grid; gap: var(--s4); }
.part > h2 { font-size: 1.75rem; }
.part > .lead { margin-top: calc(-1 * var(--s2)); }
.calm { padding: var(--s4) var(--s5); max-width: none; background: var(--good-soft); border-radius: var(--round); }
.notice-card { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: var(--s5); padding: clamp(var(--s4), 3vw, var(--s5)); background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); }
.notice-card:target { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent), var(--shadow); }
.date { align-self: start; min-width: 5.25rem; padding: var(--s3) var(--s2); text-align: center; border-radius: var(--round-small); background: var(--warn-soft); color: var(--warn); font-size: var(--tiny); font-weight: 600; line-height: 1.3; }
.date b { display: block; font-size: 1.875rem; font-weight: 700; line-height: 1.1; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
.entry-text { display: grid; gap: var(--s2); }
.kind { font-size: var(--tiny); font-weight: 650; letter-spacing: .06em; text-transform: uppercase; color: var(--ink-soft); }
.entry-text h3 { font-size: 1.0625rem; letter-spacing: 0; line-height: 1.45; }
.entry-text h3 a, .release h3 a { color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
.entry-text h3 a:hover, .release h3 a:hover { text-decoration: underline; }
.entry-text h3 a::after, .release h3 a::after { content: " #"; color: var(--accent); opacity: 0; }
.entry-text h3 a:hover::after, .entry-text h3 a:focus-visible::after, .release h3 a:hover::after, .release h3 a:focus-visible::after { opacity: 1; }
.entry-text h3 em { font-style: normal; color: var(--ink-soft); }
.entry-text h3 code { font-size: 1rem; }
.when strong { color: var(--warn); }
.when time { white-space: nowrap; }
.past { box-shadow: none; background: none; }
.past .date { background: var(--sunken); color: var(--ink-soft); }
.method { display: inline-block; margin-right: .25rem; padding: .1rem .5rem; border-radius: var(--round-small); font: 700 .75rem/1.5 var(--mono); vertical-align: .1em; color: var(--info); background: var(--info-soft); }
.POST { color: var(--good); background: var(--good-soft); }
.PATCH, .PUT { color: var(--warn); background: var(--warn-soft); }
.DELETE { color: var(--bad); background: var(--bad-soft); }
.release { display: grid; grid-template-columns: 11rem minmax(0, 1fr); gap: var(--s2) var(--s5); padding-top: var(--s5); border-top: 1px solid var(--line); }
.release header { position: sticky; top: calc(var(--bar) + var(--s4)); align-self: start; display: grid; gap: var(--s1); }
.release h3 { font-variant-numeric: tabular-nums; }
.release:target h3 a { color: var(--accent); }
.groups { display: grid; gap: var(--s3); }
.release h4:not(:first-child) { margin-top: var(--s4); }
.release ul { padding-left: 1.1rem; display: grid; gap: var(--s3); max-width: var(--measure); }
.release li { overflow-wrap: break-word; text-wrap: pretty; }
.release li::marker { color: var(--accent); }
p code, li code { background: var(--sunken); padding: .08em .32em; border-radius: .25rem; overflow-wrap: anywhere; }
@media (max-width: 46rem) {
  .release { grid-template-columns: minmax(0, 1fr); gap: var(--s4); }
  .release header { position: static; }
}
@media (max-width: 34rem) {
  main { padding-top: var(--s5); }
  .part { margin-top: var(--s6); }
  .notice-card { grid-template-columns: minmax(0, 1fr); gap: var(--s3); }
  .date, .brand small { display: none; }
}
@media print { body > header, .ways { display: none; } .notice-card { box-shadow: none; break-inside: avoid; } .release header { position: static; } }
`;
