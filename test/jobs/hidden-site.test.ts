// A page with a result that hides its address: no target is said to be absent from it, neither by the run nor by a derivation, and the report says why.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { deriveRankings } from '../../jobs/backfill-derive.ts';
import { keyword, project, removeTemporaryFolders, resultsWith, World } from '../helpers/jobs.ts';
import { startProvider } from '../helpers/provider.ts';

const start = Date.UTC(2026, 0, 15, 6);
const domain = (value: string) => ({ match: 'domain', value }) as const;

afterAll(removeTemporaryFolders);

it.each([
  ['https://www.engine.example/goto?url=CAESabc', 'incomplete', 0],
  ['https://other.example/', 'not_found', 1],
] as const)('with %s in place 3 an absence is %s', async (url, status, derived) => {
  const provider = await startProvider({ pageSize: () => 10, results: () => resultsWith(url, 3) });
  const tracked = project({ targets: [domain('acme.example')], keywords: [keyword('a', { depth: 1 })] });
  const world = new World({ provider, projects: [tracked] });
  try {
    world.clock.set(start);
    await world.runSlot(start);
    const report = readFileSync(join(world.reports, 'acme', 'latest', 'rank-changes.csv'), 'utf8');
    expect(report).toContain(`,acme.example,${status},`);
    expect(report.includes('a result hides its address')).toBe(status === 'incomplete');
    expect(world.broken()).toEqual([]);
    const wider = { ...tracked, competitors: [domain('rival.example')] };
    const wish = { projects: [wider], targets: ['rival.example'], dryRun: false };
    const { added } = await deriveRankings(world.store, wish, new AbortController().signal, () => {});
    expect(added.notFound).toBe(derived);
  } finally {
    await world.close();
    await provider.close();
  }
});
