// The search engines by name, and the engine whose pages a source sells.

/** Search engines whose pages are sold. */
export const searchEngines = ['google', 'bing', 'yahoo', 'yandex', 'naver', 'duckduckgo', 'brave'] as const;
export type SearchEngine = (typeof searchEngines)[number];
/** Of most sources, and of markets that name none. */
export const usualEngine: SearchEngine = 'google';

/** Simulated, recorded, or of an instance that asks any engine: their pages are of the engine that a market names. */
const ofAnyEngine: readonly string[] = ['sandbox', 'sandbox-maps', 'replay', 'searxng'];

/** The engine of a source's pages; null: the one that a market names. The names of other engines stand last. */
export function sourceEngine(name: string): SearchEngine | null {
  if (ofAnyEngine.includes(name)) return null;
  return searchEngines.find((engine) => name === engine || name.endsWith(`-${engine}`)) ?? usualEngine;
}
