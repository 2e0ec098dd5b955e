// The style of report.html and index.html: what a document and its template add to the style sheet of the workspace.
import { type ReportTemplate, withContrast } from '../../tracker/changes/client-reports.ts';

const document = `
html { scroll-behavior: smooth; scroll-padding-top: 3.5rem; -webkit-text-size-adjust: 100%; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
.document { margin: 0 auto; padding: 0 1.5rem 3rem; max-width: 84rem; font-variant-numeric: tabular-nums; }
[hidden] { display: none !important; }
.document > header { justify-content: space-between; align-items: flex-start; padding: 1.5rem 0 1rem; border: 0; background: none; }
.document h1 { font-size: 1.8rem; line-height: 1.2; margin: 0; overflow-wrap: anywhere; }
.document h3 { font-size: 1rem; margin: 0; }
.document > main { padding: 0; max-width: none; }
.document > main > section { padding-top: 2rem; }
.document > main > section > h2 { font-size: 1.3rem; margin-bottom: 0.8rem; }
.document > nav { position: sticky; top: 0; z-index: 6; margin: 0 -1.5rem; padding: 0 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.document > nav ul { flex-wrap: nowrap; gap: 1.4rem; padding: 0.35rem 0; overflow-x: auto; }
.document > nav a { white-space: nowrap; }
.document > footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.87rem; }
.document > header .title { max-width: 100%; }
.kicker { margin: 0 0 0.3rem; color: var(--soft); font-size: 0.8rem; letter-spacing: 0.08em; text-transform: uppercase; }
.run-facts { margin: 0.4rem 0 0; color: var(--soft); overflow-wrap: anywhere; }
.banner { margin: 0 0 0.75rem; padding: 0.7rem 1rem; background: light-dark(#fff6dd, #2b2410); border-left: 4px solid light-dark(#d9a400, #a17c12); }
.banner strong, .warn { color: light-dark(#7a5200, #f0c75e); }
.lead { margin: 0 0 0.75rem; color: var(--soft); max-width: 60rem; }
.sub { display: block; color: var(--soft); font-size: 0.83rem; font-weight: 400; }
.tag { display: inline-block; max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; padding: 0 0.4em; border: 1px solid var(--line); border-radius: 3px; color: var(--soft); font-size: 0.78rem; line-height: 1.45; }
.up, .down { white-space: nowrap; }
.arrow { font-size: 0.7em; margin-right: 0.3em; vertical-align: 0.1em; }
.prose { max-width: 46rem; white-space: pre-line; }
.logo { display: block; max-width: 16rem; max-height: 4rem; margin: 0 0 0.75rem; }
.print-only { display: none; }
.document > main .scroll { margin: 0 0 1.25rem; }
.document .scroll caption { font-weight: 600; color: var(--ink); }
.document thead th { color: var(--soft); font-weight: 500; font-size: 0.87rem; }
.document .scroll table { font-size: 0.93rem; } .document .scroll thead th { white-space: normal; vertical-align: bottom; }
.document .scroll :is(th, td):first-child { padding-left: 0; } .document .scroll :is(th, td):last-child { padding-right: 0; } .document .scroll tbody th { min-width: 7rem; overflow-wrap: anywhere; }
.document .scroll td.long { min-width: 10rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 0.5rem 2.5rem; }
.totals { margin-bottom: 1.25rem; } .totals h3 { margin-bottom: 0.6rem; }
details.others { margin: -0.5rem 0 1.25rem; } details.others .totals { margin-top: 1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30rem, 100%), 1fr)); gap: 1.5rem 2.5rem; }
.figures > :nth-child(odd):last-child { grid-column: 1 / -1; }
.figure { margin: 0; min-width: 0; } .figure figcaption p { margin: 0.2rem 0 0.6rem; color: var(--soft); font-size: 0.87rem; }
.figure .chart { height: 17rem; }
details > summary { cursor: pointer; color: var(--soft); } .figure details .scroll { max-height: 18rem; margin-top: 0.5rem; overflow: auto; }
.about dt { font-weight: 600; color: var(--ink); } .about dd { margin: 0 0 0.6rem; color: var(--soft); max-width: 60rem; text-align: left; }
.figures + h3 { margin-top: 1.25rem; } .marks { padding-left: 1.4rem; margin: 0.4rem 0; } .marks time { color: var(--soft); margin-right: 0.5em; }
dialog { width: min(60rem, calc(100vw - 2rem)); max-height: calc(100vh - 2rem); padding: 1.5rem; background: var(--paper); color: var(--ink); border: 1px solid var(--line); border-radius: 8px; }
dialog::backdrop { background: rgb(0 0 0 / 45%); }
dialog > button:first-of-type { float: right; }
@media screen and (max-width: 48rem) {
  .document { padding: 0 1rem 2rem; } .document > nav { margin: 0 -1rem; padding: 0 1rem; } .document h1 { font-size: 1.5rem; }
  .figure .chart { height: 14rem; } dialog { padding: 1rem; }
}
@page { margin: 14mm 12mm; }
@media print {
  html { font-size: 9.5pt; }
  .document { max-width: none; padding: 0; }
  .document > nav, #theme-place, noscript, dialog, .document details { display: none !important; }
  .print-only { display: block; color: var(--soft); } .print-only.others { color: inherit; }
  .document > main > section { padding-top: 1.4rem; }
  h2, h3, caption, figcaption { break-after: avoid; }
  figure, .tile { break-inside: avoid; }
  .document .scroll { overflow: visible; } .document .scroll table { font-size: 8.5pt; } .document .scroll thead th { font-size: 8pt; }
  .document .scroll :is(th, td) { padding: 0.3rem 0.25rem; min-width: 0; white-space: normal; } .document .scroll tbody th { min-width: 5rem; }
  .document thead th { vertical-align: bottom; }
  .totals .headline { grid-template-columns: repeat(4, 1fr); }
  .pair { grid-template-columns: 1fr 1fr; gap: 1rem 1.5rem; }
  .figures { display: block; }
}
`;

const darkPaper = '#15181c';
const textContrastMin = 4.5;
const lineContrastMin = 3;

/** The colours of a template, and lighter ones on dark screens. */
function templateColours({ accent, series }: ReportTemplate): string {
  const pair = (colour: string, contrastMin: number): string =>
    `light-dark(${colour}, ${withContrast(colour, darkPaper, contrastMin)})`;
  const chosen = series.map((colour, at) => `--series-${at + 1}: ${pair(colour, lineContrastMin)};`);
  if (accent !== null) chosen.push(`--link: ${pair(accent, textContrastMin)};`);
  if (chosen.length === 0) return '';
  const line = accent === null ? '' : '.document > header { border-top: 4px solid var(--link); }';
  return `:root { ${chosen.join(' ')} }\n${line}\n`;
}

/** `client`: the style sheet of the workspace. */
export function documentStyle(client: string, template: ReportTemplate): string {
  return `${client}\n${document}${templateColours(template)}`;
}
