// A result that hides whose page it is proves no absence; what was found beside it stands.
import { describe, expect, it } from 'vitest';
import { matchTargets } from '../../src/tracker/match.ts';
import { hidesItsSite } from '../../src/tracker/target.ts';

const domain = (value: string) => ({ match: 'domain', value }) as const;

describe('a link with a token in place of an address', () => {
  it.each(['/goto?url=CAESabc', 'https://www.engine.example/goto?ved=1&url=CAESabc'])('%s hides its site', (url) => {
    expect(hidesItsSite(url)).toBe(true);
  });

  it.each([
    '',
    'https://a.example/goto',
    'https://a.example/?u=/goto?',
    '/goto?url=https%3A%2F%2Fa.example%2F',
    'https://a.example/goto?x=1',
  ])('"%s" does not', (url) => {
    expect(hidesItsSite(url)).toBe(false);
  });

  it('leaves a target that is not found unproven, and one that is found ranked', () => {
    const organic = ['https://a.example/', '/goto?url=CAESabc'].map((url) => ({ url, absoluteRank: null }));
    const read = { pages: [{ page: 1, organic }], endsAfterPage: 1, depth: 1 };
    expect(matchTargets(read, [domain('a.example'), domain('b.example')])).toMatchObject([
      { kind: 'ranked', organicRank: 1 },
      { kind: 'unproven' },
    ]);
  });
});
