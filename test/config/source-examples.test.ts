// Every YAML example of the manual is a valid config whose sources can be created.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../config/load.ts';
import { KeywordDatasetWriter } from '../../db/dataset/keyword-dataset-import.ts';
import { sourceProblems } from '../../src/app/preflight/config-checks.ts';
import { answerSourceNames, metricsSourceNames, sourceNames } from '../../src/service/index.ts';
import { codeBlocks, manualPages } from '../helpers/documents.ts';

const reference = readFileSync('docs/reference/sources.md', 'utf8');
let cwd: string;

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rankledger-examples-'));
  mkdirSync(join(cwd, 'recorded-pages'));
  const recorded = (name: string, text: string) => writeFileSync(join(cwd, 'recorded-pages', name), text);
  recorded(
    'index.csv',
    'keyword,country,language,device,page,date,file\nshoes,US,en,desktop,1,2026-11-20,shoes.html\n',
  );
  recorded('keywords.csv', 'keyword,search_volume\nshoes,90500\n');
  const dataset = new KeywordDatasetWriter(join(cwd, 'data', 'keywords.dataset'));
  mkdirSync(join(cwd, 'keywords'));
  writeFileSync(join(cwd, 'keywords', 'mysite.csv'), 'keyword\nshoes\n');
  mkdirSync(join(cwd, 'brand'));
  writeFileSync(join(cwd, 'brand', 'logo.svg'), '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>');
  dataset.begin('keywords.csv', 'csv', 0);
  dataset.commit();
  dataset.close();
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** The first YAML after a marker. */
function examplesOf(name: string): string {
  return new RegExp(`<!-- ${name} -->\\s*\`\`\`yaml\\n([\\s\\S]*?)\`\`\``).exec(reference)?.[1] ?? '';
}

/** A value for each variable in the text, in the format that its name suggests. */
function environmentOf(yaml: string): Record<string, string> {
  const names = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  const standIn = (name: string) => {
    if (/UNLOCKER/.test(name)) return 'https://api.example.com/?key=word-of-my-own&url={url}';
    if (/SMTP|REDIS/.test(name)) return `${/SMTP/.test(name) ? 'smtp' : 'redis'}://user:word@server.example.com:2500`;
    if (/ALERT_URL|SLACK|HEARTBEAT/.test(name)) return 'https://hooks.example.com/services/one';
    if (/URL|PROXY/.test(name)) return 'http://user:word@proxy.example.com:8080';
    return /CUSTOMER_ID/.test(name) ? '123-456-7890' : `word-of-${name.toLowerCase().replaceAll('_', '-')}`;
  };
  return Object.fromEntries(names.map((name) => [name, standIn(name)]));
}

async function problemsOf(yaml: string): Promise<string[]> {
  const file = join(cwd, 'rankledger.yaml');
  const missing = (key: string, line: string) => (new RegExp(`^${key}:`, 'm').test(yaml) ? '' : `${line}\n`);
  const budget = missing('budget', 'budget: { serpCredits: { perRun: 1 }, keywordDataUsd: { perRun: 1 } }');
  writeFileSync(file, `${yaml}\n${missing('projects', 'projects: []')}${budget}`);
  return await sourceProblems(await loadConfig({ file, cwd, env: environmentOf(yaml) }));
}

describe.each([
  ['source-configs', sourceNames, ({ source }: Written) => source],
  ['metrics-configs', metricsSourceNames, ({ metrics }: Written) => metrics?.source],
  ['answer-configs', answerSourceNames, ({ answers }: Written) => answers?.source],
] as const)('%s', (place, names, nameOf) => {
  const services = Object.values((parse(examplesOf(place)) as { services: Record<string, Written> }).services);

  it('show every source once', () => {
    expect(services.map(nameOf)).toEqual(names);
  });

  it('are a valid config of sources that can be created', async () => {
    expect(await problemsOf(examplesOf(place))).toEqual([]);
  });

  it('have at most five lines each', () => {
    const blocks = examplesOf(place)
      .split(/^ {2}(?=\S)/m)
      .slice(1);
    expect(blocks).toHaveLength(names.length);
    expect(blocks.filter((block) => block.trimEnd().split('\n').length > 6)).toEqual([]);
  });
});

interface Written {
  readonly source: string;
  readonly metrics?: { readonly source: string };
  readonly answers?: { readonly source: string };
}

const blocks = manualPages().flatMap((file) => codeBlocks(file).filter(({ language }) => language === 'yaml'));

it('the manual has YAML examples', () => {
  expect(blocks.length).toBeGreaterThan(14);
});

it.each(blocks)('an example of $file is part of a config that loads', async ({ text }) => {
  expect(await problemsOf(text)).toEqual([]);
});
