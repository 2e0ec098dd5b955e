// Rankings derived from stored pages equal those that tracking the target from the start would have recorded.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DeriveReport, type DeriveScope, deriveRankings } from '../../../jobs/backfill/backfill-derive.ts';
import { createSearchDataService, createSource } from '../../../src/service/index.ts';
import type { PagingStrategy, Project, Target } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, service, World } from '../../helpers/jobs.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const never = new AbortController().signal;

const domain = (value: string): Target => ({ match: 'domain', value });

/** A world on the sandbox source, in which one page in twenty-five is a CAPTCHA. */
async function sandboxWorld(projects: readonly Project[], file?: string): Promise<World> {
  const clock = new JobClock(start);
  const options = { seed: 5, sites: ['acme.example'], blockedShare: 0.04 };
  const source = await createSource('sandbox', options, { clock });
  const services = new Map([[service, createSearchDataService({ source, clock })]]);
  const world = new World({ services, projects, clock, ...(file === undefined ? {} : { file }) });
  return world;
}

async function runDays(world: World, days: number, from = 0): Promise<void> {
  for (let day = from; day < from + days; day += 1) {
    world.clock.set(start + day * dayMs);
    await world.runSlot(start + day * dayMs);
  }
}

const derive = (world: World, projects: readonly Project[], scope: Partial<DeriveScope> = {}): Promise<DeriveReport> =>
  deriveRankings(world.store, { projects, targets: [], dryRun: false, ...scope }, never, () => {});

/** Every ranking with all its stored columns, ids replaced by names. */
const rankingRows = (world: World): string[] =>
  world
    .rows(
      `SELECT t.identity, k.text, m.device, r.moment, r.rank, r.absolute_rank, r.page, h.name AS host, u.rest, r.depth, r.owned_features
       FROM rankings r JOIN targets t ON t.id = r.target_id JOIN searches s ON s.id = r.search_id JOIN keywords k ON k.id = s.keyword_id
       JOIN markets m ON m.id = s.market_id LEFT JOIN urls u ON u.id = r.url_id LEFT JOIN hosts h ON h.id = u.host_id
       ORDER BY t.identity, k.text, m.device, r.moment`,
    )
    .map((row) => Object.values(row).join(' | '));

/** Targets of every kind that the stored pages contain, and one that they do not. */
function rivals(world: World): Target[] {
  const urls = world
    .rows(
      `SELECT h.name AS host, u.rest, count(*) OVER (PARTITION BY h.id) AS n FROM urls u JOIN hosts h ON h.id = u.host_id
       WHERE h.name <> '' AND h.name NOT LIKE '%acme.example' AND length(u.rest) > 5 ORDER BY n DESC, h.name, u.rest`,
    )
    .map(({ host, rest }) => ({ host: String(host), rest: String(rest) }));
  const hosts = [...new Set(urls.map(({ host }) => host))];
  const url = (at: number) => `https://${urls[at]?.host}${urls[at]?.rest}`.replace(/\?.*/, '');
  return [
    ...hosts.slice(0, 9).map((host) => domain(host.replace(/^www\./, ''))),
    { match: 'host', value: hosts[1] ?? '' },
    { match: 'prefix', value: url(0) },
    { match: 'url', value: url(3) },
    domain('not-on-any-page.example'),
    { match: 'place', value: `cid:${String(world.value('SELECT cid FROM places ORDER BY id'))}` },
  ];
}

const keywords = [
  keyword('running shoes', { depth: 3, devices: ['desktop', 'mobile'] }),
  keyword('coffee machine', { depth: 2, devices: ['desktop'] }),
];
const inAustin = keyword('dentist', { depth: 1, devices: ['desktop'], location: 'Austin,Texas,United States' });

describe('deriving rankings', () => {
  it('equals tracking from the start, with any paging, device and failures', async () => {
    const days = 8;
    let compared = 0;
    let ranked = 0;
    for (const paging of ['full', 'until-found', 'anchored'] as const satisfies PagingStrategy[]) {
      const base = project({
        targets: [domain('acme.example')],
        paging,
        keywords: [...keywords, inAustin],
        deep: { depth: 5, everyMs: 7 * dayMs },
      });
      const late = await sandboxWorld([base]);
      await runDays(late, days);
      const later = { ...base, competitors: rivals(late) };
      const early = await sandboxWorld([later]);
      await runDays(early, days);
      const report = await derive(late, [later]);
      expect(rankingRows(late)).toEqual(rankingRows(early));
      compared += rankingRows(early).length;
      ranked += report.added.ranked;
      expect(report.added.ranked).toBeGreaterThan(5 * days);
      expect(report.skipped['under way']).toBe(0);
      expect(late.broken()).toEqual([]);
      const again = await derive(late, [later]);
      expect(again.added).toEqual({ ranked: 0, notFound: 0, notFollowed: 0, seen: 0 });
      expect(again.unproven).toBe(report.unproven);
    }
    console.info(
      `${compared} rankings of ${days} sandbox days in 3 ways of paging: derived = tracked, ${ranked} of them ranked`,
    );
  });

  it('adds missing rankings and keeps existing ones, also after a target was not tracked for a while', async () => {
    const base = project({
      targets: [domain('acme.example')],
      paging: 'full',
      keywords: [keyword('running shoes', { depth: 1 })],
    });
    const rival = domain('not-on-any-page.example');
    const tracking = { ...base, competitors: [rival] };
    const file = join(temporaryFolder(), 'rankledger.sqlite');
    const stages = [tracking, base, tracking];
    for (const [index, stage] of stages.entries()) {
      const world = await sandboxWorld([stage], file);
      await runDays(world, 5, index * 5);
    }
    const world = await sandboxWorld([tracking], file);
    const before = rankingRows(world);
    const report = await derive(world, [tracking]);
    const gap = world.rows("SELECT count(*) AS n FROM checks WHERE state = 'ok' AND run_id BETWEEN 6 AND 10")[0]?.['n'];
    expect(report.added).toEqual({ ranked: 0, notFound: Number(gap), notFollowed: 0, seen: 0 });
    expect(Number(gap)).toBeGreaterThan(2);
    expect(rankingRows(world)).toEqual(expect.arrayContaining(before));
    expect(world.broken()).toEqual([]);
  });

  it('treats a target with another match kind as a new target, and keeps the old one in history', async () => {
    const base = project({
      targets: [domain('acme.example')],
      paging: 'full',
      keywords: [keyword('running shoes', { depth: 2 })],
    });
    const world = await sandboxWorld([base]);
    await runDays(world, 4);
    const before = rankingRows(world);
    const changed: Project = { ...base, targets: [{ match: 'host', value: 'acme.example' }] };
    const report = await derive(world, [changed]);
    expect(report.added.ranked + report.added.notFound).toBe(before.length);
    expect(rankingRows(world).filter((line) => line.startsWith('domain:'))).toEqual(before);
    expect(rankingRows(world).filter((line) => line.startsWith('host:'))).toHaveLength(before.length);
  });

  it('covers pages that another project paid for, for the searches tracked today', async () => {
    const base = project({ targets: [domain('acme.example')], paging: 'full', keywords });
    const world = await sandboxWorld([base]);
    await runDays(world, 2);
    const rival = domain('globex.example');
    const other = project({ id: 'globex', targets: [rival], keywords: keywords.slice(1) });
    const report = await derive(world, [other]);
    expect(report.checks).toBe(2);
    expect(
      new Set(
        world
          .rows(
            "SELECT k.text FROM rankings r JOIN targets t ON t.id = r.target_id JOIN searches s ON s.id = r.search_id JOIN keywords k ON k.id = s.keyword_id WHERE t.value = 'globex.example'",
          )
          .map(({ text }) => text),
      ),
    ).toEqual(new Set(['coffee machine']));
  });

  it('covers only the named targets, and a dry run only counts', async () => {
    const base = project({ targets: [domain('acme.example')], paging: 'full', keywords: keywords.slice(1) });
    const world = await sandboxWorld([base]);
    await runDays(world, 3);
    const more = { ...base, competitors: [domain('one.example'), domain('two.example')] };
    const before = rankingRows(world);
    const counted = await derive(world, [more], { dryRun: true });
    expect(rankingRows(world)).toEqual(before);
    expect(world.rows("SELECT 1 FROM targets WHERE value = 'one.example'")).toEqual([]);
    const named = await derive(world, [more], { targets: ['one.example'] });
    expect(counted.added.notFound).toBe(2 * named.added.notFound);
    expect(named.added.notFound).toBeGreaterThan(0);
    const rest = await derive(world, [more]);
    expect(rest.added).toEqual(named.added);
  });

  it('states for each check without pages why it has none', async () => {
    const world = await sandboxWorld([project({ keywords: keywords.slice(1) })]);
    await runDays(world, 1);
    world.db.sql("UPDATE checks SET state = 'failed', checked_at = NULL, pages_read = 0").run();
    const more = project({ keywords: keywords.slice(1), competitors: [domain('one.example')] });
    const report = await derive(world, [more]);
    expect(report).toMatchObject({
      checks: 1,
      known: 0,
      skipped: { imported: 0, 'no page was read': 1, 'under way': 0 },
    });
  });

  it('continues where it was stopped or died between two batches', async () => {
    const base = project({ targets: [domain('acme.example')], paging: 'full', keywords: keywords.slice(1) });
    const world = await sandboxWorld([base]);
    await runDays(world, 2);
    const more = { ...base, competitors: [domain('one.example')] };
    const stopped = await deriveRankings(
      world.store,
      { projects: [more], targets: [], dryRun: false },
      AbortSignal.abort(),
      () => {},
    );
    expect(stopped).toMatchObject({ interrupted: true, checks: 0 });
    const before = rankingRows(world);
    const insert = world.store.rankings.insert.bind(world.store.rankings);
    let inserted = 0;
    world.store.rankings.insert = (ranking) => {
      inserted += 1;
      if (inserted === 2) throw new Error('died');
      insert(ranking);
    };
    await expect(derive(world, [more])).rejects.toThrow();
    expect(rankingRows(world)).toEqual(before);
    world.store.rankings.insert = insert;
    const report = await derive(world, [more]);
    expect(report.interrupted).toBe(false);
    expect(rankingRows(world)).toHaveLength(before.length + report.added.notFound);
    expect(world.broken()).toEqual([]);
  });
});
