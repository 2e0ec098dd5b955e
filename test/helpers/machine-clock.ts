// The clock of the machine, for worlds whose time must be real because Redis has its own.
import { systemClock } from '../../src/service/index.ts';
import { JobClock } from './job-clock.ts';

export class MachineClock extends JobClock {
  override now(): number {
    return systemClock.now();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}
