// The filters of the toolbar: what people read, and what their forms write to the address.
import { describe, expect, it } from 'vitest';
import { chipsOf, filterMenus, withForm, withoutFilters } from '../../../src/workspace/client/filters.js';
import { parseFilter } from '../../../src/workspace/keyword-filter.ts';

const facts = {
  project: 'acme',
  timezone: 'UTC',
  targets: ['acme.com'],
  competitors: [],
  tags: ['boots', 'brand', 'shoes'],
  markets: [
    { country: 'US', language: 'en', device: 'desktop' },
    { country: 'US', language: 'en', device: 'mobile' },
  ],
  features: [],
  dates: [],
  ctrCurve: 'x',
  views: [],
};

function fieldsOf(label: string) {
  return filterMenus(facts).find((menu) => menu.label === label)?.fields ?? [];
}

function submitted(entries: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

describe('chips', () => {
  it.each([
    ['q=running+shoes', 'Keyword: running shoes'],
    ['tag=shoes%7Cboots', 'Tags: shoes or boots'],
    ['tag=%21brand', 'Tags: not brand'],
    ['market=US+en%7C%21US+en+mobile', 'Market: US en, not US en mobile'],
    ['status=not_found&status=failed', 'Status: not found or failed'],
    ['bucket=1%7C2-3', 'Rank bucket: Rank 1 or Ranks 2–3'],
    ['rank=1..10', 'Rank: 1 to 10'],
    ['rank=7', 'Rank: 7'],
    ['move=..-3', 'Ranks gained: at most -3'],
    ['volume=1000..', 'Searches a month: at least 1000'],
    ['otherUrl=true', 'Preferred URL: another URL ranks'],
  ])('say %s as people read it', (query, text) => {
    const chips = chipsOf(new URLSearchParams(query));
    expect(chips.map((chip) => `${chip.label}: ${chip.text}`)).toEqual([text]);
    expect(chips[0]?.without.toString()).toBe('');
  });

  it('remove one condition, keep the others, and go to the first page', () => {
    const chips = chipsOf(
      new URLSearchParams('tag=shoes&tag=%21brand&device=mobile&sort=-rank&page=3&from=2026-01-01'),
    );
    expect(chips.map(({ text }) => text)).toEqual(['shoes', 'not brand', 'mobile']);
    expect(chips[0]?.without.toString()).toBe('device=mobile&sort=-rank&from=2026-01-01&tag=%21brand');
  });

  it('are no dates, orders and columns: those stay when all filters are cleared', () => {
    const query = new URLSearchParams('q=a&tag=b&url=c&bucket=1&sort=rank&cols=rank&from=2026-01-01&page=2');
    expect(withoutFilters(query).toString()).toBe('sort=rank&cols=rank&from=2026-01-01');
  });
});

describe('the menus', () => {
  it('leave out what a project has no choice of', () => {
    expect(filterMenus(facts).map(({ label }) => label)).toEqual([
      ...['Tags', 'Market', 'Rank', 'Change', 'Volume', 'Intent', 'URL', 'Status'],
    ]);
    expect(fieldsOf('Market').map(({ values }) => values)).toEqual([['US en'], ['desktop', 'mobile']]);
  });

  it.each([
    ['any', ['shoes|boots'], 'shoes or boots'],
    ['all', ['shoes', 'boots'], 'shoes, boots'],
    ['none', ['!shoes|!boots'], 'not shoes or boots'],
  ])('add a condition of tags: %s of them', (mode, tags, text) => {
    const form = submitted([
      ['tag.mode', mode],
      ['tag', 'shoes'],
      ['tag', 'boots'],
    ]);
    const next = withForm(new URLSearchParams('tag=brand&page=2'), fieldsOf('Tags'), form);
    expect(next.getAll('tag')).toEqual(['brand', ...tags]);
    expect(next.has('page')).toBe(false);
    expect(
      chipsOf(next)
        .map((chip) => chip.text)
        .join(', '),
    ).toBe(`brand, ${text}`);
    expect(parseFilter(next).tags).toHaveLength(1 + tags.length);
  });

  it('write ranges with one or both ends, and remove those that were emptied', () => {
    const form = submitted([
      ...(['volume.from', 'volume.to', 'cpc.from', 'cpc.to', 'clicks.from', 'clicks.to'] as const).map(
        (name, index) => [name, ['1000', '', '', '2.5', '', ''][index] ?? ''] as const,
      ),
    ]);
    const next = withForm(new URLSearchParams('clicks=5..'), fieldsOf('Volume'), form);
    expect(next.toString()).toBe('volume=1000..&cpc=..2.5');
    expect(parseFilter(next)).toEqual({
      ranges: { searchVolume: { min: 1000, max: null }, cpc: { min: null, max: 2.5 } },
    });
  });

  it('keep a parameter that their form cannot show, while it is not touched', () => {
    const form = submitted([
      ['market.mode', 'any'],
      ['device.mode', 'none'],
      ['device', 'mobile'],
    ]);
    const next = withForm(new URLSearchParams('market=US+en+mobile'), fieldsOf('Market'), form);
    expect(next.toString()).toBe('market=US+en+mobile&device=%21mobile');
  });
});
