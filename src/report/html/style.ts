// The style of the report: light, dark, narrow and print; system fonts, tabular numbers, colour-blind safe.
import { printStyle } from './style-print.ts';

/** Good is blue and bad is vermilion (Okabe and Ito), each with an arrow: no meaning depends on colour alone. */
const light = `
  color-scheme: light;
  --paper: #ffffff; --raised: #f6f7f9; --ink: #16191d; --soft: #4d5560; --faint: #66707c; --rule: #dde1e6; --rule-strong: #b9c0c8;
  --accent: #0b5394; --good: #0a5fa8; --bad: #b03a06; --warn: #7a5200; --warn-paper: #fff6dd; --warn-rule: #d9a400;
  --series-1: #0b5fa5; --series-2: #c2410c; --series-3: #0f7b63; --series-4: #8a3f87; --series-5: #8a6a00; --series-6: #3f7fb5;
  --bucket-1: #08306b; --bucket-2: #08519c; --bucket-3: #2e7ebc; --bucket-4: #6aaed6; --bucket-5: #a6cde4; --bucket-6: #d3e4f3; --bucket-7: #c9ccd1; --bucket-8: #eceef0;
`;
const dark = `
  color-scheme: dark;
  --paper: #14171a; --raised: #1d2125; --ink: #e8eaed; --soft: #b4bcc5; --faint: #97a1ac; --rule: #2d3339; --rule-strong: #4a525b;
  --accent: #8cc2f5; --good: #7db8f0; --bad: #ff9a66; --warn: #f0c75e; --warn-paper: #2b2410; --warn-rule: #a17c12;
  --series-1: #6fb3f2; --series-2: #ff9a66; --series-3: #4fc9a7; --series-4: #d79bd4; --series-5: #e0bd4f; --series-6: #a3cdf2;
  --bucket-1: #d6e9fa; --bucket-2: #a9d0f3; --bucket-3: #74b1e6; --bucket-4: #468fcb; --bucket-5: #2c6a9e; --bucket-6: #234b6c; --bucket-7: #565e67; --bucket-8: #2d3339;
`;

const page = `
* { box-sizing: border-box; }
html { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; scroll-behavior: smooth; scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0 auto; padding: 0 1.5rem 3rem; max-width: 84rem; background: var(--paper); color: var(--ink); font-variant-numeric: tabular-nums; }
h1, h2, h3 { line-height: 1.2; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
h1 { font-size: 2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin-bottom: 0.9rem; }
h3 { font-size: 1rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
[hidden] { display: none !important; }
.unseen, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: fixed; top: 0.5rem; left: 0.5rem; z-index: 9; padding: 0.5rem 1rem; background: var(--paper); border: 1px solid var(--rule-strong); }
.faint { color: var(--faint); } .same { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.good, .bad { font-weight: 600; white-space: nowrap; }
.arrow { font-size: 0.7em; margin-right: 0.3em; vertical-align: 0.1em; }
.lead { color: var(--soft); max-width: 60rem; }
.print-only, .on-paper { display: none; }

header { display: flex; justify-content: space-between; align-items: flex-start; gap: 1rem; padding: 2.25rem 0 1.25rem; }
.kicker { margin: 0 0 0.3rem; color: var(--faint); font-size: 0.8rem; letter-spacing: 0.08em; text-transform: uppercase; }
.facts { margin: 0.5rem 0 0; color: var(--soft); overflow-wrap: anywhere; }
.banner { padding: 0.7rem 1rem; background: var(--warn-paper); border-left: 4px solid var(--warn-rule); }
.banner strong { color: var(--warn); }
nav { position: sticky; top: 0; z-index: 5; background: var(--paper); border-bottom: 1px solid var(--rule); margin: 0 -1.5rem; padding: 0 1.5rem; }
nav ul { display: flex; gap: 1.4rem; margin: 0; padding: 0.7rem 0; list-style: none; overflow-x: auto; }
nav a { color: var(--soft); text-decoration: none; white-space: nowrap; } nav a:hover { color: var(--ink); text-decoration: underline; }
section { padding-top: 2.25rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--faint); font-size: 0.87rem; }

.headline { margin-bottom: 1.75rem; } .headline h3 { margin-bottom: 0.6rem; } details.others { margin: -0.75rem 0 1.5rem; } details.others .headline { margin-top: 1rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.6rem, 1fr)); margin: 0; border: 1px solid var(--rule); border-radius: 6px; overflow: hidden; }
.card { padding: 0.85rem 0.9rem 0.8rem; margin: 0 -1px -1px 0; border: solid var(--rule); border-width: 0 1px 1px 0; }
.card dt { color: var(--soft); font-size: 0.87rem; } .card dd { margin: 0.15rem 0 0; }
.card .value { font-size: 1.6rem; font-weight: 600; letter-spacing: -0.02em; line-height: 1.3; } .card .change:empty { display: none; } .card .change { display: block; font-size: 0.9rem; } .card .note { display: block; color: var(--faint); font-size: 0.8rem; line-height: 1.35; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 2rem 2.5rem; }
.charts > :nth-child(odd):last-child { grid-column: 1 / -1; }
.chart { margin: 0; min-width: 0; } figcaption p { margin: 0.2rem 0 0.6rem; color: var(--soft); font-size: 0.87rem; }
.canvas { position: relative; height: 17rem; }
details { margin-top: 0.5rem; } summary { cursor: pointer; color: var(--soft); font-size: 0.87rem; } details .scroll { max-height: 18rem; margin-top: 0.5rem; }

.scroll { overflow: auto; margin-bottom: 1.25rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 0.5rem 2.5rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
caption { text-align: left; font-weight: 600; padding: 0 0 0.4rem; } .keywords caption { color: var(--soft); font-weight: 400; font-size: 0.87rem; }
th, td { padding: 0.42rem 0.6rem; text-align: left; vertical-align: baseline; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { padding-left: 0; } th:last-child, td:last-child { padding-right: 0; }
thead th { color: var(--soft); font-weight: 500; font-size: 0.83rem; border-bottom-color: var(--rule-strong); white-space: nowrap; }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 8rem; } .sub { display: block; color: var(--faint); font-size: 0.83rem; } .narrow { display: none; } td { overflow-wrap: break-word; }
td.long { min-width: 10rem; } .number { text-align: right; white-space: nowrap; } tbody .date { min-width: 0; overflow-wrap: normal; } .date, .market, .trend { white-space: nowrap; } .url { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.tag { display: inline-block; max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; padding: 0 0.4em; border: 1px solid var(--rule-strong); border-radius: 3px; color: var(--soft); font-size: 0.78rem; line-height: 1.45; }
.keywords td.target { min-width: 7rem; max-width: 12rem; overflow-wrap: anywhere; }
.keywords tbody :is(th, td) { vertical-align: top; } .keywords tbody th { min-width: 12rem; } .keywords tbody tr:hover { background: var(--raised); }
.keywords td.trend { padding-top: 0.42rem; padding-bottom: 0; }
.spark { display: block; } .spark path { fill: none; stroke-linecap: round; stroke-linejoin: round; }
.spark-line { stroke: var(--series-1); stroke-width: 1.6; } .spark-absent { stroke: var(--rule-strong); stroke-width: 1.6; } .spark-end { fill: var(--series-1); }

button, select, input { font: inherit; color: inherit; }
button { cursor: pointer; padding: 0.35rem 0.8rem; background: var(--raised); border: 1px solid var(--rule-strong); border-radius: 4px; } button:disabled { color: var(--faint); cursor: default; }
button.quiet { background: none; color: var(--soft); white-space: nowrap; }
button.open { padding: 0; border: 0; background: none; color: var(--ink); text-align: left; text-decoration: underline; text-decoration-color: var(--rule-strong); text-underline-offset: 3px; } button.open:hover { color: var(--accent); text-decoration-color: currentColor; }
th[data-sort] button { padding: 0; border: 0; background: none; color: inherit; } th[data-sort] button:hover { color: var(--ink); text-decoration: underline; }
th[aria-sort="ascending"] button::after { content: " \\2191"; } th[aria-sort="descending"] button::after { content: " \\2193"; } th[aria-sort] { color: var(--ink); }
select, input { padding: 0.35rem 0.5rem; background: var(--paper); border: 1px solid var(--rule-strong); border-radius: 4px; max-width: 100%; }
.filters { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: flex-end; margin-bottom: 1rem; } .filters label { display: flex; flex-direction: column; gap: 0.15rem; color: var(--soft); font-size: 0.83rem; } .filters input, .filters select { font-size: 0.95rem; color: var(--ink); } .filters .wide { flex: 1 1 14rem; max-width: 26rem; } .filters select { max-width: 12rem; }
.pager { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; color: var(--soft); } .pager p { margin: 0; flex: 1 1 12rem; } .buttons { display: flex; gap: 0.5rem; }

dialog { width: min(60rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem); padding: 1.5rem; background: var(--paper); color: var(--ink); border: 1px solid var(--rule-strong); border-radius: 8px; }
dialog .canvas + h3, dialog details + h3, dialog ul + h3 { margin-top: 1.2rem; }
dialog::backdrop { background: rgb(0 0 0 / 45%); }
.dialog-head { display: flex; justify-content: space-between; gap: 1rem; align-items: flex-start; margin-bottom: 0.75rem; } .dialog-head h3 { font-size: 1.3rem; overflow-wrap: anywhere; }
.pairs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 45%), 1fr)); gap: 0.6rem 1.5rem; margin: 0 0 1rem; } .pairs dt { color: var(--soft); font-size: 0.83rem; } .pairs dd { margin: 0; overflow-wrap: anywhere; } .pairs .wide { grid-column: 1 / -1; }
.about dt { font-weight: 600; } .about dd { margin: 0 0 0.6rem; color: var(--soft); max-width: 60rem; }
.charts + h3 { margin-top: 1.5rem; } .marks { padding-left: 1.4rem; margin: 0.4rem 0; } .marks time { color: var(--soft); margin-right: 0.5em; }
@media screen and (max-width: 48rem) {
  body { padding: 0 1rem 2rem; } nav { margin: 0 -1rem; padding: 0 1rem; } header { padding-top: 1.25rem; } h1 { font-size: 1.6rem; }
  thead th, thead .number { white-space: normal; vertical-align: bottom; }
  .minor, .keywords .market, .keywords .target { display: none; } .sub.narrow { display: block; } th, td { padding-left: 0.4rem; padding-right: 0.4rem; } .cards { grid-template-columns: repeat(2, 1fr); } .canvas { height: 14rem; }
  tbody th { min-width: 7rem; } .keywords tbody th { min-width: 9rem; } .spark { width: 64px; }
}
`;

export const style = `
:root { ${light} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${dark} } }
:root[data-theme="dark"] { ${dark} }
.paper { ${light} display: none; }
${page}
${printStyle(light)}`;
