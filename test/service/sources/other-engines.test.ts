// Sources of other engines ask for the market in the engine's own names.
import { describe, expect, it } from 'vitest';
import { readAnswer, requestFor } from './vendor-service.ts';

const paramsOf = async (source: string, asked: object) => {
  const { query } = await requestFor(source, asked);
  query.delete('api_key');
  return Object.fromEntries(query);
};

describe('a search of another engine', () => {
  it.each([
    [
      'serpapi-bing',
      { q: 'dentist', mkt: 'de-AT', location: 'Vienna,Vienna,Austria', device: 'desktop', first: '11' },
      { location: 'Vienna,Vienna,Austria' },
    ],
    ['serpapi-yahoo', { p: 'dentist', vc: 'at', vl: 'lang_de', device: 'desktop', b: '11' }, {}],
    ['serpapi-yandex', { text: 'dentist', lang: 'de', p: '1' }, {}],
  ])('by %s names country, language and page', async (source, expected, more) => {
    const engine = source.replace('serpapi-', '');
    const asked = { country: 'AT', language: 'de', start_page: 2, ...more };
    expect(await paramsOf(source, asked)).toEqual({ engine, ...expected });
  });

  it('by Yandex names the country where Yandex knows one', async () => {
    expect(await paramsOf('serpapi-yandex', { country: 'TR', language: 'tr' })).toMatchObject({
      yandex_domain: 'yandex.com.tr',
      lr: '983',
    });
    const bodyOf = async (country: string) => (await requestFor('yandex', { country })).json;
    expect(await bodyOf('RU')).toMatchObject({
      query: { searchType: 'SEARCH_TYPE_RU', queryText: 'dentist', page: '0', fixTypoMode: 'FIX_TYPO_MODE_OFF' },
      region: '225',
      folderId: 'b1gexample',
      responseFormat: 'FORMAT_XML',
    });
    expect(await bodyOf('DE')).not.toHaveProperty('region');
  });
});

describe('an answer of Yandex', () => {
  const read = (xml: string) =>
    readAnswer('yandex', 'dentist', { rawData: Buffer.from(xml).toString('base64') }, { country: 'RU' });
  const whole = `<yandexsearch version="1.0"><request><query>dentist</query><page>0</page></request><response><results>
    <grouping><group><doc><url>https://a.example/</url><title>A</title></doc></group></grouping>
    </results></response></yandexsearch>`;

  it('is read', async () => {
    expect(await read(whole)).toMatchObject({
      serp: { organic: [{ rank: 1, link: 'https://a.example/', title: 'A' }] },
    });
  });

  it.each([
    ['that ends too early', whole.slice(0, whole.indexOf('</results>'))],
    ['that is something else', '<html>'],
    ['without content', ''],
  ])('%s is paid, kept and no page', async (_, xml) => {
    expect(await read(xml)).toMatchObject({ code: 'SERP_FAILED', reason: 'unparseable', charged: 'yes' });
  });
});
