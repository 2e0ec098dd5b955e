// Locations in requests to vendors. What a source cannot request is refused: it must never ignore one.
import { ServiceError } from '../../model/errors.ts';
import { parseLocation } from '../../model/results/location.ts';
import { encodeUule } from '../../model/results/uule.ts';
import type { SourceFacts } from '../../model/source.ts';

/** Throws INVALID_REQUEST, charged `no`. */
export function refuseLocation(name: string, facts: SourceFacts, location: string | undefined): void {
  if (location === undefined) return;
  const { kind } = parseLocation(location);
  if (facts.locations?.includes(kind) === true) return;
  const what = kind === 'place' ? 'places inside a country' : 'coordinates';
  throw new ServiceError('INVALID_REQUEST', `${name} has no pages for ${what}.`, {
    charged: 'no',
    hint: 'Track the country as a whole there, or use another source for this location.',
  });
}

/** For vendors with both parameters: `location` takes canonical names of places, `uule` what the engine takes. */
export function locationParameters(location: string | undefined): { location?: string; uule?: string } {
  if (location === undefined) return {};
  return parseLocation(location).kind === 'place' ? { location } : { uule: encodeUule(location) };
}
