// AI answers of the read API: shares and texts, from the database and from report.html.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { view } from '../../../src/cli/subcommands/open-workspace.ts';
import type { AnswerRecord } from '../../../src/read/records.ts';
import type { AnswerSample } from '../../../src/tracker/answers/answers.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { PageReader } from '../../../src/workspace/embedded/page-reader.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';
import { undescribed } from '../../helpers/described-answers.ts';
import { heldData } from '../../report/html/built-page.ts';

const config = `timezone: UTC
budget: { serpCredits: { perRun: 100 }, keywordDataUsd: { perMonth: 5.00 } }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    keywords: [running shoes, hiking boots, sandals, socks]
    schedule: "0 6 * * *"
    depth: 1
    prompts: { engines: [chatgpt, gemini], texts: [best shoes, { prompt: gute Schuhe, country: DE, language: de }] }
`;

let folder: ProjectFolder;
let app: App;
let fromStore: (path: string) => { readonly data: unknown };
let fromPage: (path: string) => { readonly data: unknown };

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, ['2026-01-05T06:00:00Z', '2026-01-12T06:00:00Z']);
  app = await readingApp(folder.path, Date.parse('2026-01-12T12:00:00Z'));
  const stored = historyReader(app);
  const page = load(readFileSync(join(folder.path, 'reports/acme/latest/report.html'), 'utf8'));
  const held = new PageReader(heldData(page.html()));
  fromStore = (path) => answerPath(stored, path) as { data: unknown };
  fromPage = (path) => answerPath(held, path) as { data: unknown };
});
afterAll(async () => {
  await app.close();
});

it('report.html has the shares of the database, and the texts of the newest period', () => {
  const shares = '/v1/projects/acme/answers';
  expect(fromPage(shares)).toEqual(fromStore(shares));
  const texts = '/v1/projects/acme/answer-texts';
  expect(fromPage(texts)).toEqual(fromStore(`${texts}?from=2026-01-12`));
});

it('a text stands with its citations and the targets that they belong to; parameters choose', () => {
  const path = '/v1/projects/acme/answer-texts?engine=gemini&prompt=gute+Schuhe&country=DE&language=de';
  const samples = fromStore(path).data as AnswerSample[];
  expect(samples.map(({ period, sample }) => `${period} ${sample}`)).toEqual([
    ...[1, 2, 3, 4, 5].map((sample) => `2026-01-12 ${sample}`),
    ...[1, 2, 3, 4, 5].map((sample) => `2026-01-05 ${sample}`),
  ]);
  const all = fromStore('/v1/projects/acme/answer-texts').data as AnswerSample[];
  expect(all).toHaveLength(2 * 2 * 2 * 5);
  for (const { citations, text } of all) {
    expect(text).not.toBe('');
    for (const { url, target, isOwn } of citations) {
      const host = new URL(url).hostname.replace(/^www\./, '');
      expect(target).toBe(['acme.com', 'globex.com'].includes(host) ? host : null);
      expect(isOwn).toBe(host === 'acme.com');
    }
  }
  expect(() => fromStore('/v1/projects/acme/answer-texts?from=soon')).toThrow('from');
});

it('the shares are those of the texts', () => {
  const rows = fromStore('/v1/projects/acme/answers').data as AnswerRecord[];
  const texts = fromStore('/v1/projects/acme/answer-texts').data as AnswerSample[];
  const prompts = rows.filter(({ shown, prompt }) => shown === null && prompt !== null);
  expect(prompts).toHaveLength(2 * 2 * 2 * 2);
  for (const row of prompts) {
    const own = texts.filter((sample) =>
      (['period', 'engine', 'prompt'] as const).every((name) => sample[name] === row[name]),
    );
    const citing = own.filter(({ citations }) => citations.some(({ target }) => target === row.target));
    const naming = own.filter(({ mentions }) => mentions.includes(row.target));
    expect([row.answers, row.cited, row.mentioned]).toEqual([own.length, citing.length, naming.length]);
  }
});

it('answers as its OpenAPI document says', async () => {
  const server = await view(app, { port: 0 });
  try {
    expect(await undescribed(server.url, 'acme')).toEqual([]);
  } finally {
    await server.close();
  }
});
