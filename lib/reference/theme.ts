/**
 * Defines the CSS that all pages share: light and dark colours, fonts, spacing, forms, buttons and cards. The CSS is a
 * string, because the executable cannot contain asset files. A test checks the colour contrast (WCAG AA): at least 4.5
 * for text and 3 for the borders of input fields.
 */

const LIGHT = `
  --ground: #f5f6f3; --surface: #ffffff; --sunken: #eceee9; --line: #d8ddd5; --edge: #7d867b;
  --ink: #191f1b; --ink-soft: #4d574f; --accent: #0a5f50; --on-accent: #ffffff; --accent-soft: #dcefe8;
  --good: #17652f; --good-soft: #def2e2; --warn: #7d4b00; --warn-soft: #fbeccf; --bad: #a3211b; --bad-soft: #fbe4e1; --info: #1d4f91; --info-soft: #e1ebf8;
  --shadow: 0 1px 2px rgb(25 31 27 / .06), 0 8px 24px rgb(25 31 27 / .07);`;

const DARK = `
  --ground: #101412; --surface: #181d1a; --sunken: #0b0e0c; --line: #2c342f; --edge: #748178;
  --ink: #e8ede9; --ink-soft: #a8b3ab; --accent: #70d4b9; --on-accent: #06231c; --accent-soft: #17342c;
  --good: #7fd796; --good-soft: #14311d; --warn: #efbd6a; --warn-soft: #37280c; --bad: #ff9d94; --bad-soft: #401a17; --info: #9cc3ff; --info-soft: #15294a;
  --shadow: 0 1px 2px rgb(0 0 0 / .4), 0 8px 24px rgb(0 0 0 / .35);`;

/** The CSS that each page includes before its own CSS. Classes: page, card, lead, callout (good, warn, bad), button. */
export const sharedPageCss: string = `
:root { color-scheme: light dark; ${LIGHT}
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
  --tiny: .75rem; --small: .875rem; --body: 1rem; --large: 1.1875rem; --title: 1.5rem; --display: clamp(1.75rem, 1.4rem + 1.6vw, 2.375rem);
  --s1: .25rem; --s2: .5rem; --s3: .75rem; --s4: 1rem; --s5: 1.5rem; --s6: 2.5rem; --s7: 4rem;
  --round: .625rem; --round-small: .375rem; --measure: 66ch;
}
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: var(--s5); }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); font: var(--body)/1.6 var(--sans); text-rendering: optimizeLegibility; }
h1, h2, h3, h4, p, ul, ol, dl, dd, figure, pre, fieldset { margin: 0; }
h1, h2, h3, h4 { line-height: 1.2; font-weight: 650; letter-spacing: -.012em; text-wrap: balance; }
h1 { font-size: var(--display); letter-spacing: -.022em; }
h2 { font-size: var(--title); }
h3 { font-size: var(--large); }
h4 { font-size: var(--body); }
p { max-width: var(--measure); text-wrap: pretty; }
a { color: var(--accent); text-decoration-thickness: .06em; text-underline-offset: .18em; }
a:hover { text-decoration-thickness: .12em; }
code, pre, kbd, samp { font-family: var(--mono); font-size: .875em; }
pre { overflow-x: auto; }
hr { border: 0; border-top: 1px solid var(--line); margin: var(--s5) 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
::selection { background: var(--accent); color: var(--on-accent); }
.page { max-width: 28rem; margin: 0 auto; padding: clamp(var(--s5), 12vh, 8rem) var(--s4) var(--s6); display: grid; gap: var(--s5); }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); padding: clamp(var(--s4), 5vw, 2rem); display: grid; gap: var(--s4); }
.brand { display: inline-flex; align-items: center; gap: var(--s2); color: var(--ink); font-weight: 650; letter-spacing: -.01em; text-decoration: none; }
.brand svg { width: 1.75rem; height: 1.75rem; color: var(--accent); flex: none; }
.lead { color: var(--ink-soft); }
.small { font-size: var(--small); }
form { display: grid; gap: var(--s4); }
label { display: grid; gap: var(--s1); font-weight: 600; font-size: var(--small); }
label .hint, .hint { font-weight: 400; font-size: var(--small); color: var(--ink-soft); }
input, select, textarea { width: 100%; min-height: 2.75rem; padding: .55rem .75rem; font: inherit; font-size: var(--body); font-weight: 400; color: var(--ink); background: var(--surface); border: 1px solid var(--edge); border-radius: var(--round-small); }
input[type=checkbox], input[type=radio] { width: 1.15rem; min-height: 1.15rem; height: 1.15rem; accent-color: var(--accent); }
input::placeholder { color: var(--ink-soft); opacity: 1; }
input:focus-visible, select:focus-visible, textarea:focus-visible { outline-offset: 0; border-color: var(--accent); border-radius: var(--round-small); }
[aria-invalid=true] { border-color: var(--bad); }
button, .button { display: inline-flex; align-items: center; justify-content: center; gap: var(--s2); min-height: 2.75rem; padding: .5rem 1.1rem; font: inherit; font-weight: 600; color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: var(--round-small); cursor: pointer; text-decoration: none; }
button:hover, .button:hover { filter: brightness(1.08); }
button.quiet, .button.quiet { color: var(--accent); background: transparent; border-color: var(--line); }
button[disabled] { opacity: .6; cursor: not-allowed; }
.callout { padding: var(--s3) var(--s4); border-radius: var(--round-small); background: var(--accent-soft); color: var(--ink); border-inline-start: 3px solid var(--accent); }
.callout.good { background: var(--good-soft); border-color: var(--good); }
.callout.warn { background: var(--warn-soft); border-color: var(--warn); }
.callout.bad { background: var(--bad-soft); border-color: var(--bad); }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: var(--s3); top: -4rem; z-index: 9; padding: var(--s2) var(--s4); background: var(--surface); border-radius: var(--round-small); }
.skip:focus { top: var(--s3); }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
@media print { body { background: #fff; color: #000; } .card { box-shadow: none; } }
`;

/** The logo as SVG, in the colour of the surrounding text. Screen readers skip the logo, as the name is next to it. */
export const LOGO_SVG: string =
  `<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" aria-hidden="true"><circle cx="16" cy="16" r="13"/><circle cx="16" cy="16" r="3.2" fill="currentColor" stroke="none"/><path d="M16 3v8M16 21v8M3 16h8M21 16h8M6.8 6.8l5.7 5.7M19.5 19.5l5.7 5.7M6.8 25.2l5.7-5.7M19.5 12.5l5.7-5.7"/></svg>`;
