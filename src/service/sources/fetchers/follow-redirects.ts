// Resolves hidden destinations through the engine's redirects, within limits of number and time.

import type { Engine, SearchAsked } from '../../engines/engine.ts';
import type { Clock } from '../../model/ports.ts';
import type { ReadPage } from '../../model/results/serp.ts';
import { startDeadline } from '../../model/time/deadline.ts';
import type { LoadedPage, Loading } from './fetcher.ts';

/** Maximum number of redirects followed per page, and their total time. */
const redirectsMax = 10;
const timeoutMs = 10_000;

/**
 * The page with resolved destinations written into it, so that it always parses the same; the same page if none was
 * resolved. Unresolved destinations stay hidden: resolving never loses a received page.
 */
export async function followRedirects(
  { html, follow }: LoadedPage,
  read: ReadPage,
  engine: Engine,
  asked: SearchAsked,
  loading: Loading,
  clock: Clock,
): Promise<string> {
  const hides = read.serp.organic?.some((result) => result.destination_state !== undefined) === true;
  if (!hides || follow === undefined || engine.hidden === undefined) return html;
  const found = new Map<string, string>();
  const deadline = startDeadline(clock, timeoutMs, loading.signal);
  try {
    for (const redirect of engine.hidden.redirectsOf(html, asked).slice(0, redirectsMax)) {
      const target = await follow(redirect, { ...loading, signal: deadline.signal });
      // If the engine redirects nowhere, or to itself, it does not want more requests.
      if (target === undefined || !engine.hidden.isDestination(target)) break;
      found.set(redirect, target);
    }
  } catch {
    // Destinations resolved so far count; the caller notices its own cancellation.
  } finally {
    deadline.end();
  }
  loading.signal.throwIfAborted();
  return found.size === 0 ? html : engine.hidden.withDestinations(html, found);
}
