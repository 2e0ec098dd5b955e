// A service of `mode: best` over three vendors, of which the cheapest lies from day 5: cost, truth and who is named.

import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { afterDays, type BestOutcome } from '../helpers/best-service.ts';
import { closeOpened } from '../helpers/closing.ts';
import {
  afterLyingDays,
  anotherNeighbour,
  below,
  better,
  type LyingWorld,
  own,
  removed,
  rival,
  swapped,
  where,
} from '../helpers/lying-vendors.ts';
import type { BenchRow } from './row.ts';

const lies = ['stale', 'frozen', 'place', 'device', 'featureless', 'padded', 'shuffled', 'partial'];
const liesFrom = '2026-01-05';
const bars = { cost: 0.5, right: 0.99, extra: 0.03, falseChange: 0.01, namedDays: 3 };

export async function benchBest(quick: boolean): Promise<BenchRow[]> {
  const world = quick ? { seed: 7, keywords: 60, days: 28 } : { seed: 7, keywords: 120, days: 60 };
  const rows: BenchRow[] = [];
  for (const kind of [undefined, ...lies]) {
    const lie = kind === undefined ? undefined : { lie: kind, lieFrom: liesFrom };
    const outcome = await afterDays({ ...world, ...(lie && { lie }) });
    await closeOpened();
    rows.push(rowOf(kind, outcome));
    process.stderr.write(`  ${kind ?? 'honest'} measured\n`);
  }
  rows.push(...(await benchSmallLies(quick)));
  return rows;
}

const missingOnAFifth = where(({ chance }) => chance(1) < 0.2, removed(own));
/** What the cheapest vendor does from day 5. Those that are held out chose no threshold. */
const smallLies: readonly { readonly name: string; readonly isHeldOut?: true; readonly world: Partial<LyingWorld> }[] =
  [
    ...[0, 0.02, 0.05, 0.1].map((noise) => ({ name: `all honest, noise ${noise}`, world: { noise } })),
    { name: 'a rival one better', world: { lie: better(rival, 1) } },
    { name: 'a rival two better', world: { lie: better(rival, 2) } },
    { name: 'ranks 1 and 2 swapped', world: { lie: swapped(1) } },
    { name: 'the own site missing on a fifth of pages', world: { lie: missingOnAFifth } },
    { name: 'a rival removed, noise 0.1', world: { lie: removed(rival), noise: 0.1 } },
    { name: 'the own site one worse', isHeldOut: true, world: { lie: better(own, -1) } },
    { name: 'the own site one better', isHeldOut: true, world: { lie: better(own, 1) } },
    { name: 'results 4 and 5 swapped', isHeldOut: true, world: { lie: swapped(4) } },
    { name: 'another neighbour each day', isHeldOut: true, world: { lie: anotherNeighbour } },
    {
      name: 'a rival one better on one device',
      isHeldOut: true,
      world: { devices: ['desktop', 'mobile'], lie: where(({ mobile }) => mobile, better(rival, 1)) },
    },
    {
      name: 'a rival one better in a quarter of the keywords',
      isHeldOut: true,
      world: { lie: where(({ keyword }) => keyword.length % 4 === 0, better(rival, 1)) },
    },
    {
      name: 'a rival one better on two days a week',
      isHeldOut: true,
      world: { lie: where(({ day }) => day % 7 > 4, better(rival, 1)) },
    },
    {
      name: 'a rival one better, growing by 4 % of pages a day',
      isHeldOut: true,
      world: { lie: where(({ chance, day }) => chance(1) < (day - 4) * 0.04, better(rival, 1)) },
    },
    { name: 'depth 3, pages 2 and 3 shifted', world: { depth: 3, lie: below((links) => links.slice(1)) } },
    { name: 'depth 3, pages 2 and 3 shuffled', world: { depth: 3, lie: below((links) => links.toReversed()) } },
    {
      name: 'depth 3, the own site one worse below page 1',
      isHeldOut: true,
      world: { depth: 3, lie: below(better(own, -1)) },
    },
    { name: 'depth 3, all honest', world: { depth: 3 } },
  ];
const smallBars = { wrong: 0.01, namedDays: 7 };

/** Small lies, and lies below page 1: 80 keywords, 30 days. Those that are held out have another seed. */
async function benchSmallLies(quick: boolean): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const { name, isHeldOut, world } of smallLies) {
    if (quick && isHeldOut) continue;
    const outcome = await afterLyingDays({ seed: isHeldOut ? 2 : 1, days: 30, noise: 0, ...world });
    await closeOpened();
    const { named, wronglyNamed, wrongShare, costShare, extraShare, because } = outcome;
    const days = named.get('cheap');
    const isFound = world.lie === undefined || (days !== undefined && days <= smallBars.namedDays);
    const found = world.lie === undefined ? '' : days === undefined ? ', not named' : `, named after ${days} days`;
    rows.push({
      name: `best: ${name}${isHeldOut ? ' (held out)' : ''}`,
      target: 'wrong <= 1 %, named within 7 days, no honest one named',
      ratio: wrongShare,
      detail: `wrong ${percent(wrongShare)}${found}; cost ${percent(costShare)}, extra ${percent(extraShare)}, honest ones named ${wronglyNamed.length}`,
      ok: wrongShare <= smallBars.wrong && isFound && wronglyNamed.length === 0,
    });
    process.stderr.write(`  ${rows.at(-1)?.name}: ${rows.at(-1)?.detail} ${because.join('; ')}\n`);
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
