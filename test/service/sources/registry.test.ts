import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  createSource,
  describeSource,
  engineNames,
  loadEngine,
  sourceKindOf,
  sourceNames,
} from '../../../src/service/index.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const dependencies = { clock: new FakeClock() };

it('every source is known by its name, with its kind', () => {
  const kinds = sourceNames.map((name) => [name, sourceKindOf(name)]);
  expect(kinds.filter(([, kind]) => kind !== 'live')).toEqual([
    ['sandbox', 'sandbox'],
    ['sandbox-maps', 'sandbox'],
    ['replay', 'replay'],
  ]);
  expect(kinds).toContainEqual(['serper', 'live']);
  expect(sourceKindOf('constructor')).toBeUndefined();
});

it('every source has a description, and each of its options does', async () => {
  for (const name of sourceNames) {
    const source = await describeSource(name);
    expect(source?.facts.title, name).not.toBe('');
    expect(source?.facts.example, name).toContain(`source: ${name}`);
    expect(source?.facts.example.split('\n').length, name).toBeLessThanOrEqual(5);
    for (const price of source?.facts.prices ?? []) {
      const numbers = [price.firstPage, price.furtherPage, price.unitMicroUsd.least, price.unitMicroUsd.most];
      expect(numbers.every(Number.isSafeInteger), name).toBe(true);
    }
    expect(
      source?.options.filter(({ is }) => is === ''),
      name,
    ).toEqual([]);
  }
  expect(await describeSource('serpico')).toBeUndefined();
});

it('an unknown source is refused with the valid names', async () => {
  for (const name of ['serpico', '__proto__', '']) {
    await expect(createSource(name, {}, dependencies)).rejects.toThrow('Known sources: sandbox, sandbox-maps, replay');
  }
});

it('invalid options are refused with the name of the source and of each option', async () => {
  const make = (name: string, options: unknown) => createSource(name, options, dependencies);
  await expect(make('replay', {})).rejects.toThrow(/^Source "replay": dir: /);
  await expect(make('replay', { dir: 'x', colour: 1 })).rejects.toThrow('colour');
  await expect(make('replay', { dir: '/no/such/folder' })).rejects.toThrow('/no/such/folder');
  await expect(make('sandbox', { seed: 'x' })).rejects.toThrow(/^Source "sandbox": seed: /);
});

it('a source is created from its options', async () => {
  const sandbox = await createSource('sandbox', {}, dependencies);
  expect([sandbox.serp?.name, sandbox.serp?.kind, sandbox.metrics?.kind]).toEqual(['sandbox', 'sandbox', 'sandbox']);
  const dir = mkdtempSync(join(tmpdir(), 'registry-'));
  try {
    writeFileSync(join(dir, 'index.json'), '[{"keyword": "a", "device": "mobile", "page": 1, "file": "a.html"}]');
    const replay = await createSource('replay', { dir }, dependencies);
    expect([replay.serp?.name, replay.serp?.kind, replay.metrics]).toEqual(['replay', 'replay', undefined]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

it('engines are known by their names', async () => {
  for (const name of engineNames) expect((await loadEngine(name)).name).toBe(name);
  await expect(loadEngine('toString')).rejects.toThrow(`Known engines: ${engineNames.join(', ')}.`);
});

it.each([
  ['serper', {}, 'apiKey: is missing'],
  ['serper', { apiKey: '' }, 'apiKey: a key of printable characters without spaces'],
  ['serper', { apiKey: 7 }, 'apiKey: expected string, received number'],
  ['serper', { apiKey: ['a b'] }, 'apiKey.0: a key of printable characters without spaces'],
  ['searxng', {}, 'baseUrl: is missing'],
  [
    'searxng',
    { baseUrl: 'http://192.168.0.5:8080' },
    'http://192.168.0.5:8080 was not requested: only https is allowed. Use an https URL. Where a source has `allowPrivate',
  ],
  ['bing', { baseUrl: 'https://mirror.example/bing' }, 'baseUrl: a host without a path'],
  ['bing', { proxies: 'http://proxy.example:1' }, 'proxies: expected array, received string'],
])('an invalid option of %s is reported in words: %j', async (source, options, words) => {
  await expect(createSource(source, options, dependencies)).rejects.toThrow(`Source "${source}": ${words}`);
});
