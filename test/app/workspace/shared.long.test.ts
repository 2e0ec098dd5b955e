// Clients as attackers, with every parameter of every path: an answer never depends on what they may not see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { filterShape } from '../../../src/read/queries.ts';
import {
  acmeAlone,
  agency,
  askWorld,
  openSharedWorld,
  type SharedScope,
  type SharedWorld,
  sharedScopes,
  shoesAlone,
} from '../../helpers/shared-worlds.ts';

let worlds: readonly [agency: SharedWorld, acmeAlone: SharedWorld, shoesAlone: SharedWorld];

beforeAll(async () => {
  worlds = [await openSharedWorld(agency), await openSharedWorld(acmeAlone), await openSharedWorld(shoesAlone)];
}, 120_000);
afterAll(async () => {
  for (const world of worlds) await world.close();
});

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query' }[];
}

const anything = ['', '*', '..', '!', '0', '-1', '9999-12-31', 'true', '/./', '/(/', '__proto__'];
const secrets = ['secret-tag|shoes', '!secret-tag', 'secret-target.com', 'secret keyword', 'Secret view'];
const hidden = ['hidden-tag|shoes', '!hidden-tag', 'hidden rake', 'Hidden view', 'hidden prompt'];
const values = [...anything, ...secrets, ...hidden];
/** Filters work alike on each path. */
const fewValues = ['secret-tag|shoes', '!hidden-tag', '*'];

/** Values that a filter finds rows by. */
const rightValues: Readonly<Record<string, string>> = {
  ...{ q: 'shoes', url: 'acme', tag: 'shoes', market: 'US en', country: 'US', device: '!mobile', target: 'acme.com' },
  ...{
    status: 'ranked|not_found',
    change: 'declined',
    significance: '!noise',
    intent: '!navigational',
    bucket: '1|2-3',
  },
  ...{ above: 'globex.com', below: 'globex.com', passedBy: 'globex.com', passed: '!globex.com', otherUrl: 'false' },
  ...{ rank: '1..20', move: '1..', volume: '10..', cpc: '..5', clicks: '1..', daysInTop10: '..5' },
};

/** More values of single parameters. `cursor`: of a reader who sees everything. */
function valuesOf(name: string, cursor: string): readonly string[] {
  switch (name) {
    case 'project':
      return ['acme', 'acme-shop', 'secret-project', 'secret-before', ...values];
    case 'by':
      return ['tag', 'market', 'target', 'view', 'intent', 'keyword', 'page', 'competitor', 'query', ...values];
    case 'sort':
      return ['-rank', 'keyword,-searchVolume', 'tags', 'note', 'runId', ...values];
    case 'format':
      return ['csv', 'ndjson', 'xlsx', 'json', ...values];
    case 'limit':
      return ['all', '1', '10000', ...values];
    case 'cursor':
      return [cursor, ...values];
    case 'fields':
      return ['id,keyword,tags,note,runId,source', 'project', 'toString', ...values];
    case 'compare':
      return ['previous', '7d', '30d', 'last-month', '2025-12-05', ...values];
    case 'from':
    case 'to':
    case 'date':
      return ['2025-12-05', '2026-01-13', '2026-01-15', ...values];
    case 'granularity':
      return ['day', 'week', 'month', ...values];
    case 'keyword':
    case 'q':
      return ['garden hose', 'running shoes', 'shoes', ...values];
    default:
      return values;
  }
}

describe.each(Object.keys(sharedScopes) as SharedScope[])('a reader of a %s', (scope) => {
  it('gets the same answers as in a world without the rest', { timeout: 600_000 }, async () => {
    const [whole, ...others] = worlds;
    const alone = others[scope === 'project' ? 0 : 1];
    const everything = historyReader(whole.app);
    const [row] = everything.of('acme').keywords({ filter: { text: 'trail' }, sort: [] });
    const cursor = Buffer.from(`${everything.version()} 1`).toString('base64url');
    const headers = { authorization: `Bearer ${whole.tokens[scope]}` };
    const document = (await (await fetch(`${whole.server.url}/openapi.json`, { headers })).json()) as {
      paths: Record<string, { get?: Operation }>;
    };
    let asked = 0;
    let answered = 0;
    for (const [path, { get }] of Object.entries(document.paths)) {
      if (get === undefined || path === '/v1/access') continue;
      const named = path.replace('{project}', 'acme').replace('{id}', row?.id ?? '');
      const search = { keyword: 'trail shoes', country: 'US', language: 'en', device: 'desktop' };
      for (const { name, in: place } of get.parameters ?? []) {
        if (place === 'path') continue;
        const isKnown = Object.hasOwn(filterShape, name) && !path.endsWith('/keywords');
        for (const value of [...(isKnown ? fewValues : valuesOf(name, cursor)), rightValues[name] ?? '']) {
          const query = new URLSearchParams({ ...(path.includes('/serp') && search), [name]: value });
          const answer = await askWorld(whole, scope, `${named}?${query}`);
          expect(answer, `${named}?${query}`).toBe(await askWorld(alone, scope, `${named}?${query}`));
          expect(answer, `${named}?${query}`).not.toMatch(/^5/);
          asked += 1;
          if (answer.startsWith('200')) answered += 1;
        }
      }
    }
    expect(asked).toBeGreaterThan(5_000);
    expect(answered).toBeGreaterThan(1_000);
  });
});
