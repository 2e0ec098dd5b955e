// `npm run bench`: targets of speed and memory as ratios, side by side. `--only NAME`, `--quick`, `--against CHECKOUT`.
import { parseArgs } from 'node:util';
import { benchBest } from './best.ts';
import { benchCluster } from './cluster.ts';
import { benchDataset } from './dataset.ts';
import { benchFair } from './fair.ts';
import { benchGoods } from './goods.ts';
import { benchGrid } from './grid.ts';
import { benchGrowth } from './growth.ts';
import { benchParse } from './parse.ts';
import { benchPlan } from './plan.ts';
import { benchPolicy } from './policy.ts';
import { benchReports } from './reports.ts';
import type { BenchRow } from './row.ts';
import { benchRun } from './run.ts';
import { benchScale } from './scale.ts';
import { benchServiceLoad } from './service-load.ts';
import { benchServiceLogins } from './service-logins.ts';
import { benchThroughput } from './throughput.ts';
import { benchView } from './view.ts';
import { benchWeight } from './weight.ts';
import { benchWhy } from './why.ts';
import { benchYear } from './year.ts';

const benches: Readonly<Record<string, (quick: boolean) => Promise<BenchRow[]>>> = {
  parse: parseWhereRecorded,
  reports: benchReports,
  growth: benchGrowth,
  dataset: benchDataset,
  plan: benchPlan,
  policy: benchPolicy,
  grid: benchGrid,
  goods: benchGoods,
  run: benchRun,
  throughput: benchThroughput,
  scale: benchScale,
  view: benchView,
  why: benchWhy,
  fair: benchFair,
  best: benchBest,
  cluster: benchCluster,
  year: benchYear,
  weight: (quick) => benchWeight(quick, values.against),
  service: async (quick) => [...(await benchServiceLoad(quick)), ...(await benchServiceLogins(quick))],
};

/** Recorded pages are not part of the project: if they are absent, the line says so, and fails nothing. */
async function parseWhereRecorded(): Promise<BenchRow[]> {
  const rows = await benchParse();
  if (rows.length > 0) return rows;
  const detail = 'not measured: there are no recorded pages in ../shared';
  return [{ name: 'parse', target: 'at least 5x faster, within 2x', ratio: Number.NaN, detail, ok: true }];
}

function printTable(rows: readonly BenchRow[]): void {
  console.table(
    rows.map(({ ratio, ...row }) => ({ ...row, ratio: Number.isNaN(ratio) ? '-' : ratio.toFixed(2) })),
    ['name', 'target', 'ratio', 'detail', 'ok'],
  );
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    /** Another checkout of the same database schema, measured beside this one by `weight`. */
    against: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run bench -- [--only NAME] [--quick] [--against CHECKOUT]   NAME: ${Object.keys(benches).join(', ')}`;
const wanted = Object.entries(benches).filter(([name]) => values.only === undefined || name === values.only);
if (values.help) console.log(usage);
else if (wanted.length === 0) {
  console.error(`There is no bench "${values.only}".\n${usage}`);
  process.exitCode = 2;
} else {
  const rows: BenchRow[] = [];
  for (const [name, bench] of wanted) {
    process.stderr.write(`${name} ...\n`);
    rows.push(...(await bench(values.quick)));
  }
  printTable(rows);
  if (rows.some(({ ok }) => !ok)) process.exitCode = 1;
}
