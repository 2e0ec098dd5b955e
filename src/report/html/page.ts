// report.html: one self-contained file. Pure: facts in, chunks of HTML out.
import type { PageData } from './data/page-data.ts';
import type { PageAssets, PageFacts } from './data/page-facts.ts';
import { documentHead } from './document-head.ts';
import { headlineElement } from './headline.ts';
import { answerSection } from './sections/answers.ts';
import { clickSection } from './sections/clicks.ts';
import { competitorSection } from './sections/competitors.ts';
import { featureSection } from './sections/features.ts';
import { gridSection } from './sections/grid.ts';
import { keywordSection } from './sections/keywords.ts';
import { moverSection } from './sections/movers.ts';
import { overviewSection } from './sections/overview.ts';
import { periodSection } from './sections/period.ts';
import { aboutSection, problemSection, spendSection } from './sections/run-sections.ts';
import { segmentSection } from './sections/segments.ts';
import { documentStyle } from './style.ts';
import { chosenSections, introductionSection, logoImage } from './template.ts';
import { html, type Markup } from './text/markup.ts';
import { longDate } from './text/words.ts';

/** A section of the page with its navigation entry. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup | null;
}

/** The chunks of the page. Empty sections are left out, together with their navigation entries. */
export function* reportPage(facts: PageFacts, assets: PageAssets): Generator<string> {
  const sections = [
    { id: 'introduction', title: 'Summary', body: introductionSection(facts) },
    ...chosenSections(facts.template, buildSections(facts)),
  ].filter(({ body }) => body !== null);
  yield head(facts, assets);
  yield top(facts, sections).text;
  for (const { id, title, body } of sections) {
    yield html`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`
      .text;
  }
  yield html`</main><footer><p>Made by ${facts.template.name ?? 'rankledger'} on ${minute(facts.generatedAt)} UTC for run ${facts.run.id} of ${facts.project}.
    This file is self-contained and loads nothing from the network.</p></footer>`.text;
  yield '<script type="application/json" id="report-data">';
  yield* dataChunks(facts.data);
  yield `</script>\n<script>${assets.chartLibrary}</script>\n<script>${assets.script}</script>\n</body>\n</html>\n`;
}

function buildSections(facts: PageFacts): Section[] {
  const hasRows = facts.rowsTotal > 0 || facts.data.answers === undefined;
  return allSections(facts).filter(({ id }) => hasRows || !sectionsOfRows.has(id));
}

/** Sections that a project with prompts only leaves out. */
const sectionsOfRows: ReadonlySet<string> = new Set(['overview', 'movers', 'keywords', 'competitors']);

function allSections(facts: PageFacts): Section[] {
  return [
    { id: 'overview', title: 'Overview', body: overviewSection(facts) },
    { id: 'period', title: 'Period', body: periodSection(facts) },
    { id: 'movers', title: 'Movers', body: moverSection(facts) },
    { id: 'keywords', title: 'Keywords', body: keywordSection(facts) },
    { id: 'map', title: 'Map', body: gridSection(facts) },
    { id: 'features', title: 'SERP features', body: featureSection(facts) },
    { id: 'competitors', title: 'Competitors', body: competitorSection(facts) },
    { id: 'segments', title: 'Markets and tags', body: segmentSection(facts) },
    { id: 'clicks', title: 'Measured clicks', body: clickSection(facts) },
    { id: 'answers', title: 'AI answers', body: answerSection(facts) },
    { id: 'spend', title: 'Spend', body: spendSection(facts) },
    { id: 'problems', title: 'Problems', body: problemSection(facts) },
    { id: 'about', title: 'About these numbers', body: aboutSection(facts) },
  ];
}

function head(facts: PageFacts, { chartLibrary, script, clientStyle }: PageAssets): string {
  return documentHead({
    title: `${facts.project}: ranks of ${longDate(facts.run.slot)}`,
    style: documentStyle(clientStyle, facts.template),
    scripts: [chartLibrary, script],
    more: headlineElement(facts),
  }).text;
}

function top(
  { project, run, warning, isSuspect, sources, compare, template }: PageFacts,
  sections: readonly Section[],
): Markup {
  return html`<body class="document">
<a class="skip" href="#${sections[0]?.id ?? ''}">Skip to content</a>
<header>
  <div class="title">
    ${logoImage(template)}<p class="kicker">${template.name === null ? 'Rank report' : html`${template.name} · Rank report`}</p>
    <h1><bdi>${project}</bdi></h1>
    <p class="run-facts">${longDate(run.slot)}, ${run.slot.slice(11, 16)} ${run.timezone} · compared with ${compareWords(compare)} · ${sources.length === 0 ? 'no pages read' : sources.join(', ')} · run ${run.id}, ${run.state}</p>
  </div>
  <div id="theme-place"></div>
</header>
${warning !== null && html`<aside class="banner${isSuspect ? ' suspect' : ''}" aria-label="Please note"><strong>Please note:</strong> ${warning}.</aside>`}
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
<main>
`;
}

function compareWords(compare: string): string {
  if (compare === 'previous') return 'the previous check';
  if (compare === 'last-month') return 'the end of last month';
  const days = /^(\d+)d$/.exec(compare)?.[1];
  if (days !== undefined) return days === '1' ? 'the previous day' : `${days} days before`;
  return longDate(compare);
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

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}
