// A service of `mode: best` over three vendors, of which the cheapest lies from day 5: cost, truth and who is named.

import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { afterDays, type BestOutcome } from '../helpers/best-service.ts';
import { closeOpened } from '../helpers/closing.ts';
import type { BenchRow } from './row.ts';

const lies = ['stale', 'frozen', 'place', 'device', 'featureless', 'padded', 'shuffled', 'partial'];
const liesFrom = '2026-01-05';
const bars = { cost: 0.5, right: 0.99, extra: 0.03, falseChange: 0.01, namedDays: 3 };

export async function benchBest(quick: boolean): Promise<BenchRow[]> {
  const world = quick ? { seed: 7, keywords: 60, days: 20 } : { seed: 7, keywords: 120, days: 60 };
  const rows: BenchRow[] = [];
  for (const kind of [undefined, ...lies]) {
    const lie = kind === undefined ? undefined : { lie: kind, lieFrom: liesFrom };
    const outcome = await afterDays({ ...world, ...(lie && { lie }) });
    await closeOpened();
    rows.push(rowOf(kind, outcome));
    process.stderr.write(`  ${kind ?? 'honest'} measured\n`);
  }
  return rows;
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const dayOf = (date: string): number => Date.parse(date) / dayMs;

function rowOf(kind: string | undefined, outcome: BestOutcome): BenchRow {
  const { costShare, extraShare, rightShare, falseChangeShare, named, notComparable } = outcome;
  const date = named.get('cheap');
  const honest = [...named.keys()].filter((vendor) => vendor !== 'cheap' || kind === undefined);
  const days = date === undefined || kind === undefined ? null : dayOf(date) - dayOf(liesFrom);
  const isNamed = kind === undefined || (days !== null && days <= bars.namedDays);
  const isSound = rightShare >= bars.right && falseChangeShare <= bars.falseChange && notComparable === 0;
  const naming = kind === undefined ? '' : days === null ? ', not named' : `, named after ${days} days`;
  return {
    name: `best: ${kind === undefined ? 'all honest' : `the cheapest is ${kind}`}`,
    target: 'cost <= 50 %, right >= 99 %, extra <= 3 %, named within 3 days',
    ratio: costShare,
    detail: `cost ${percent(costShare)}, right ${percent(rightShare)}, extra ${percent(extraShare)}${naming}; false changes ${percent(falseChangeShare)}, not comparable ${notComparable}, honest ones named ${honest.length}`,
    ok: costShare <= bars.cost && extraShare <= bars.extra && isSound && isNamed && honest.length === 0,
  };
}
