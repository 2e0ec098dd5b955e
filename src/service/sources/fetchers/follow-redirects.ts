// Resolves hidden destinations through the engine's redirects, within limits of number and time.

import type { Engine, SearchAsked } from '../../engines/engine.ts';
import { startDeadline } from '../../model/deadline.ts';
import type { Clock } from '../../model/ports.ts';
import type { ReadPage } from '../../model/serp.ts';
import type { LoadedPage, Loading } from './fetcher.ts';

/** Maximum number of redirects followed per page, and their total time. */
const redirectsMax = 10;
const timeoutMs = 10_000;

/**
 * The page with what was found out written into it, so that it reads the same ever after; the page itself where nothing
 * was. What cannot be found out stays hidden: a page that came is never lost by it.
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
      // An engine that leads nowhere, or to itself, does not want to be asked any more.
      if (target === undefined || !engine.hidden.isDestination(target)) break;
      found.set(redirect, target);
    }
  } catch {
    // What was found out until then counts; the caller's own end is seen by the caller.
  } finally {
    deadline.end();
  }
  loading.signal.throwIfAborted();
  return found.size === 0 ? html : engine.hidden.withDestinations(html, found);
}
