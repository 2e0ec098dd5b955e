// The JavaScript of browser modules is kept by the hash of its source.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BrowserModules } from '../../../../jobs/report/html/page-assets.ts';

const source = 'export const rank: number = 1;\n';
const other = 'export const rank: number = 2;\n';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-modules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'rankledger-browser-modules.json');
const kept = () => JSON.parse(readFileSync(file(), 'utf8')) as Record<string, string>;

function readAndKeep(...sources: string[]): string[] {
  const modules = new BrowserModules(folder);
  const texts = sources.map((each) => modules.withoutTypes(each));
  modules.keep();
  return texts;
}

const typed = /:\s*number/;

test('types are removed, with and without a folder', () => {
  expect(new BrowserModules(undefined).withoutTypes(source)).not.toMatch(typed);
  expect(readAndKeep(source)[0]).toBe(new BrowserModules(undefined).withoutTypes(source));
});

test('a module is read from the folder as long as its source is the same', () => {
  readAndKeep(source);
  const [key = ''] = Object.keys(kept());
  writeFileSync(file(), JSON.stringify({ [key]: 'kept' }));
  expect(readAndKeep(source)).toEqual(['kept']);
  expect(readAndKeep(other)[0]).toContain('= 2');
});

test('only the modules of the last page are kept, in one file', () => {
  readAndKeep(source);
  readAndKeep(other);
  expect(Object.keys(kept())).toHaveLength(1);
  expect(readdirSync(folder)).toHaveLength(1);
});

test.each(['', '{', 'null'])('a broken file (%j) is replaced', (content) => {
  writeFileSync(file(), content);
  expect(readAndKeep(source)[0]).not.toMatch(typed);
  expect(Object.keys(kept())).toHaveLength(1);
});

test('a folder that is missing keeps nothing', () => {
  const modules = new BrowserModules(join(folder, 'missing'));
  expect(modules.withoutTypes(source)).not.toMatch(typed);
  modules.keep();
  expect(readdirSync(folder)).toEqual([]);
});
