// The sites of the world: thousands named by number, some dozens with their own names, and the addresses of pages.
import { nicheCount } from './keywords.ts';
import { below, derive, exponential, hashText, pick, unit } from './random.ts';

type SiteKind = 'shop' | 'magazine' | 'forum' | 'video' | 'reference' | 'news';

/** What a results page says about a site. */
interface Site {
  readonly host: string;
  readonly name: string;
  readonly kind: SiteKind;
}

/** A site that is known by name, and where it tends to rank. */
export interface KnownSite extends Site {
  /** Known topics it is strong in; null: all of them. */
  readonly topics: readonly string[] | null;
  /** Its rank where nothing drifts: eleven ranks, at the 0 %, 10 %, ... 100 % best of its keywords. */
  readonly rankDeciles: readonly number[];
  /** Share of its topics' keywords for which it has a page at all. */
  readonly coverage: number;
  /** The same outside its topics. */
  readonly coverageElsewhere: number;
}

const strong = [1, 1.5, 2.4, 3.2, 4.4, 6, 8, 11, 15, 22, 40];
const middling = [1.5, 3, 5, 7, 9, 11.5, 14, 17, 21, 27, 50];
const everywhere = [1.5, 3, 5, 8, 12, 17, 24, 33, 45, 62, 90];

/**
 * Ranks of one site for 368 keywords on one day (2026-01-27, mobile), in deciles of the 304 keywords it ranked for,
 * less what rivals that are placed beside it push it down. Source: the position tracking export of a British
 * building-materials site that the sandbox is calibrated to.
 */
const measured = [1, 1, 2.4, 3.5, 5.4, 7.4, 9, 10.6, 11.8, 13.4, 36];

/** The site of fiction that is like the measured one; its keywords are about roofing. */
export const calibrationHost = 'www.ridgeandslate.example';

type Row = readonly [string, string, SiteKind, KnownSite['topics'], readonly number[], number, number];

const active = ['running', 'outdoor'];

/**
 * Host, name, kind, topics, ranks, coverage there and elsewhere. In all of them `.example` hosts are reserved names
 * (RFC 2606); the rest are brands of fiction and of documentation.
 */
const knownRows: readonly Row[] = [
  ['www.acme.com', 'Acme', 'shop', active, strong, 0.95, 0.5],
  ['www.globex.com', 'Globex', 'shop', active, strong, 0.92, 0.5],
  ['www.initech.com', 'Initech', 'shop', active, middling, 0.88, 0.45],
  ['umbrella.example', 'Umbrella', 'shop', ['outdoor', 'travel'], middling, 0.8, 0.2],
  [calibrationHost, 'Ridge & Slate', 'shop', ['roofing'], measured, 0.775, 0],
  ['www.contoso.com', 'Contoso', 'shop', ['software', 'money'], strong, 0.85, 0.3],
  ['www.fabrikam.com', 'Fabrikam', 'shop', ['roofing', 'software'], middling, 0.8, 0.3],
  ['www.northwind.example', 'Northwind', 'shop', ['food'], strong, 0.85, 0.25],
  ['www.adventure-works.example', 'Adventure Works', 'shop', active, middling, 0.8, 0.1],
  ['stark.example', 'Stark', 'shop', ['software'], middling, 0.7, 0.2],
  ['www.trailblog.example', 'Trailblog', 'magazine', active, middling, 0.85, 0],
  ['www.vidlane.example', 'Vidlane', 'video', null, everywhere, 0.4, 0.4],
  ['en.openpedia.example', 'Openpedia', 'reference', null, everywhere, 0.7, 0.7],
  ['www.clipnest.example', 'Clipnest', 'video', null, everywhere, 0.75, 0.75],
  ['www.askround.example', 'Askround', 'forum', null, everywhere, 0.7, 0.7],
  ['www.bazaarly.example', 'Bazaarly', 'shop', null, everywhere, 0.8, 0.8],
  ['www.dailyherald.example', 'Daily Herald', 'news', null, everywhere, 0.5, 0.5],
  ['www.pinwall.example', 'Pinwall', 'forum', null, everywhere, 0.5, 0.5],
];

export const knownSites = knownRows.map(
  ([host, name, kind, topics, rankDeciles, coverage, coverageElsewhere]): KnownSite => ({
    host,
    name,
    kind,
    topics,
    rankDeciles,
    coverage,
    coverageElsewhere,
  }),
);

/** A site that the operator names, known in every topic. */
export function configuredSite(host: string): KnownSite {
  const label = withoutWww(host).split('.')[0] ?? host;
  const kind = below(hashText(host), 2) === 0 ? 'shop' : 'magazine';
  const coverages = { coverage: 0.85, coverageElsewhere: 0.85 };
  return { host, name: capital(label), kind, topics: null, rankDeciles: middling, ...coverages };
}

export function withoutWww(host: string): string {
  return host.replace(/^www\./u, '');
}

export const sitesPerNiche = 120;
export const numberedSites = nicheCount * sitesPerNiche;

const firstWords =
  `alpine amber anchor aspen atlas bold brisk bright cedar cobalt copper crest delta ember fern first flint forge
    fox gale golden grand granite green harbor hazel high iron ivory jade juniper keen kestrel lark laurel lime
    lunar maple meadow mint moss north nova oak onyx opal orbit peak pearl pine pixel plain prime quartz quick rapid
    raven ridge river rowan sage silver solar`.split(/\s+/u);
const lastWords =
  `base bay bench board bureau camp cart club corner craft deck depot desk digest dock edge expert field finder gear
    guide hall hub journal kit lab lane line loft market mart mate mill nest outlet pages park path place point port
    post press quarter rack report room scout shed shop source spot stack stop store street studio supply tale tribe
    trove vault view warehouse wise works yard zone`.split(/\s+/u);
const endings: Readonly<Record<string, readonly [string, ...string[]]>> = {
  US: ['com', 'com', 'com', 'org', 'net', 'shop'],
  GB: ['co.uk', 'co.uk', 'com', 'org.uk'],
  DE: ['de', 'de', 'de', 'com'],
  FR: ['fr', 'fr', 'com'],
  ES: ['es', 'es', 'com'],
  IT: ['it', 'it', 'com'],
  NL: ['nl', 'nl', 'com'],
  CA: ['ca', 'com'],
  AU: ['com.au', 'com'],
  IN: ['in', 'co.in', 'com'],
  BR: ['com.br', 'com'],
};
const homes = ['US', 'US', 'US', 'US', 'GB', 'GB', 'DE', 'DE', 'FR', 'ES', 'IT', 'NL', 'CA', 'AU', 'IN', 'BR'] as const;
const kinds = ['shop', 'shop', 'shop', 'magazine', 'magazine', 'magazine', 'forum', 'news', 'reference'] as const;

/** Language of the countries that are not English-speaking. */
const languages: Readonly<Record<string, string>> = { DE: 'de', FR: 'fr', ES: 'es', IT: 'it', NL: 'nl', BR: 'pt' };

/** Country of a numbered site, ISO 3166-1. */
export function siteHome(seedKey: number, site: number): string {
  return pick(derive(derive(seedKey, site), 1), homes);
}

/** What a site's home adds to its quality in a market: a site in another language hardly ranks. */
export function homeBonus(home: string, country: string, language: string): number {
  if (home === country) return 0.5;
  return language.startsWith(languages[home] ?? 'en') ? 0 : -1.5;
}

/** How much a site's weight adds to its quality everywhere: exponential, mean 1. */
export function siteAuthority(seedKey: number, site: number): number {
  return exponential(derive(derive(seedKey, site), 2));
}

/** A numbered site. No two share a host: the number is a place in the product of the two word lists. */
export function numberedSite(seedKey: number, site: number): Site {
  const key = derive(seedKey, site);
  const pairs = firstWords.length * lastWords.length;
  // Coprime to the number of pairs, so that neighbours in one niche do not share their first word.
  const place = (site * 2731) % pairs;
  const first = firstWords[Math.floor(place / lastWords.length)] ?? 'first';
  const last = lastWords[place % lastWords.length] ?? 'last';
  const joint = site < pairs ? '' : '-';
  const ending = pick(derive(key, 3), endings[siteHome(seedKey, site)] ?? ['com']);
  const prefix = pick(derive(key, 4), ['www.', 'www.', 'www.', 'www.', '', '', 'shop.', 'blog.']);
  const name = `${capital(first)}${unit(derive(key, 5)) < 0.5 ? ' ' : ''}${capital(last)}`;
  return { host: `${prefix}${first}${joint}${last}.${ending}`, name, kind: pick(derive(key, 6), kinds) };
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** A result's page moves with this chance at the end of each period, in days. */
const moveShare = 0.18;
const periodDays = 120;
const homePageShare = 0.05;
/** Ends of the addresses of planted pages, in turn. */
const plantedPages = ['overview', 'in-detail', 'compared', 'at-a-glance'];

/** How a result of a planted title differs from itself without it. */
export interface PlantedText {
  /** Number of the title among those of its site, 0-based. */
  readonly number: number;
  readonly sitelinks: boolean | undefined;
  readonly thumbnail: boolean | undefined;
}

/** One page of a site. `key` is its own for all time, `copy` 1 is a site's second page for the same search. */
export interface Result {
  readonly site: Site;
  readonly copy: 0 | 1;
  readonly key: number;
  /** The same for both pages of a site, so that their addresses differ. */
  readonly siteKey: number;
  /** Of a page that an event plants: its number among those of the site. */
  readonly page?: number;
  readonly text?: PlantedText;
}

/** The address of a result on a day; `slug`: of the keyword (`toSlug`). */
export function buildUrl(result: Result, slug: string, day: number): string {
  const { key, siteKey, site, page } = result;
  if (page === undefined && result.copy === 0 && site.kind === 'shop' && unit(derive(siteKey, 30)) < homePageShare)
    return `https://${site.host}/`;
  const period = Math.floor(day / periodDays + unit(derive(siteKey, 31)));
  const moved = unit(derive(derive(siteKey, 32), period)) < moveShare;
  const variant = (below(derive(siteKey, 33), 3) + result.copy + (moved ? 1 : 0)) % 3;
  return `https://${site.host}${buildPath(site.kind, page === undefined ? slug : `${slug}-${plantedPages[page % plantedPages.length]}`, variant, key)}`;
}

/** `length` characters of letters and digits, stable for a key. */
export function code(key: number, length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += (derive(key, i) >>> 0).toString(36);
  return text.slice(0, length);
}

/** A text as the value of a query parameter. */
export function queryText(text: string): string {
  return encodeURIComponent(text).replaceAll('%20', '+').replaceAll("'", '%27');
}

/** A normalized keyword as a path segment: ASCII as it is, anything else percent-encoded. */
export function toSlug(keyword: string): string {
  const slug = keyword.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/gu, '');
  return encodeURIComponent(slug === '' ? 'page' : slug);
}

type Path = (slug: string, number: number, key: number) => string;

const paths: Readonly<Record<SiteKind, readonly [Path, Path, Path]>> = {
  shop: [
    (slug) => `/c/${slug}`,
    (slug) => `/collections/${slug}`,
    (slug, number) => `/shop/list.html?cat=${number}&q=${slug}`,
  ],
  magazine: [
    (slug) => `/guides/${slug}`,
    (slug) => `/blog/best-${slug}`,
    (slug, number) => `/articles/${number}/${slug}.html`,
  ],
  forum: [
    (slug, number) => `/t/${slug}/${number}`,
    (slug, _, key) => `/r/questions/comments/${code(key, 7)}/${slug}/`,
    (_, number) => `/topic-${number}`,
  ],
  video: [
    (_, __, key) => `/watch?v=${code(key, 11)}`,
    (_, __, key) => `/watch?v=${code(derive(key, 1), 11)}`,
    (slug, number) => `/video/${number}-${slug}`,
  ],
  reference: [(slug) => `/wiki/${slug}`, (slug) => `/wiki/${slug}_(overview)`, (slug) => `/${slug}`],
  news: [
    (slug, number) => `/${2021 + (number % 5)}/${slug}`,
    (slug, number) => `/news/${number}-${slug}`,
    (slug, number) => `/${slug}-${number}`,
  ],
};

function buildPath(kind: SiteKind, slug: string, variant: number, key: number): string {
  const path = paths[kind][variant] ?? paths[kind][0];
  return path(slug, 1000 + ((derive(key, 34) >>> 0) % 90_000), key);
}
