// The sites of the world: thousands named by number, and some dozens with their own names.

import { below, derive, exponential, hashText, pick, unit } from './random.ts';
import { nicheCount } from './topics.ts';

export type SiteKind = 'shop' | 'magazine' | 'forum' | 'video' | 'reference' | 'news';

/** What a results page says about a site. */
export interface Site {
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

const strong = [1, 1.5, 2.4, 3.2, 4.4, 6, 8, 11, 15, 22, 40] as const;
const middling = [1.5, 3, 5, 7, 9, 11.5, 14, 17, 21, 27, 50] as const;
const everywhere = [1.5, 3, 5, 8, 12, 17, 24, 33, 45, 62, 90] as const;

/**
 * Ranks of one site for 368 keywords on one day (2026-01-27, mobile), in deciles of the 304 keywords it ranked for,
 * less what rivals that are placed beside it push it down. Source: the position tracking export of a British
 * building-materials site that the sandbox is calibrated to.
 */
const measured = [1, 1, 2.4, 3.5, 5.4, 7.4, 9, 10.6, 11.8, 13.4, 36] as const;

function known(host: string, name: string, kind: SiteKind, rest: Partial<KnownSite> = {}): KnownSite {
  return { host, name, kind, topics: null, rankDeciles: everywhere, coverage: 0.5, coverageElsewhere: 0.5, ...rest };
}

const active = ['running', 'outdoor'];

/**
 * In all of them `.example` hosts are reserved names (RFC 2606); the rest are brands of fiction and of documentation.
 */
export const knownSites: readonly KnownSite[] = [
  known('www.acme.com', 'Acme', 'shop', {
    topics: active,
    rankDeciles: strong,
    coverage: 0.95,
    coverageElsewhere: 0.5,
  }),
  known('www.globex.com', 'Globex', 'shop', {
    topics: active,
    rankDeciles: strong,
    coverage: 0.92,
    coverageElsewhere: 0.5,
  }),
  known('www.initech.com', 'Initech', 'shop', {
    topics: active,
    rankDeciles: middling,
    coverage: 0.88,
    coverageElsewhere: 0.45,
  }),
  known('umbrella.example', 'Umbrella', 'shop', {
    topics: ['outdoor', 'travel'],
    rankDeciles: middling,
    coverage: 0.8,
    coverageElsewhere: 0.2,
  }),
  known('www.ridgeandslate.example', 'Ridge & Slate', 'shop', {
    topics: ['roofing'],
    rankDeciles: measured,
    coverage: 0.775,
    coverageElsewhere: 0,
  }),
  known('www.contoso.com', 'Contoso', 'shop', {
    topics: ['software', 'money'],
    rankDeciles: strong,
    coverage: 0.85,
    coverageElsewhere: 0.3,
  }),
  known('www.fabrikam.com', 'Fabrikam', 'shop', {
    topics: ['roofing', 'software'],
    rankDeciles: middling,
    coverage: 0.8,
    coverageElsewhere: 0.3,
  }),
  known('www.northwind.example', 'Northwind', 'shop', {
    topics: ['food'],
    rankDeciles: strong,
    coverage: 0.85,
    coverageElsewhere: 0.25,
  }),
  known('www.adventure-works.example', 'Adventure Works', 'shop', {
    topics: active,
    rankDeciles: middling,
    coverage: 0.8,
    coverageElsewhere: 0.1,
  }),
  known('stark.example', 'Stark', 'shop', {
    topics: ['software'],
    rankDeciles: middling,
    coverage: 0.7,
    coverageElsewhere: 0.2,
  }),
  known('www.trailblog.example', 'Trailblog', 'magazine', {
    topics: active,
    rankDeciles: middling,
    coverage: 0.85,
    coverageElsewhere: 0,
  }),
  known('www.vidlane.example', 'Vidlane', 'video', { coverage: 0.4, coverageElsewhere: 0.4 }),
  known('en.openpedia.example', 'Openpedia', 'reference', { coverage: 0.7, coverageElsewhere: 0.7 }),
  known('www.clipnest.example', 'Clipnest', 'video', { coverage: 0.75, coverageElsewhere: 0.75 }),
  known('www.askround.example', 'Askround', 'forum', { coverage: 0.7, coverageElsewhere: 0.7 }),
  known('www.bazaarly.example', 'Bazaarly', 'shop', { coverage: 0.8, coverageElsewhere: 0.8 }),
  known('www.dailyherald.example', 'Daily Herald', 'news'),
  known('www.pinwall.example', 'Pinwall', 'forum'),
];

/** The site of fiction that is like the measured one; its keywords are about roofing. */
export const calibrationHost = 'www.ridgeandslate.example';

export const sitesPerNiche = 120;
export const numberedSites = nicheCount * sitesPerNiche;

const firstWords =
  'alpine amber anchor aspen atlas bold brisk bright cedar cobalt copper crest delta ember fern first flint forge fox gale golden grand granite green harbor hazel high iron ivory jade juniper keen kestrel lark laurel lime lunar maple meadow mint moss north nova oak onyx opal orbit peak pearl pine pixel plain prime quartz quick rapid raven ridge river rowan sage silver solar'.split(
    ' ',
  );
const lastWords =
  'base bay bench board bureau camp cart club corner craft deck depot desk digest dock edge expert field finder gear guide hall hub journal kit lab lane line loft market mart mate mill nest outlet pages park path place point port post press quarter rack report room scout shed shop source spot stack stop store street studio supply tale tribe trove vault view warehouse wise works yard zone'.split(
    ' ',
  );
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
export function siteHost(seedKey: number, site: number): string {
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
  const ending = pick(derive(key, 3), endings[siteHost(seedKey, site)] ?? ['com']);
  const prefix = pick(derive(key, 4), ['www.', 'www.', 'www.', 'www.', '', '', 'shop.', 'blog.']);
  const name = `${capital(first)}${unit(derive(key, 5)) < 0.5 ? ' ' : ''}${capital(last)}`;
  return { host: `${prefix}${first}${joint}${last}.${ending}`, name, kind: pick(derive(key, 6), kinds) };
}

/** A site that the operator names, known in every topic. */
export function configuredSite(host: string): KnownSite {
  const label = host.replace(/^www\./u, '').split('.')[0] ?? host;
  return known(host, capital(label), below(hashText(host), 2) === 0 ? 'shop' : 'magazine', {
    rankDeciles: middling,
    coverage: 0.85,
    coverageElsewhere: 0.85,
  });
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
