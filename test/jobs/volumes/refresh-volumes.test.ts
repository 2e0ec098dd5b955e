// Keyword metrics: one list answers for many keywords, is bought once a month, and is settled to its actual cost.
import { describe, expect, it } from 'vitest';
import type { Caps } from '../../../db/ledger/budget-windows.ts';
import { ServiceError } from '../../../src/service/index.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, noCaps, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);

const withVolumes = (keywords: readonly string[], more: Partial<Project> = {}): Project =>
  project({
    keywords: keywords.map((text) => keyword(text, { depth: 1 })),
    volumes: { schedule: '0 4 * * *', limit: 33 },
    ...more,
  });

async function begin(projects: Project[], options: ProviderOptions = {}, caps: Caps = noCaps, file?: string) {
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 1), ...options });
  const world = new World({ provider, projects, caps, ...(file === undefined ? {} : { file }) });
  world.clock.set(start);
  return { provider, world };
}

const asked = (provider: Provider): unknown[] =>
  provider.requests.filter(({ path }) => path.endsWith('keyword-data')).map(({ body }) => body['keyword']);

const volumes = (world: World): string[] =>
  world
    .rows(
      "SELECT k.text || ' ' || coalesce(v.search_volume, 'unknown') || ' ' || v.month AS line FROM volumes v JOIN keywords k ON k.id = v.keyword_id ORDER BY v.month, k.text",
    )
    .map((row) => String(row['line']));

function expectExplained({ world, provider }: { world: World; provider: Provider }): void {
  const { spent, unknown, open: reserved } = world.store.audit.totals('micro_usd');
  expect(reserved).toBe(0);
  expect(spent + unknown).toBeGreaterThanOrEqual(provider.sold.microUsd);
  if (unknown === 0) expect(spent).toBe(provider.sold.microUsd);
  expect(world.broken()).toEqual([]);
}

describe('a refresh of volumes', () => {
  it('requests one list for several keywords that it covers, in any spelling', async () => {
    const all = await begin([withVolumes(['Shoes', 'shoes  ONLINE', 'cheap shoes', 'hats'])]);
    await all.world.run({ kind: 'due' });
    expect(asked(all.provider)).toEqual(['Shoes', 'hats']);
    expect(volumes(all.world)).toEqual([
      'Shoes 10000 2026-01',
      'cheap shoes 9800 2026-01',
      'hats 10000 2026-01',
      'shoes  ONLINE 9900 2026-01',
    ]);
    expectExplained(all);
  });

  it('requests nothing twice in a month, and everything again in the next', async () => {
    const all = await begin([withVolumes(['shoes', 'hats'])]);
    await all.world.run({ kind: 'due' });
    all.world.clock.set(start + dayMs);
    await all.world.run({ kind: 'due' });
    expect(asked(all.provider).length).toBe(2);
    all.world.clock.set(Date.UTC(2026, 1, 1, 4));
    await all.world.run({ kind: 'due' });
    expect(asked(all.provider).length).toBe(4);
    expect(volumes(all.world).length).toBe(4);
    expectExplained(all);
  });

  it('makes up for several missed slots with one refresh', async () => {
    const all = await begin([withVolumes(['shoes'], { catchUp: 'all', schedule: '0 5 * * *' })]);
    await all.world.run({ kind: 'due' });
    all.world.clock.set(start + 3 * dayMs);
    const runs = await all.world.run({ kind: 'due' });
    expect(runs.map((run) => all.world.store.runs.run(run.runId)?.kind)).toEqual(['volumes', 'ranks']);
  });

  it('is shared by projects, at the larger limit', async () => {
    const all = await begin([
      withVolumes(['shoes']),
      withVolumes(['shoes', 'hats'], { id: 'globex', volumes: { schedule: '0 4 * * *', limit: 50 } }),
    ]);
    await all.world.run({ kind: 'due' });
    expect(asked(all.provider)).toEqual(['shoes', 'hats']);
    expect(all.provider.requests.map(({ body }) => body['limit'])).toEqual([50, 50]);
  });

  it('runs before the rank run of the same moment, so that its report has the volumes', async () => {
    const all = await begin([withVolumes(['shoes'], { schedule: '0 4 * * *' })]);
    await all.world.run({ kind: 'due' });
    expect(all.provider.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['keyword-data', 'serp']);
  });

  it('settles to the cost of the list and frees the rest of its worst case', async () => {
    const all = await begin([withVolumes(['shoes'], { volumes: { schedule: '0 4 * * *', limit: 1000 } })], {
      related: () => Array.from({ length: 99 }, (_, index) => `related ${index}`),
    });
    await all.world.run({ kind: 'due' });
    expect(all.world.rows('SELECT reserved, spent, released FROM reservations')).toEqual([
      { reserved: 300_000, spent: 30_000, released: 270_000 },
    ]);
    expectExplained(all);
  });

  it('records that a keyword has no volume, and does not request it again that month', async () => {
    const all = await begin([withVolumes(['zzqx'])]);
    all.provider.next({ answer: { success: true, result_count: 0, cost: 0.01, data: [] } });
    await all.world.run({ kind: 'due' });
    expect(volumes(all.world)).toEqual(['zzqx unknown 2026-01']);
    all.world.clock.set(start + dayMs);
    await all.world.run({ kind: 'due' });
    expect(asked(all.provider).length).toBe(1);
    expect(all.world.broken()).toEqual([]);
  });

  it('records the first of several rows of a keyword, as our own service does', async () => {
    const all = await begin([withVolumes(['shoes'])]);
    const row = (keyword: string, search_volume: number) => ({ keyword, country: 'us', language: 'en', search_volume });
    const data = [row('Shoes', 90), row('shoes ', 7), row('boots', 5)];
    all.provider.next({ answer: { success: true, result_count: 3, cost: 0.01, data } });
    await all.world.run({ kind: 'due' });
    expect(volumes(all.world)).toEqual(['shoes 90 2026-01']);
    expectExplained(all);
  });

  it('names a keyword that a paid answer lacks, keeps no metrics of it, and requests it again next month', async () => {
    const others = { keyword: 'shoes online', country: 'us', language: 'en', search_volume: 90 };
    const lacking = { answer: { success: true, result_count: 1, cost: 0.01, data: [others] } };
    const all = await begin([withVolumes(['shoes', 'shoes online'])]);
    await all.world.run({ kind: 'due' });
    expect(volumes(all.world)).toEqual(['shoes 10000 2026-01', 'shoes online 9900 2026-01']);
    all.world.clock.set(Date.UTC(2026, 1, 1, 4));
    all.provider.next(lacking);
    const [run] = await all.world.run({ kind: 'due' });
    expect(run?.problems).toEqual([
      '"shoes" (US, en): the paid answer has other keywords and no data for this one; it is requested again next month',
    ]);
    expect(volumes(all.world).slice(2)).toEqual(['shoes online 90 2026-02']);
    expect(all.world.store.runs.run(run?.runId ?? 0)).toMatchObject({ state: 'complete', remark: run?.problems[0] });
    all.world.clock.set(Date.UTC(2026, 1, 2, 4));
    expect(await all.world.run({ kind: 'due' })).toMatchObject([{ problems: [] }]);
    expect(asked(all.provider).length).toBe(2);
    all.world.clock.set(Date.UTC(2026, 2, 1, 4));
    await all.world.run({ kind: 'due' });
    expect(volumes(all.world).slice(3)).toEqual(['shoes 10000 2026-03', 'shoes online 9900 2026-03']);
    expectExplained(all);
  });

  it('lists the keywords that the budget had no room for', async () => {
    const all = await begin([withVolumes(['a', 'b', 'c'])], {}, { serp_credit: {}, micro_usd: { perMonth: 25_000 } });
    const [run] = await all.world.run({ kind: 'due' });
    expect(run?.problems).toEqual([
      '"c" (US, en): budget: needs 0.01 USD, 0.005 of 0.025 are left for the month 2026-01',
    ]);
    expect(all.world.store.runs.run(run?.runId ?? 0)).toMatchObject({
      state: 'partial',
      reason: expect.stringContaining('budget'),
    });
    expectExplained(all);
  });

  it('retries after a failure, and counts the failed request as spent where it may have been charged', async () => {
    const all = await begin([withVolumes(['a'])]);
    all.provider.next({ status: 502, sold: true }, { status: 429, retryAfter: '3' });
    await all.world.run({ kind: 'due' });
    expect(volumes(all.world)).toEqual(['a 10000 2026-01']);
    expect(all.world.store.audit.totals('micro_usd')).toMatchObject({ spent: 10_000, unknown: 10_000 });
    expectExplained(all);
  });

  it('sends eight requests at most to a provider that answers 429: each may be charged', async () => {
    const fault = (_: number, body: Readonly<Record<string, unknown>>) =>
      'limit' in body ? { status: 429, retryAfter: '1' } : 'ok';
    const all = await begin([withVolumes(['a', 'b', 'c'])], { fault });
    const [run] = await all.world.run({ kind: 'due' });
    expect(asked(all.provider)).toEqual(Array.from({ length: 8 }, () => 'a'));
    expect(run?.problems[0]).toMatch(/^service vendor: It is first in line next time/);
    expect(volumes(all.world)).toEqual([]);
    expectExplained(all);
  });

  it('halts when dollars run out, and does not affect ranks of the same call', async () => {
    const all = await begin([withVolumes(['a', 'b'], { schedule: '0 4 * * *' })]);
    all.provider.next({ status: 402 });
    const runs = await all.world.run({ kind: 'due' });
    expect(runs.length).toBe(2);
    expect(all.world.store.runs.run(1)?.state).toBe('halted');
    expect(runs[0]?.problems).toEqual([expect.stringMatching(/^service \w+: Top up the account/)]);
    expect(asked(all.provider).length).toBe(1);
    expect(all.world.store.runs.run(2)).toMatchObject({ kind: 'ranks', state: 'complete' });
    expectExplained(all);
  });

  it('never buys again an answer that it has stored but cannot read', async () => {
    const all = await begin([withVolumes(['a'])]);
    all.provider.next('truncated');
    const [run] = await all.world.run({ kind: 'due' });
    expect(run?.problems[0]).toContain('UNREADABLE_RESPONSE');
    all.world.clock.set(start + dayMs);
    const [again] = await all.world.run({ kind: 'due' });
    expect(asked(all.provider).length).toBe(1);
    expect(again?.problems[0]).toContain('stored, but unreadable');
    expect(volumes(all.world)).toEqual([]);
    expectExplained(all);
  });

  it('never buys again an unusable answer that was charged', async () => {
    const all = await begin([withVolumes(['a'])]);
    const client = [...all.world.context.services.values()][0]!;
    const keywordData = client.keywordData.bind(client);
    client.keywordData = async () => {
      throw new ServiceError('WORKER_FAILED', 'Sold, and lost.', { charged: 'yes' });
    };
    await all.world.run({ kind: 'due' });
    client.keywordData = keywordData;
    all.world.clock.set(start + dayMs);
    const [again] = await all.world.run({ kind: 'due' });
    expect(again?.problems[0]).toContain('it was paid this month');
    expect(asked(all.provider)).toEqual([]);
    expect(all.world.store.audit.totals('micro_usd')).toMatchObject({ spent: 10_000, unknown: 0 });
    expect(all.world.broken()).toEqual([]);
  });

  it('is not retried for ever in a month in which every request may have been charged', async () => {
    const all = await begin([withVolumes(['a'])], { fault: () => 'reset-after-sale' });
    for (let day = 0; day < 5; day += 1) {
      all.world.clock.set(start + day * dayMs);
      await all.world.run({ kind: 'due' });
    }
    expect(asked(all.provider).length).toBe(3);
    expectExplained(all);
  });

  it('resumes where it was interrupted', async () => {
    const file = `${temporaryFolder()}/db.sqlite`;
    const all = await begin([withVolumes(['a', 'b', 'c'])], {}, noCaps, file);
    all.world.store.volumes.insert = new Proxy(all.world.store.volumes.insert, {
      apply(target, that, values) {
        if (values[0] === 'b') throw new Error('died');
        return Reflect.apply(target, that, values);
      },
    });
    await expect(all.world.run({ kind: 'due' })).rejects.toThrow('died');
    const next = new World({
      provider: all.provider,
      projects: all.world.projects,
      file,
      clock: all.world.clock,
    });
    const [run] = await next.run({ kind: 'due' });
    expect(run).toMatchObject({ resumed: true });
    expect(asked(all.provider)).toEqual(['a', 'b', 'b', 'c']);
    expect(next.store.audit.totals('micro_usd')).toMatchObject({ spent: 30_000, unknown: 10_000 });
    expect(next.broken()).toEqual([]);
    await next.close();
  });
});
