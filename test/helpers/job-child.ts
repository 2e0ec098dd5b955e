// A process of its own that runs a slot of twelve keywords against a provider, to be killed: node job-child.ts DATABASE REPORTS URL USER PASSWORD
import { SearchDataClient, systemClock } from '../../src/service/index.ts';
import { keyword, project, service, World } from './jobs.ts';

const [file = '', reports = '', baseUrl = '', user = '', password = ''] = process.argv.slice(2);
const client = new SearchDataClient({
  retries: { attemptsMax: 1 },
  baseUrl,
  user,
  password,
  clock: systemClock,
  requestsPerSecond: 200,
});
const keywords = Array.from({ length: 12 }, (_, index) => keyword(`k${index}`, { depth: 2 }));
const world = new World({
  services: new Map([[service, client]]),
  projects: [project({ keywords })],
  file,
  reports,
  concurrency: 3,
});
await world.runSlot(Date.UTC(2026, 0, 15, 6));
await world.close();
