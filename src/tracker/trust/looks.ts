// Looks at one search by several sources at the same time, and what they differ in. Pure.

/**
 * What sources can differ in. `urls`: which results; `order`: the order of those that both have; `results`: both, for
 * sources that differ a little in each.
 */
export const agreementFields = ['urls', 'order', 'results', 'features', 'ai_overview', 'ads'] as const;
export type AgreementField = (typeof agreementFields)[number];

/** A results page; `links` are keys of organic results (`linkKey`), `features` names of what else it shows. */
export interface SeenPage {
  readonly links: readonly string[];
  readonly features: readonly string[];
}

/** What one source showed of a search, by page number. */
export interface SourceLook {
  readonly source: string;
  readonly pages: ReadonlyMap<number, SeenPage>;
  /** By name, the link of the best result of each tracked site that it shows. Absent: no site is tracked. */
  readonly sites?: ReadonlyMap<string, string>;
}

/** The same search at the same time, by two sources or more. */
export interface JointLook {
  /** Country, language and device. */
  readonly group: string;
  readonly keyword: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly looks: readonly SourceLook[];
  /** Names of the sites that are tracked in this search. Absent: none. */
  readonly sites?: readonly string[];
  /** Sought because a page had changed, it stands for so many looks, of which the others agree. Absent: not sought. */
  readonly standsFor?: number;
}

export type Agreement = Readonly<Record<AgreementField, number>>;

/** From 0 to 1, over the pages that both have. Null: they have none in common. */
export function agreementOf(one: SourceLook, other: SourceLook): Agreement | null {
  const numbers = commonPages(one, other);
  if (numbers.length === 0) return null;
  const [mine, theirs] = [one, other].map(({ pages }) => ({
    links: [...new Set(numbers.flatMap((page) => pages.get(page)?.links ?? []))],
    features: new Set(numbers.flatMap((page) => pages.get(page)?.features ?? [])),
  })) as [{ links: string[]; features: Set<string> }, { links: string[]; features: Set<string> }]; // one per look
  const isEqual = (feature: string): number => Number(mine.features.has(feature) === theirs.features.has(feature));
  const shared = sharedPlaces(mine.links, theirs.links);
  const urls = ratio(shared.length, Math.max(mine.links.length, theirs.links.length));
  return {
    ...resultsAgreement(urls, shared),
    features: overlap(others(mine.features), others(theirs.features)),
    ai_overview: isEqual(aiOverview),
    ads: isEqual(ads),
  };
}

export type ResultField = 'urls' | 'order' | 'results';
export const resultFields: readonly ResultField[] = ['urls', 'order', 'results'];

/**
 * The same of the results of one page below the first. A result that the other has on a page beside it agrees: vendors
 * cut long lists at different places. Null: they do not both have the page.
 */
export function pageAgreement(one: SourceLook, other: SourceLook, page: number): Record<ResultField, number> | null {
  if (!one.pages.has(page) || !other.pages.has(page)) return null;
  const near = [page - 1, page, page + 1];
  const [ours, theirs] = [linksOf(one, [page]), linksOf(other, [page])];
  const shared = sharedPlaces(ours, linksOf(other, near));
  const back = sharedPlaces(theirs, linksOf(one, near));
  const urls = Math.min(...[shared.length / ours.length, back.length / theirs.length].map(orEqual));
  return resultsAgreement(
    ours.length === 0 || theirs.length === 0 ? Number(ours.length === theirs.length) : urls,
    shared,
  );
}

const orEqual = (share: number): number => (Number.isNaN(share) ? 1 : share);

function resultsAgreement(urls: number, shared: readonly number[]): Record<ResultField, number> {
  const order = orderOf(shared);
  return { urls, order, results: urls * order };
}

/** The places in `theirs` of the links of `mine` that both have, in the order of `mine`. */
function sharedPlaces(mine: readonly string[], theirs: readonly string[]): number[] {
  const places = new Map(theirs.map((link, place) => [link, place]));
  return mine.flatMap((link) => places.get(link) ?? []);
}

const aiOverview = 'ai_overview';
const ads = 'paid';

const others = (features: ReadonlySet<string>): string[] =>
  [...features].filter((feature) => feature !== aiOverview && feature !== ads);

/** The share of pairs in the same order: (Kendall's tau + 1) / 2. */
function orderOf(places: readonly number[]): number {
  let same = 0;
  for (const [at, place] of places.entries()) same += places.slice(at + 1).filter((later) => later > place).length;
  return ratio(same, (places.length * (places.length - 1)) / 2);
}

const overlap = (one: readonly string[], other: readonly string[]): number =>
  ratio(one.filter((feature) => other.includes(feature)).length, new Set([...one, ...other]).size);

/** Of nothing, all is equal. */
const ratio = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

function commonPages(one: SourceLook, other: SourceLook): number[] {
  return [...one.pages.keys()].filter((page) => other.pages.has(page)).toSorted((a, b) => a - b);
}

/** What a source shows of a site, beside another one. `extra`: the other one does not show it. */
export const siteFields = ['better', 'worse', 'missing', 'extra'] as const;
export type SiteField = (typeof siteFields)[number];
export const isSiteField = (field: string): field is SiteField => siteFields.some((each) => each === field);

/** What two looks differ in about single results, over the pages that both have. */
export interface SmallDifferences {
  /** By site: how the first shows it beside the second; absent: neither shows it. */
  readonly sites: ReadonlyMap<string, SiteField | 'alike'>;
  /** Places among the results that both have, from 1, at which they show different ones. */
  readonly places: ReadonlySet<number>;
  /** Of the results that both have, how many stand in another place among these. */
  readonly displaced: number;
  /** Of all results, how many only one of them has. */
  readonly absent: number;
}

/** Null: they have no page in common. */
export function smallDifferences(
  one: SourceLook,
  other: SourceLook,
  tracked: readonly string[],
): SmallDifferences | null {
  const numbers = commonPages(one, other);
  if (numbers.length === 0) return null;
  const [mine, theirs] = [linksOf(one, numbers), linksOf(other, numbers)];
  const [here, there] = [new Set(mine), new Set(theirs)];
  const shared = new Set(mine.filter((link) => there.has(link)));
  const [ours, same] = [mine, theirs].map((links) => links.filter((link) => shared.has(link)));
  const sites = new Map<string, SiteField | 'alike'>();
  for (const site of tracked) {
    const [link, otherLink] = [one.sites?.get(site), other.sites?.get(site)];
    const [place, otherPlace] = [
      sharedAbove(mine, shared, link, otherLink),
      sharedAbove(theirs, shared, otherLink, link),
    ];
    if (place === null && otherPlace === null) continue;
    if (place === otherPlace) sites.set(site, 'alike');
    else if (place === null || otherPlace === null) sites.set(site, place === null ? 'missing' : 'extra');
    else sites.set(site, place < otherPlace ? 'better' : 'worse');
  }
  const all = here.size + there.size - shared.size;
  const places = new Set((ours ?? []).flatMap((link, at) => (same?.[at] === link ? [] : [at + 1])));
  return {
    sites,
    places,
    displaced: shared.size === 0 ? 0 : places.size / shared.size,
    absent: all === 0 ? 0 : (all - shared.size) / all,
  };
}

const linksOf = ({ pages }: SourceLook, numbers: readonly number[]): string[] => [
  ...new Set(numbers.flatMap((page) => pages.get(page)?.links ?? [])),
];

/** Of the results that both looks have, how many stand above the site; null: the site is not on these pages. */
function sharedAbove(
  links: readonly string[],
  shared: ReadonlySet<string>,
  link: string | undefined,
  otherLink: string | undefined,
): number | null {
  const at = link === undefined ? -1 : links.indexOf(link);
  if (at === -1) return null;
  return links.slice(0, at).filter((each) => shared.has(each) && each !== otherLink).length;
}

/** The other way round. */
export const mirrored: Readonly<Record<SiteField, SiteField>> = {
  better: 'worse',
  worse: 'better',
  missing: 'extra',
  extra: 'missing',
};
