// Announced updates of a search engine, from its status feed.
import { readFile } from 'node:fs/promises';
import { readIncidents } from '../../import/history/incidents.ts';
import { textOf, UnreadableFile } from '../../import/text/text-file.ts';
import { errorText } from '../../service/terms.ts';
import type { App } from '../app.ts';
import { UsageError } from '../opening/failures.ts';
import { firstBytes } from './files.ts';

const feedBytesMax = 16 * 1_048_576;
const feedTimeoutMs = 15_000;

/**
 * Stores the updates of a status feed; those of earlier imports stay. `source`: an absolute file name, or a URL. Throws
 * UsageError where it cannot be read.
 */
export async function importUpdates({ context }: App, source: string) {
  const { updates, others } = await readFeed(source);
  const added = context.store.engineUpdates.put(updates, context.clock.now());
  return { updates: updates.length, new: added, others };
}

async function readFeed(source: string) {
  try {
    return readIncidents(textOf(/^https?:\/\//i.test(source) ? await fetchFeed(source) : await readFile(source)));
  } catch (error) {
    if (error instanceof UnreadableFile) throw new UsageError(`${source}: ${error.message}`, error.hint);
    // of a connection that fails, `fetch` says why in the cause
    const { cause = error } = error instanceof TypeError ? error : {};
    throw new UsageError(`${source} cannot be read: ${errorText(cause)}`);
  }
}

async function fetchFeed(url: string): Promise<Uint8Array> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(feedTimeoutMs) });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const bytes = await firstBytes(response, feedBytesMax);
  if (bytes.length > feedBytesMax) throw new Error(`it has more than ${feedBytesMax} bytes`);
  return bytes;
}
