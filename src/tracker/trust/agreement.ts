// Which of several sources to believe: how far they agree about the same searches at the same time. Pure.

import { sumOf } from '../figures.ts';
import { getOrInsert } from '../maps.ts';
import { wilsonInterval } from '../proportions.ts';

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
}

/** The same search at the same time, by two sources or more. */
export interface JointLook {
  /** Country, language and device. */
  readonly group: string;
  readonly keyword: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly looks: readonly SourceLook[];
}

type Agreement = Readonly<Record<AgreementField, number>>;

/** From 0 to 1, over the pages that both have. Null: they have none in common. */
export function agreementOf(one: SourceLook, other: SourceLook): Agreement | null {
  const numbers = [...one.pages.keys()].filter((page) => other.pages.has(page));
  if (numbers.length === 0) return null;
  const [mine, theirs] = [one, other].map(({ pages }) => ({
    links: [...new Set(numbers.flatMap((page) => pages.get(page)?.links ?? []))],
    features: new Set(numbers.flatMap((page) => pages.get(page)?.features ?? [])),
  })) as [{ links: string[]; features: Set<string> }, { links: string[]; features: Set<string> }]; // one per look
  const places = new Map(theirs.links.map((link, place) => [link, place]));
  const shared = mine.links.flatMap((link) => places.get(link) ?? []);
  const isEqual = (feature: string): number => Number(mine.features.has(feature) === theirs.features.has(feature));
  const urls = ratio(shared.length, Math.max(mine.links.length, theirs.links.length));
  const order = orderOf(shared);
  return {
    ...{ urls, order, results: urls * order },
    features: overlap(others(mine.features), others(theirs.features)),
    ai_overview: isEqual(aiOverview),
    ads: isEqual(ads),
  };
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

/**
 * `learning`: too few looks. `believed`: it agrees. `doubted`: a recent look differs; nothing is bought there until
 * further looks decide. `named`: it differs for certain, until enough looks in a row agree again.
 */
type Belief = 'learning' | 'believed' | 'doubted' | 'named';

/** Why a source is not believed. */
interface Disbelief {
  readonly field: AgreementField;
  /** Where it differs; null: everywhere. */
  readonly group: string | null;
  /** The looks since it began to differ, and how many of them differ. */
  readonly looks: number;
  readonly odd: number;
  /** Mean agreement in these looks, 0 to 1. */
  readonly agreement: number;
  /** When it began, UTC milliseconds, and the last keyword that shows it. */
  readonly since: number;
  readonly keyword: string;
}

export interface Standing {
  readonly source: string;
  readonly belief: Belief;
  readonly looks: number;
  /** Mean agreement with the other sources in all looks, 0 to 1; null: none yet. */
  readonly agreement: Agreement | null;
  /** Null: it is doubted nowhere. */
  readonly because: Disbelief | null;
}

/** Looks after which a source that agreed is believed. */
export const looksMin = 6;
/** So many looks in a row must agree until a source that was named is believed again. */
const looksToReturn = 10;

/**
 * Cumulative sums of log-likelihood ratios (Page 1954, Biometrika 41, 100-115). The sum of an honest source reaches
 * `certain` about once in a million looks; one look that differs makes it `doubtful`.
 */
const certain = Math.log(1_000_000);
const doubtful = 1.2;
const confirmedMin = 2;
/** An engine that answers differently for some hours, while it is being changed, names no source. */
const oddMomentsMin = 2;

/**
 * Two looks at one engine differ, too. What the other sources differ in among each other is taken for that; two looks
 * differ beyond it if by 2.5 standard deviations more than the mean, within these limits.
 */
const deviations = 2.5;
const toleranceMin = 0.05;
const toleranceMax = 0.9;
/** Fewer looks of other sources say too little: all are taken; of two sources, those in which none is odd. */
const othersLooksMin = 5;

/** In how many looks honest sources differ beyond it, at least and at most. */
const differShareMin = 0.02;
const differShareMax = 0.2;
/** One honest look in a hundred, at most, lists results that differ three times as much as tolerated. */
const starkFields: readonly AgreementField[] = ['urls', 'order', 'results'];
const starkTolerances = 3;
const starkShare = 0.01;
/** A source that is not honest differs in two of five looks, or four times as often as others. */
const differShareOfLiar = (honest: number): number => Math.min(0.9, Math.max(0.4, 4 * honest));

type Verdict = 'agrees' | 'odd' | 'open';

/** Counts of one field of a source, everywhere or in one group. */
class FieldRecord {
  /** Looks in which it was decided whether the source is odd. */
  looks = 0;
  sum = 0;
  readonly #seen = { looks: 0, difference: 0 };
  /** From a look that differs until the sum is zero again. */
  isDoubted = false;
  /** Since the sum left zero. */
  #since: {
    readonly at: number;
    looks: number;
    odd: number;
    confirmed: number;
    difference: number;
    keyword: string;
    readonly oddMoments: Set<number>;
  } | null = null;

  /** Whether it is doubted, and two other sources agreed against it often enough to believe one of them alone. */
  get isConfirmed(): boolean {
    return this.isDoubted && (this.#since?.confirmed ?? 0) >= confirmedMin;
  }

  get isCertain(): boolean {
    return this.sum >= certain && (this.#since?.oddMoments.size ?? 0) >= oddMomentsMin;
  }

  /** Counts a look, also one that leaves open which source is odd. */
  see(difference: number): void {
    this.#seen.looks += 1;
    this.#seen.difference += difference;
  }

  /** Mean agreement in all looks; null: none yet. */
  get agreement(): number | null {
    const { looks, difference } = this.#seen;
    return looks === 0 ? null : 1 - difference / looks;
  }

  add({ at, keyword, looks }: JointLook, verdict: Exclude<Verdict, 'open'>, difference: number, honest: number): void {
    const isOdd = verdict === 'odd';
    this.looks += 1;
    const liar = differShareOfLiar(honest);
    this.sum = Math.max(0, this.sum + Math.log(isOdd ? liar / honest : (1 - liar) / (1 - honest)));
    if (this.sum >= doubtful) this.isDoubted = true;
    if (this.sum === 0) this.forgive();
    else {
      this.#since ??= { at, looks: 0, odd: 0, confirmed: 0, difference: 0, keyword, oddMoments: new Set() };
      this.#since.looks += 1;
      this.#since.odd += Number(isOdd);
      this.#since.confirmed += Number(isOdd && looks.length > 2);
      this.#since.difference += difference;
      if (!isOdd) return;
      this.#since.keyword = keyword;
      this.#since.oddMoments.add(at);
    }
  }

  forgive(): void {
    this.sum = 0;
    this.isDoubted = false;
    this.#since = null;
  }

  because(field: AgreementField, group: string | null): Disbelief | null {
    if (this.#since === null) return null;
    const { at: since, looks, odd, difference, keyword } = this.#since;
    return { field, group, looks, odd, agreement: 1 - difference / looks, since, keyword };
  }
}

/** The looks at one source. */
class SourceRecord {
  /** By group and field; the group '' has all. */
  readonly fields = new Map<string, FieldRecord>();
  /** By group. */
  readonly named = new Map<string, { readonly because: Disbelief; agreeing: number }>();

  of(group: string, field: AgreementField): FieldRecord {
    const key = `${group}\n${field}`;
    return getOrInsert(this.fields, key, () => new FieldRecord());
  }

  /** Looks that decided about each field. */
  get looks(): number {
    return Math.min(...agreementFields.map((field) => this.of('', field).looks));
  }

  /** The strongest reason for doubt in these groups. */
  doubt(groups: readonly string[]): Disbelief | null {
    const records = groups.flatMap((group) =>
      agreementFields.map((field) => ({ record: this.of(group, field), field, group: group === '' ? null : group })),
    );
    const [worst] = records.filter(({ record }) => record.isDoubted).toSorted((a, b) => b.record.sum - a.record.sum);
    return worst === undefined ? null : worst.record.because(worst.field, worst.group);
  }
}

/**
 * Judges the sources of one service by their joint looks, which are added oldest first. A source is odd in a look if it
 * differs from all others, and these agree. Two that differ leave open which is odd, unless one was odd twice lately,
 * or there is no third to ask: then the one that is first in the list is right. `bar`: a source whose agreement is
 * below it, for certain, is named.
 */
export class SourceJudge {
  readonly #sources: readonly string[];
  readonly #bar: number;
  readonly #records: ReadonlyMap<string, SourceRecord>;
  /** Differences between two sources, by field. */
  readonly #pairs: { readonly pair: readonly string[]; readonly differences: Map<AgreementField, PairLook[]> }[] = [];

  constructor(sources: readonly string[], bar: number) {
    this.#sources = sources;
    this.#bar = bar;
    this.#records = new Map(sources.map((source) => [source, new SourceRecord()]));
  }

  add(look: JointLook): void {
    const looks = look.looks.filter(({ source }) => this.#records.has(source));
    for (const field of agreementFields) {
      const differences = differencesOf(looks, field);
      const odd = new Set<string>();
      for (const { source } of looks) {
        const own = differences.filter(({ pair }) => pair.includes(source));
        if (own.length === 0) continue;
        const verdict = this.#verdict(source, field, differences);
        const mean = sumOf(own, ({ difference }) => difference) / own.length;
        this.#record(source, look, field, verdict, mean);
        if (verdict === 'odd') odd.add(source);
      }
      for (const { pair, difference } of differences)
        this.#countPair(pair, field, { difference, isOdd: pair.some((source) => odd.has(source)) });
    }
  }

  /** Whether another source should look, too: two looks differ, and it is open which is odd. */
  isOpen({ looks }: JointLook): boolean {
    return agreementFields.some((field) => {
      const differences = differencesOf(looks, field);
      return looks.some(({ source }) => this.#verdict(source, field, differences) === 'open');
    });
  }

  /** In a group, or everywhere. */
  standing(source: string, group?: string): Standing {
    const record = this.#records.get(source) ?? new SourceRecord();
    const groups = group === undefined ? this.#groupsOf(record) : ['', group];
    const named = groups.map((each) => record.named.get(each)).find((each) => each !== undefined);
    const doubt = record.doubt(groups);
    const isKnown = record.looks >= looksMin;
    const belief = named ? 'named' : doubt !== null ? 'doubted' : isKnown ? 'believed' : 'learning';
    const means = agreementFields.map((field) => [field, record.of('', field).agreement]);
    // a look compares all fields
    const agreement = means.some(([, mean]) => mean === null) ? null : (Object.fromEntries(means) as Agreement);
    return { source, belief, looks: record.looks, agreement, because: named?.because ?? doubt };
  }

  /** Groups that decide about a source as a whole: all, and for lack of a better one those where it is named. */
  #groupsOf({ named }: SourceRecord): string[] {
    return ['', ...[...named.keys()].filter((group) => group !== '')];
  }

  #verdict(source: string, field: AgreementField, differences: readonly Difference[]): Verdict {
    const { tolerance } = this.#usual(source, field);
    const isNear = ({ difference }: Difference): boolean => difference <= tolerance;
    const own = differences.filter(({ pair }) => pair.includes(source));
    const rest = differences.filter(({ pair }) => !pair.includes(source));
    if (own.some(isNear)) return 'agrees';
    if (rest.length > 0) return rest.every(isNear) ? 'odd' : 'open';
    const present = this.#sources.filter((each) => each === source || own.some(({ pair }) => pair.includes(each)));
    const sound = present.filter((each) => !this.#isKnownToDiffer(each, field));
    if (sound.length === 1) return sound[0] === source ? 'agrees' : 'odd';
    const isThird = this.#sources.some((each) => !present.includes(each) && !this.#isNamed(each));
    if (isThird) return 'open';
    return present[0] === source ? 'agrees' : 'odd';
  }

  /** Whether a look at a source by one other alone says which is odd. */
  isConfirmed(source: string): boolean {
    return agreementFields.some((field) => this.#isKnownToDiffer(source, field));
  }

  #isKnownToDiffer(source: string, field: AgreementField): boolean {
    return this.#isNamed(source) || this.#records.get(source)?.of('', field).isConfirmed === true;
  }

  #isNamed(source: string): boolean {
    return this.#records.get(source)?.named.has('') === true;
  }

  #record(source: string, look: JointLook, field: AgreementField, verdict: Verdict, difference: number): void {
    const record = this.#records.get(source);
    if (record === undefined) return;
    const { differShare, mean, tolerance } = this.#usual(source, field);
    const isStark = starkFields.includes(field) && difference > starkTolerances * tolerance;
    const honest = isStark ? starkShare : differShare;
    for (const group of ['', look.group]) {
      const counts = record.of(group, field);
      counts.see(difference);
      const named = record.named.get(group);
      if (named !== undefined && field === named.because.field) {
        named.agreeing = verdict === 'agrees' ? named.agreeing + 1 : 0;
        if (named.agreeing < looksToReturn) continue;
        record.named.delete(group);
        // if it differs elsewhere, it is doubted again at once
        for (const each of agreementFields) record.of(group, each).forgive();
      }
      if (verdict === 'open') continue;
      counts.add(look, verdict, difference, honest);
      const because = counts.because(field, group === '' ? null : group);
      if (named !== undefined || because === null || !counts.isCertain) continue;
      if (because.agreement + mean < this.#bar) record.named.set(group, { because, agreeing: 0 });
    }
  }

  #countPair(pair: readonly string[], field: AgreementField, look: PairLook): void {
    let found = this.#pairs.find((each) => each.pair.every((source) => pair.includes(source)));
    if (found === undefined) {
      found = { pair, differences: new Map() };
      this.#pairs.push(found);
    }
    const known = getOrInsert(found.differences, field, () => []);
    known.push(look);
  }

  /** What two looks at one source differ in, as far as the sources other than this one show. */
  #usual(source: string, field: AgreementField): { mean: number; tolerance: number; differShare: number } {
    const of = (isMeant: (pair: readonly string[]) => boolean): PairLook[] =>
      this.#pairs.flatMap(({ pair, differences }) => (isMeant(pair) ? (differences.get(field) ?? []) : []));
    const others = of((pair) => !pair.includes(source) && !pair.some((each) => this.#isNamed(each)));
    const isPair = this.#sources.length === 2;
    const looks = others.length < othersLooksMin ? of(() => true).filter(({ isOdd }) => !isPair || !isOdd) : others;
    const known = looks.map(({ difference }) => difference);
    if (known.length === 0) return { mean: 0, tolerance: toleranceMin, differShare: share(0, 0) };
    const mean = sumOf(known) / known.length;
    const spread = Math.sqrt(sumOf(known, (each) => (each - mean) ** 2) / known.length);
    const tolerance = Math.min(toleranceMax, Math.max(toleranceMin, mean + deviations * spread));
    return { mean, tolerance, differShare: share(known.filter((each) => each > tolerance).length, known.length) };
  }
}

/** The upper end of an interval of one standard deviation: a share that is thought too low names honest sources. */
function share(differ: number, looks: number): number {
  if (looks === 0) return differShareMax;
  return Math.min(differShareMax, Math.max(differShareMin, wilsonInterval({ count: differ, of: looks }, 1).high));
}

/** `isOdd`: one of the two was odd. */
interface PairLook {
  readonly difference: number;
  readonly isOdd: boolean;
}

interface Difference {
  readonly pair: readonly string[];
  /** 0 to 1. */
  readonly difference: number;
}

function differencesOf(looks: readonly SourceLook[], field: AgreementField): Difference[] {
  return looks.flatMap((one, at) =>
    looks.slice(at + 1).flatMap((other): Difference[] => {
      const agreement = agreementOf(one, other);
      return agreement === null ? [] : [{ pair: [one.source, other.source], difference: 1 - agreement[field] }];
    }),
  );
}

/** What a service may buy from. */
export interface Offer {
  readonly source: string;
  /** Of a page that was believed, failures included. */
  readonly microUsd: number;
}

/**
 * The source to buy from: the cheapest that is believed. Until others are, and where none is, that is the first in the
 * list. Null: the list is empty.
 */
export function cheapestBelieved(offers: readonly Offer[], beliefOf: (source: string) => Belief): Offer | null {
  const inOrder = offers.toSorted((one, other) => one.microUsd - other.microUsd);
  const isFirst = ({ source }: Offer): boolean => source === offers[0]?.source;
  const trusted = inOrder.filter((offer) => {
    const belief = beliefOf(offer.source);
    return belief === 'believed' || (belief === 'learning' && isFirst(offer));
  });
  const usable = inOrder.filter(({ source }) => beliefOf(source) === 'learning');
  const doubted = offers.filter(({ source }) => beliefOf(source) === 'doubted');
  return trusted[0] ?? usable[0] ?? doubted[0] ?? offers[0] ?? null;
}
