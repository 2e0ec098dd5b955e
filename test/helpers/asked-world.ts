// A world that is asked about: 72 tracked rows with tags and competitors, another project, and ten days of runs.
import type { App } from '../../src/app/app.ts';
import { view } from '../../src/cli/subcommands/open-workspace.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { readingApp, runSlots } from '../cli/real-app.ts';
import { putClicks, someDays } from './click-days.ts';

const kinds = ['running', 'trail', 'hiking', 'walking', 'tennis', 'golf'];
const things = ['shoes', 'boots', 'socks', 'jackets', 'gloves', 'hats'];
const keywords = kinds.flatMap((kind) =>
  things.map(
    (thing) => `      - { keyword: ${kind} ${thing}, tags: [${thing}, ${kind === 'golf' ? 'ball' : 'foot'} sports] }`,
  ),
);

const config = `timezone: Europe/Berlin
budget: { serpCredits: { perRun: 500, perMonth: 50000 } }
alerts:
  channels: { log: { type: file, path: alerts.jsonl } }
  rules: [{ when: moved, by: 1, direction: down }]
projects:
  - id: acme
    targets: [acme.com, { match: prefix, value: acme.com/shop }]
    competitors: [globex.com, initech.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    keywords:
${keywords.join('\n')}
    volumes: { schedule: "0 4 2 * *" }
    views: [{ name: On phones, query: "?device=mobile&sort=-rank" }]
  - id: other
    targets: [other.com]
    schedule: "0 6 * * *"
    market: { country: DE, language: de }
    depth: 1
    keywords: [schuhe]
`;

export const askedNow = Date.parse('2026-01-14T12:00:00Z');
const askedDates = Array.from({ length: 10 }, (_, at) => `2026-01-${String(5 + at).padStart(2, '0')}`);

export interface AskedWorld {
  readonly folder: ProjectFolder;
  readonly app: App;
  readonly url: string;
  close(): Promise<void>;
}

export async function openAskedWorld(): Promise<AskedWorld> {
  const folder = projectFolder(config);
  await runSlots(
    folder,
    askedDates.map((date) => `${date}T05:00:00Z`),
  );
  putClicks(folder.path, someDays);
  const app = await readingApp(folder.path, askedNow);
  const server = await view(app, { port: 0 });
  return {
    ...{ folder, app, url: server.url },
    async close() {
      await server.close();
      await app.close();
    },
  };
}
