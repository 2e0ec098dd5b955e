// The disk faults of `npm run torture` on a recording run, in seconds. The full form is in disk.ts.
import { expect, it } from 'vitest';
import { diskTorture, whyNoInjection } from './disk.ts';

const why = whyNoInjection();
const skipped = why === null ? '' : ` (SKIPPED: ${why})`;

it.skipIf(why !== null)(
  `a disk that fails or a death at a write, sync or truncate loses nothing that was acknowledged${skipped}`,
  async () => {
    const lines: string[] = [];
    const violations = await diskTorture((line) => lines.push(line), {
      strides: { pwrite64: 301, fsync: 16, ftruncate: 4 },
      faults: ['SIGKILL', 'ENOSPC from then on'],
    });
    expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
    expect(violations).toBe(0);
    // each kind of call was reached, and failed
    expect(lines.filter((line) => /(pwrite64|fsync|ftruncate) .*: [1-9]\d* injections/.test(line))).toHaveLength(6);
  },
);
