// Loaded into a watched process before its program: logs the memory of the process twice a second and at its end.
import { appendFileSync } from 'node:fs';
import { peakBytes } from './peak.ts';

const sampleEveryMs = 500;

/** One line of the file. */
export interface MemorySample {
  /** UTC milliseconds. */
  readonly at: number;
  /** Bytes resident now, and the peak so far: a long synchronous stretch has no samples, but it counts here. */
  readonly rss: number;
  readonly rssMax: number;
  /** Milliseconds of processor time so far. */
  readonly cpuMs: number;
}

/** The output file is in the query of the URL by which this module is loaded. */
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
