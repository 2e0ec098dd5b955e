// The contract quotes every row of the specification, if the specification is next to the project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const specification = '../shared/spec/search-data-service.md';
const untested = ['Authentication', 'Events', 'Versioning'];

it.skipIf(!existsSync(specification))('quotes every row of the field and error tables, and every limit', () => {
  const folder = 'test/contract/service';
  const suite = readdirSync(folder)
    .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
    .join('\n');
  const sections = readFileSync(specification, 'utf8').split(/^## /m);
  const rows = sections
    .filter((section) => !untested.some((name) => section.startsWith(name)))
    .flatMap((section) => section.split('\n'))
    .filter((line) => /^\| /.test(line) && !/^\| (Field|Status|Element|Header) \|/.test(line));
  expect(rows.length).toBeGreaterThanOrEqual(70);
  expect(rows.filter((row) => !suite.includes(row))).toEqual([]);
  const limits = sections.find((section) => section.startsWith('Limits'))?.match(/^\d\. .*$/gm) ?? [];
  expect(limits).toHaveLength(7);
  expect(limits.filter((limit) => !suite.includes(limit.split(/[:;]/)[0] ?? ''))).toEqual([]);
});
