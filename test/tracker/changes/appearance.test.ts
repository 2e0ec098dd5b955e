// Two appearances of a result differ by their words, never by dates, counts, or what one of them does not know.
import { describe, expect, it } from 'vitest';
import { type Appearance, appearanceChanges, isNewAppearance } from '../../../src/tracker/changes/appearance.ts';

const shown = (more: Partial<Appearance> = {}): Appearance => ({
  source: 'vendor/remote',
  title: 'Running shoes - Acme',
  snippet: 'Shoes for runners.',
  sitelinks: ['Sale', 'Women'],
  hasImage: false,
  ...more,
});

describe('a change', () => {
  it('names its field, and what was there before and after', () => {
    const after = shown({ title: 'Trail shoes - Acme', snippet: '', sitelinks: ['Sale', 'Men'], hasImage: true });
    expect(appearanceChanges(shown(), after)).toEqual([
      { field: 'title', before: 'Running shoes - Acme', after: 'Trail shoes - Acme' },
      { field: 'snippet', before: 'Shoes for runners.', after: '' },
      { field: 'sitelinks', before: ['Sale', 'Women'], after: ['Sale', 'Men'] },
      { field: 'thumbnail', before: false, after: true },
    ]);
    expect(appearanceChanges(shown(), shown())).toEqual([]);
  });

  it.each([
    ['Shoes (12 reviews)', 'Shoes (1,204 reviews)'],
    ['Nov 26, 2026 - Shoes', 'Dec 3, 2026 - Shoes'],
    ['Shoes for November 2026', 'Shoes for December 2026'],
    ['3 hours ago · Shoes', '1 day ago · Shoes'],
    ['Schuhe, vor 3 Tagen', 'Schuhe, vor 1 Stunde'],
    ['26 ноября 2026 - обувь', '3 декабря 2026 - обувь'],
    ['SHOES | Acme', 'Shoes - Acme'],
  ])('is not that %s becomes %s', (before, after) => {
    expect(appearanceChanges(shown({ title: before }), shown({ title: after }))).toEqual([]);
  });

  it.each([
    ['Best 10 shoes', 'Best 10 boots'],
    ['May sale', 'March sale'],
    ['Air 90 for men', 'Air 90 for women'],
    ['靴', '長靴'],
  ])('is that %s becomes %s', (before, after) => {
    expect(appearanceChanges(shown({ title: before }), shown({ title: after }))).toHaveLength(1);
  });

  it('is not another order of sitelinks', () => {
    expect(appearanceChanges(shown(), shown({ sitelinks: ['Women', 'Sale'] }))).toEqual([]);
  });

  it.each(['title', 'snippet', 'sitelinks', 'hasImage'] as const)(
    'is not a %s that becomes unknown or known',
    (field) => {
      const unknown = shown({ [field]: null });
      expect(appearanceChanges(shown(), unknown)).toEqual([]);
      expect(appearanceChanges(unknown, shown())).toEqual([]);
      // the first is no news, the second is
      expect(isNewAppearance(shown(), unknown)).toBe(false);
      expect(isNewAppearance(unknown, shown())).toBe(true);
    },
  );

  it('is never found between two sources', () => {
    const other = shown({ source: 'vendor/other', title: 'Trail shoes' });
    expect(appearanceChanges(shown(), other)).toEqual([]);
    expect(isNewAppearance(shown(), other)).toBe(true);
  });
});
