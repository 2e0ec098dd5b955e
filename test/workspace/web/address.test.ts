// The address of a page: it is the whole state, so that links can be shared.
import { describe, expect, it } from 'vitest';
import { textMatcher } from '../../../src/read/keyword-filter.ts';
import { filterShape, parseFilter } from '../../../src/read/queries.ts';
import { changed, parseAddress, pathTo } from '../../../src/workspace/web/address.ts';
import { apiPath, takes } from '../../../src/workspace/web/api.ts';
import { exactUrl, textComplaint } from '../../../src/workspace/web/filters.ts';

const at = (pathname: string, search = '') => parseAddress({ pathname, search, hash: '' });

describe('an address', () => {
  it('names a project, a page and its parameters, and is written as it was read', () => {
    const path = pathTo('acme & co', 'keywords', { tag: ['shoes|boots', '!brand'], q: 'running shoes', url: null });
    expect(path).toBe('/p/acme%20%26%20co/keywords?tag=shoes%7Cboots&tag=%21brand&q=running+shoes');
    const { pathname, search } = new URL(path, 'http://localhost');
    const { project, page, query } = at(pathname, search);
    expect([project, page]).toEqual(['acme & co', 'keywords']);
    expect(pathTo(project, page, query)).toBe(path);
  });

  it('without a project is the portfolio, and without a page the home of the project', () => {
    expect(at('/')).toMatchObject({ project: null, page: 'portfolio' });
    expect(pathTo(null)).toBe('/');
    expect(at('/p/acme')).toMatchObject({ project: 'acme', page: 'home' });
  });

  it.each(['/nothing', '/p', '/p/%E0%A4%A/keywords', '/p/acme/keywords/more'])('%s is none of a page', (pathname) => {
    expect(at(pathname)).toMatchObject({ project: null, page: 'missing' });
  });

  it('changes some parameters and keeps the others', () => {
    const query = new URLSearchParams('tag=a&tag=b&sort=rank');
    expect(changed(query, { tag: ['c'], sort: null, q: 'x' }).toString()).toBe('tag=c&q=x');
    expect(query.toString()).toBe('tag=a&tag=b&sort=rank');
  });
});

describe('paths of the read API', () => {
  it('have the filters of the address and nothing else', () => {
    const query = new URLSearchParams('tag=a&tag=b&sort=-clicks&from=2026-01-01&url=');
    expect(apiPath('acme & co', 'segments', query, 'table', { by: 'tag' })).toBe(
      '/v1/projects/acme%20%26%20co/segments?tag=a&tag=b&by=tag',
    );
  });

  it.each([
    ['running shoes', true],
    ['/^run(ning)?$/', true],
    ['/(/', false],
    ['/[a/i', false],
    ['/\\p{Nonsense}/', false],
  ])('leave out the expressions that the server refuses, so that the rows stay: %s', (written, isValid) => {
    const query = new URLSearchParams({ q: written, url: written });
    const asked = new URL(apiPath('acme', 'summary', query, 'table'), 'http://localhost').searchParams;
    expect([...asked.keys()]).toEqual(isValid ? ['q', 'url'] : []);
    const parsed = () => parseFilter(new URLSearchParams({ q: written }));
    if (isValid) expect(parsed).not.toThrow();
    else expect(parsed).toThrow(`q: ${textComplaint(written)}`);
  });

  it('take every filter of the read API', () => {
    expect([...takes.table].sort()).toEqual([...Object.keys(filterShape), 'date', 'compare'].sort());
  });

  it('find a URL and no longer one', () => {
    const url = 'https://a.example/c/shoes?q=a+b';
    const found = textMatcher('url', exactUrl(url))([url, `${url}&x=1`, 'https://a.example/c/shoes?q=aab']);
    expect(found).toEqual([true, false, false]);
  });
});
