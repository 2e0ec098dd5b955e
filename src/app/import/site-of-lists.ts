// Finds the site of some exports: by the pages in their rows, and by the names that tools give to their files.
import { basename, dirname } from 'node:path';
import type { ListRole } from '../../import/lists/read-list.ts';
import { registrableDomain } from '../../tracker/targets/brand.ts';
import { ListedKeywords } from './listed-keywords.ts';

/** The text after the site in names of exports: of Search Console, and of organic keywords of Ahrefs. */
const nameEnds = ['-performance-on-search', '-organic-keywords'];

/**
 * The registrable domains that the files name, in order; one: the site is clear. `files`: absolute. Throws
 * UnreadableFile with the file that cannot be read.
 */
export function sitesOfLists(files: readonly string[], map: ReadonlyMap<ListRole, string>): string[] {
  const listed = new ListedKeywords({ country: 'US', language: 'en', devices: ['desktop'] });
  for (const file of files) listed.read(file, map);
  const pages = [...listed.keywords.values()].flatMap(({ preferredUrls, urls }) => [
    ...preferredUrls,
    ...urls.map(({ url }) => url),
  ]);
  const hosts = pages.map((page) => new URL(page).hostname);
  const names = files.flatMap((file) => [basename(file), basename(dirname(file))]);
  const named = names.flatMap((name) => siteInName(name) ?? []);
  return [...new Set([...named, ...hosts].flatMap((host) => registrableDomain(host) ?? []))];
}

/** `https___www.acme.com_-Performance-on-Search-2026-01-05` names `www.acme.com`. */
function siteInName(name: string): string | null {
  const lower = name.toLowerCase().replace(/^https?___/, '');
  const [end = -1] = nameEnds.map((text) => lower.indexOf(text)).filter((at) => at > 0);
  const site = lower.slice(0, Math.max(end, 0)).replace('_', '');
  return /^[a-z0-9.-]+$/.test(site) && site.includes('.') ? site : null;
}
