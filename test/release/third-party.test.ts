// The packages that ours includes may be used and redistributed, and all of them are named.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dependencies } from './third-party.ts';

/** Licences that only require that their text is passed on. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

const shipped = dependencies();

it('the list names every dependency of package.json, and nothing that only a checkout needs', () => {
  const { dependencies: needed, optionalDependencies: optional } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const versions = new Map(shipped.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries({ ...needed, ...optional }))
    expect([name, versions.get(name)]).toEqual([name, version]);
  expect(versions.has('vitest')).toBe(false);
  expect(versions.has('node')).toBe(false);
});

it('packages that npm leaves out with --omit=optional are optional, also where a checkout needs them for its tools', () => {
  const optional = shipped.filter(({ isOptional }) => isOptional).map(({ name }) => name);
  expect(optional).toEqual(expect.arrayContaining(['@types/node', 'drizzle-orm', 'undici-types', 'yaml']));
  expect(optional).not.toEqual(expect.arrayContaining(['better-sqlite3']));
});

it('every package has a licence that allows ours to be used and redistributed', () => {
  const others = shipped.filter(
    ({ licence }) => !licence.split(' OR ').some((each) => permissive.includes(each.replace(/[()]/g, ''))),
  );
  expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
});
