// report.html: one self-contained file, drawn by its script from the data in it. Pure: facts in, chunks of HTML out.
import { gzipSync } from 'node:zlib';
import { commentsOn } from '../../tracker/changes/client-reports.ts';
import type { PageData } from './data/page-data.ts';
import type { PageAssets, PageFacts, ReportFacts } from './data/page-facts.ts';
import { documentHead } from './document-head.ts';
import { headlineElement } from './headline.ts';
import { plainReport } from './plain-report.ts';
import { documentStyle } from './style.ts';
import { html } from './text/markup.ts';
import { longDate } from './text/words.ts';

/** Unpacks the script of the page and runs it: packed, it has a third of its size. */
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
  yield '<script type="application/json" id="report-data">';
  yield* dataChunks(facts.data);
  yield `</script>\n<script type="text/plain" id="report-script">${gzipSync(script).toString('base64')}</script>`;
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

/**
 * Yields one column at a time: one string of all would double the memory. The data never contains `<`, so that it
 * cannot end its element.
 */
function* dataChunks({ rows, ...rest }: PageData): Generator<string> {
  yield `${embedded(rest).slice(0, -1)},"rows":{`;
  for (const [index, [name, column]] of Object.entries(rows).entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(name)}:${embedded(column)}`;
  }
  yield '}}';
}

function embedded(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
