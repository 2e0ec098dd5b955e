// `locations`: Google's whole table of geo targets beside the database, and looking places up in it.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type GeoTarget, locationsFileName, readGeoTargets } from '../../../config/rules/geo-targets.ts';
import { errorText } from '../../service/index.ts';
import { geoTargets } from '../opening/place-names.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface ImportedLocations {
  /** Absolute. */
  readonly file: string;
  readonly locations: number;
  readonly countries: number;
}

/** Replaces the imported table. Throws UsageError for a file that cannot be read, or is not Google's table. */
export function importLocations(
  { databaseFile }: Pick<ResolvedConfig, 'databaseFile'>,
  from: string,
): ImportedLocations {
  const targets = [...readGeoTargets(readText(from))];
  if (targets.length === 0) {
    const hint = 'The first line must be: Criteria ID,Name,Canonical Name,Parent ID,Country Code,Target Type,Status';
    throw new UsageError(`${from} has no locations`, hint);
  }
  const file = join(dirname(databaseFile), locationsFileName);
  const lines = targets.map(
    ({ id, canonicalName, country, type }) => `${id ?? ''},"${canonicalName.replaceAll('"', '""')}",${country},${type}`,
  );
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${['Criteria ID,Canonical Name,Country Code,Target Type', ...lines].join('\n')}\n`);
  renameSync(`${file}.new`, file);
  return { file, locations: targets.length, countries: new Set(targets.map(({ country }) => country)).size };
}

/** Places whose name begins with these parts: `Springfield`, `Springfield, Illinois`. */
export function findLocations(
  config: Pick<ResolvedConfig, 'databaseFile'>,
  written: string,
  country?: string,
): readonly GeoTarget[] {
  return geoTargets(config).find(written, country);
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorText(error)}`);
  }
}
