// The dry run of a slot plans what its run then checks.
import { afterEach, describe, expect, it } from 'vitest';
import { planReport } from '../../../jobs/query/planning.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

const hourMs = 3_600_000;
const monday = Date.UTC(2026, 0, 5, 6);
const names = Array.from({ length: 30 }, (_, index) => `keyword ${String(index).padStart(2, '0')}`);

let open: RankedWorld | undefined;
afterEach(async () => {
  await open?.world.close();
  open = undefined;
});

describe('planReport', () => {
  it('shares the month over the same slots as the run, hours after the slot', async () => {
    const weekly = project({
      targets: [{ match: 'domain', value: 'acme.example' }],
      keywords: names.map((name) => keyword(name, { depth: 1 })),
      schedule: '0 6 * * 1',
      timezone: 'UTC',
      adaptive: { cadence: true, paging: true, atLeastEveryMs: 28 * 24 * hourMs },
    });
    open = new RankedWorld([weekly], { caps: { serp_credit: { perMonth: 48 }, micro_usd: {} } });
    const late = monday + 3 * hourMs;
    open.clock.set(late);
    const planned = planReport(open.world.context, { kind: 'due' });
    const read: string[] = [];
    open.onPage = (name) => void read.push(name);
    await open.runDue(late);
    expect(read).toHaveLength(12); // of 48, for each of 4 Mondays
    expect(planned).toMatchObject({ searches: 12, creditsWorstCase: 12 });
    const taken = planned.adaptive?.filter(({ check }) => check).map((decision) => decision.keyword);
    expect(taken?.toSorted()).toEqual(read.toSorted());
  });
});
