import { describe, expect, it } from 'vitest';
import { competitionLevel } from '../../../../src/service/model/results/keyword-data.ts';
import { listMetrics, type MetricsQuestion } from '../../../../src/service/sources/sandbox/keywords.ts';

const asked: MetricsQuestion = { keyword: 'running shoes', country: 'US', language: 'en', limit: 100, month: 674 };
const some = [
  'running shoes',
  'crm software',
  'ridge tiles',
  'zahnarzt berlin',
  'left handed banjo strings',
  'k',
  'acme login',
  '__proto__',
];

describe('keyword metrics of the sandbox', () => {
  it('contain at most the limit, sorted by volume then keyword, with the requested keyword and no duplicate', () => {
    for (const keyword of some) {
      for (const limit of [1, 2, 33, 100, 1000]) {
        const list = listMetrics({ ...asked, keyword, limit }, 1);
        expect(list.length).toBeLessThanOrEqual(limit);
        expect(list.map((each) => each.keyword)).toContain(keyword);
        expect(new Set(list.map((each) => each.keyword)).size).toBe(list.length);
        const order = (a: (typeof list)[number], b: (typeof list)[number]) =>
          (b.search_volume ?? -1) - (a.search_volume ?? -1) || (a.keyword < b.keyword ? -1 : 1);
        expect([...list].sort(order)).toEqual(list);
      }
    }
  });

  it('are the same for a keyword in every list', () => {
    const ofOne = listMetrics(asked, 1);
    const ofOther = new Map(
      listMetrics({ ...asked, keyword: 'trail shoes', limit: 1000 }, 1).map((each) => [each.keyword, each]),
    );
    const shared = ofOne.filter((each) => ofOther.has(each.keyword));
    expect(shared.length).toBeGreaterThan(20);
    for (const each of shared) expect(ofOther.get(each.keyword)).toEqual(each);
    for (const each of ofOne.slice(0, 20)) {
      expect(listMetrics({ ...asked, keyword: each.keyword, limit: 1 }, 1)).toEqual([each]);
    }
  });

  it('cover most tracked keywords of a topic in one list of the smallest price', () => {
    const tracked = [
      'running shoes',
      'best running shoes',
      'running shoes for women',
      'running shoes for men',
      'trail running shoes',
      'trail shoes',
      'marathon training plan',
      'running socks',
      'running jacket',
    ];
    const list = listMetrics({ ...asked, limit: 33 }, 20).map((each) => each.keyword);
    expect(tracked.filter((keyword) => list.includes(keyword)).length).toBeGreaterThanOrEqual(6);
  });

  it('have volumes from none to many, head above tail, and null for unknown metrics', () => {
    const lists = some.flatMap((keyword) => listMetrics({ ...asked, keyword, limit: 1000 }, 1));
    for (const each of lists) {
      const { search_volume: volume, competition, cpc } = each;
      expect(volume === null || (Number.isInteger(volume) && volume >= 0)).toBe(true);
      expect(competition === null || (Number.isInteger(competition) && competition >= 0 && competition <= 100)).toBe(
        true,
      );
      expect(each.competition_level).toBe(competition === null ? null : competitionLevel(competition));
      expect(cpc === null || cpc > 0).toBe(true);
      expect(each.related_keywords === null || each.related_keywords.length > 0).toBe(true);
      expect(each.country).toBe('us');
    }
    const share = (holds: (each: (typeof lists)[number]) => boolean) => lists.filter(holds).length / lists.length;
    for (const name of ['search_volume', 'cpc', 'competition', 'intent', 'related_keywords'] as const) {
      expect(
        share((each) => each[name] === null),
        name,
      ).toBeGreaterThan(0.01);
      expect(
        share((each) => each[name] === null),
        name,
      ).toBeLessThan(0.2);
    }
    expect(share((each) => each.search_volume === 0)).toBeGreaterThan(0.01);
    const typical = (words: number) => {
      const volumes = lists
        .filter((each) => each.keyword.split(' ').length === words)
        .map((each) => each.search_volume ?? 0);
      return volumes.sort((a, b) => a - b)[volumes.length >> 1]!;
    };
    expect(typical(2)).toBeGreaterThan(5 * typical(5));
    expect(new Set(lists.map((each) => each.intent)).size).toBe(5);
  });

  it('change with the month, the country and the seed only', () => {
    const [now] = listMetrics({ ...asked, limit: 1 }, 1);
    expect(listMetrics({ ...asked, limit: 1 }, 1)).toEqual([now]);
    const volumes = Array.from(
      { length: 12 },
      (_, i) => listMetrics({ ...asked, limit: 1, month: asked.month + i }, 1)[0]!.search_volume,
    );
    expect(new Set(volumes).size).toBeGreaterThan(3);
    expect(listMetrics({ ...asked, limit: 1, country: 'DE' }, 1)).not.toEqual([now]);
    expect(listMetrics({ ...asked, limit: 1 }, 2)).not.toEqual([now]);
  });

  it('are unknown for nonsense and for keywords that are too long', () => {
    expect(listMetrics({ ...asked, keyword: 'zzqx vlorp'.replace('vlorp', 'zzqvlorp') }, 1)).toEqual([]);
    expect(listMetrics({ ...asked, keyword: 'one two three four five six seven eight nine ten eleven' }, 1)).toEqual(
      [],
    );
    expect(listMetrics({ ...asked, keyword: 'w'.repeat(81) }, 1)).toEqual([]);
  });

  it('contain the requested keyword as written', () => {
    expect(listMetrics({ ...asked, keyword: 'Running  SHOES', limit: 50 }, 1).map((each) => each.keyword)).toContain(
      'Running  SHOES',
    );
  });
});
