// Places that commands name: looked up in the table of locations of a config.
import { dirname, join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { GeoTargets, locationsFileName } from '../../../config/rules/geo-targets.ts';
import { canonicalLocation } from '../../service/terms.ts';
import { UsageError } from './failures.ts';

/** The table of a config: the imported one, else the packaged part. */
export function geoTargets({ databaseFile }: Pick<ResolvedConfig, 'databaseFile'>): GeoTargets {
  return new GeoTargets(join(dirname(databaseFile), locationsFileName));
}

/** Resolves a place of `--location`. Throws UsageError for one that is unknown in its country. */
export function parseLocationOption(places: GeoTargets, written: string, country: string): string | undefined {
  const found = places.resolve(written, country);
  if ('location' in found) return found.location;
  throw new UsageError(`--location: ${found.complaint}`, found.hint);
}

/**
 * A location of searches that a config tracks: as reports write it, or any name that its table knows; empty: `none`, a
 * country as a whole. Throws UsageError for one that is unknown, or that is several places.
 */
export function trackedLocation(config: ResolvedConfig, written: string, country?: string): string {
  const keywords = config.projects.flatMap((project) => project.keywords);
  const canonical = canonicalLocation(written) ?? written;
  if (keywords.some(({ location }) => location === canonical)) return canonical;
  const places = geoTargets(config);
  const countries = new Set(country === undefined ? keywords.map((each) => each.country) : [country]);
  const found = [...countries].map((each) => places.resolve(written, each));
  const known = new Set(found.flatMap((each) => ('location' in each ? (each.location ?? '') : [])));
  if (known.size > 1)
    throw new UsageError(`--location: "${written}" is several places`, `write one of ${[...known].join('; ')}`);
  for (const location of known) return location;
  const [unknown] = found.flatMap((each) => ('complaint' in each ? each : []));
  throw new UsageError(`--location: ${unknown?.complaint ?? 'no keyword is tracked'}`, unknown?.hint);
}
