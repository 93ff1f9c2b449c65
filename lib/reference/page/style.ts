/** Contains the CSS for the API reference page, in addition to the CSS that all pages share. */
export const referencePageCss: string = `
:root { --code: #17201b; --code-ink: #dde6df; --code-name: #8fdcc6; --code-word: #f0c483; --bar: 3.5rem; scroll-padding-top: calc(var(--bar) + 1.25rem); scroll-behavior: auto; }
@media (prefers-color-scheme: dark) { :root { --code: #0b0f0d; } }
[hidden] { display: none !important; }
header { position: sticky; top: 0; z-index: 5; height: var(--bar); display: flex; align-items: center; gap: var(--s4); padding: 0 clamp(var(--s4), 3vw, 2rem); background: var(--surface); border-bottom: 1px solid var(--line); }
.brand small { color: var(--ink-soft); font-weight: 500; font-size: 1em; }
header form { position: relative; flex: 1; max-width: 30rem; margin-inline: auto; display: block; }
header input { min-height: 2.25rem; padding: .3rem 2.25rem .3rem .8rem; border-radius: 99rem; background: var(--ground); font-size: var(--small); }
header kbd { position: absolute; right: .7rem; top: 50%; translate: 0 -50%; padding: 0 .4rem; font-size: var(--tiny); color: var(--ink-soft); border: 1px solid var(--line); border-radius: .25rem; background: var(--surface); }
header input:focus-visible { border-radius: 99rem; }
header input:focus + kbd { display: none; }
.raw { display: flex; gap: var(--s4); align-items: baseline; font-size: var(--small); white-space: nowrap; margin-left: auto; max-width: none; }
.raw a + a { font-family: var(--mono); }
form:not([hidden]) + .raw { margin-left: 0; }
.sides { display: grid; grid-template-columns: clamp(14rem, 19vw, 18.5rem) minmax(0, 1fr); max-width: 110rem; margin: 0 auto; }
nav { position: sticky; top: var(--bar); height: calc(100vh - var(--bar)); overflow-y: auto; padding: var(--s5) var(--s3) var(--s7) clamp(var(--s3), 2vw, 1.5rem); border-right: 1px solid var(--line); scrollbar-width: thin; overscroll-behavior: contain; }
nav section + section { margin-top: var(--s4); }
nav h2 { font-size: var(--small); letter-spacing: 0; }
nav h2 a { color: var(--ink); text-decoration: none; display: block; padding: .2rem .5rem; }
nav ul { list-style: none; padding: 0; margin-top: .15rem; }
nav li a { display: grid; grid-template-columns: 3.4rem 1fr; gap: .35rem; align-items: baseline; padding: .22rem .5rem; border-radius: var(--round-small); color: var(--ink-soft); text-decoration: none; font-size: .8125rem; line-height: 1.4; }
nav li a:hover, nav li a[aria-current] { background: var(--sunken); color: var(--ink); }
nav li a[aria-current] { box-shadow: inset 2px 0 var(--accent); }
nav li code { overflow-wrap: anywhere; font-size: .75rem; background: none; padding: 0; }
nav em, h3 em { font-style: normal; color: var(--ink-soft); }
nav .method { background: none; padding: 0; min-width: 0; text-align: left; font-size: .6875rem; }
main { padding: var(--s6) clamp(var(--s4), 3.5vw, 3rem) var(--s7); outline: none; min-width: 0; }
.intro > .lead { font-size: var(--large); margin-top: var(--s3); max-width: 60ch; }
.topics { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(21rem, 100%), 1fr)); gap: var(--s5) var(--s6); margin-top: var(--s6); }
.topics h2, .try h2, .refusals h2 { font-size: var(--body); margin-bottom: var(--s2); }
.topics p, .try p { font-size: var(--small); color: var(--ink-soft); }
.topics p + p { margin-top: var(--s2); }
.try, .refusals { margin-top: var(--s6); max-width: 46rem; }
.refusals ul { columns: 2 18rem; column-gap: var(--s6); }
.refusals li { break-inside: avoid; margin: 0; padding-block: .125rem; }
.try .code { margin-top: var(--s3); }
p code, dd code, main li code { background: var(--sunken); padding: .08em .32em; border-radius: .25rem; overflow-wrap: anywhere; }
.scopes { display: grid; gap: var(--s2); font-size: var(--small); color: var(--ink-soft); }
.scopes > div { display: grid; grid-template-columns: 7rem 1fr; gap: var(--s2); align-items: baseline; }
.found { margin-bottom: var(--s4); font-weight: 600; }
.area { margin-top: var(--s7); }
.found:not([hidden]) ~ .area { margin-top: 0; }
.area > h2 { font-size: 1.75rem; }
.area > .lead { margin-top: var(--s1); }
article { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, clamp(21rem, 33vw, 36rem)); gap: var(--s5) clamp(var(--s5), 3vw, var(--s6)); padding: var(--s6) 0; border-bottom: 1px solid var(--line); scroll-margin-top: 0; }
article:target > .entry-text > h3 { box-shadow: -.75rem 0 0 var(--ground), calc(-.75rem - 3px) 0 0 var(--accent); }
article h3 { display: flex; gap: var(--s3); align-items: baseline; letter-spacing: 0; }
article h3 a { color: var(--ink); text-decoration: none; overflow-wrap: anywhere; font-size: 1.0625rem; }
article h3 a:hover { text-decoration: underline; }
article h3 a::after { content: " #"; color: var(--accent); opacity: 0; }
article h3 a:hover::after, article h3 a:focus-visible::after { opacity: 1; }
.method { display: inline-block; min-width: 4.1rem; padding: .15rem .5rem; text-align: center; border-radius: var(--round-small); font: 700 .75rem/1.5 var(--mono); color: var(--info); background: var(--info-soft); }
.POST { color: var(--good); background: var(--good-soft); }
.PATCH, .PUT { color: var(--warn); background: var(--warn-soft); }
.DELETE { color: var(--bad); background: var(--bad-soft); }
.summary { margin-top: var(--s3); font-size: 1.0625rem; }
.meta { margin-top: var(--s2); font-size: var(--small); color: var(--ink-soft); }
.scope { display: inline-block; padding: 0 .5rem; border: 1px solid var(--edge); border-radius: 99rem; font: 600 .75rem/1.6 var(--mono); color: var(--ink); }
.scope.old { border-color: var(--warn); color: var(--warn); }
h4 { font-size: .8125rem; margin-top: var(--s5); }
summary h4, summary h3 { display: inline; margin: 0; }
summary { cursor: pointer; border-radius: var(--round-small); font-size: var(--small); }
.entry-text > details { margin-top: var(--s5); }
.fields { margin-top: var(--s2); font-size: var(--small); }
.fields > dt { padding-top: .5rem; border-top: 1px solid var(--line); }
.fields > dd { padding-bottom: .5rem; }
.fields dt > code { font-weight: 650; color: var(--ink); margin-right: .25rem; }
.fields dt span { color: var(--ink-soft); font-size: .8125rem; }
.fields dt span + span::before { content: "· "; }
.fields strong { font-weight: 600; color: var(--warn); }
.fields dt span code { background: none; padding: 0; }
.fields dd { color: var(--ink-soft); max-width: var(--measure); overflow-wrap: break-word; }
.fields .fields { margin: .4rem 0 0; padding-left: var(--s4); border-left: 2px solid var(--line); }
.fields .fields > dt:first-child { border-top: 0; }
.answers { list-style: none; overflow-wrap: anywhere; padding: 0; margin-top: var(--s2); font-size: var(--small); }
.answers b { font-family: var(--mono); font-size: .8125rem; }
.answers li { padding-left: 2.5rem; text-indent: -2.5rem; margin-top: .25rem; }
.answers li * { text-indent: 0; }
.answers li b { display: inline-block; min-width: 2.25rem; color: var(--bad); text-indent: 0; margin: 0; }
.answers li .good { color: var(--good); }
.statuses { color: var(--ink-soft); font-size: var(--small); margin-top: var(--s2); }
.shown { display: grid; gap: var(--s3); align-content: start; position: sticky; top: calc(var(--bar) + var(--s4)); align-self: start; max-height: calc(100vh - var(--bar) - 2rem); overflow-y: auto; scrollbar-width: thin; }
.code { position: relative; background: var(--code); color: var(--code-ink); border-radius: var(--round); border: 1px solid transparent; overflow: hidden; }
@media (prefers-color-scheme: dark) { .code { border-color: var(--line); } }
.code pre { padding: var(--s4); max-height: 26rem; overflow: auto; line-height: 1.55; scrollbar-width: thin; border-radius: var(--round); }
.code pre:focus-visible { outline-offset: -3px; outline-color: var(--code-name); }
.code code { font-size: .78125rem; background: none; padding: 0; }
.code b { font-weight: 500; color: var(--code-name); }
.code i { font-style: normal; color: var(--code-word); }
.code summary { padding: .45rem var(--s4); font: 600 .78125rem var(--mono); color: var(--code-ink); }
.code summary + pre { padding-top: .25rem; }
.code a { color: var(--code-name); }
.code > p { padding: 0 var(--s4) var(--s3); font-size: var(--small); }
.code button { position: absolute; top: .5rem; right: .5rem; min-height: 1.75rem; padding: 0 .65rem; font-size: .75rem; background: #2b3831; color: #e9f1eb; border-color: #45554c; }
.shapes > details { border-bottom: 1px solid var(--line); padding: var(--s3) 0; max-width: 56rem; }
.shapes h3 { font-size: var(--body); font-family: var(--mono); font-weight: 600; letter-spacing: 0; }
.shapes .code { margin-top: var(--s4); }
.shapes .lead { margin-bottom: var(--s4); }
@media (min-width: 60rem) { .shapes details > .fields { display: grid; grid-template-columns: minmax(12rem, 2fr) 3fr; column-gap: 0; } .shapes details > .fields > * { padding: .5rem 0; border-top: 1px solid var(--line); max-width: none; } .shapes details > .fields > dt { padding-right: var(--s4); } .shapes > details { max-width: 64rem; } }
@media (max-width: 68rem) {
  article { grid-template-columns: minmax(0, 1fr); }
  .shown { position: static; max-height: none; }
}
@media (max-width: 60rem) {
  .sides { display: block; }
  nav { position: static; height: auto; display: flex; flex-wrap: wrap; gap: var(--s2); padding: var(--s3) var(--s4); border-right: 0; border-bottom: 1px solid var(--line); }
  nav section + section { margin: 0; }
  nav ul { display: none; }
  nav h2 a { border: 1px solid var(--line); border-radius: 99rem; padding: .3rem .75rem; background: var(--surface); font-weight: 550; }
  header kbd { display: none; }
  header input { padding-right: .8rem; font-size: 1rem; }
  .shown { margin-inline: 0; }
}
@media (max-width: 34rem) {
  header { gap: var(--s3); }
  form:not([hidden]) + .raw a + a, .brand small { display: none; }
  .brand span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  article h3 { flex-wrap: wrap; gap: .4rem; }
  article h3 a { flex-basis: 100%; font-size: 1rem; }
  .scopes > div { grid-template-columns: 6.5rem 1fr; }
  main { padding-top: var(--s5); }
}
@media print { header, nav, .code button { display: none; } .sides { display: block; } .code { color: #000; background: none; border: 1px solid #999; } .code b, .code i { color: #000; } article { break-inside: avoid; display: block; } }
`;
