// Loaded into a watched process before its program: logs the memory of the process twice a second and at its end. Plain
// JavaScript: to strip the types of a file, Node.js would load 20 MB into the process that is measured.
import { appendFileSync } from 'node:fs';
import { peakBytes } from './peak.js';

const sampleEveryMs = 500;

/**
 * One line of the file.
 *
 * @typedef {object} MemorySample
 * @property {number} at UTC milliseconds
 * @property {number} rss Bytes resident now
 * @property {number} rssMax The peak so far: a long synchronous stretch has no samples, but it counts here
 * @property {number} cpuMs Milliseconds of processor time so far
 */

/** The output file is in the query of the URL by which this module is loaded. */
const file = new URL(import.meta.url).searchParams.get('file');

if (file !== null) {
  const write = () => {
    const { user, system } = process.cpuUsage();
    const sample = {
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
