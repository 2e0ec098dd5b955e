// Yandex Search API, written from its documentation: XML as base64 inside JSON.
import type { SourceSubject } from '../subject.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function answer({ keyword, page = 1 }: { keyword: string; page?: number }, response: string): Record<string, unknown> {
  const xml = `<?xml version="1.0" encoding="utf-8"?>
<yandexsearch version="1.0">
<request><query>${escaped(keyword)}</query><page>${page - 1}</page>
<groupings><groupby attr="d" mode="deep" groups-on-page="10" docs-in-group="1"/></groupings></request>
<response date="20261120T103130">${response}</response>
</yandexsearch>`;
  return { rawData: Buffer.from(xml).toString('base64') };
}

function results(links: readonly string[]): string {
  const groups = links.map(
    (link, index) => `<group><categ attr="d" name="site"/><doccount>1</doccount><relevance/>
<doc id="Z${index}"><relevance/><url>${escaped(link)}</url><domain>site.example</domain>
<title>Result <hlword>${index}</hlword></title><modtime>20261010T050000</modtime>
<passages><passage>Words about <hlword>it</hlword></passage><passage>More</passage></passages></doc></group>`,
  );
  return `<reqid>1</reqid><found priority="all">${links.length}</found>
<results><grouping attr="d" mode="deep"><page first="1" last="10">0</page>${groups.join('')}</grouping></results>`;
}

const failure = (code: number, words: string): string => `<error code="${code}">${words}</error>`;

export const yandex: SourceSubject = {
  source: 'yandex',
  hasKeys: true,
  options: (keys) => ({ apiKey: keys, folderId: 'b1gexample' }),
  page: (asked, links) => answer(asked, results(links)),
  empty: (asked) => ({ body: answer(asked, failure(15, 'Sorry, there are no results for this search')) }),
  silent: (asked) => answer(asked, '<reqid>1</reqid>'),
  corrected: (asked, searched, links) =>
    answer(
      asked,
      `<reask><rule>Misspell</rule><source-text><hlword>x</hlword></source-text><text-to-show>${searched}</text-to-show><text>${searched}</text></reask>${results(links)}`,
    ),
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { code: 8, message: 'Too many requests' } },
  outOfCredits: { status: 403, body: { code: 7, message: 'The billing account is not active' } },
  badKey: { status: 401, body: { code: 16, message: 'Unknown api key' } },
  serverError: { status: 503, body: { code: 14, message: 'Unavailable' } },
  errorInside: { body: answer({ keyword: 'shoes' }, failure(20, 'Internal error')) },
  asked: ({ json, headers }) => {
    const { query } = json as { query: { queryText: string; page: string; searchType: string } };
    return {
      keyword: query.queryText,
      country: query.searchType,
      page: Number(query.page) + 1,
      key: String(headers.authorization).replace('Api-Key ', ''),
    };
  },
  abroad: { country: 'SEARCH_TYPE_COM' },
  samples: [],
};
