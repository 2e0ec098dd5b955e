// A change of vendor that keeps history comparable, measured on a sample of searches.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bestConfig, readDatabase, slotsOf } from '../helpers/best-service.ts';
import { invoke } from './fake-host.ts';
import { projectFolder } from './project-folder.ts';
import { runSlots } from './real-app.ts';

const world = { seed: 5, keywords: 30, days: 4 };
const now = Date.parse('2026-01-03T12:00Z');

/** The last report after the project has moved from the dear vendor to another one. */
async function afterMove(lie: object | undefined, to: string, bridged: boolean) {
  const settings = { ...world, ...(lie && { lie }) };
  const folder = projectFolder(bestConfig(settings, 'dear'));
  const [first = '', second = '', third = '', fourth = ''] = slotsOf(4);
  await runSlots(folder, [first, second, third]);
  const asked = { cwd: folder.path, now };
  const measured = bridged ? await invoke(['backfill', 'bridge', '--from', 'dear', '--to', to, '--json'], asked) : null;
  folder.write('rankledger.yaml', bestConfig(settings, to));
  await runSlots(folder, [fourth]);
  const reports = join(folder.path, 'reports/acme');
  const newest =
    readdirSync(reports)
      .filter((name) => name.startsWith('2026-'))
      .sort()
      .at(-1) ?? '';
  const rows = readFileSync(join(reports, newest, 'rank-changes.csv'), 'utf8');
  return {
    measured: measured === null ? null : { ...JSON.parse(measured.out), exitCode: measured.exitCode },
    notComparable: rows.split(',not_comparable,').length - 1,
    notes: rows.split('with which this source agrees').length - 1,
    read: readDatabase(folder.path),
    asked,
  };
}

describe('backfill bridge', () => {
  it('keeps ranks comparable over a change of vendor, for three pages a search, and marks changes', async () => {
    expect(await afterMove(undefined, 'slow', false)).toMatchObject({ notComparable: 30, notes: 0 });
    const { measured, notComparable, notes, read, asked } = await afterMove(undefined, 'slow', true);
    expect(measured).toMatchObject({
      ...{ from: 'dear/sandbox', to: 'slow/sandbox', searches: 20, failed: 0, isComparable: true, exitCode: 0 },
      agreement: { urls: 1, order: 1, features: 1, ai_overview: 1, ads: 1 },
    });
    expect(notComparable).toBe(0);
    expect(notes).toBeGreaterThan(0);
    expect(read('SELECT DISTINCT source FROM checks WHERE run_id = (SELECT max(run_id) FROM checks)')).toEqual([
      { source: 'dear/sandbox=slow/sandbox' },
    ]);
    expect(
      read(
        "SELECT count(*) AS pages FROM purchases p JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id WHERE r.kind = 'adhoc'",
      ),
    ).toEqual([{ pages: 60 }]);
    expect((await invoke(['audit'], asked)).exitCode).toBe(0);
  });

  it.each(['shuffled', 'padded', 'featureless', 'partial'])(
    'refuses a source that is %s, and says in what it differs',
    async (kind) => {
      const { measured, notComparable } = await afterMove({ lie: kind }, 'cheap', true);
      expect(measured).toMatchObject({ isComparable: false, exitCode: 3, difference: expect.stringMatching(/^in /) });
      expect(notComparable).toBe(30);
    },
  );

  it('says what it would buy, and buys nothing', async () => {
    const { path } = projectFolder(bestConfig(world, 'dear'));
    const bridge = (...more: string[]) => invoke(['backfill', 'bridge', ...more], { cwd: path, now });
    expect((await bridge('--from', 'dear', '--to', 'slow', '--searches', '10', '--dry-run')).out).toBe(
      'It would buy 30 pages, at a credit each.\n',
    );
    expect((await bridge('--from', 'dear', '--to', 'none')).err).toMatch(/there is no service "none"/);
    expect((await bridge('--from', 'dear', '--to', 'dear')).err).toMatch(/same service/);
  });
});
