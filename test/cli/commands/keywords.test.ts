// `keywords`: the specification's response.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

test('keywords prints the response of the specification', async () => {
  const response = { success: true, result_count: 0, cost: 0.01, data: [] };
  let asked: unknown;
  const keywords = async (request: unknown) => {
    asked = request;
    return { requestId: 'r', response, observedAt: 0 };
  };
  const { exitCode, out } = await inFolder(['keywords', 'shoes', '--limit', '33', '--language', 'de', '--json'], {
    fakes: { lookUpKeywords: keywords } as never,
  });
  expect({ exitCode, response: JSON.parse(out) }).toEqual({ exitCode: 0, response });
  expect(asked).toEqual({ keyword: 'shoes', language: 'de', limit: 33 });
});
