// AI answers of the read API: shares and texts, from the database and from report.html.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'cheerio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { AnswerSample } from '../../../src/tracker/answers/answers.ts';
import type { AnswerRecord } from '../../../src/workspace/answer-records.ts';
import {
  certainChanges,
  citedPages,
  newestRows,
  shareLines,
  shareText,
} from '../../../src/workspace/client/answers.js';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { PageReader } from '../../../src/workspace/embedded/page-reader.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { readingApp, runSlots } from '../../cli/real-app.ts';

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
  const held = new PageReader(JSON.parse(page('#report-data').text()));
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

const record = (more: Partial<AnswerRecord>): AnswerRecord => ({
  ...{ period: '2026-01-12', engine: 'chatgpt', prompt: null, country: null, language: null, device: null },
  ...{ location: null, target: 'acme.com', isOwn: true, asked: 5, answers: 5, cited: 1, citedShare: 20, citedLow: 3.6 },
  ...{ citedHigh: 62.4, mentioned: 0, mentionedShare: 0, mentionedLow: 0, mentionedHigh: 43.4, previousPeriod: null },
  ...{ previousCitedShare: null, citationChange: null, mentionChange: null, citedPages: [], shown: null },
  ...{ shownShare: null, shownLow: null, shownHigh: null, presenceChange: null },
  ...more,
});

it('the views show gaps where a period has no answers, and only changes whose intervals part', () => {
  const rows = [
    record({ period: '2026-01-05', citedShare: null, citedLow: null, citedHigh: null }),
    record({ citationChange: 'same', citedPages: ['https://acme.com/a'] }),
    record({ target: 'globex.com', isOwn: false, citationChange: 'lost' }),
  ];
  expect(shareLines(rows).lines.map(({ target, values }) => [target, values])).toEqual([
    ['acme.com', [null, 20]],
    ['globex.com', [null, 20]],
  ]);
  expect(certainChanges(newestRows(rows)).map(({ target }) => target)).toEqual(['globex.com']);
  expect(citedPages(rows).map(({ url, target }) => [url, target])).toEqual([['https://acme.com/a', 'acme.com']]);
  expect([shareText(20, 3.6, 62.4), shareText(null, null, null)]).toEqual(['20% (3.6–62.4%)', '–']);
});
