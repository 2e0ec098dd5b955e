// Places: ranked in the local results of page 1, stored with the page, and compared like any rank.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { exportHistory } from '../../../jobs/query/export-history.ts';
import { storedSerp } from '../../../jobs/read/rows/stored-serps.ts';
import { writeAgencyFiles } from '../../../jobs/report/files/agency-files.ts';
import { writeFolders } from '../../../jobs/report/write-report.ts';
import { jsonLines } from '../../../src/report/formats/export.ts';
import { createSearchDataService, type LocalResult, ServiceError } from '../../../src/service/index.ts';
import type { Project, Target } from '../../../src/tracker/project.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const joes: Target = { match: 'place', value: "Joe's Pizza, 52 Main Street, Austin" };
const others: Target = { match: 'place', value: 'cid:100002' };
const pack: LocalResult[] = [
  { rank: 1, name: 'Other Pizza', cid: '100002', rating: 4.1, reviews: 12, address: '1 Side Street' },
  { rank: 2, name: "Joe's Pizza", cid: '100001', address: '52 Main Street', website: 'https://joes.example/' },
];

let world: World | undefined;

/** `packs`: the local results by day; null: the page has the feature, and the source does not pass the list on. */
async function runDays(
  projects: readonly Project[],
  packs: readonly (readonly LocalResult[] | null)[],
  pageLost?: number,
) {
  const clock = new JobClock(start);
  const source = memorySource({
    page(request) {
      if (request.page === pageLost)
        throw new ServiceError('SERP_FAILED', 'No page.', { reason: 'blocked', disposition: 'abandon' });
      const { serp, features } = pageOf(request);
      const listed = request.page === 1 ? packs[Math.floor((clock.now() - start) / dayMs)] : [];
      const local = { type: 'local_pack', links: [] };
      if (listed === null) return { serp, features: [...features, local] };
      if (listed === undefined || listed.length === 0) return { serp, features };
      return { serp: { ...serp, local_results: [...listed] }, features: [...features, local] };
    },
  });
  const services = new Map([[service, createSearchDataService({ source, clock })]]);
  world = new World({ reports: true, services, projects, clock });
  for (const day of packs.keys()) {
    clock.set(start + day * dayMs);
    await world.runSlot(start + day * dayMs);
  }
  expect(world.broken()).toEqual([]);
  return { world, source };
}

describe('a target that is a place', () => {
  it('has its position in the local results as its rank, and is absent from pages without it', async () => {
    const tracked = project({ targets: [joes, others], keywords: [keyword('pizza', { depth: 3 })] });
    const { world: ran } = await runDays([tracked], [pack, pack.slice(0, 1), []]);
    expect(
      ran.rows(
        'SELECT t.value, r.rank, r.depth, r.owned_features AS owned FROM rankings r JOIN targets t ON t.id = r.target_id ORDER BY r.check_id, r.target_id',
      ),
    ).toEqual([
      { value: joes.value, rank: 2, depth: 3, owned: 'local_pack' },
      { value: others.value, rank: 1, depth: 3, owned: 'local_pack' },
      { value: joes.value, rank: null, depth: 3, owned: null },
      { value: others.value, rank: 1, depth: 3, owned: 'local_pack' },
      { value: joes.value, rank: null, depth: 3, owned: null },
      { value: others.value, rank: null, depth: 3, owned: null },
    ]);
  });

  it('needs page 1 alone, and lets other targets decide how far a check goes', async () => {
    const alone = project({ targets: [joes], paging: 'until-found', keywords: [keyword('pizza', { depth: 5 })] });
    const { source } = await runDays([alone], [[]]);
    expect(source.asked.map(({ page }) => page)).toEqual([1]);
    await world?.close();
    const site: Target = { match: 'domain', value: 'absent.example' };
    const beside = { ...alone, targets: [site, joes] };
    const { source: both } = await runDays([beside], [pack]);
    expect(both.asked.map(({ page }) => page)).toEqual([1, 2, 3, 4, 5]);
  });

  it('counts as 11 in averages where page 1 does not list it, at any depth', async () => {
    const site: Target = { match: 'domain', value: 'joes.example' };
    const tracked = project({ targets: [site, joes], keywords: [keyword('pizza', { depth: 3 })] });
    const { world: ran } = await runDays([tracked], [pack, pack.slice(0, 1)]);
    const [report] = writeFolders(ran.context, ran.settings().reports, 2);
    const text = readFileSync(join(report?.directory ?? '', 'summary.csv'), 'utf8').replace('\uFEFF', '');
    const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
    const lines = data.filter(({ scope }) => scope === 'project');
    expect(
      lines.map(({ target, average_rank_capped: rank, average_rank_capped_change: change }) => [target, rank, change]),
    ).toEqual([
      [joes.value, '11', '-9'],
      [site.value, '31', '0'],
    ]);
  });

  it('is not found by the same word in every table where page 1 does not list it and page 2 was lost', async () => {
    const site: Target = { match: 'domain', value: 'joes.example' };
    const tracked = project({ targets: [site, joes], keywords: [keyword('pizza', { depth: 2 })] });
    const { world: ran } = await runDays([tracked], [pack.slice(0, 1)], 2);
    expect(ran.checks()).toEqual(['pizza incomplete 1']);
    const exported = [...exportHistory(ran.context, null, { what: 'rankings' }).encoded(jsonLines)].join('').trim();
    expect(exported.split('\n').map((line) => JSON.parse(line).status)).toEqual(['incomplete', 'not_found']);
    const settings = { ...ran.settings().reports, agencyDays: 30 };
    const [report] = writeFolders(ran.context, settings, 1);
    writeAgencyFiles(ran.context, settings);
    const statuses = (file: string) => {
      const text = readFileSync(file, 'utf8').replace('\uFEFF', '');
      const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
      return Object.fromEntries(data.map(({ target, status }) => [target, status]));
    };
    const expected = { [site.value]: 'incomplete', [joes.value]: 'not_found' };
    expect(statuses(join(report?.directory ?? '', 'rank-changes.csv'))).toEqual(expected);
    expect(statuses(join(ran.reports, 'agency', 'latest', 'all-projects-long.csv'))).toEqual(expected);
  });

  it('proves nothing where a source shows the list and does not pass it on', async () => {
    const { world: ran } = await runDays([project({ targets: [others] })], [null]);
    expect(ran.rankings()).toEqual([]);
  });

  it('is stored with the details of its list, once', async () => {
    const { world: ran } = await runDays([project({ targets: [others] })], [pack, pack]);
    expect(ran.value('SELECT count(*) FROM places')).toBe(2);
    const [stored] = ran.store.pages.ofCheck(1);
    expect(stored?.places).toEqual([
      { name: 'Other Pizza', cid: '100002', rating: 4.1, reviews: 12, address: '1 Side Street' },
      { name: "Joe's Pizza", cid: '100001', address: '52 Main Street', website: 'https://joes.example/' },
    ]);
  });

  it('is marked in stored results, and has its share of local voice in local-pack.csv', async () => {
    const tracked = project({ targets: [joes], competitors: [others] });
    const { world: ran } = await runDays([tracked], [pack]);
    const search = { project: 'acme', keyword: 'running shoes', country: 'US', language: 'en', device: 'desktop' };
    const serp = storedSerp(ran.context, tracked, search);
    expect(serp?.places.map(({ rank, name, target, isOwn }) => [rank, name, target, isOwn])).toEqual([
      [1, 'Other Pizza', others.value, false],
      [2, "Joe's Pizza", joes.value, true],
    ]);
    const [report] = writeFolders(ran.context, ran.settings().reports, 1);
    const csv = readFileSync(join(report?.directory ?? '', 'local-pack.csv'), 'utf8');
    const { data } = Papa.parse<Record<string, string>>(csv.replace('\uFEFF', ''), {
      header: true,
      skipEmptyLines: true,
    });
    expect(data).toMatchObject([
      { name: 'Other Pizza', role: 'competitor', share_of_local_voice: '100', average_local_rank: '1' },
      { name: "Joe's Pizza", role: 'own', share_of_local_voice: '100', average_local_rank: '2', searches: '1' },
    ]);
  });
});

describe('a page of a map', () => {
  const places = (count: number): LocalResult[] =>
    Array.from({ length: count }, (_, index) => ({
      rank: index + 1,
      name: `Place ${index}`,
      cid: `${200_000 + index}`,
    }));
  const last: Target = { match: 'place', value: 'cid:200011' };

  /** Live maps: the places of each page that is bought, in order. */
  async function runMaps(lists: readonly (readonly LocalResult[])[], searches: readonly string[] = ['pizza']) {
    const clock = new JobClock(start);
    const source = memorySource({
      kind: 'live',
      page(request) {
        const day = Math.floor((clock.now() - start) / dayMs);
        const nth = source.asked.filter(({ keyword }) => keyword === request.keyword).length - 1;
        const listed = lists[Math.max(day, nth)] ?? [];
        return { serp: { local_results: [...listed] }, features: [{ type: 'local_pack', links: [] }] };
      },
    });
    const keywords = searches.map((text) => keyword(text, { depth: 3 }));
    const services = new Map([[service, createSearchDataService({ source, clock })]]);
    world = new World({
      reports: true,
      services,
      projects: [project({ targets: [last], paging: 'full', keywords })],
      clock,
    });
    for (const day of [0, 1]) {
      clock.set(start + day * dayMs);
      await world.runSlot(start + day * dayMs);
    }
    return { world, source };
  }

  it('is the whole check: places beyond the pack rank, and nothing else is bought', async () => {
    const { world: ran, source } = await runMaps([places(12), places(12)]);
    expect(source.asked.map(({ page }) => page)).toEqual([1, 1]);
    expect(ran.rows('SELECT rank, page FROM rankings')).toEqual([
      { rank: 12, page: 1 },
      { rank: 12, page: 1 },
    ]);
  });

  it('that lists far fewer places than the last check is not believed at once', async () => {
    const { world: ran, source } = await runMaps([places(12), places(3), places(12)]);
    expect(source.asked).toHaveLength(3);
    expect(ran.rows('SELECT rank FROM rankings')).toEqual([{ rank: 12 }, { rank: 12 }]);
  });

  it('may list the same places as the maps of other keywords', async () => {
    const { world: ran } = await runMaps(
      [places(12), places(12)],
      ['pizza', 'pasta', 'lasagne', 'tiramisu', 'gnocchi'],
    );
    expect(ran.value("SELECT count(*) FROM checks WHERE state = 'ok'")).toBe(10);
  });
});
