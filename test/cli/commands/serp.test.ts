// `serp`: results pages in the forms of the specification.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SerpAnswer } from '../../../src/service/index.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

describe('serp', () => {
  const page = (number: number) => ({
    page: number,
    serp: { organic: [{ rank: 1, title: `t${number}`, link: 'https://a.example/' }] },
    features: [],
    body: { contentType: 'text/html' as const, text: `<p>${number}</p>` },
    observedAt: 0,
  });
  const asking = (pages: number) => {
    const asked: unknown[] = [];
    const serp = async (...request: unknown[]): Promise<SerpAnswer> => {
      asked.push(...request);
      return { requestId: 'r', creditsCharged: pages, pages: Array.from({ length: pages }, (_, at) => page(at + 1)) };
    };
    return { fakes: { lookUpSerp: serp } as never, asked };
  };

  test('prints one page as an object and several as an array', async () => {
    const one = await inFolder(['serp', 'shoes', '--json'], asking(1));
    expect(JSON.parse(one.out)).toEqual(page(1).serp);
    const two = asking(2);
    const several = await inFolder(
      ['serp', 'shoes', '--pages', '1-2', '--country', 'DE', '--mobile', '--service', 'vendor', '--json'],
      two,
    );
    expect(JSON.parse(several.out)).toEqual([page(1).serp, page(2).serp]);
    expect(two.asked[0]).toEqual({ keyword: 'shoes', country: 'DE', mobile: true, start_page: 1, end_page: 2 });
    expect(two.asked[1]).toMatchObject({ service: 'vendor' });
  });

  test('says on a terminal what it waits for, and otherwise only in the log', async () => {
    const serp = async (_request: unknown, options: { onNotice(words: string): void }): Promise<SerpAnswer> => {
      options.onNotice('the request leaves in 40 s.');
      return { requestId: 'r', creditsCharged: 1, pages: [page(1)] };
    };
    const fakes = { lookUpSerp: serp } as never;
    expect((await inFolder(['serp', 'shoes'], { fakes, isTerminal: true })).err).toContain(
      'the request leaves in 40 s.',
    );
    expect((await inFolder(['serp', 'shoes'], { fakes })).err).toBe('');
  });

  test('warns of a price above the agreed one, in a log too', async () => {
    const serp = async (_request: unknown, options: { onDispute(words: string): void }): Promise<SerpAnswer> => {
      options.onDispute('price in dispute: service vendor states 70 SERP credits.');
      return { requestId: 'r', creditsCharged: 1, creditsStated: 70, pages: [page(1)] };
    };
    const fakes = { lookUpSerp: serp } as never;
    const { err, exitCode } = await inFolder(['serp', 'shoes', '--json'], { fakes });
    expect([err, exitCode]).toEqual(['Warning: price in dispute: service vendor states 70 SERP credits.\n', 0]);
    expect((await inFolder(['serp', 'shoes'], { fakes, isTerminal: true })).err).toContain('70 credits spent');
  });

  test('prints the HTML of one page with --raw, and JSON of several', async () => {
    expect((await inFolder(['serp', 'shoes', '--raw'], asking(1))).out).toBe('<p>1</p>');
    expect((await inFolder(['serp', 'shoes', '--raw', '--pages', '1-2'], asking(2))).out).toBe(
      '["<p>1</p>","<p>2</p>"]\n',
    );
    expect((await inFolder(['serp', 'shoes', '--raw', '--json'], asking(1))).out).toBe('"<p>1</p>"\n');
  });
});
