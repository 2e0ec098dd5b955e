// The print style of the report: light colours, all sections, no controls.

/** `light`: the colours of the light theme, which paper uses. */
export function printStyle(light: string): string {
  return `
@page { margin: 14mm 12mm; }
@media print {
  :root, :root[data-theme="dark"], :root:not([data-theme="light"]) { ${light} }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, #theme, .filters, .pager, .skip, noscript, dialog, details { display: none !important; }
  .print-only { display: block; color: var(--soft); }
  /* a heading that the next page repeats has text, but no buttons */
  .on-paper { display: inline; }
  th[data-sort] button { display: none; }
  .print-only.others { color: inherit; }
  header { padding-top: 0; }
  section { padding-top: 1.4rem; }
  h2, h3, caption, figcaption { break-after: avoid; }
  figure, .card, tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .cards { grid-template-columns: repeat(4, 1fr); }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  td.long { min-width: 0; }
  thead th, .number { white-space: normal; }
  thead th { vertical-align: bottom; }
  .pair { grid-template-columns: 1fr 1fr; gap: 1rem 1.5rem; }
  .charts { display: block; }
  .canvas { display: none; }
  .paper { display: block; margin-bottom: 1rem; }
  .paper canvas { width: 100% !important; height: auto !important; }
  .minor { display: none; }
  .keywords { font-size: 8pt; }
  tbody th, .keywords tbody th { min-width: 5rem; }
  .market, .keywords td.target { white-space: normal; }
  th, td { padding: 0.3rem 0.25rem; }
  a { color: inherit; text-decoration: none; }
  button.open { text-decoration: none; }
}
`;
}
