// Addresses that differ in tracking parameters alone are one page wherever pages are compared, grouped or counted.
import { describe, expect, it } from 'vitest';
import { addCounts, answerLines, countAnswers } from '../../../jobs/read/rows/answer-groups.ts';
import type { AnswerRecord, KeywordRow, RankPoint, SerpResult } from '../../../src/read/records.ts';
import { landingPages } from '../../../src/read/sums/landing-pages.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { isOtherPage, matchesTarget, pageKey, targetKey } from '../../../src/tracker/targets/target.ts';
import { withoutTracking } from '../../../src/tracker/tracking.ts';
import { linkKey } from '../../../src/tracker/trust/page-trust.ts';
import { citedPages } from '../../../src/workspace/web/answers.ts';
import { urlStretches } from '../../../src/workspace/web/rank-history.ts';
import { serpMoves } from '../../../src/workspace/web/serp-moves.ts';

const page = 'https://acme.com/shoes?id=7';
const parameters = [
  ...['utm_source=chatgpt.com', 'utm_medium=referral', 'UTM_Campaign=x', 'utm_source=openai&utm_medium=x', 'utm_id'],
  ...['gclid=1', 'gbraid=1', 'wbraid=1', 'srsltid=AfmBOoq', 'dclid=1', 'gclsrc=aw.ds', 'gad_source=1', '_gl=1*a'],
  ...['fbclid=1', 'igshid=1', 'msclkid=1', 'yclid=1', 'ysclid=lq1', 'twclid=1', 'ttclid=1', 'li_fat_id=1', 'epik=1'],
  ...['mc_cid=1&mc_eid=2', '_hsenc=1&_hsmi=2', 'mkt_tok=1', 'mtm_campaign=x', 'pk_campaign=x', '_openstat=1'],
];
const spellings = parameters.flatMap((each) => [
  `${page}&${each}`,
  page.replace('?', `?${each}&`),
  `${page}&${each}#a`,
]);
const others = [
  ...['ref=x', 'cid=1', 'source=x', 'campaign=x', 'page=2', 'q=gclid', 'utm=1', 'agclid=1', 'gclidx=1', 'fb=1'].map(
    (each) => `${page}&${each}`,
  ),
  ...['https://acme.com/shoes', 'https://acme.com/shoes?id=8', 'https://acme.com/utm_source=x?id=7'],
];
const target: Target = { match: 'url', value: page };

describe('an address with tracking parameters', () => {
  it.each(spellings)('is the page of a url target, a preferred URL and a change: %s', (spelling) => {
    expect(matchesTarget(target, spelling)).toBe(true);
    expect(isOtherPage(page, spelling)).toBe(false);
    expect(targetKey({ match: 'url', value: spelling })).toBe(targetKey(target));
    expect(linkKey(withoutTracking(spelling)).split('#')[0]).toBe(linkKey(page));
  });

  it.each(others)('is another page with other parameters: %s', (other) => {
    expect(matchesTarget(target, other)).toBe(false);
    expect(isOtherPage(page, other)).toBe(true);
    expect(withoutTracking(other)).toBe(other);
  });

  it('is shown without them, and otherwise as it was seen', () => {
    expect(withoutTracking('http://Acme.com/A%20b/?b=2&utm_source=x&a=1#part')).toBe(
      'http://Acme.com/A%20b/?b=2&a=1#part',
    );
    expect(withoutTracking('https://acme.com/?gclid=1#:~:text=shoes')).toBe('https://acme.com/');
    expect(pageKey('https://acme.com/?gclid=1')).toBe('acme.com/');
  });
});

describe('pages with tracking parameters', () => {
  const tracked = `${page}&utm_source=chatgpt.com`;

  it('are one page of an answer, over prompts and periods', () => {
    const seen = [
      [{ pages: [tracked, page], isMentioned: false }],
      [{ pages: [`${page}&utm_source=openai`], isMentioned: false }],
      [{ pages: [], isMentioned: true }],
    ];
    const group = {
      ...countAnswers(1, seen),
      ...{ engine: 'chatgpt', prompt: null, country: null, language: null, device: null, location: null },
      ...{ period: '2026-01-01', asked: 3, shown: null, sources: new Set(['a']) },
    };
    const both = {
      ...group,
      ...addCounts([group, { ...group, ...countAnswers(1, [[{ pages: [tracked], isMentioned: false }]]) }]),
    };
    const project = { id: 'acme', targets: [target], competitors: [] };
    for (const [of, cited] of [
      [group, 2],
      [both, 3],
    ] as const) {
      // the rows read no more of a project
      const [line] = answerLines(project as unknown as Parameters<typeof answerLines>[0], of, null, null);
      expect([line?.pages, line?.cited?.count]).toEqual([[page], cited]);
    }
  });

  it('are one cited page of the page of answers', () => {
    // the list reads no more of a row
    const row = (url: string, engine: string) =>
      ({ target: 'acme.com', isOwn: true, engine, prompt: null, citedPages: [url] }) as unknown as AnswerRecord;
    const pages = citedPages([row(page, 'chatgpt'), row(tracked, 'gemini')]);
    expect(pages.map(({ url, engines }) => [url, engines.size])).toEqual([[page, 2]]);
  });

  it('are one of our pages, with its measured clicks', () => {
    const row = (url: string, rank: number) =>
      // the sums read no more of a row
      ({
        target: 'acme.com',
        url,
        rank,
        estimatedClicks: 1,
        searchVolume: 10,
        urlIsPreferred: null,
      }) as unknown as KeywordRow;
    const pages = landingPages([row(tracked, 3), row(page, 5)], (url) =>
      url === page ? { clicks: 7, impressions: 70 } : null,
    );
    expect(pages).toMatchObject([{ url: page, keywords: 2, averageRank: 4, estimatedClicks: 2, measuredClicks: 7 }]);
  });

  it('neither change the ranking page of a keyword nor move on a results page', () => {
    const point = (date: string, url: string, rank: number) => ({ date, url, rank }) as unknown as RankPoint;
    const points = [point('2026-01-01', page, 4), point('2026-01-02', tracked, 3), point('2026-01-03', page, 5)];
    expect(urlStretches(points)).toMatchObject([{ from: '2026-01-01', to: '2026-01-03', checks: 3, best: 3 }]);
    const result = (url: string, rank: number) => ({ url, rank, isOwn: true }) as unknown as SerpResult;
    expect(serpMoves([result(page, 4)], [result(tracked, 2)])).toMatchObject({
      moves: [{ kind: 'moved', change: 2 }],
      left: [],
    });
  });
});
