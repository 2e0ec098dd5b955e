// The clock of the machine, for worlds whose time is real as it is for Redis.
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
