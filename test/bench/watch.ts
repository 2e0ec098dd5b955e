// Loaded into a watched process before its program: writes down what the process holds in memory, twice a second and at its end. Leaves it alone otherwise.
import { appendFileSync } from 'node:fs';
import { peakBytes } from './peak.ts';

const sampleEveryMs = 500;

/** One line of the file. */
export interface MemorySample {
  /** UTC milliseconds. */
  readonly at: number;
  /** Bytes resident now, and at most so far: a long synchronous stretch has no moment for samples, but it counts here. */
  readonly rss: number;
  readonly rssMax: number;
  /** Milliseconds of the processor so far. */
  readonly cpuMs: number;
}

/** The file to write stands in the query of the URL that this module is loaded by. */
const file = new URL(import.meta.url).searchParams.get('file');

if (file !== null) {
  const write = (): void => {
    const { user, system } = process.cpuUsage();
    const sample: MemorySample = {
      at: Date.now(),
      rss: process.memoryUsage.rss(),
      rssMax: peakBytes(),
      cpuMs: (user + system) / 1000,
    };
    appendFileSync(file, `${JSON.stringify(sample)}\n`);
  };
  setInterval(write, sampleEveryMs).unref();
  process.on('exit', write);
}
