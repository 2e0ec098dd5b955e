// What clients see: an agency with a second project and hidden keywords, and worlds in which these do not exist.
import { App } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { addReader } from '../../src/cli/commands/reader.ts';
import { view } from '../../src/cli/subcommands/open-workspace.ts';
import type { HistoryServer } from '../../src/workspace/listen.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { readingApp, runSlots } from '../cli/real-app.ts';
import { putClicks, someDays } from './click-days.ts';

/** Weeks apart, so that ranks change. On the last date only the other project is checked. */
const dates = ['2025-11-20', '2025-12-05', '2025-12-24', '2026-01-14'];
const lastDate = '2026-01-15';
export const sharedNow = Date.parse('2026-01-15T12:00:00Z');

const shoes = `
      - { keyword: running shoes, tags: [shoes] }
      - { keyword: trail shoes, tags: [shoes, sale] }
      - { keyword: best shoes, tags: [shoes] }`;
const hiddenKeywords = `
      - { keyword: garden hose, tags: [hidden-tag] }
      - { keyword: hidden rake, tags: [hidden-tag, hidden-shed] }`;

function acme(keywords: string, more = ''): string {
  return `
  - id: acme
    formerly: [acme-shop]
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    paging: full
    keywords:${keywords}
    volumes: { schedule: "0 4 2 * *" }
    views:
      - { name: Shoes on phones, query: "?q=shoes&device=mobile&sort=-rank" }${more}`;
}

/** It shares keywords, and so checks and pages, with acme. How deep a check reads would depend on it but for `full`. */
const secretProject = `
  - id: secret-project
    formerly: [secret-before]
    targets: [secret-target.com]
    competitors: [secret-rival.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 2
    paging: full
    keywords:
      - { keyword: running shoes, tags: [secret-tag] }
      - { keyword: garden hose, tags: [secret-tag] }
      - { keyword: secret keyword, tags: [secret-tag] }
    views: [{ name: Secret view, query: "tag=secret-tag" }]`;

const head = `timezone: Europe/Berlin
budget: { serpCredits: { perRun: 500, perMonth: 5000 } }
notes:
  - { date: 2026-01-13, text: for all projects }`;
const secretNote = `
  - { date: 2026-01-13, text: secret note, project: secret-project }`;
const hiddenNote = `
  - { date: 2026-01-13, text: hidden project note, project: acme }`;
const hiddenPart = `
      - { name: Hidden view, query: "tag=hidden-tag" }
    prompts: { engines: [chatgpt], texts: [hidden prompt] }`;

/** What a reader of acme must not see is called secret, what one of its shoes must not see also hidden. */
export const agency = `${head}${secretNote}${hiddenNote}\nprojects:${acme(shoes + hiddenKeywords, hiddenPart)}${secretProject}\n`;
export const acmeAlone = `${head}${hiddenNote}\nprojects:${acme(shoes + hiddenKeywords, hiddenPart)}\n`;
export const shoesAlone = `${head}\nprojects:${acme(shoes)}\n`;

/** Readers by name: what `reader add` gets. */
export const sharedScopes = {
  project: { project: 'acme-shop' },
  tag: { project: 'acme', tag: 'shoes' },
  view: { project: 'acme', view: 'Shoes on phones' },
} as const;

export type SharedScope = keyof typeof sharedScopes;

export interface SharedWorld {
  readonly folder: ProjectFolder;
  readonly app: App;
  /** May add and revoke readers. */
  readonly writing: App;
  readonly server: HistoryServer;
  readonly tokens: Readonly<Record<SharedScope, string>>;
  close(): Promise<void>;
}

export async function openSharedWorld(config: string): Promise<SharedWorld> {
  const folder = projectFolder(config);
  const slotOf = (date: string) => `${date}T05:00:00Z`;
  await runSlots(folder, dates.map(slotOf));
  if (config === agency) await runSlots(folder, [slotOf(lastDate)], ['secret-project']);
  putClicks(folder.path, someDays);
  const app = await readingApp(folder.path, sharedNow);
  const writing = new App(app.config, { clock: new SimulatedClock(sharedNow) });
  const tokenOf = (name: SharedScope) => addReader(writing, name, sharedScopes[name]).token;
  const server = await view(app, { port: 0 });
  return {
    ...{ folder, app, writing, server },
    tokens: { project: tokenOf('project'), tag: tokenOf('tag'), view: tokenOf('view') },
    async close() {
      await server.close();
      await writing.close();
      await app.close();
    },
  };
}

/** Status, type and body; without the cursor, which names the state of the whole history by a hash. */
export async function askWorld({ server, tokens }: SharedWorld, scope: SharedScope, path: string): Promise<string> {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${tokens[scope]}` } });
  const body = Buffer.from(await answer.arrayBuffer()).toString('latin1');
  return `${answer.status} ${answer.headers.get('content-type')} ${body.replace(/"next":"[\w-]+"/, '"next":"..."')}`;
}
