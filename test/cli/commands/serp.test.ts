// `serp` and `keywords`: answers in the forms of the specification, bought from the sandbox.
import { beforeAll, expect, test } from 'vitest';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

const said = (line: string, invocation: Invocation = {}) =>
  invoke(line.split(' '), { cwd: folder.path, ...invocation });

test('serp prints one page as an object and several as an array', async () => {
  const one = JSON.parse((await said('serp shoes --json')).out);
  expect(one.organic[0]).toMatchObject({ rank: 1, link: expect.stringMatching(/^http/) });
  const several = JSON.parse((await said('serp shoes --pages 1-2 --country DE --mobile --json')).out);
  expect(several).toHaveLength(2);
  expect(several[0]).not.toEqual(one);
});

test('serp numbers the results of several pages, and says on a terminal what it spent', async () => {
  const { out, err } = await said('serp shoes --pages 1-2', { isTerminal: true });
  expect(out).toMatch(/Page 2[\s\S]*\n +11 /);
  expect(err).toContain('2 credits spent');
  expect((await said('serp shoes')).err).toBe('');
});

test('serp prints the HTML of one page with --raw, and JSON of several', async () => {
  const { out } = await said('serp shoes --raw');
  expect(out).toMatch(/^<!doctype html>/i);
  expect(JSON.parse((await said('serp shoes --raw --json')).out)).toBe(out);
  const pages = JSON.parse((await said('serp shoes --raw --pages 1-2')).out);
  expect(pages.map((page: string) => page.slice(0, 9).toLowerCase())).toEqual(['<!doctype', '<!doctype']);
});

test('keywords prints the response of the specification', async () => {
  const { exitCode, out } = await said('keywords shoes --limit 3 --language de --country DE --json');
  expect(exitCode).toBe(0);
  const { data, ...response } = JSON.parse(out);
  expect(response).toMatchObject({ success: true, result_count: data.length, cost: 0.01 });
  expect(data[0]).toMatchObject({ keyword: expect.stringContaining('shoes') });
  expect(data.length).toBeLessThanOrEqual(3);
});
