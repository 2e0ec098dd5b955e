// Checks that the source of a service serves the locations and places that its projects track.
import {
  type LocationKind,
  parseLocation,
  sourceHasLocalResults,
  sourceHasOnlyLocalResults,
  sourceLocations,
} from '../../src/service/index.ts';
import type { TrackedKeyword } from '../../src/tracker/project.ts';
import { isPlace } from '../../src/tracker/targets/target.ts';
import type { PartialConfig } from '../document/draft.ts';
import type { ConfigIssue } from '../document/issues.ts';
import type { WrittenService } from '../schema/schema.ts';
import { soundProjects, toTarget, writtenServices } from './rule.ts';

const words = { place: 'places inside a country', coordinate: 'coordinates' } as const satisfies Record<
  LocationKind,
  string
>;

const remoteHint = 'write takesLocations: true if the provider is `rankledger serve`';

/** `keywords`: by the index of their project. */
export async function locationIssues(
  draft: PartialConfig,
  keywords: ReadonlyMap<number, readonly TrackedKeyword[]>,
): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const issues: ConfigIssue[] = [];
  for (const { index, written } of soundProjects(draft, 'service')) {
    const kinds = new Set(
      (keywords.get(index) ?? []).flatMap(({ location }) =>
        location === undefined ? [] : parseLocation(location).kind,
      ),
    );
    const service = services.get(written.service);
    if (kinds.size === 0 || service == null) continue;
    const taken = await locationsOf(service);
    for (const kind of kinds) {
      if (taken === undefined || taken.includes(kind)) continue;
      const source = service.mode === 'remote' ? 'a remote service' : service.source;
      issues.push({
        path: ['projects', index, 'service'],
        message: `the service "${written.service}" (${source}) cannot request pages for ${words[kind]}`,
        hint: service.mode === 'remote' ? remoteHint : 'use another source, or track the country as a whole',
      });
    }
  }
  return issues;
}

/**
 * Places rank only where pages have their local results, and websites only where they have organic ones. On others,
 * each of them would look absent.
 */
export async function placeIssues(draft: PartialConfig): Promise<ConfigIssue[]> {
  const services = writtenServices(draft);
  const issues: ConfigIssue[] = [];
  for (const { index, written } of soundProjects(draft, 'service', 'targets', 'competitors')) {
    const service = services.get(written.service);
    if (service == null) continue;
    for (const key of ['targets', 'competitors'] as const) {
      const site = written[key].findIndex((target) => !isPlace(toTarget(target)));
      if (
        site !== -1 &&
        service.mode !== 'remote' &&
        (await sourceHasOnlyLocalResults(service.source, service)) === true
      )
        issues.push({
          path: ['projects', index, key, site],
          message: `pages of the service "${written.service}" (${service.source}) have local results only, in which no website ranks`,
          hint: 'write targets of match: place, or use another service',
        });
      const at = written[key].findIndex((target) => isPlace(toTarget(target)));
      if (at === -1 || (await hasLocalResults(service))) continue;
      const source = service.mode === 'remote' ? 'a remote service' : service.source;
      issues.push({
        path: ['projects', index, key, at],
        message: `pages of the service "${written.service}" (${source}) have no local results, in which places rank`,
        hint: service.mode === 'remote' ? remoteHint : 'use another source, or track the website of the place',
      });
    }
  }
  return issues;
}

async function hasLocalResults(service: WrittenService): Promise<boolean> {
  return service.mode === 'remote' ? service.takesLocations : await sourceHasLocalResults(service.source, service);
}

async function locationsOf(service: WrittenService): Promise<readonly LocationKind[] | undefined> {
  if (service.mode === 'remote') return service.takesLocations ? ['place', 'coordinate'] : [];
  return await sourceLocations(service.source, service);
}
