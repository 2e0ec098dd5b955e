// The work to read a page grows at most linearly, measured in attribute reads and not in time.
import { afterEach, expect, it, vi } from 'vitest';
import { Element } from '../../../../src/service/engines/page/tree.ts';
import { desktopPage, mobilePage, mobileResult, plainPage, read, result } from './pages.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts attribute reads while a page is read. */
function readsOf(html: string): number {
  const get = vi.spyOn(Element.prototype, 'get');
  expect(read(html).serp.organic?.length).toBeGreaterThan(0);
  const reads = get.mock.calls.length;
  get.mockRestore();
  return reads;
}

const each = (count: number, piece: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => piece(index)).join('');
const site = (index: number): string => `https://site${index}.example/`;
const title = '<div role="heading" aria-level="2">Titles</div>';
const words = '<div><div>Some words</div><div>in two lines</div></div>';

it.each<[string, (size: number) => string]>([
  [
    'a long first part above results in nested blocks',
    (size) =>
      mobilePage(
        `${'<div>'.repeat(12)}<div>${title}${each(size, () => words)}</div>${each(size, (index) => mobileResult(site(index), `T${index}`))}`,
      ),
  ],
  [
    'a long first part without words above results in nested blocks',
    (size) =>
      mobilePage(
        `${'<div>'.repeat(12)}<div>${title}${'<div></div>'.repeat(size)}</div>${each(size, (index) => mobileResult(site(index), `T${index}`))}`,
      ),
  ],
  ['many results of a desktop page', (size) => desktopPage(each(size, (index) => result(site(index), `T${index}`)))],
  [
    'many titles with a single link each',
    (size) =>
      desktopPage(
        result('https://a.example/', 'A') +
          each(size, (index) => `${title}<a href="${site(index)}"><div role="heading" aria-level="3">S</div></a>`),
      ),
  ],
  [
    'many questions of a page without scripts',
    (size) =>
      plainPage(
        result('/url?q=https://a.example/', 'A') +
          each(
            size,
            (index) =>
              `<div><div>What is ${index}?</div><div>${words}<a href="https://www.google.com/search?q=What+is+${index}%3F">More</a></div></div>`,
          ),
      ),
  ],
])('reading time grows at most linearly with the page: %s', (_, page) => {
  const size = 100;
  expect(readsOf(page(size * 2)) / readsOf(page(size))).toBeLessThan(2.2);
});
