// Invisible characters in a keyword do not change the query, on any page.
import { describe, expect, it } from 'vitest';
import { parseKeywordDataRequest, parseSerpRequest } from '../../../src/service/core/requests.ts';
import { bingEngine } from '../../../src/service/engines/bing/index.ts';
import { duckDuckGoEngine } from '../../../src/service/engines/duckduckgo/index.ts';
import { googleEngine } from '../../../src/service/engines/google/index.ts';
import { isSameQuery, rejectOtherQuery } from '../../../src/service/engines/page/query.ts';
import { keywordKey } from '../../../src/service/model/results/keyword-data.ts';
import { foot as bingFoot, marks as bingMarks } from '../engines/bing/pages.ts';
import { foot as duckFoot, marks as duckMarks } from '../engines/duckduckgo/pages.ts';
import { marks as engineMarks, foot } from '../engines/google/pages.ts';

const marks = [
  '\u200b',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\ufeff',
  '\u00ad',
  '\u2060',
  '\u061c',
  '\u180e',
];
const withMark = (mark: string): string => `${mark}حذاء${mark} ج${mark}ري${mark}`;
const plain = 'حذاء جري';

describe('a keyword with an invisible mark is the query without it', () => {
  it.each(marks.map((mark) => [mark.codePointAt(0)?.toString(16), mark]))('U+%s', (_, mark) => {
    expect(isSameQuery(withMark(mark), plain)).toBe(true);
    expect(isSameQuery(plain, withMark(mark))).toBe(true);
    expect(keywordKey(withMark(mark))).toBe(plain);
    expect(() => rejectOtherQuery(withMark(mark), [plain])).not.toThrow();
    expect(() => rejectOtherQuery(plain, [withMark(mark)])).not.toThrow();
  });
});

it('another word is another query, with or without marks', () => {
  expect(isSameQuery('run\u200bning', 'walking')).toBe(false);
});

const result = '<a href="https://a.example/"><h3>A</h3></a><div>Some words of text.</div>';
it.each([
  [
    'google',
    googleEngine,
    `${engineMarks}<input name="q" value="${plain}"><div id="search"><div id="rso"><div class="g">${result}</div></div></div>${foot}`,
  ],
  [
    'bing',
    bingEngine,
    `${bingMarks}<input id="sb_form_q" name="q" value="${plain}"><ol id="b_results"><li class="b_algo"><h2><a href="https://a.example/">A</a></h2></li></ol>${bingFoot}`,
  ],
  [
    'duckduckgo',
    duckDuckGoEngine,
    `${duckMarks}<input name="q" value="${plain}"><div id="links"><div class="result web-result"><a class="result__a" href="https://a.example/">A</a></div></div>${duckFoot}`,
  ],
] as const)('a page of %s answers the keyword with marks', (_, engine, body) => {
  const html = `<html><body>${body}</body></html>`;
  expect(engine.parse(html, { keyword: withMark('\u200f'), mobile: false }).serp.organic).toHaveLength(1);
});

it('a request keeps the keyword as received, and refuses one of marks alone', () => {
  expect(parseSerpRequest({ keyword: withMark('\u200f') }).keyword).toBe(withMark('\u200f'));
  for (const parse of [parseSerpRequest, parseKeywordDataRequest])
    expect(() => parse({ keyword: ' \u200b\u200e ' })).toThrow(expect.objectContaining({ code: 'KEYWORD_REQUIRED' }));
});
