// Checks that the source of a service can request pages for the locations that its projects track.
import { type LocationKind, parseLocation, sourceLocations } from '../../src/service/index.ts';
import type { TrackedKeyword } from '../../src/tracker/project.ts';
import type { PartialConfig } from '../document/draft.ts';
import type { ConfigIssue } from '../document/issues.ts';
import type { WrittenService } from '../schema/schema.ts';
import { soundProjects, writtenServices } from './rule.ts';

const words = { place: 'places inside a country', coordinate: 'coordinates' } as const satisfies Record<
  LocationKind,
  string
>;

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
      const remote = 'write takesLocations: true if the provider is `rankledger serve`';
      issues.push({
        path: ['projects', index, 'service'],
        message: `the service "${written.service}" (${source}) cannot request pages for ${words[kind]}`,
        hint: service.mode === 'remote' ? remote : 'use another source, or track the country as a whole',
      });
    }
  }
  return issues;
}

async function locationsOf(service: WrittenService): Promise<readonly LocationKind[] | undefined> {
  if (service.mode === 'remote') return service.takesLocations ? ['place', 'coordinate'] : [];
  return await sourceLocations(service.source, service);
}
