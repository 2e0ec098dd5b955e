// Checks that the sources of a config open and can do what projects need. Opens no database, calls no provider.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type Clock, describeSource, errorText, ProcessMemory, systemClock } from '../../service/index.ts';
import { closeSource, makeSource } from '../opening/sources.ts';

/** Why embedded services cannot be opened or used, with the error of each source; empty if all can. */
export async function sourceProblems(config: ResolvedConfig, clock: Clock = systemClock): Promise<string[]> {
  // with Redis, workers fetch pages, and they have no database
  const memory = config.queue.driver === 'bullmq' ? {} : { memory: new ProcessMemory(clock) };
  const problems = [...config.services].map(async ([name, service]) => {
    if (service.mode !== 'embedded') return [];
    try {
      const source = await makeSource(service, { clock, ...memory });
      await closeSource(source);
      const lacking = source.metrics === undefined ? missingMetrics(config, name, service.source) : [];
      return [...(await missingDevices(config, name, service.source)), ...lacking];
    } catch (error) {
      return [`services.${name}: ${errorText(error)}`];
    }
  });
  return (await Promise.all(problems)).flat();
}

/** Projects with volumes whose service has no keyword data. */
function missingMetrics({ projects }: ResolvedConfig, service: string, source: string): string[] {
  return projects
    .filter((project) => project.service === service && project.volumes !== undefined)
    .map(
      ({ id }) =>
        `services.${service}: "${source}" has no keyword data, and project "${id}" has volumes: name a source under metrics, or remove volumes`,
    );
}

/** Searches that the source refuses in every run. */
async function missingDevices({ projects }: ResolvedConfig, service: string, source: string): Promise<string[]> {
  const devices = (await describeSource(source))?.facts.devices;
  if (devices === undefined) return [];
  return projects.flatMap((project) => {
    const lacking = project.keywords.flatMap((keyword) =>
      keyword.devices.filter((device) => !devices.includes(device)),
    );
    const [device] = lacking;
    if (project.service !== service || device === undefined) return [];
    const searches = lacking.length === 1 ? 'one search' : `${lacking.length} searches`;
    return [
      `services.${service}: "${source}" has no ${device} pages, and project "${project.id}" has ${searches} that need them`,
    ];
  });
}
