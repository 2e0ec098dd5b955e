// All faults, and the injection of one for its number of rounds.
import { closeOpened } from '../../helpers/closing.ts';
import { Random } from '../../simulation/random.ts';
import { clockJumps } from './clock-jumps.ts';
import { pidReuse, zombies } from './dead-owners.ts';
import type { Fault, Injection } from './fault.ts';
import { fileSwap } from './file-swap.ts';
import { lockStalls } from './lock-stalls.ts';
import { logTail } from './log-tail.ts';
import { priceMismatch } from './price-mismatch.ts';
import { reportFolder } from './report-folder.ts';
import { windowTurns } from './window-turns.ts';

export const faults: readonly Fault[] = [
  pidReuse,
  zombies,
  logTail,
  fileSwap,
  lockStalls,
  priceMismatch,
  windowTurns,
  clockJumps,
  reportFolder,
];

/** An error of a round is a violation as well. */
export async function injectAll(fault: Fault, rounds: number, seed: number): Promise<Injection> {
  const violations: string[] = [];
  let injected = 0;
  for (let round = 0; round < rounds; round += 1) {
    try {
      const result = await fault.inject(new Random(seed + round, fault.name), round);
      injected += result.injected;
      violations.push(...result.violations.map((words) => `round ${round}: ${words}`));
    } catch (error) {
      violations.push(`round ${round}: ${error instanceof Error ? error.stack : String(error)}`);
    }
  }
  await closeOpened();
  return { injected, violations };
}
