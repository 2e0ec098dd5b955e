// The cost of a run for a project: shares add up to the ledger, and every planned page is accounted for.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvChunks } from '../../../src/report/formats/csv.ts';
import {
  type SpendAmounts,
  type SpendRow,
  spendColumns,
  spendOfChecks,
  spendOfDollars,
  spendOfSources,
} from '../../../src/report/tables/spend.ts';
import type { CheckCost } from '../../../src/tracker/paging.ts';

const facts = { project: 'acme', runId: 7, warning: null };
const plain: CheckCost = {
  count: 1,
  country: 'US',
  language: 'en',
  device: 'desktop',
  status: 'ok',
  depth: 3,
  pagesRead: 3,
  spent: 3,
  unknown: 0,
  pagesPaid: 3,
  projects: ['acme'],
  remainderOffset: 0,
};
const line = (rows: readonly SpendRow[], scope: string) => rows.find((row) => row.scope === scope)?.amounts;
const explained = (a: SpendAmounts): number =>
  a.spent + a.unknown - a.failures + a.savedBySharing + a.savedByFreshness + a.savedByEarlyStop + a.notBought;

const sharers = ['acme', 'rival', 'shop', 'north', 'south'];
const someCheck = fc
  .record({
    depth: fc.integer({ min: 1, max: 10 }),
    read: fc.integer({ min: 0, max: 10 }),
    spent: fc.integer({ min: 0, max: 12 }),
    unknown: fc.integer({ min: 0, max: 4 }),
    paid: fc.integer({ min: 0, max: 12 }),
    projects: fc.integer({ min: 1, max: 5 }),
    count: fc.integer({ min: 1, max: 3 }),
    id: fc.nat(100),
    status: fc.constantFrom('ok', 'incomplete', 'failed', 'deferred', 'unknown_paid'),
  })
  .map(
    ({ depth, read, paid, projects, id, ...rest }): CheckCost => ({
      ...plain,
      ...rest,
      status: rest.status as CheckCost['status'],
      depth,
      pagesRead: Math.min(read, depth),
      pagesPaid: Math.min(paid, rest.spent),
      projects: sharers.slice(0, projects),
      remainderOffset: id % projects,
    }),
  );

describe('the lines of a run', () => {
  it('account for every planned page', () => {
    fc.assert(
      fc.property(fc.array(someCheck, { maxLength: 12 }), (checks) => {
        for (const { amounts } of spendOfChecks(facts, checks)) expect(explained(amounts)).toBe(amounts.planned);
      }),
    );
  });

  it('add up over the projects to the cost of the whole run', () => {
    fc.assert(
      fc.property(someCheck, (check) => {
        const whole = line(spendOfChecks(facts, [check]), 'run');
        const shares = check.projects.map((project) => line(spendOfChecks({ ...facts, project }, [check]), 'project'));
        for (const name of Object.keys(whole ?? {}) as (keyof SpendAmounts)[]) {
          expect(shares.reduce((sum, share) => sum + (share?.[name] ?? 0), 0)).toBe(whole?.[name]);
        }
      }),
    );
  });

  it('state what sharing, fresh pages and an early stop saved', () => {
    const rows = spendOfChecks(facts, [
      { ...plain, projects: ['acme', 'rival'], spent: 3 },
      { ...plain, pagesRead: 2, pagesPaid: 1, spent: 1 },
    ]);
    expect(line(rows, 'project')).toMatchObject({
      planned: 6,
      spent: 3,
      savedBySharing: 1,
      savedByFreshness: 1,
      savedByEarlyStop: 1,
      notBought: 0,
    });
    expect(line(rows, 'other_projects')).toMatchObject({ planned: 3, spent: 1, savedBySharing: 2 });
    expect(line(rows, 'run')).toMatchObject({ planned: 9, spent: 4, savedBySharing: 3 });
  });

  it('state the cost of failures, and what was not bought because of them', () => {
    const failed: CheckCost = { ...plain, status: 'failed', pagesRead: 0, spent: 0, unknown: 2, pagesPaid: 0 };
    expect(line(spendOfChecks(facts, [failed]), 'project')).toMatchObject({
      planned: 3,
      unknown: 2,
      failures: 2,
      notBought: 3,
      savedByEarlyStop: 0,
    });
  });

  it('give an indivisible credit to one project after the other', () => {
    const shared = { ...plain, projects: ['acme', 'rival'], spent: 3 };
    const spentBy = (project: string, remainderOffset: number) =>
      line(spendOfChecks({ ...facts, project }, [{ ...shared, remainderOffset }]), 'project')?.spent;
    expect([spentBy('acme', 0), spentBy('rival', 0)]).toEqual([2, 1]);
    expect([spentBy('acme', 1), spentBy('rival', 1)]).toEqual([1, 2]);
  });

  it('name each market, and no other projects if there are none', () => {
    const rows = spendOfChecks(facts, [plain, { ...plain, device: 'mobile', count: 4 }]);
    expect(rows.map(({ scope, device, checks }) => `${scope} ${device} ${checks}`)).toEqual([
      'project null 5',
      'market desktop 1',
      'market mobile 4',
      'run null 5',
    ]);
  });
});

it('the lines of sources state what each sold, and nothing else', () => {
  const rows = spendOfSources(facts, [
    { source: 'web/chain:one', spent: 5, unknown: 0, requests: null },
    { source: 'web/bing', spent: 1, unknown: 2, requests: { charged: 4, free: 0, unknown: 3 } },
  ]);
  const [head = '', ...lines] = [...csvChunks(spendColumns, rows, { bom: false, delimiter: ',', safe: true })]
    .join('')
    .trim()
    .split('\r\n');
  const names = head.split(',');
  const cells = lines.map((text) => Object.fromEntries(text.split(',').map((cell, at) => [names[at], cell])));
  const shown = ['scope', 'source', 'spent', 'unknown', 'planned', 'requests', 'requests_unknown', 'requests_free'];
  expect(cells.map((row) => shown.map((name) => row[name]).join(' '))).toEqual([
    'source web/chain:one 5 0    ',
    'source web/bing 1 2  4 3 0',
  ]);
});

describe('the dollars of keyword data', () => {
  it('of a run of several projects have a line of the others, exactly', () => {
    const cost = { reserved: 100_000, spent: 30_001, unknown: 10_000, failures: 10_000 };
    const own = { reserved: 33_334, spent: 10_001, unknown: 3_334, failures: 3_334 };
    const rows = spendOfDollars(facts, cost, own);
    expect(rows.map(({ scope }) => scope)).toEqual(['project', 'other_projects', 'run']);
    for (const { amounts } of rows) expect(explained(amounts)).toBe(amounts.planned);
    expect((line(rows, 'project')?.spent ?? 0) + (line(rows, 'other_projects')?.spent ?? 0)).toBe(30_001);
    expect([...csvChunks(spendColumns, rows)].join('')).toContain(
      'acme,run,,,,,usd,,0.1,0.030001,0.01,0,0,0,0.069999,0.01,,,,7,',
    );
  });

  it('of a run of one project are all its own', () => {
    const cost = { reserved: 10_000, spent: 10_000, unknown: 0, failures: 0 };
    const rows = spendOfDollars(facts, cost, cost);
    expect(rows.map(({ scope, amounts }) => `${scope} ${amounts.spent}`)).toEqual(['project 10000', 'run 10000']);
  });
});
