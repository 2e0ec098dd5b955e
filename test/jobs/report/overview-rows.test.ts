// AI overviews in answers.csv: in k of n checks, whom they cite, and changes only where chance does not explain them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { expect, it } from 'vitest';
import { answerRows } from '../../../jobs/read/rows/answer-rows.ts';
import { createSearchDataService, type PageRequest, type ReadPage } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

const dayMs = 86_400_000;
/** A Monday. */
const start = Date.UTC(2026, 0, 12, 6);

let world: World | undefined;

type Line = Record<string, string>;

/** `links` of the overview of a page; null: it shows none. */
function begin(
  links: (request: PageRequest, day: number) => readonly string[] | null,
  more: Partial<Project> = {},
  ...others: readonly Project[]
) {
  const clock = new JobClock();
  clock.set(start);
  const source = memorySource({
    page(request): ReadPage {
      const page = pageOf(request);
      const shown = links(request, Math.floor((clock.now() - start) / dayMs));
      return shown === null ? page : { ...page, features: [...page.features, { type: 'ai_overview', links: shown }] };
    },
  });
  const tracked = project({
    keywords: [keyword('shoes', { depth: 1 }), keyword('boots', { depth: 1 })],
    competitors: [{ match: 'domain', value: 'globex.example' }],
    ...more,
  });
  world = new World({
    reports: true,
    projects: [tracked, ...others],
    services: new Map([[service, createSearchDataService({ source, clock })]]),
    clock,
  });
  return world;
}

/** The lines after so many days with a run each. */
async function reportAfter(of: World, days: number): Promise<Line[]> {
  let directory = '';
  for (let day = 0; day < days; day += 1) {
    of.clock.set(start + day * dayMs);
    const [run] = await of.run();
    directory = run?.reports[0]?.directory ?? '';
  }
  const text = readFileSync(join(directory, 'answers.csv'), 'utf8').replace('\uFEFF', '');
  return Papa.parse<Line>(text, { header: true, skipEmptyLines: true }).data;
}

const shown = (rows: readonly Line[], ...names: string[]): string[] =>
  rows.map((row) => names.map((name) => row[name]).join(' '));

const acme = 'https://acme.example/guide';
const globex = 'https://www.globex.example/a';

it('counts checks that show an overview, and overviews that cite each target', async () => {
  // shoes on all days, citing acme on two; boots never
  const rows = await reportAfter(
    begin(({ keyword: of }, day) => (of === 'shoes' ? (day < 2 ? [acme, globex, acme] : [globex]) : null)),
    4,
  );
  expect(shown(rows, 'period', 'engine', 'prompt', 'device', 'target', 'asked', 'shown', 'answers', 'cited')).toEqual([
    '2026-01-12 ai-overview   acme.example 8 4 4 2',
    '2026-01-12 ai-overview   globex.example 8 4 4 4',
    '2026-01-12 ai-overview shoes desktop acme.example 4 4 4 2',
    '2026-01-12 ai-overview shoes desktop globex.example 4 4 4 4',
  ]);
  expect(shown(rows.slice(0, 1), 'shown_share', 'shown_low', 'shown_high', 'cited_share', 'cited_low')).toEqual([
    '50 21.5 78.5 50 15',
  ]);
  expect(rows[0]).toMatchObject({ cited_pages: acme, mentioned: '', mentioned_share: '', previous_period: '' });
});

it('an overview whose links are not known is shown, and in no share of citations', async () => {
  const rows = await reportAfter(
    begin((_, day) => (day === 0 ? [] : [acme])),
    2,
  );
  expect(shown(rows.slice(0, 1), 'asked', 'shown', 'answers', 'cited', 'cited_share')).toEqual(['4 4 2 2 100']);
});

it('a citation is new, and an overview lost, only where chance does not explain it', async () => {
  const rows = await reportAfter(
    // shoes: cited in the second week; boots: no overview in the second week, but for one day
    begin(({ keyword: of }, day) => {
      if (of === 'shoes') return day < 7 ? [globex] : [acme];
      return day < 7 || day === 9 ? [globex] : null;
    }),
    14,
  );
  const newest = rows.filter(({ period }) => period === '2026-01-19');
  expect(shown(newest, 'prompt', 'target', 'previous_period', 'citation_change', 'presence_change')).toEqual([
    ' acme.example 2026-01-12 new down',
    ' globex.example 2026-01-12 down down',
    'boots acme.example 2026-01-12 same down',
    'boots globex.example 2026-01-12 same down',
    'shoes acme.example 2026-01-12 new same',
    'shoes globex.example 2026-01-12 lost same',
  ]);
  // searches stand in the newest period only
  expect(rows.filter(({ period, prompt }) => period === '2026-01-12' && prompt !== '')).toEqual([]);
});

it('a check that reuses the pages of another, and a second look, are no further samples', async () => {
  const of = begin(() => [acme], { freshForMs: 2 * dayMs });
  // pages of the first day serve the first three, those of the fourth the last two
  await reportAfter(of, 5);
  const asked = () =>
    Array.from(
      answerRows(of.context, of.projects[0] as Project, { from: '2026-01-12', to: '2026-01-16' }),
      (row) => row.asked,
    );
  expect(asked()[0]).toBe(4);
  of.db.sql('UPDATE runs SET confirms = 1 WHERE id >= 4').run();
  expect(asked()[0]).toBe(2);
});

it('a project whose pages show no overview, and that tracks no prompts, has no such table', async () => {
  const of = begin(() => null);
  await expect(reportAfter(of, 1)).rejects.toThrow('ENOENT');
});

it('counts the checks of its project only, of a run of several', async () => {
  const shoes = project({ keywords: [keyword('shoes', { depth: 1 })] });
  const others = ['a', 'b', 'c', 'd', 'e'].map((text) => keyword(text, { depth: 1 }));
  const of = begin(
    ({ keyword: text }) => (text === 'b' ? null : [acme]),
    shoes,
    project({ id: 'other', keywords: others }),
  );
  of.clock.set(start);
  await of.run();
  const asked = of.projects.map((each) =>
    Array.from(answerRows(of.context, each, { from: '2026-01-12', to: '2026-01-16' }))
      .filter(({ prompt }) => prompt === null)
      .map((row) => [row.asked, row.shown?.count]),
  );
  expect(asked).toEqual([[[1, 1]], [[5, 4]]]);
});
