// index.html: all projects and runs in a folder of reports, with their headline numbers. Pure.

import { plainTemplate, type ReportTemplate } from '../../tracker/changes/client-reports.ts';
import { plural } from '../../tracker/figures.ts';
import { documentHead } from './document-head.ts';
import type { IndexedHeadline } from './headline.ts';
import { documentStyle } from './style.ts';
import { html, type Markup } from './text/markup.ts';
import { table } from './text/tables.ts';
import { delta, longDate, maybe, number } from './text/words.ts';

/** A report in the folder. */
export interface IndexedRun {
  /** Name of its folder. */
  readonly folder: string;
  /** Local date-time, `2026-11-20T06:00`. */
  readonly slot: string;
  readonly state: string;
  readonly warning: string | null;
  readonly checked: number;
  readonly total: number;
  /** Null if the report has no report.html. */
  readonly headline: IndexedHeadline | null;
  /** Its page, its sums where it has no page, or its manifest. */
  readonly opens: string;
}

export interface IndexedProject {
  readonly project: string;
  /** Newest first. */
  readonly runs: readonly IndexedRun[];
  /** Number of older runs in the folder. */
  readonly olderCount: number;
}

/** `built`: the style sheet of the front end. */
export function indexPage(
  projects: readonly IndexedProject[],
  generatedAt: number,
  built: string,
  template: ReportTemplate = plainTemplate,
): string {
  return html`${documentHead({ title: 'Rank reports', style: documentStyle(built, template) })}<body><div class="report">
<header class="report-cover"><div>${logoImage(template)}<p class="report-kicker">${template.name ?? 'rankledger'}</p><h1>Rank reports</h1>
<p class="sub">${projects.length === 1 ? '1 project' : `${number(projects.length)} projects`}, as of ${new Date(generatedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC</p></div></header>
<main>
<section id="latest" aria-labelledby="latest-title"><h2 id="latest-title">Latest reports</h2>${latest(projects)}</section>
<section id="runs" aria-labelledby="runs-title"><h2 id="runs-title">All runs</h2>${projects.map(renderRuns)}</section>
</main>
</div></body>
</html>
`.text;
}

const columns = [
  { title: 'Visibility', isNumber: true },
  { title: 'Change', isNumber: true },
  { title: 'Share of voice', isNumber: true },
  { title: 'Average rank', isNumber: true },
  { title: 'Top 3', isNumber: true },
  { title: 'Top 10', isNumber: true },
  { title: 'Checked', isNumber: true },
  { title: 'Run' },
  { title: 'Note', isLong: true },
];

function latest(projects: readonly IndexedProject[]): Markup {
  return table(
    'The newest report of each project',
    [{ title: 'Project' }, ...columns],
    projects.flatMap(({ project, runs: [run] }) =>
      run === undefined
        ? []
        : [
            [
              html`${linkTo(project, run, project)} <span class="aside">${slotWords(run)}</span>`,
              ...renderNumbers(run),
            ],
          ],
    ),
    { hasTitle: false },
  );
}

function renderRuns({ project, runs, olderCount }: IndexedProject): Markup {
  return html`<details><summary><bdi>${project}</bdi>: ${number(runs.length + olderCount)} ${runs.length + olderCount === 1 ? 'run' : 'runs'}</summary>
${table(
  `Runs of ${project}`,
  [{ title: 'Slot' }, ...columns],
  runs.map((run) => [linkTo(project, run, slotWords(run)), ...renderNumbers(run)]),
)}
${olderCount > 0 && html`<p class="cover">${number(olderCount)} older ${plural(olderCount, 'report is', 'reports are')} in the folder <bdi>${project}</bdi>.</p>`}</details>`;
}

function renderNumbers({ headline, checked, total, state, warning }: IndexedRun) {
  return [
    maybe(headline?.visibility ?? null, 2, ' %'),
    renderChange(headline),
    maybe(headline?.shareOfVoice ?? null, 2, ' %'),
    maybe(headline?.averageRank ?? null, 1),
    maybe(headline?.top3 ?? null),
    maybe(headline?.top10 ?? null),
    `${number(checked)} of ${number(total)}`,
    state,
    warning !== null && html`<span class="${warning.startsWith('suspect') ? 'bad' : 'soft'}">${warning}</span>`,
  ];
}

/** A change, with its number of rows if that is not all. */
function renderChange(headline: IndexedHeadline | null): Markup {
  const change = delta(headline?.visibilityChange ?? null, { digits: 2, unit: ' pts' });
  if (headline === null || headline.visibilityChange === null || headline.comparable === headline.total) return change;
  return html`${change} <span class="quiet">of ${number(headline.comparable)}</span>`;
}

function linkTo(project: string, { folder, opens }: IndexedRun, label: string): Markup {
  const address = [project, folder, opens].map(encodeURIComponent).join('/');
  return html`<a href="${address}"><bdi>${label}</bdi></a>`;
}

function slotWords({ slot }: IndexedRun): string {
  return `${longDate(slot)}, ${slot.slice(11, 16)}`;
}

/** The logo of the template, as large as its place; null: none. */
function logoImage({ logo, name }: ReportTemplate): Markup | null {
  if (logo === null) return null;
  return html`<img class="report-logo" src="data:${logo.type};base64,${logo.base64}" alt="${name ?? 'Logo'}">`;
}
