import { expect, it } from 'vitest';
import { Fields } from '../../../../src/service/net/fields.ts';
import { organicResult, runningCount, toOverview } from '../../../../src/service/sources/vendor-kit/elements.ts';

const names = { link: ['link'], description: [], displayLink: ['display_link'] };
const linkOf = (item: object) => organicResult(new Fields(item, 'item'), 0, names, []).link;

it("a vendor's numbers give the order of all elements, and we count them; without an order there is no count", () => {
  expect([...runningCount([5, 13, 6, 1])]).toEqual([
    [1, 1],
    [5, 2],
    [6, 3],
    [13, 4],
  ]);
  expect(runningCount([1, undefined, 3]).size).toBe(0);
  expect(runningCount([1, 2, 2]).size).toBe(0);
  expect(runningCount([]).size).toBe(0);
});

it('a link that only the engine can follow leads to the site that is shown next to it, if there is one', () => {
  const link = 'https://www.google.com/goto?url=CAESabc';
  const stateOf = (fields: object) => organicResult(new Fields(fields, 'item'), 0, names, []).destination_state;
  expect(linkOf({ link, display_link: 'https://shop.example › shoes' })).toBe('https://shop.example/');
  expect(stateOf({ link, display_link: 'https://shop.example › shoes' })).toBe('host_only');
  expect(stateOf({ link })).toBe('hidden');
  expect(stateOf({ link: 'https://a.example/x' })).toBeUndefined();
  expect(linkOf({ link, display_link: '40+ comments' })).toBe(link);
  expect(linkOf({ link })).toBe(link);
  expect(linkOf({ link: 'https://a.example/x', display_link: 'https://b.example' })).toBe('https://a.example/x');
});

it('an overview excludes the words of its buttons', () => {
  const texts = [new Fields({ type: 'paragraph', snippet: 'They fit. Read more' }, 'text')];
  const references = [new Fields({ title: 'Shoes Opens in new tab.', href: 'https://a.example/', index: 3 }, 'item')];
  expect(toOverview(texts, references)).toEqual({
    texts: [{ type: 'paragraph', snippet: 'They fit.' }],
    references: [{ index: 3, title: 'Shoes', href: 'https://a.example/' }],
  });
});
