// Recorded pages with one result in a new form: the list stays exact, or the page is refused; few lose it silently.
import { expect, it } from 'vitest';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { fixtureHtml, fixtureList } from './fixtures.ts';
import { linksOf, Markup, type RecordedPage } from './recorded-pages.ts';
import { resultForms, shownResults } from './result-forms.ts';

/** Of all changed pages of an engine, and of those with one kind of change. */
const wrongShareMax = 0.005;
const wrongShareOfKindMax = 0.04;

const tally = { right: 0, refused: 0, wrong: 0 };

it.each(['google', 'bing', 'duckduckgo'])(
  '%s: a result in a new form is read, or its page is refused',
  async (name) => {
    const engine = await loadEngine(name);
    const kinds = new Map<string, typeof tally>();
    const fixtures = fixtureList().filter((each) => each.engine === name);
    for (const fixture of fixtures.filter((_, nth) => name !== 'google' || nth % 4 === 0)) {
      const html = fixtureHtml(fixture.name);
      const mobile = fixture.device === 'mobile';
      const links = linksOf(engine, html, { mobile });
      if (typeof links === 'string' || links.length === 0) continue;
      const page: RecordedPage = { file: fixture.name, engine, mobile, html, keyword: '', links };
      const markup = new Markup(html);
      const results = shownResults(page, markup);
      const picked = new Set([0, Math.floor(results.length / 2), results.length - 1]);
      for (const form of resultForms)
        for (const nth of picked) {
          const changed = form.change(page, results, nth, markup);
          if (changed === undefined) continue;
          const after = linksOf(engine, changed.html, { mobile });
          const isRight = typeof after !== 'string' && after.join() === changed.links.join();
          const counts = kinds.get(form.name) ?? { ...tally };
          counts[typeof after === 'string' ? 'refused' : isRight ? 'right' : 'wrong'] += 1;
          kinds.set(form.name, counts);
        }
    }
    const sum = (key: keyof typeof tally): number => [...kinds.values()].reduce((total, each) => total + each[key], 0);
    const [right, refused, wrong] = [sum('right'), sum('refused'), sum('wrong')];
    const worst = [...kinds].map(([kind, each]) => ({
      kind,
      wrong: each.wrong,
      share: each.wrong / (each.right + each.refused + each.wrong),
    }));
    worst.sort((one, other) => other.share - one.share);
    console.info(`${name}: ${right} right, ${refused} refused, ${wrong} wrong; worst kinds:`, worst.slice(0, 3));
    expect(right + refused).toBeGreaterThan(200);
    expect(wrong / (right + refused + wrong)).toBeLessThanOrEqual(wrongShareMax);
    expect(worst.filter(({ share, wrong: count }) => count > 1 && share > wrongShareOfKindMax)).toEqual([]);
  },
);
