// Planted bugs of measured clicks: fresh days, final days, the fitted curve, and effects that add up.
import type { Plant } from './plants.ts';

export const clicks: readonly Plant[] = [
  {
    invariant: 'the partial numbers of fresh days are in no sum',
    file: 'db/history/clicks.ts',
    find: "AND d.state = 'final')\n           GROUP BY r.keyword_id, r.url_id",
    replace: ')\n           GROUP BY r.keyword_id, r.url_id',
    tests: ['test/app/workspace/clicks.test.ts'],
  },
  {
    invariant: 'a final day of clicks is never fetched again',
    file: 'jobs/backfill/fetch-clicks.ts',
    find: 'days.filter(({ date }) => !final.has(date))',
    replace: 'days',
    tests: ['test/cli/commands/backfill-clicks.test.ts'],
  },
  {
    invariant: 'a fresh day of clicks is fetched again',
    file: 'db/history/clicks.ts',
    find: "if (known?.state === 'final') return;",
    replace: 'if (known !== undefined) return;',
    tests: ['test/cli/commands/run-clicks.test.ts'],
  },
  {
    invariant: 'days of clicks that a check has seen raise no rate',
    file: 'jobs/clicks/click-sensor.ts',
    find: 'checkedAt === null || localDate(checkedAt, project.timezone) >= to',
    replace: 'checkedAt === null',
    tests: ['test/jobs/clicks/click-sensor.test.ts'],
  },
  {
    invariant: 'a measured curve never rises',
    file: 'src/tracker/clicks/measured-curve.ts',
    find: 'before !== undefined && rate(before) < rate(block)',
    replace: 'before !== undefined && rate(before) > 2 * rate(block)',
    tests: ['test/tracker/clicks/measured-curve.test.ts'],
  },
  {
    invariant: 'a measured curve is shrunk to the built-in one',
    file: 'src/tracker/clicks/measured-curve.ts',
    find: 'clicks: clicks + prior * priorRate(index + 1),',
    replace: 'clicks,',
    tests: ['test/tracker/clicks/measured-curve.test.ts'],
  },
  {
    invariant: 'the effects of a change of clicks add up to it',
    file: 'src/tracker/clicks/attribution.ts',
    find: 'rate: cents(change - demand - rank) };',
    replace: 'rate: cents(change - demand) };',
    tests: ['test/tracker/clicks/attribution.test.ts'],
  },
  {
    invariant: 'clicks of another page than those of the target are not those of a row',
    file: 'jobs/clicks/project-clicks.ts',
    find: 'this.groups().filter(({ page }) => isPageOf(pages, page))',
    replace: 'this.groups()',
    tests: ['test/app/workspace/clicks.test.ts'],
  },
  {
    invariant: 'clicks that cannot be fetched fail no run',
    file: 'src/app/runs/fetch-clicks.ts',
    find: 'return { project, days: 0, fresh: 0, error: words };',
    replace: 'throw error;',
    tests: ['test/cli/commands/run-clicks.test.ts'],
  },
];
