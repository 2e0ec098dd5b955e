// When one purchase of a results page is enough, and how many agreeing ones prove a doubtful page.
import { describe, expect, it } from 'vitest';
import {
  findDoubt,
  isProven,
  type KnownPages,
  linkKey,
  type ReceivedPage,
  RunPages,
} from '../../../src/tracker/trust/page-trust.ts';

const links = (count: number, of = 'a') => Array.from({ length: count }, (_, index) => `${of}${index}.example/page`);
const nothing: KnownPages = { before: null, ofCheck: new Map(), twins: [] };
const page = (more: Partial<ReceivedPage>): ReceivedPage => ({ page: 1, links: links(10), doubts: [], ...more });
const seen = (...pages: (readonly string[])[]) => new Map(pages.map((each, index) => [index + 1, each]));
const reasonOf = (received: ReceivedPage, known: Partial<KnownPages> = {}) =>
  findDoubt(received, { ...nothing, ...known })?.reason ?? null;

describe('a link is the same', () => {
  it.each([
    ['https://shop.example/p?id=7&srsltid=AfmBO', 'https://shop.example/p?id=7'],
    ['https://shop.example/p?utm_source=x&utm_medium=y', 'http://shop.example/p/'],
    ['https://shop.example/?gclid=1&fbclid=2', 'https://shop.example'],
    ['https://shop.example/p#:~:text=shoes', 'https://shop.example/p'],
    ['https://shop.example/p?a=1#:~:text=shoes', 'https://shop.example/p?a=1'],
  ])('as another: %s and %s', (one, other) => {
    expect(linkKey(one)).toBe(linkKey(other));
  });

  it('only if it leads to the same page', () => {
    expect(linkKey('https://shop.example/p?id=7')).not.toBe(linkKey('https://shop.example/p?id=8'));
    expect(linkKey('https://shop.example/a')).not.toBe(linkKey('https://shop.example/b'));
    expect(linkKey('https://shop.example/#/a')).not.toBe(linkKey('https://shop.example/#/b'));
  });
});

describe('a page', () => {
  it.each([
    ['with results is believed where nothing is known', page({}), {}, null],
    ['without results is believed where the answer says that nothing was found', page({ links: [] }), {}, null],
    [
      'without results is doubted where nothing says so',
      page({ links: [], doubts: ['empty_unproven'] }),
      {},
      'empty_unproven',
    ],
    [
      'of an engine without results is doubted once where the words are plain and nothing is known',
      page({ links: [] }),
      { isNew: true },
      'empty_unproven',
    ],
    ['two of an engine without results ends a new list', page({ page: 2, links: [] }), { isNew: true }, null],
    [
      'without results is doubted where there were five',
      page({ links: [] }),
      { before: seen(links(5)) },
      'empty_unproven',
    ],
    ['without results is believed where there were four', page({ links: [] }), { before: seen(links(4)) }, null],
    [
      'without results is doubted where five were on two pages',
      page({ links: [] }),
      { before: seen(links(4), links(1, 'b')) },
      'empty_unproven',
    ],
    [
      'without results is believed where it had none before',
      page({ links: [], doubts: ['empty_unproven'] }),
      { before: seen([]) },
      null,
    ],
    [
      'two without results is doubted where it had eight',
      page({ page: 2, links: [] }),
      { before: seen(links(10), links(8, 'b')) },
      'empty_unproven',
    ],
    [
      'two without results is believed where the end was there before',
      page({ page: 2, links: [], doubts: ['empty_unproven'] }),
      { before: seen(links(10), []) },
      null,
    ],
    ['that lost most results is doubted', page({ links: links(4) }), { before: seen(links(10)) }, 'results_lost'],
    ['that lost half of its results is believed', page({ links: links(5) }), { before: seen(links(10)) }, null],
    [
      'that kept one result is believed',
      page({ links: [...links(9, 'b'), ...links(1)] }),
      { before: seen(links(10)) },
      null,
    ],
    [
      'that kept no result is doubted',
      page({ links: links(10, 'b') }),
      { before: seen(links(10)) },
      'results_replaced',
    ],
    [
      'three that kept no result is believed: deep pages drift',
      page({ page: 3, links: links(10, 'b') }),
      { before: seen(links(10)) },
      null,
    ],
    ['that repeats another of its check is doubted', page({ page: 2 }), { ofCheck: seen(links(10)) }, 'repeated_page'],
    [
      'that repeats nine of ten results is doubted',
      page({ page: 2, links: [...links(9), 'new.example'] }),
      { ofCheck: seen(links(10)) },
      'repeated_page',
    ],
    [
      'that repeats two results of another is believed',
      page({ page: 2, links: [...links(2), ...links(8, 'b')] }),
      { ofCheck: seen(links(10)) },
      null,
    ],
    ['that a reader calls a decoy is doubted', page({ doubts: ['decoy_page'] }), {}, 'decoy_page'],
    [
      'that a reader calls a decoy is believed where it had largely the same results before',
      page({ doubts: ['decoy_page'] }),
      { before: seen([...links(6), ...links(4, 'b')]) },
      null,
    ],
    [
      'that shows the results of an unrelated keyword is doubted',
      page({}),
      { twins: ['tax office'] },
      'shared_results',
    ],
    ['that showed them before as well is believed', page({}), { twins: ['tax office'], before: seen(links(10)) }, null],
  ] as const)('%s', (_, received, known, reason) => {
    expect(reasonOf(received, known)).toBe(reason);
  });
});

describe('agreeing purchases of a page', () => {
  const purchases = (agreeing: number, errorRate = 0) => ({ agreeing, errorRate });
  const needed = (errorRate: number) => {
    for (let agreeing = 1; ; agreeing += 1)
      if (isProven('empty_unproven', purchases(agreeing, errorRate))) return agreeing;
  };

  it('prove an empty page after two, and after more the more often the service errs', () => {
    expect([0, 0.0005, 0.001, 0.03, 0.1, 0.3].map(needed)).toEqual([2, 2, 3, 4, 7, 12]);
  });

  it.each(['results_lost', 'results_replaced'] as const)(
    'prove %s after six however often the service errs',
    (reason) => {
      expect(isProven(reason, purchases(5, 0.5))).toBe(false);
      expect(isProven(reason, purchases(6, 0.5))).toBe(true);
      expect(isProven(reason, purchases(2))).toBe(true);
    },
  );

  it('never prove a decoy, a repeated page or results of other keywords, and one purchase proves nothing', () => {
    for (const reason of ['decoy_page', 'repeated_page', 'shared_results'] as const) {
      expect(isProven(reason, purchases(50)), reason).toBe(false);
    }
    for (const reason of ['empty_unproven', 'results_lost', 'results_replaced'] as const) {
      expect(isProven(reason, purchases(1)), reason).toBe(false);
    }
  });
});

describe('the pages of a run', () => {
  it('reveal ten unrelated keywords with nine of ten results in common, and let near-duplicates share theirs', () => {
    const pages = new RunPages();
    const almostAll = [...links(9), 'x.example'];
    for (let nth = 1; nth <= 9; nth += 1) pages.add(`running shoe ${nth}`, 1, links(10));
    expect(pages.twinsOf('tax office', 1, almostAll)).toEqual([]);
    pages.add('running shoe 10', 1, links(10));
    for (const related of ['running shoes', 'best shoes for runners', 'runningshoe 1', 'running shoe 10']) {
      expect(pages.twinsOf(related, 1, almostAll), related).toEqual([]);
    }
    expect(pages.twinsOf('tax office', 1, almostAll)).toHaveLength(10);
    expect(pages.twinsOf('tax office', 1, [...links(8), 'x.example', 'y.example'])).toEqual([]);
    expect(pages.twinsOf('tax office', 2, links(10))).toEqual([]);
    expect(pages.twinsOf('tax office', 1, links(4))).toEqual([]);
  });

  it('reveal many related keywords with the very same list', () => {
    const pages = new RunPages();
    for (let nth = 1; nth <= 9; nth += 1) pages.add(`shoes ${nth}`, 1, links(10));
    expect(pages.twinsOf('shoes 11', 1, links(10))).toEqual([]);
    pages.add('shoes 10', 1, links(10));
    expect(pages.twinsOf('shoes 11', 1, links(10))).toHaveLength(10);
    expect(pages.twinsOf('shoes 11', 1, links(10).toReversed())).toEqual([]);
  });

  it('are kept in bounded number, the newest of each keyword', () => {
    const pages = new RunPages();
    const group = (nth: number) => links(10, `w${Math.floor(nth / 10)}x`);
    for (let nth = 0; nth < 1000; nth += 1) pages.add(`word${nth}`, 1, group(nth));
    expect(pages.twinsOf('tax office', 1, group(0))).toEqual([]);
    expect(pages.twinsOf('tax office', 1, group(999))).toHaveLength(10);
    pages.add('word999', 1, links(10, 'other'));
    expect(pages.twinsOf('tax office', 1, group(999))).toEqual([]);
  });
});
