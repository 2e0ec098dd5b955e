// The address of the page: it is the whole state, so that links can be shared.
import { describe, expect, it } from 'vitest';
import { parseAddress, pathOf, withChanges } from '../../../src/workspace/client/address.js';

describe('an address', () => {
  it('names a project, a view and its parameters, and is written as it was read', () => {
    const path = pathOf('acme & co', 'keywords', { tag: ['shoes|boots', '!brand'], q: 'running shoes', url: null });
    expect(path).toBe('/p/acme%20%26%20co/keywords?tag=shoes%7Cboots&tag=%21brand&q=running+shoes');
    const { pathname, search } = new URL(path, 'http://localhost');
    const address = parseAddress({ pathname, search });
    expect(address).toMatchObject({ project: 'acme & co', view: 'keywords' });
    expect(pathOf(address.project, address.view, address.query)).toBe(path);
  });

  it('without a project is the portfolio', () => {
    expect(parseAddress({ pathname: '/', search: '' })).toMatchObject({ project: null, view: 'portfolio' });
    expect(pathOf(null)).toBe('/');
  });

  it.each(['/nothing', '/p', '/p/%E0%A4%A/keywords', '/p/acme/keywords/more'])('%s is none of a view', (pathname) => {
    expect(parseAddress({ pathname, search: '' })).toMatchObject({ project: null, view: 'missing' });
  });

  it('changes some parameters and keeps the others', () => {
    const query = new URLSearchParams('tag=a&tag=b&sort=rank');
    expect(withChanges(query, { tag: ['c'], sort: null, q: 'x' }).toString()).toBe('tag=c&q=x');
    expect(query.toString()).toBe('tag=a&tag=b&sort=rank');
  });
});
