/** CSS for components that several portal pages use. */
export const componentStyle: string = `
button, .button { min-height: 2.25rem; padding: .3rem .85rem; font-size: var(--small); }
button.quiet, .button.quiet { color: var(--ink); background: var(--surface); border-color: var(--line); }
button.quiet:hover, .button.quiet:hover { border-color: var(--edge); filter: none; }
button.danger, .button.danger { color: var(--bad); background: var(--surface); border-color: var(--bad); }
button.danger:hover, .button.danger:hover { background: var(--bad-soft); filter: none; }
button.plain { color: var(--ink-soft); background: none; min-width: 2.25rem; padding: .3rem; }
button.plain:hover { color: var(--ink); background: var(--sunken); filter: none; }
input, select, textarea { min-height: 2.5rem; padding: .4rem .7rem; font-size: .9375rem; }
form.inline { display: inline-flex; gap: var(--s2); align-items: center; }
.filters { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: end; }
.filters .field { flex: 0 1 11rem; }
.filters .field:has([type=search]) { flex: 1 1 16rem; max-width: 22rem; }
.filters button { min-height: 2.5rem; }
.panel { display: grid; gap: var(--s4); padding: var(--s4) clamp(var(--s4), 2vw, var(--s5)) var(--s5); background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); min-width: 0; }
.panel > header { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; justify-content: space-between; min-height: 2.25rem; }
.panel h2 { font-size: var(--body); }
.panel h3 { font-size: var(--small); }
.two-columns { display: grid; gap: var(--s5); grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
.column { display: grid; gap: var(--s5); min-width: 0; }
@media (max-width: 64rem) { .two-columns { grid-template-columns: minmax(0, 1fr); } }
.badge { display: inline-flex; align-items: center; gap: .3rem; padding: .1rem .55rem .1rem .4rem; border-radius: 1rem; font-size: var(--tiny); font-weight: 600; line-height: 1.35rem; white-space: nowrap; color: var(--ink-soft); background: var(--sunken); }
.badge .icon { width: .9rem; height: .9rem; stroke-width: 2.6; }
.badge.good { color: var(--good); background: var(--good-soft); }
.badge.info { color: var(--info); background: var(--info-soft); }
.badge.warn { color: var(--warn); background: var(--warn-soft); }
.badge.bad { color: var(--bad); background: var(--bad-soft); }
.empty { display: grid; gap: var(--s3); justify-items: center; text-align: center; padding: clamp(var(--s5), 6vw, var(--s7)) var(--s4); border: 1px dashed var(--line); border-radius: var(--round); }
.empty h2 { font-size: var(--large); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: var(--s4); }
.facts dt { font-size: var(--tiny); color: var(--ink-soft); font-weight: 600; }
.facts dd { overflow-wrap: anywhere; font-size: .9375rem; }
.counts { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.counts li { box-shadow: 1px 0 0 var(--line), 0 1px 0 var(--line); padding: var(--s3) var(--s4); display: grid; align-content: start; }
.counts b { font-size: var(--title); font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.counts .none { color: var(--ink-soft); font-weight: 450; }
.counts i .icon { width: .8em; height: .8em; }
.counts .bad, .restore-tests .bad { color: var(--bad); }
.counts .warn { color: var(--warn); }
.counts li > span { font-size: var(--tiny); color: var(--ink-soft); }
.list { list-style: none; padding: 0; background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.list > li { position: relative; display: grid; gap: var(--s1) var(--s4); align-items: center; padding: var(--s3) var(--s4); min-height: 3.75rem; overflow-wrap: anywhere; }
.list > li + li { border-top: 1px solid var(--line); }
.list > li:hover { background: color-mix(in srgb, var(--sunken) 45%, transparent); }
.list .name { display: grid; min-width: 0; font-size: .9375rem; font-weight: 600; }
.list .name a { color: var(--ink); text-decoration: none; }
.list .name a:hover { text-decoration: underline; }
.list .cover::after { content: ""; position: absolute; inset: 0; }
.list .cover:focus-visible { outline: none; }
.list > li:has(.cover:focus-visible) { outline: 2px solid var(--accent); outline-offset: -2px; border-radius: var(--round-small); }
.list .above { position: relative; z-index: 1; }
.tiny { font-size: var(--tiny); font-weight: 400; }
.small { font-size: var(--small); }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { position: relative; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round); background: var(--surface); }
.panel .scroll { border-radius: var(--round-small); }
table { border-collapse: collapse; width: 100%; font-size: var(--small); }
th { text-align: start; font-size: var(--tiny); font-weight: 600; color: var(--ink-soft); background: var(--sunken); white-space: nowrap; }
th, td { padding: .55rem var(--s4); vertical-align: top; }
tbody tr + tr td { border-top: 1px solid var(--line); }
td time { white-space: nowrap; }
time { font-variant-numeric: tabular-nums; }
.pager { margin: 0; }
.copy { display: flex; flex-wrap: wrap; gap: var(--s2); align-items: center; min-width: 0; }
.copy code { padding: .35rem .6rem; background: var(--sunken); border-radius: var(--round-small); overflow-wrap: anywhere; min-width: 0; }
.progress { display: grid; gap: var(--s1); }
progress { appearance: none; width: 100%; height: .4rem; border: 0; border-radius: 1rem; overflow: hidden; background: var(--sunken); color: var(--accent); }
progress::-webkit-progress-bar { background: var(--sunken); border-radius: 1rem; }
progress::-webkit-progress-value { background: var(--accent); border-radius: 1rem; }
progress::-moz-progress-bar { background: var(--accent); border-radius: 1rem; }
pre.log { padding: var(--s3) var(--s4); background: var(--sunken); border-radius: var(--round-small); font-size: var(--tiny); line-height: 1.55; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.menu { position: relative; }
.menu summary { list-style: none; cursor: pointer; }
.menu summary::-webkit-details-marker { display: none; }
.menu > ul { position: absolute; z-index: 5; inset-inline-end: 0; top: calc(100% + .25rem); min-width: 15rem; list-style: none; padding: var(--s1); background: var(--surface); border: 1px solid var(--line); border-radius: var(--round-small); box-shadow: var(--shadow); }
.menu li a { display: block; padding: .45rem var(--s3); border-radius: var(--round-small); color: var(--ink); font-size: var(--small); text-decoration: none; }
.menu li a:hover, .menu li a:focus-visible { background: var(--accent-soft); }
.menu li.danger a { color: var(--bad); }
dialog { border: 1px solid var(--line); border-radius: var(--round); background: var(--surface); color: var(--ink); box-shadow: var(--shadow); padding: var(--s5); max-width: 26rem; width: calc(100% - 2rem); }
dialog::backdrop { background: rgb(0 0 0 / .35); }
dialog dl { display: grid; grid-template-columns: auto 1fr; gap: var(--s2) var(--s4); margin: var(--s4) 0; font-size: var(--small); }
dialog button { margin-top: var(--s4); }
label.tickbox { display: flex; align-items: center; gap: var(--s2); }
kbd { padding: .05rem .4rem; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: .3rem; background: var(--sunken); }
@media (max-width: 40rem) { .filters .field { flex: 1 1 8rem; } .filters .field:has([type=search]) { flex-basis: 100%; max-width: none; } }
@media (prefers-reduced-motion: no-preference) {
  .badge .work { animation: turn 1.6s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
}
`;
