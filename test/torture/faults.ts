// Nine faults of machine, clock, provider and operator, injected into real runs, and whether planted bugs are caught.

import { plants } from '../mutations/plants.ts';
import { ProjectCopy } from '../mutations/project-copy.ts';
import { faults, injectAll } from './faults/all.ts';
import type { Fault, Injection } from './faults/fault.ts';

export interface FaultTortureOptions {
  /** Only the faults that take seconds, and no planted bugs. */
  readonly quick?: boolean;
  /** The seed of the random numbers; printed. */
  readonly seed?: number;
}

const shownMax = 5;

/** Returns the number of violations; a planted bug that is not caught is one. */
export async function faultsTorture(
  report: (line: string) => void,
  { quick = false, seed = quick ? 1 : Date.now() % 1_000_000 }: FaultTortureOptions = {},
): Promise<number> {
  const copy = quick ? null : new ProjectCopy();
  const rows: (readonly string[])[] = [];
  let wrong = 0;
  try {
    for (const fault of faults) {
      const rounds = fault.rounds[quick ? 'quick' : 'full'];
      if (rounds === 0) continue;
      const missing = fault.missing?.() ?? null;
      if (missing !== null) {
        report(`faults: ${fault.name} is not injected: ${missing}`);
        continue;
      }
      const { injected, violations } = await injectAll(fault, rounds, seed);
      for (const words of violations.slice(0, shownMax))
        report(`faults: VIOLATION ${fault.name}, seed ${seed}: ${words}`);
      const caught = copy === null ? 'not tried' : await caughtIn(copy, fault, seed);
      if (injected === 0) report(`faults: VIOLATION ${fault.name}: it never happened`);
      wrong += violations.length + Number(injected === 0) + Number(caught.startsWith('NO'));
      rows.push([fault.name, String(injected), String(violations.length), caught]);
    }
  } finally {
    copy?.remove();
  }
  report(`faults: seed ${seed}`);
  for (const line of table([['fault', 'injected', 'violations', 'planted bug caught'], ...rows])) report(line);
  return wrong;
}

/** Whether some rounds of the fault find violations in a copy of the project with its planted bug. */
async function caughtIn(copy: ProjectCopy, fault: Fault, seed: number): Promise<string> {
  const plant = plants.find(({ invariant }) => invariant === fault.plant);
  if (plant === undefined) throw new Error(`There is no planted bug "${fault.plant}"`);
  const args = [fault.name, String(fault.rounds.plant), String(seed)];
  const printed = await copy.withPlant(plant, () => copy.run('test/torture/faults/main.ts', ...args));
  const found = printed === null ? 0 : (JSON.parse(printed) as Injection).violations.length;
  return `${found > 0 ? `yes, ${found} violations` : 'NO'}: ${fault.plant}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(' | ')
      .trimEnd(),
  );
}
