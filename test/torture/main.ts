// `npm run torture`: faults that take minutes, each in its own process. `--only NAME` runs one, `--quick` small sizes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Resolves with the number of violations, and reports them as lines. */
type Torture = (report: (line: string) => void, options?: { readonly quick: boolean }) => Promise<number>;

/** By name: the file, the function, and what runs in the quick form. */
const tortures = {
  tests: ['./tests.ts', 'longTests', 'all'],
  budget: ['./budget.ts', 'budgetTorture', 'all'],
  simulation: ['../simulation/torture.ts', 'simulationTorture', 'some'],
  redis: ['./redis.ts', 'redisTorture', 'some'],
  zones: ['./zones.ts', 'zonesTorture', 'all'],
  kill: ['./kill.ts', 'killTorture', 'some'],
  disk: ['./disk.ts', 'diskTorture', 'some'],
  reports: ['./reports.ts', 'reportsTorture', 'some'],
  faults: ['./faults.ts', 'faultsTorture', 'some'],
  truth: ['./truth.ts', 'truthTorture', 'some'],
} as const;

type Name = keyof typeof tortures;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    /** This process executes it. */
    here: { type: 'boolean', default: false },
  },
});
const { only, quick, here } = values;
const fileOf = (name: Name): URL => new URL(tortures[name][0], import.meta.url);
const there = (Object.keys(tortures) as Name[]).filter((name) => existsSync(fileOf(name)));
const wanted = there.filter((name) => only === undefined || name === only);

if (wanted.length === 0) {
  console.error(`There is no torture "${only}"; there are: ${there.join(', ')}`);
  process.exitCode = 2;
} else if (here) {
  for (const name of wanted) if ((await carryOut(name)) > 0) process.exitCode = 1;
} else {
  for (const name of wanted) {
    const start = performance.now();
    const holds = await carryOutApart(name);
    if (!holds) process.exitCode = 1;
    console.log(`${name}: ${holds ? 'holds' : 'DOES NOT HOLD'}, ${Math.round((performance.now() - start) / 1000)} s`);
  }
}

async function carryOut(name: Name): Promise<number> {
  const room = (await import(fileOf(name).href)) as Record<string, Torture | undefined>;
  const [file, exported, whereQuick] = tortures[name];
  const torture = room[exported];
  if (torture === undefined) throw new Error(`${file} has no ${exported}`);
  const report = (line: string): void => console.log(line);
  return quick && whereQuick === 'some' ? torture(report, { quick }) : torture(report);
}

/** Whether it ended without a violation. Each runs in its own process, so that none affects the next. */
async function carryOutApart(name: Name): Promise<boolean> {
  const args = [fileURLToPath(import.meta.url), '--here', '--only', name, ...(quick ? ['--quick'] : [])];
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close');
  return code === 0;
}
