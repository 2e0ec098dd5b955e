// Reads a fixture, or bytes, as one line of text per reading, for comparison in tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readHistory } from '../../src/import/history/read-history.ts';
import type { ImportFormat, Reading, ReadOptions, RejectedCell } from '../../src/import/history/table.ts';

export interface Asked extends Partial<ReadOptions> {
  readonly format?: ImportFormat;
}

export function fixture(name: string): Buffer {
  return readFileSync(join(import.meta.dirname, 'fixtures', name));
}

/** The bytes in small chunks, each of which splits a value. */
function pieces(bytes: Uint8Array, size = 7): Uint8Array[] {
  const first = bytes.subarray(0, 64);
  const rest = Array.from({ length: Math.ceil(Math.max(0, bytes.length - 64) / size) }, (_, index) =>
    bytes.subarray(64 + index * size, 64 + (index + 1) * size),
  );
  return [first, ...rest];
}

export function readBytes(bytes: Uint8Array, { format, ...options }: Asked = {}) {
  return readHistory(() => pieces(bytes), format ?? null, {
    map: new Map(),
    notFound: [],
    top: 100,
    timezone: 'Europe/Berlin',
    ...options,
  });
}

export function linesOf(bytes: Uint8Array | string, asked: Asked = {}): string[] {
  const file = readBytes(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, asked);
  return [...file.readings].map(lineOf);
}

function lineOf(reading: Reading | RejectedCell): string {
  if ('refused' in reading) return `${reading.line}: ${reading.refused} (${reading.said})`;
  const { line, keyword, date, ranking, target, country, location, device, url, volume } = reading;
  const said =
    ranking.kind === 'ranked' ? `rank ${ranking.rank}` : ranking.kind === 'notFound' ? `not in ${ranking.top}` : '-';
  return [`${line}: ${keyword}`, date, said, target, country, location, device, url, volume]
    .filter((part) => part !== null)
    .join(' | ');
}
