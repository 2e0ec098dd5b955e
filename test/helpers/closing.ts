// What a test opens closes after it; what a `beforeAll` or a file opens, after the file. `each-file.ts` calls this.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Closable {
  close(): unknown;
}

/** In the order of opening. */
const opened = new Set<Closable>();

export function closeLater<Opened extends Closable>(one: Opened): Opened {
  opened.add(one);
  return one;
}

/** For what a test closes itself. */
export function forget(one: Closable): void {
  opened.delete(one);
}

export function openedSoFar(): ReadonlySet<Closable> {
  return new Set(opened);
}

/** Closes all but these, last opened first. */
export async function closeOpened(kept: ReadonlySet<Closable> = new Set()): Promise<void> {
  for (const one of [...opened].reverse()) {
    if (kept.has(one)) continue;
    opened.delete(one);
    await one.close();
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-'));
  closeLater({ close: () => rmSync(folder, { recursive: true, force: true }) });
  return folder;
}
