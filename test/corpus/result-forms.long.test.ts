// Recorded pages with one result in a new form: the list stays exact, or the page is refused; few lose it silently.
import { expect, it } from 'vitest';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { seeded } from '../helpers/seeded.ts';
import { fixtureHtml, fixtureList } from './fixtures.ts';
import { linksOf, Markup, type RecordedPage } from './recorded-pages.ts';
import { lostForms, resultForms, shownResults } from './result-forms.ts';

/** Of all changed pages, and of those with one kind of change, which are some 30: without the kinds that are lost. */
const wrongShareMax = 0.005;
const wrongShareOfKindMax = 0.07;
/** Each kind is tried on one page of each year, and on others up to this number. */
const pagesOfKind = 16;
/** The titles of these pages are links without a heading, by which the rows to change are found. */
const withoutHeadings = ['duckduckgo 2019', 'duckduckgo 2020'];
/** Some kinds need a page with a list inside another one. */
const triesMin = 9;

type Verdict = 'right' | 'refused' | 'wrong';
const tally: Record<Verdict, number> = { right: 0, refused: 0, wrong: 0 };

it('a result in a new form is read, or its page is refused', async () => {
  const random = seeded(44);
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, key: random() }))
      .sort((one, other) => one.key - other.key)
      .map(({ item }) => item);
  const kinds = new Map(resultForms.map(({ name }) => [name, { ...tally, where: [] as string[] }]));
  const engines = new Map<string, typeof tally>();
  const [years, tried] = [new Set<string>(), new Set<string>()];
  for (const name of ['google', 'bing', 'duckduckgo']) {
    const engine = await loadEngine(name);
    const counts = { ...tally };
    engines.set(name, counts);
    const pages = fixtureList().flatMap((fixture) => {
      if (fixture.engine !== name) return [];
      const mobile = fixture.device === 'mobile';
      const html = fixtureHtml(fixture.name);
      const links = linksOf(engine, html, { mobile });
      if (typeof links === 'string' || links.length === 0) return [];
      years.add(`${name} ${fixture.year}`);
      const page: RecordedPage = { file: fixture.name, engine, mobile, html, keyword: '', links };
      const markup = new Markup(html);
      return [{ page, markup, results: shownResults(page, markup), year: fixture.year }];
    });
    for (const form of resultForms) {
      const ordered = shuffled(pages);
      const ofYears = [...new Set(ordered.map(({ year }) => year))].map((each) =>
        ordered.findIndex(({ year }) => year === each),
      );
      const first = ordered.filter((_, nth) => ofYears.includes(nth));
      for (const { page, markup, results, year } of new Set([...first, ...ordered.slice(0, pagesOfKind)])) {
        const places = shuffled([0, Math.floor(results.length / 2), results.length - 1]);
        const changed = places.map((nth) => form.change(page, results, nth, markup)).find((each) => each !== undefined);
        if (changed === undefined) continue;
        tried.add(`${name} ${year}`);
        const after = linksOf(engine, changed.html, { mobile: page.mobile });
        const isRight = typeof after !== 'string' && after.join() === changed.links.join();
        const verdict = typeof after === 'string' ? 'refused' : isRight ? 'right' : 'wrong';
        if (!lostForms.has(form.name)) counts[verdict] += 1;
        const kind = kinds.get(form.name);
        if (kind === undefined) continue;
        kind[verdict] += 1;
        if (verdict === 'wrong') kind.where.push(page.file);
      }
    }
  }
  const sizeOf = ({ right, refused, wrong }: typeof tally): number => right + refused + wrong;
  const wrongKinds = [...kinds].flatMap(([kind, each]) =>
    each.wrong === 0 ? [] : [{ kind, share: each.wrong / sizeOf(each), ...each }],
  );
  console.info(engines, wrongKinds);
  expect([...kinds].filter(([, each]) => sizeOf(each) < triesMin)).toEqual([]);
  expect([...years].filter((year) => !tried.has(year)).sort()).toEqual(withoutHeadings);
  const all = [...engines.values()];
  const wrong = all.reduce((sum, each) => sum + each.wrong, 0);
  expect(wrong / all.reduce((sum, each) => sum + sizeOf(each), 0)).toBeLessThanOrEqual(wrongShareMax);
  const over = wrongKinds.filter(({ kind, share }) => share > wrongShareOfKindMax && !lostForms.has(kind));
  expect(over).toEqual([]);
});
