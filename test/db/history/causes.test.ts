// Causes of changes are stored once for each target in a search of a run, and read by run or by time.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../../../db/connection/client.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { Store } from '../../../db/store.ts';
import { noCaps } from '../../helpers/jobs.ts';

let db: Connection;
let store: Store;
const searches: number[] = [];
const targets: number[] = [];
beforeEach(() => {
  db = openConnection(':memory:');
  store = new Store(db, noCaps);
  for (const moment of [10, 20, 30]) {
    const slot = { project: 'acme', slot: String(moment), at: moment, timezone: 'UTC', localDate: '2026-01-15' };
    const run = store.runs.open({ kind: 'ranks', moment, owner: 'first', at: moment }, [slot]);
    store.runs.close(run?.id ?? 0, { state: 'complete', reason: null, at: moment });
  }
  const market = { service: 'vendor', country: 'US', language: 'en', device: 'desktop' } as const;
  searches.splice(0, 2, ...['shoes', 'boots'].map((keyword) => store.names.searchId({ keyword, market })));
  const target = (value: string) => store.names.targetId({ identity: `domain:${value}`, match: 'domain', value });
  targets.splice(0, 2, target('acme.com'), target('other.com'));
});
afterEach(() => store.close());

const explained = (why: string) => JSON.stringify({ why });
const cause = (runId: number, at: number, why: string, target = 0) => ({
  runId,
  searchId: searches[at] ?? 0,
  targetId: targets[target] ?? 0,
  explanation: explained(why),
});
const keep = (project: string, ...causes: ReturnType<typeof cause>[]) =>
  store.transaction(() => store.causes.keep(project, causes));
const whys = (causes: readonly { readonly explanation: string }[]) =>
  causes.map(({ explanation }) => JSON.parse(explanation).why);

describe('causes', () => {
  it('are read by run, project, search and target', () => {
    keep('acme', cause(1, 1, 'boots'), cause(1, 0, 'shoes'), cause(1, 0, 'rival', 1), cause(2, 0, 'later'));
    keep('other', cause(1, 0, 'of another project'));
    const { runId: _, ...first } = cause(1, 0, 'shoes');
    expect(store.causes.ofRun('acme', 1)[0]).toEqual(first);
    expect(whys(store.causes.ofRun('acme', 1))).toEqual(['shoes', 'rival', 'boots']);
    expect(store.causes.ofRun('never seen', 1)).toEqual([]);
  });

  it('of a run that is judged again replace those that it had, and every row is still proven', () => {
    keep('acme', cause(1, 0, 'first'), cause(1, 1, 'stays'));
    keep('acme', cause(1, 0, 'second'));
    expect(whys(store.causes.ofRun('acme', 1))).toEqual(['second', 'stays']);
    expect([...verification(db)].filter(({ ok }) => !ok)).toEqual([]);
  });

  it('are refused where they are no JSON, or their run does not exist', () => {
    expect(() => keep('acme', { ...cause(1, 0, ''), explanation: 'because' })).toThrow(/CHECK constraint/);
    expect(() => keep('acme', cause(9, 0, 'of no run'))).toThrow(/FOREIGN KEY constraint/);
    expect(store.causes.ofRun('acme', 1)).toEqual([]);
  });

  it('go with the old name of a project that becomes another, and are computed again', () => {
    keep('acme', cause(1, 0, 'old'));
    keep('new', cause(2, 0, 'new'));
    store.transaction(() => store.renames.renameProject('acme', 'new'));
    expect([1, 2].map((runId) => whys(store.causes.ofRun('new', runId)))).toEqual([[], ['new']]);
  });
});
