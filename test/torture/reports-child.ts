// Writes reports while one call to the file system fails, or is the last thing this process does: reports-child.ts JSON
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { ReportError } from '../../jobs/report/files/report-files.ts';
import { writeFolders } from '../../jobs/report/write-report.ts';
import { parseComparison } from '../../src/tracker/changes/change.ts';
import { reportingWorld } from './reports-world.ts';

/** `death`: before the call. `half`: a write stops halfway. `full`: later calls that need space fail. */
export type Fault = 'none' | 'death' | 'half' | 'full';

export interface ReportsOrder {
  readonly database: string;
  readonly reports: string;
  readonly runId: number;
  readonly compare: string;
  readonly fault: Fault;
  /** The nth call that changes something, from 1. */
  readonly nth: number;
}

const changing = ['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'renameSync', 'symlinkSync', 'rmSync'] as const;
const needsRoom = new Set<string>(['mkdirSync', 'openSync', 'writeSync', 'fsyncSync', 'symlinkSync']);

const { database, reports, runId, compare, fault, nth } = JSON.parse(process.argv[2] ?? '{}') as ReportsOrder;
const comparison = parseComparison(compare);
if (comparison === null) throw new Error(`${compare} is not a baseline`);
const world = reportingWorld(database, reports);
let calls = 0;

function watched(name: (typeof changing)[number]): void {
  const real = fs[name] as (...values: unknown[]) => unknown;
  const standIn = (...values: unknown[]): unknown => {
    const isReading = name === 'openSync' && values[1] === 'r';
    if (!isReading) calls += 1;
    if (!isReading && calls === nth && fault === 'half' && name === 'writeSync') {
      const bytes = values[1] as Uint8Array;
      real(values[0], bytes, 0, Math.floor(bytes.length / 2));
    }
    if (!isReading && calls === nth && (fault === 'death' || fault === 'half')) process.kill(process.pid, 'SIGKILL');
    if (fault === 'full' && calls >= nth && needsRoom.has(name) && !isReading) {
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${name}`), { code: 'ENOSPC' });
    }
    return real(...values);
  };
  Object.assign(fs, { [name]: standIn });
}

for (const name of changing) watched(name);
syncBuiltinESMExports();
try {
  writeFolders(world.context, { ...world.settings().reports, comparison, xlsx: true }, runId);
  process.stdout.write(`written ${calls}\n`);
} catch (error) {
  if (!(error instanceof ReportError)) throw error;
  process.stdout.write(`refused ${error.message}\n`);
}
await world.close();
