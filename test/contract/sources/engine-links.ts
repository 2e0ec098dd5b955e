// What may stand among the results of an engine's page: its own pages, clicks on its ads, redirects to results.
import { type SearchEngine, sourceEngine, usualEngine } from '../../../src/service/terms.ts';

interface EngineLinks {
  /** Its own pages, which are no results. */
  readonly own: readonly string[];
  /** Pages of the engine's company that are results. */
  readonly results: readonly string[];
  readonly ads: readonly string[];
  /** To `https://acme.example/shoes?a=1`. */
  readonly redirects: readonly string[];
  /** To a page that only the engine knows. */
  readonly opaque: readonly string[];
}

export const redirected = 'https://acme.example/shoes?a=1';
const encoded = encodeURIComponent(redirected);
const base64 = Buffer.from(redirected).toString('base64url');
const bingAds = [
  'https://www.bing.com/aclick?ld=e8abc&u=aHR0cHM6Ly9hZC5leGFtcGxl',
  'https://www.bing.com/aclk?ld=e8abc&u=aHR0cHM6Ly9hZC5leGFtcGxl',
  `https://www.bing.com/ck/a?!&&p=1&u=a1${Buffer.from('https://www.bing.com/aclick?ld=e8&u=aHR0').toString('base64url')}&ntb=1`,
];
const yahooClick = (counter: string, target: string): string =>
  `https://r.search.yahoo.com/${counter}/RV=2/RE=1700000000/RO=10/RU=${encodeURIComponent(target).toLowerCase()}/RK=2/RS=x-`;

/** Forms in public code and pages, read in 2026-11; those of Google, Bing and DuckDuckGo are in recorded pages too. */
const byEngine: Readonly<Record<SearchEngine, EngineLinks>> = {
  google: {
    own: ['https://www.google.com/search?q=shoes&tbm=isch', 'https://maps.google.com/maps?q=shoes'],
    results: ['https://www.bing.com/images/search?q=shoes', 'https://support.google.com/mail/answer/1'],
    ads: ['https://www.google.com/aclk?sa=l&adurl=https://ad.example/', ...bingAds.slice(0, 1)],
    redirects: [`https://www.google.com/url?q=${encoded}&sa=U&ved=2ah`],
    opaque: ['https://www.google.com/goto?url=CAESabc'],
  },
  bing: {
    own: [
      'https://www.bing.com/images/search?q=shoes',
      'https://www.bing.com/videos/search?q=shoes',
      `https://www.bing.com/ck/a?!&&p=1&u=a1${Buffer.from('/images/search?q=shoes').toString('base64url')}&ntb=1`,
    ],
    results: ['https://www.google.com/search?q=shoes', 'https://www.bing.com/webmasters/help'],
    ads: bingAds,
    redirects: [`https://www.bing.com/ck/a?!&&p=1&ptn=3&u=a1${base64}&ntb=1`],
    opaque: ['https://www.bing.com/ck/a?!&&p=1&ptn=3&ntb=1'],
  },
  yahoo: {
    own: [
      'https://images.search.yahoo.com/search/images?p=shoes',
      'https://video.search.yahoo.com/search/video;_ylt=A0;_ylu=Y2?p=shoes',
      'https://uk.search.yahoo.com/search?p=shoes',
      yahooClick('_ylt=A0', 'https://news.search.yahoo.com/search?p=shoes'),
    ],
    results: ['https://finance.yahoo.com/quote/SHOE?p=SHOE', 'https://www.yahoo.com/news/shoes-1.html'],
    ads: [
      yahooClick('cbclk2/dWU9', 'https://www.bing.com/aclick?ld=e8'),
      yahooClick('cbclk/dWU9', 'https://ad.example/'),
      yahooClick('_ylt=A0', bingAds[0] ?? ''),
      ...bingAds,
      'https://rd.listing.yahoo.co.jp/p/search/GU=opaque;/?ep=more',
    ],
    redirects: [yahooClick('_ylt=AwrKFYmQ.;_ylu=Y29sbwNzZzM', redirected)],
    opaque: ['https://r.search.yahoo.com/_ylt=A0;_ylu=Y2/RV=2/RE=1700000000/RO=10/RK=2/RS=x-'],
  },
  yandex: {
    own: [
      'https://yandex.com/images/search?text=shoes',
      'https://yandex.ru/images/search?text=%D0%BA%D0%BE%D1%84%D0%B5',
      'https://yandex.com.tr/video/search?text=shoes',
      'https://yandex.ru/maps/?text=shoes',
      'https://ya.ru/search/?text=shoes',
    ],
    results: [
      'https://market.yandex.ru/product--shoes/1',
      'https://music.yandex.ru/artist/1',
      'https://yandex.ru/maps',
    ],
    ads: [
      'https://yabs.yandex.com/count/WYqejI_zO?test-tag=1',
      'http://yabs.yandex.ru/count/abc',
      'https://yandex.ru/an/count/WXeejI_zO',
      'https://an.yandex.ru/count/WXeejI_zO',
    ],
    redirects: [
      `https://yandex.ru/clck/jsredir?from=yandex.ru%3Bsearch&text=&etext=1288.N&url=${encoded}&uuid=`,
      `https://clck.yandex.ru/redir/dtype=stred/pid=47/cid=2508/*${redirected}`,
    ],
    opaque: ['https://yandex.ru/clck/jsredir?from=yandex.ru%3Bsearch&text=&etext=1288.N&state=_BLh'],
  },
  naver: {
    own: ['https://search.naver.com/search.naver?where=image&query=shoes'],
    results: ['https://blog.naver.com/shoes/1'],
    ads: ['https://ader.naver.com/v1/KxKB', 'https://adcr.naver.com/adcr?x=1'],
    redirects: [`https://cr.naver.com/rd?m=1&u=${encoded}`],
    opaque: ['https://cr.naver.com/rd?m=1'],
  },
  duckduckgo: {
    own: ['https://duckduckgo.com/?q=shoes&ia=images&iax=images'],
    results: ['https://duckduckgo.com/about', 'https://www.bing.com/images/search?q=shoes'],
    ads: [
      'https://duckduckgo.com/y.js?ad_domain=ad.example',
      `https://duckduckgo.com/l/?uddg=${encodeURIComponent(bingAds[0] ?? '')}&rut=1`,
      ...bingAds,
    ],
    redirects: [`https://duckduckgo.com/l/?uddg=${encoded}&rut=1`, `//duckduckgo.com/l/?uddg=${encoded}`],
    opaque: ['https://duckduckgo.com/l/?kh=-1'],
  },
  brave: {
    own: ['https://search.brave.com/images?q=shoes', 'https://search.brave.com/search?q=shoes'],
    results: ['https://search.brave.com/help/about', 'https://brave.com/search/'],
    ads: ['https://search.brave.com/a/redirect?click_url=https%3A%2F%2Fad.example&placement_id=1'],
    redirects: [`https://www.google.com/url?q=${encoded}`],
    opaque: [],
  },
};

export const engineLinks: ReadonlyMap<SearchEngine, EngineLinks> = new Map(
  Object.entries(byEngine).map(([engine, links]) => [engine as SearchEngine, links]),
);

/** Of the engine whose pages a source sells; of a source of any engine, of the usual one. */
export function linksOfSource(source: string): EngineLinks {
  return byEngine[sourceEngine(source) ?? usualEngine];
}
