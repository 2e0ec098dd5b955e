// report.html: one self-contained file, drawn by its script from the data in it. Pure: facts in, chunks of HTML out.
import { gzipSync } from 'node:zlib';
import { commentsOn } from '../../tracker/changes/client-reports.ts';
import { marketName } from '../../tracker/project.ts';
import type { PageRow } from './data/page-data.ts';
import type { PageAssets, PageFacts, ReportFacts } from './data/page-facts.ts';
import { documentHead } from './document-head.ts';
import { headlineElement } from './headline.ts';
import { documentStyle } from './style.ts';
import { html, type Markup } from './text/markup.ts';
import { table } from './text/tables.ts';
import { delta, longDate, maybe, number, rankChange, rankText } from './text/words.ts';

/** Unpacks the script of the page and runs it. */
const loader = `
const packed = Uint8Array.from(atob(document.getElementById('report-script').textContent), (byte) => byte.charCodeAt(0));
const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
new Response(unpacked).text().then((text) => document.body.append(Object.assign(document.createElement('script'), { textContent: text })));
`;

export function* reportPage(facts: PageFacts, { script, style }: PageAssets): Generator<string> {
  yield documentHead({
    title: `${facts.project}: ranks of ${longDate(facts.run.slot)}`,
    style: documentStyle(style, facts.template),
    scripts: [loader, script],
    more: headlineElement(facts),
  }).text;
  yield html`<body><div id="app"></div><noscript>${plainReport(facts)}</noscript>`.text;
  yield `<script type="application/json" id="report-facts">${embedded(reportFacts(facts))}</script>`;
  yield `<script type="text/plain" id="report-data">${packed(JSON.stringify(facts.data))}</script>`;
  yield `<script type="text/plain" id="report-script">${packed(script)}</script>`;
  yield `<script>${loader}</script>\n</body>\n</html>\n`;
}

function reportFacts({
  data: _,
  summary,
  movers,
  competitors,
  tables,
  generatedAt,
  template,
  ...facts
}: PageFacts): ReportFacts {
  const day = facts.run.slot.slice(0, 'yyyy-mm-dd'.length);
  const { name, logo, sections, introduction } = template;
  const comments = commentsOn(template, facts.period?.from ?? day, facts.period?.to ?? day);
  return {
    ...facts,
    generatedAt: new Date(generatedAt).toISOString(),
    template: { name, logo, sections },
    introduction: [...(introduction === null ? [] : [introduction]), ...comments].flatMap(paragraphs),
    tables: tables === undefined ? null : [...tables],
  };
}

/** An empty line begins a new paragraph. */
function paragraphs(text: string): string[] {
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '');
}

/** In base 64: a third of the size of scripts, a tenth of that of rows. */
function packed(text: string): string {
  return gzipSync(text).toString('base64');
}

/** Without `<`, so that it cannot end its element. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

const plainRowsMax = 50;

/** What report.html says without its script: the headline numbers, and the rows that changed most. */
function plainReport({ project, run, warning, data, rowsTotal }: PageFacts): Markup {
  const rows = data.rows.slice(0, plainRowsMax);
  return html`<main class="report"><h1><bdi>${project}</bdi>, ${longDate(run.slot)}</h1>
${warning !== null && html`<p><strong>Please note:</strong> ${warning}.</p>`}
${headlineTable(data.project.sums)}
${table(
  `Without scripts, only ${number(rows.length)} of ${number(rowsTotal)} keywords are shown: those that changed most`,
  [
    { title: 'Keyword' },
    ...['Rank', 'Change', 'Best', 'Searches', 'Clicks', 'Clicks gained'].map((title) => ({ title, isNumber: true })),
  ],
  rows.map(keywordCells),
)}</main>`;
}

function headlineTable(sums: PageFacts['data']['project']['sums']): Markup {
  const cell = (value: number | null, change: number | null, digits = 0, unit = '') =>
    html`${maybe(value, digits, unit)} ${change !== null && delta(change, { digits })}`;
  const columns = ['Visibility', 'Clicks a month', 'Average rank', 'Top 3', 'Top 10', 'Checked'];
  return table(
    'Headline numbers',
    [{ title: 'Target' }, ...columns.map((title) => ({ title, isNumber: true }))],
    sums
      .filter(({ by }) => by === 'project')
      .map((of) => [
        html`<bdi>${of.target}</bdi>`,
        cell(of.visibility, of.visibilityChange, 2, ' %'),
        cell(of.estimatedClicks, of.estimatedClicksChange),
        cell(of.averageRank, of.averageRankChange, 1),
        cell(of.top3, of.top3Change),
        cell(of.top10, of.top10Change),
        `${number(of.checked)} of ${number(of.total)}`,
      ]),
  );
}

function keywordCells(row: PageRow) {
  return [
    html`<bdi>${row.keyword}</bdi> <span class="aside">${marketName(row)}</span>`,
    rankText(row.status, row.rank, row.depth),
    rankChange(row.changeClass, row.change),
    maybe(row.bestRank),
    maybe(row.searchVolume),
    maybe(row.estimatedClicks),
    delta(row.estimatedClicksChange),
  ];
}
