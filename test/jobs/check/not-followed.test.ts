import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { deriveRankings } from '../../../jobs/backfill/backfill-derive.ts';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { historyRows } from '../../../jobs/query/read-history.ts';
import { reportRows, runsOfReport } from '../../../jobs/read/rows/report-rows.ts';
import { agencyFolder, writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import { csvLines } from '../../../src/report/formats/export.ts';
import type { PagingStrategy, Project, Target } from '../../../src/tracker/project.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { seededBelow } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const depth = 5;
const perPage = 10;
const curve = 'sistrix-2020';
const own: Target = { match: 'domain', value: 'acme.example' };
const rivals: readonly Target[] = ['globex', 'initech', 'hooli'].map((name) => ({
  match: 'domain',
  value: `${name}.example`,
}));

function begin(more: Partial<Project>): RankedWorld {
  return new RankedWorld(
    [project({ targets: [own], competitors: rivals, keywords: [keyword('a', { depth })], ...more })],
    { reports: true },
  );
}

/** Status, rank and depth of a target in a check, as one reader of history states them. */
interface Said {
  readonly reader: string;
  readonly day: string;
  readonly keyword: string;
  readonly target: string;
  readonly status: string;
  readonly depth: number;
}

/** What each reader of rankings says about the targets. */
function saidBy({ world }: RankedWorld, one = onlyProject(world)): Said[] {
  const { context } = world;
  const said: Said[] = [];
  for (const { keyword: text } of one.keywords) {
    for (const row of historyRows(context, [one], { keyword: text }))
      said.push({ ...row, reader: 'history', day: row.localDate });
  }
  const table = exportHistory(context, one, { what: 'rankings' });
  for (const row of parsed([...table.encoded(csvLines)].join('')))
    said.push({ ...saidOf(row), reader: 'export', day: row['local_date'] ?? '' });
  writeAgencyFiles(context, { ...world.settings().reports, agencyDays: 30 });
  for (const row of world.table('all-projects-long.csv', agencyFolder))
    said.push({ ...saidOf(row), reader: 'all-projects-long.csv', day: row['date'] ?? '' });
  return [...said, ...reported(world, one)];
}

function onlyProject({ projects }: RankedWorld['world']): Project {
  const [one] = projects;
  if (one === undefined) throw new Error('there is no project');
  return one;
}

/** The rows of reports and alerts, those of competitors included. */
function reported({ context, store }: RankedWorld['world'], one: Project): Said[] {
  const withRivals = { ...one, targets: [...one.targets, ...one.competitors] };
  return store.reportSeries.dates(one.id, context.clock.now(), 100).flatMap(({ date, runs }) =>
    runs.flatMap(({ id }) => {
      const run = store.runs.run(id);
      const slot = store.runs.slotsOf(id)[0];
      if (run === null || slot === undefined) throw new Error('the run is not there');
      const source = { store, project: withRivals, runs: runsOfReport(store, run, slot), slot };
      return [...reportRows({ ...source, comparison: { kind: 'previous' }, ctrCurve: curve })].map((row) => {
        const { input } = row;
        if (row.status === 'not_followed') {
          expect(row).toMatchObject({ complete: false, rank: null, change: null, changeClass: 'not_comparable' });
          expect(row).toMatchObject({ estimatedClicks: null, previousRank: input.baseline?.rank ?? null });
        }
        if (input.baseline?.status === 'not_found') expect(input.baseline.depth).toBeGreaterThanOrEqual(depth);
        const { keyword: name, target, status, rank } = row;
        return { keyword: name, target, status, rank, reader: 'report', day: date, depth: row.depth ?? 0 };
      });
    }),
  );
}

function saidOf(row: Record<string, string>): Omit<Said, 'reader' | 'day'> {
  const { keyword: text = '', target = '', status = '', depth: pages = '' } = row;
  return { keyword: text, target, status, depth: Number(pages) };
}

function parsed(text: string): Record<string, string>[] {
  return Papa.parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), { header: true, skipEmptyLines: true }).data;
}

const linkOf = ({ value }: Target): string => `https://${value}/`;
const at = (ranks: Readonly<Record<number, Target>>): Scene => ({
  at: Object.fromEntries(Object.entries(ranks).map(([rank, target]) => [rank, linkOf(target)])),
});

const dayOf = (index: number): string => new Date(start + index * dayMs).toISOString().slice(0, 10);

describe('a competitor that ranks below the pages read', () => {
  it('is not followed, and is not found only where every page was read', async () => {
    const ranked = begin({ paging: 'until-found' });
    ranked.scenes = { a: at({ 3: own, 25: rivals[0] as Target }) };
    await ranked.run(start);
    expect(ranked.world.checks()).toEqual(['a ok 1']);
    const ofRival = saidBy(ranked).filter(({ target }) => target === 'globex.example');
    expect(ofRival.map(({ reader, status, depth: pages }) => [reader, status, pages])).toEqual([
      ['history', 'not_followed', 1],
      ['export', 'not_followed', 1],
      ['all-projects-long.csv', 'not_followed', 1],
      ['report', 'not_followed', 1],
    ]);
    // older versions stored the same row and called it "not found": readers decide by depth
    expect(ranked.world.rankings()).toContain('globex.example not found 1');
    expect(ranked.world.broken()).toEqual([]);
  });

  it('is followed by until-all-found, which ends once the last target is found', async () => {
    const ranked = begin({ paging: 'until-all-found', competitors: rivals.slice(0, 1) });
    ranked.scenes = { a: at({ 3: own, 25: rivals[0] as Target }) };
    await ranked.run(start);
    expect(ranked.world.checks()).toEqual(['a ok 3']);
    expect(ranked.world.rankings()).toEqual(['acme.example rank 3', 'globex.example rank 25']);
    ranked.scenes = { a: at({ 3: own }) };
    await ranked.run(start + dayMs);
    expect(ranked.world.checks(2)).toEqual(['a ok 5']);
    expect(ranked.world.rankings().slice(2)).toEqual(['acme.example rank 3', 'globex.example not found 5']);
  });

  it('adds nothing to counts, averages and changes, and the share of voice states its coverage', async () => {
    const keywords = ['a', 'b', 'c'].map((text) => keyword(text, { depth }));
    const ranked = begin({
      paging: 'until-found',
      keywords,
      competitors: rivals.slice(0, 1),
      volumes: { schedule: '0 0 1 * *', limit: 33 },
    });
    ranked.volumes = { a: 100, b: 100 };
    const [rival = own] = rivals;
    ranked.scenes = { a: at({ 1: own, 2: rival }), b: at({ 1: own, 25: rival }), c: at({ 1: own, 25: rival }) };
    await ranked.run(start);
    await ranked.run(start + dayMs);
    const rows = ranked.world.table('competitors.csv');
    const row = rows.find(({ scope, target }) => scope === 'project' && target === 'globex.example');
    expect(row).toMatchObject({ coverage_checked: '1', coverage_total: '3', coverage_comparable: '1' });
    expect(row).toMatchObject({ average_rank_ranked: '2', average_rank_capped: '2', volume_count: '1', top_10: '1' });
    expect(row).toMatchObject({ share_of_voice_count: '2', not_followed_count: '2', wins: '3', losses: '0' });
    const ours = rows.find(({ scope, target }) => scope === 'project' && target === 'acme.example');
    expect(ours).toMatchObject({ share_of_voice_count: '2', not_followed_count: '0', coverage_checked: '3' });
    // it has clicks in one of two searches: half of the share that it would have of that one alone
    expect(Number(row?.['share_of_voice'])).toBeLessThan(Number(ours?.['share_of_voice']) / 2);
  });
});

const strategies: readonly PagingStrategy[] = ['until-found', 'until-all-found', 'full', 'anchored', 'from-2'];

describe('a generated world', () => {
  it('has no false not_found, of own targets and competitors, with any paging', async () => {
    const size = 5;
    const below = seededBelow(11);
    const count = { said: 0, not_found: 0, not_followed: 0, wrong: 0 };
    for (const paging of strategies) {
      const keywords = Array.from({ length: size }, (_, index) => keyword(`${paging} ${index}`, { depth }));
      const ranked = begin({ paging, keywords, competitors: rivals.slice(0, 2) });
      const truth = new Map<string, number | null>();
      for (let day = 0; day < 4; day += 1) {
        for (const { keyword: text } of keywords) {
          const ranks: Record<number, Target> = {};
          for (const target of [own, ...rivals]) {
            const rank = 1 + below((depth + 1) * perPage);
            const isThere = below(5) > 0 && ranks[rank] === undefined;
            if (isThere) ranks[rank] = target;
            truth.set(`${dayOf(day)} ${text} ${target.value}`, isThere ? Math.ceil(rank / perPage) : null);
          }
          ranked.scenes[text] = at(ranks);
        }
        await ranked.run(start + day * dayMs);
      }
      for (const one of saidBy(ranked, await withNewRival(ranked))) {
        const page = truth.get(`${one.day} ${one.keyword} ${one.target}`);
        if (page === undefined) throw new Error(`nothing is known of ${JSON.stringify(one)}`);
        count.said += 1;
        if (one.status === 'not_found') count.not_found += 1;
        if (one.status === 'not_followed') count.not_followed += 1;
        if (one.status === 'not_found' && (one.depth < depth || (page !== null && page <= depth))) count.wrong += 1;
        if (one.status === 'not_followed') expect(one.depth).toBeLessThan(depth);
        if (one.status === 'not_followed') expect(['full']).not.toContain(paging);
      }
      expect(ranked.world.broken()).toEqual([]);
      await ranked.world.close();
    }
    console.info(
      `${count.said} statuses in ${strategies.length} paging strategies: ${count.not_found} not_found, ${count.not_followed} not_followed, ${count.wrong} false not_found`,
    );
    expect(count.not_found).toBeGreaterThan(100);
    expect(count.not_followed).toBeGreaterThan(100);
    expect(count.wrong).toBe(0);
  });
});

/** The project with one more competitor, whose rankings in old checks are derived from their pages. */
async function withNewRival({ world }: RankedWorld): Promise<Project> {
  const later = { ...onlyProject(world), competitors: rivals };
  const scope = { projects: [later], targets: [], dryRun: false };
  const { added } = await deriveRankings(world.store, scope, new AbortController().signal, () => {});
  expect(added.ranked + added.seen).toBeGreaterThan(0);
  return later;
}
