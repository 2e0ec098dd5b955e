// A result that hides its page or its site proves no absence; what was found next to it is unaffected.
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/tracker/project.ts';
import { matchTargets as matchCompiled, type PagesRead } from '../../../src/tracker/targets/match.ts';
import { classifyDestination, compileTargets, isOtherPage, siteAddress } from '../../../src/tracker/targets/target.ts';

const matchTargets = (read: PagesRead, targets: readonly Target[]) => matchCompiled(read, compileTargets(targets));
const domain = (value: string) => ({ match: 'domain', value }) as const;

describe('a link with a token in place of a URL', () => {
  it.each(['/goto?url=CAESabc', 'https://www.engine.example/goto?ved=1&url=CAESabc'])('%s hides its site', (url) => {
    expect(classifyDestination(url)).toBe('hidden');
  });

  it.each([
    '',
    'https://a.example/goto',
    'https://a.example/?u=/goto?',
    '/goto?url=https%3A%2F%2Fa.example%2F',
    'https://a.example/goto?x=1',
  ])('"%s" does not', (url) => {
    expect(classifyDestination(url)).toBe('exact');
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

describe('a result whose site is known, but not its page', () => {
  const url = (value: string) => ({ match: 'url', value }) as const;
  const ranked = (...urls: readonly string[]) => {
    const organic = urls.map((address) => ({ url: address, absoluteRank: null }));
    return { pages: [{ page: 1, organic }], endsAfterPage: 1, depth: 1 };
  };

  it('is written as its host', () => {
    expect(siteAddress('https://Shop.Example/')).toBe('shop.example');
    expect(siteAddress('https://müller.example/')).toBe('xn--mller-kva.example');
    expect(classifyDestination('shop.example')).toBe('host_only');
  });

  it.each(['localhost', 'shop.example/x', 'https://shop.example/', 'a b.example', '1.2.3.4:80', 'shop.example.', ''])(
    '"%s" is none',
    (text) => {
      expect(classifyDestination(text)).toBe('exact');
    },
  );

  it('ranks domains and hosts', () => {
    const targets = [domain('gett.example'), { match: 'host', value: 'www.gett.example' } as const];
    expect(matchTargets(ranked('https://a.example/', 'www.gett.example'), targets)).toMatchObject([
      { kind: 'ranked', organicRank: 2, url: 'www.gett.example' },
      { kind: 'ranked', organicRank: 2 },
    ]);
  });

  it.each([
    ['a page', url('gett.example/')],
    ['a prefix', { match: 'prefix', value: 'gett.example/uk' } as const],
    ['a page under www', url('www.gett.example/uk')],
    ['a host under www', { match: 'host', value: 'www.gett.example' } as const],
  ])('proves neither a rank nor an absence of %s', (_, target) => {
    expect(matchTargets(ranked('gett.example', 'https://b.example/'), [target])).toEqual([{ kind: 'unproven' }]);
  });

  it('leaves a page below it without an exact rank, and one above it ranked', () => {
    const [page, site] = ['https://gett.example/', 'gett.example'];
    expect(matchTargets(ranked(site, page), [url('gett.example/')])).toMatchObject([{ kind: 'seen', url: page }]);
    expect(matchTargets(ranked(page, site), [url('gett.example/')])).toMatchObject([
      { kind: 'ranked', organicRank: 1 },
    ]);
  });

  it('proves nothing about pages of other sites', () => {
    const targets = [url('other.example/'), url('sub.gett.example/')];
    expect(matchTargets(ranked('gett.example'), targets)).toMatchObject([{ kind: 'notFound' }, { kind: 'notFound' }]);
    expect(compileTargets(targets).possibleIndexes('https://other.example/')).toEqual([]);
  });

  it('is not another page than one whose address is known', () => {
    expect(isOtherPage('gett.example', 'https://gett.example/uk')).toBeNull();
    expect(isOtherPage('https://gett.example/uk', 'https://gett.example/')).toBe(true);
    expect(isOtherPage('http://gett.example/#top', 'https://gett.example/')).toBe(false);
  });
});
