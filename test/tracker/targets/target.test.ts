// Targets match by labels and segments, in every spelling, and never by accident.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Target } from '../../../src/tracker/project.ts';
import {
  compileTargets,
  hostInUrl,
  InvalidTarget,
  matchesTarget,
  pageKey,
  parseTarget,
  targetKey,
  targetProblem,
} from '../../../src/tracker/targets/target.ts';

const domain = (value: string): Target => ({ match: 'domain', value });
const host = (value: string): Target => ({ match: 'host', value });
const prefix = (value: string): Target => ({ match: 'prefix', value });
const page = (value: string): Target => ({ match: 'url', value });

describe('a domain target', () => {
  it.each([
    'https://acme.com',
    'https://acme.com/',
    'http://ACME.com/x?y#z',
    'https://www.acme.com/',
    'https://shop.acme.com/a',
    'https://a.b.c.acme.com',
    'https://acme.com./x',
    'https://www.acme.com.:8443/x',
    'https://user:pw@acme.com/',
    'https://acme.com?q=1',
    'https://acme.com#x',
    'https://acme%2ecom/',
    '  https://acme.com/  ',
    'acme.com',
    'www.acme.com',
  ])('matches %s', (url) => {
    expect(matchesTarget(domain('acme.com'), url)).toBe(true);
  });

  it.each([
    'https://notacme.com/',
    'https://acme.com.evil.example/',
    'https://acme.community/',
    'https://acme.co/',
    'https://com/',
    'https://evil.example/acme.com',
    'https://evil.example/?u=https://acme.com/',
    'https://acme.com@evil.example/',
    'https://evil.example#acme.com',
    'https://xacme.com',
    'https://acme-com.example',
    'ftp://acme.com/',
    'android-app://acme.com/x',
    'javascript:acme.com',
    '',
    '/acme.com',
    'https://',
  ])('does not match %s', (url) => {
    expect(matchesTarget(domain('acme.com'), url)).toBe(false);
  });

  it('matches an international name in both spellings', () => {
    for (const written of ['müller.example', 'MÜLLER.example', 'xn--mller-kva.example', 'mu\u0308ller.example']) {
      expect(targetKey(domain(written))).toBe('domain:xn--mller-kva.example');
      expect(matchesTarget(domain(written), 'https://www.xn--mller-kva.example/a')).toBe(true);
      expect(matchesTarget(domain(written), 'https://www.müller.example/a')).toBe(true);
    }
    expect(matchesTarget(domain('muller.example'), 'https://müller.example/')).toBe(false);
  });

  it('with www is that subdomain only', () => {
    expect(matchesTarget(domain('www.acme.com'), 'https://acme.com/')).toBe(false);
    expect(matchesTarget(domain('www.acme.com'), 'https://www.acme.com/')).toBe(true);
  });
});

describe('a host target', () => {
  it('is exactly that host', () => {
    expect(matchesTarget(host('acme.com'), 'https://acme.com/x')).toBe(true);
    expect(matchesTarget(host('acme.com'), 'https://acme.com:8080/x')).toBe(true);
    expect(matchesTarget(host('acme.com'), 'https://www.acme.com/x')).toBe(false);
    expect(matchesTarget(host('www.acme.com'), 'https://acme.com/x')).toBe(false);
  });
});

describe('a prefix target', () => {
  it.each([
    ['https://shop.example.com/acme/', 'https://shop.example.com/acme/', true],
    ['https://shop.example.com/acme/', 'http://shop.example.com/acme', true],
    ['https://shop.example.com/acme', 'https://shop.example.com/acme/a/b?c#d', true],
    ['shop.example.com/acme', 'https://SHOP.example.com./acme?x=1', true],
    ['https://shop.example.com/acme/', 'https://shop.example.com/acmeous', false],
    ['https://shop.example.com/acme/', 'https://shop.example.com/', false],
    ['https://shop.example.com/acme/', 'https://www.shop.example.com/acme/', false],
    ['https://shop.example.com/acme/', 'https://shop.example.com/Acme/', false],
    ['https://shop.example.com/acme/', 'https://shop.example.com/x/../acme/y', true],
    ['https://shop.example.com/acme/', 'https://shop.example.com/acme/../x', false],
    ['https://shop.example.com/acme/', 'https://shop.example.com:8443/acme/', false],
    ['https://shop.example.com:8443/acme/', 'https://shop.example.com:8443/acme/x', true],
    ['https://shop.example.com/', 'https://shop.example.com/anything', true],
    ['https://example.com/caf%c3%a9', 'https://example.com/café/x', true],
    ['https://example.com/%7eacme', 'https://example.com/~acme/x', true],
    ['https://example.com/a%2Fb', 'https://example.com/a/b', false],
  ])('%s against %s: %s', (written, url, expected) => {
    expect(matchesTarget(prefix(written), url)).toBe(expected);
  });
});

describe('a url target', () => {
  it.each([
    ['https://acme.com/pricing', 'http://acme.com/pricing', true],
    ['https://acme.com/pricing', 'https://acme.com:443/pricing#plans', true],
    ['https://acme.com/pricing', 'https://acme.com/pricing#:~:text=per%20month', true],
    ['https://acme.com/pricing', 'https://acme.com/pricing?srsltid=AfmBOo', true],
    ['https://acme.com/pricing?a=1', 'https://acme.com/pricing?srsltid=AfmBOo&a=1', true],
    ['https://acme.com/pricing', 'https://acme.com/pricing?', true],
    ['https://acme.com/pricing', 'https://acme.com/pricing?srsltid&', true],
    ['https://acme.com', 'https://acme.com/', true],
    ['acme.com', 'https://acme.com/', true],
    ['https://acme.com/pricing', 'https://acme.com/pricing/', false],
    ['https://acme.com/pricing', 'https://www.acme.com/pricing', false],
    ['https://acme.com/pricing', 'https://acme.com/pricing?a=1', false],
    ['https://acme.com/pricing', 'https://acme.com/Pricing', false],
    ['https://acme.com/pricing', 'https://acme.com:8443/pricing', false],
    ['https://acme.com/p?a=1&b=2', 'https://acme.com/p?b=2&a=1', false],
    ['https://acme.com/p?srsltidx=1', 'https://acme.com/p', false],
  ])('%s against %s: %s', (written, url, expected) => {
    expect(matchesTarget(page(written), url)).toBe(expected);
  });
});

describe('the config of a target', () => {
  it('as a bare string means a domain, and is kept as written', () => {
    expect(parseTarget(' Acme.COM ')).toEqual({ match: 'domain', value: 'Acme.COM' });
    expect(parseTarget({ value: 'acme.com' })).toEqual({ match: 'domain', value: 'acme.com' });
    expect(parseTarget({ match: 'prefix', value: 'https://shop.example.com/acme/' }).match).toBe('prefix');
  });

  it('has one key for all its spellings, and another for another kind', () => {
    expect(targetKey(domain('https://ACME.com./'))).toBe(targetKey(domain('acme.com')));
    expect(targetKey(host('acme.com'))).not.toBe(targetKey(domain('acme.com')));
    expect(targetKey(prefix('http://shop.example.com/acme'))).toBe(targetKey(prefix('shop.example.com/acme/')));
    expect(targetKey(page('https://acme.com/a?srsltid=x#y'))).toBe('url:acme.com/a');
  });

  it.each([
    ['', 'not a host'],
    ['acme', 'no dot'],
    ['acme.com/shop', 'prefix'],
    ['https://acme.com/?a=1', 'prefix'],
    ['acme.com:8080', 'port'],
    ['*.acme.com', 'wildcards'],
    ['acme..com', 'empty label'],
    ['acme.com, globex.com', 'not a host or URL'],
    ['acme.com,globex.com', 'not one host'],
    ['me@acme.com', 'user name'],
    ['ftp://acme.com', 'http'],
    ['__proto__', 'no dot'],
  ])('with "%s" as a domain is refused: %s', (value, words) => {
    expect(targetProblem(domain(value))).toContain(words);
    expect(() => parseTarget(value)).toThrow(InvalidTarget);
  });

  it('of an unknown kind is refused, and so is a prefix with a query', () => {
    expect(() => parseTarget({ match: 'regex', value: 'acme.com' })).toThrow(InvalidTarget);
    expect(targetProblem(prefix('https://acme.com/a?b'))).toContain('without query');
    expect(targetProblem(page('https://acme.com/a?b=a,b;c'))).toBeNull();
  });
});

describe('compiled targets', () => {
  const label = fc.constantFrom(
    'acme',
    'shop',
    'www',
    'notacme',
    'com',
    'co',
    'uk',
    'a',
    'müller',
    'xn--mller-kva',
    'x1',
    '1',
  );
  const hostName = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'));

  it("match a host exactly if its last labels are the domain's labels", () => {
    fc.assert(
      fc.property(hostName, hostName, (wanted, seen) => {
        const labelsOf = (name: string) => URL.parse(`https://${name}`)?.hostname.split('.');
        const [short, long] = [labelsOf(wanted), labelsOf(seen)];
        fc.pre(short !== undefined && long !== undefined);
        const expected =
          short.length <= long.length && short.every((l, i) => l === long[long.length - short.length + i]);
        expect(matchesTarget(domain(wanted), `https://${seen}/acme.com`)).toBe(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('extract no host from text that is not a web address, and the same host from every spelling', () => {
    expect(hostInUrl('https://WWW.Müller.example.:8080/x')).toBe('www.xn--mller-kva.example');
    expect(hostInUrl('https://[::1]:80/')).toBe('[::1]');
    expect(hostInUrl('https://0x7f.1/')).toBe('127.0.0.1');
    for (const url of ['', 'acme.com', 'ftp://acme.com/', 'mailto:a@acme.com', 'https://'])
      expect(hostInUrl(url)).toBeNull();
  });

  it('accept any text as a URL without failing', () => {
    const compiled = compileTargets([domain('acme.com'), prefix('acme.com/a'), page('https://[::1]:8080/x')]);
    expect(compiled.matchingIndexes('http://[::1]:8080/x')).toEqual([2]);
    expect(compiled.matchingIndexes('http://[::1]/x')).toEqual([]);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((path) => `https://acme.com/${path}`),
    );
    fc.assert(
      fc.property(text, (url) => {
        expect(compiled.matchingIndexes(url).length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 1_000 },
    );
  });

  it('return every target of a URL, in order, as each alone would match', () => {
    const target = fc.oneof(
      hostName.map(domain),
      hostName.map(host),
      fc.tuple(hostName, fc.constantFrom('', '/a', '/a/', '/ab', '/a/b')).map(([name, path]) => prefix(name + path)),
      fc.tuple(hostName, fc.constantFrom('', '/a', '/a/', '/a?b', '/a/b')).map(([name, path]) => page(name + path)),
    );
    const url = fc.tuple(hostName, fc.constantFrom('', '/', '/a', '/a/', '/ab', '/a/b', '/a?b#c'));
    fc.assert(
      fc.property(fc.array(target, { maxLength: 8 }), url, (written, [name, path]) => {
        const targets = written.filter((each) => targetProblem(each) === null);
        const address = `https://${name}${path}`;
        const alone = targets.flatMap((each, index) => (matchesTarget(each, address) ? [index] : []));
        expect(compileTargets(targets).matchingIndexes(address)).toEqual(alone);
      }),
      { numRuns: 300 },
    );
  });

  it('have equal keys only if they match the same URLs', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const key = pageKey(url);
        expect(key).not.toBeNull();
        expect(pageKey(`https://${key}`)).toBe(key);
        expect(matchesTarget(page(url), `https://${key}#:~:text=x`)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
