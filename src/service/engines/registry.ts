// All engines by name, loaded on first use. One row here, one folder per engine.
import type { Engine } from './engine.ts';

const registry: ReadonlyMap<string, () => Promise<Engine>> = new Map([
  ['google', async () => (await import('./google/index.ts')).googleEngine],
  ['bing', async () => (await import('./bing/index.ts')).bingEngine],
  ['duckduckgo', async () => (await import('./duckduckgo/index.ts')).duckDuckGoEngine],
]);

/** The names that an index of recordings or the command line may use. */
export const engineNames: readonly string[] = [...registry.keys()];

/** Loads the engine of that name. Throws Error listing the known names. */
export async function loadEngine(name: string): Promise<Engine> {
  const load = registry.get(name);
  if (load === undefined) throw new Error(`Unknown engine "${name}". Known engines: ${engineNames.join(', ')}.`);
  return await load();
}

/** Loads the code that makes fixtures of pages and compares two of them. */
export async function loadAnonymiser() {
  const [{ anonymisePage }, { differences, readPageOutcome }] = await Promise.all([
    import('./anonymise.ts'),
    import('./anonymise.ts'),
  ]);
  return { anonymisePage, differences, outcomeOf: readPageOutcome };
}
