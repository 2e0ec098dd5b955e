// Google Search Console: clicks and impressions of your own site. Free; loaded when a project uses it.
import type { Clock } from '../model/ports.ts';
import type { SearchConsole, SearchConsoleOptions } from './search-console/clicks.ts';

/** Throws Error if the base URL is not allowed. Sends nothing yet. */
export async function openSearchConsole(options: SearchConsoleOptions, clock: Clock): Promise<SearchConsole> {
  const { SearchConsoleClient } = await import('./search-console/client.ts');
  return new SearchConsoleClient(options, clock);
}
