// Runs and spend of a project whose pages have a list price.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { laptop, type OpenWorkspace, openWorkspace, overflow, phone, violations, visit } from './open-workspace.ts';

const slots = ['2026-01-12T06:00:00Z', '2026-01-13T06:00:00Z'];
const now = Date.parse('2026-01-13T07:30:00Z');
/** $0.002 a page. */
const priced = `source: dataforseo, login: me, password: "\${PASSWORD}", method: live`;
const config = (source: string) => `timezone: UTC
services: { default: { mode: embedded, ${source} } }
budget: { serpCredits: { perRun: 500, perMonth: 10000 } }
projects:
  - id: acme
    targets: [acme.com]
    depth: 2
    paging: full
    schedule: "0 6 * * *"
    keywords: [running shoes, trail shoes, hiking boots, tents]
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config('source: sandbox'));
  await runSlots(folder, slots);
  // two days were checked for play money; now the service has a price
  folder.write('rankledger.yaml', config(priced));
  workspace = await openWorkspace(folder, now, { PASSWORD: 'secret-of-a-test' });
});
afterAll(() => workspace?.close());

it.each([laptop, phone])('a keyword has its dollars a month by list prices: $width pixels', (viewport) =>
  visit(
    workspace,
    '/p/acme/runs',
    async (page) => {
      const keyword = page.locator('.figure', { hasText: 'A keyword a month' });
      // 16 credits in 13 days are 38 in 31
      await keyword.getByText('10 credits').waitFor();
      await keyword.getByText('$0.0191 by list prices; 38 expected for 4 keywords', { exact: true }).waitFor();
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    },
    { viewport },
  ),
);
