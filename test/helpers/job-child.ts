// Runs a slot of twelve keywords, to be killed: node job-child.ts DATABASE REPORTS URL USER PASSWORD [OWNER]
import { SearchDataClient } from '../../src/service/client/client.ts';
import { systemClock } from '../../src/service/index.ts';
import { service, World } from './jobs.ts';
import { jobAt, jobProject } from './killed-job.ts';

const [file = '', reports = '', baseUrl = '', user = '', password = '', owner] = process.argv.slice(2);
const client = new SearchDataClient({
  retries: { attemptsMax: 1 },
  baseUrl,
  user,
  password,
  clock: systemClock,
  requestsPerSecond: 200,
});
const world = new World({
  services: new Map([[service, client]]),
  projects: [jobProject],
  file,
  reports,
  concurrency: 3,
  ...(owner !== undefined && { owner }),
});
await world.runSlot(jobAt);
await world.close();
