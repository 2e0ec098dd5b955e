// Which of several sources to believe: how far they agree about the same searches at the same time. Pure.

import { sumOf } from '../figures.ts';
import { getOrInsert } from '../maps.ts';
import { wilsonInterval } from '../proportions.ts';
import {
  type Agreement,
  type AgreementField,
  agreementFields,
  agreementOf,
  isSiteField,
  type JointLook,
  mirrored,
  pageAgreement,
  resultFields,
  type SiteField,
  type SmallDifferences,
  type SourceLook,
  siteFields,
  smallDifferences,
} from './looks.ts';

/** What speaks against a source: an agreement that is too small, or what it does to a tracked site. */
type DoubtField = AgreementField | 'small_order' | 'place' | SiteField;

/**
 * `learning`: too few looks. `believed`: it agrees. `doubted`: a recent look differs; nothing is bought there until
 * further looks decide. `named`: it differs for certain, until enough looks in a row agree again.
 */
type Belief = 'learning' | 'believed' | 'doubted' | 'named';

/** Why a source is not believed. */
interface Disbelief {
  readonly field: DoubtField;
  /** The tracked site that it is about; null: results as such. */
  readonly site: string | null;
  /** The place among the results that two sources both have, from 1; null: no single one. */
  readonly place: number | null;
  /** The first page that it is about: those above are not doubted. */
  readonly page: number;
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
  /** Pages from the first one on for which it is believed. */
  readonly depth: number;
  readonly looks: number;
  /** Mean agreement of page 1 with the other sources in all looks, 0 to 1; null: none yet. */
  readonly agreement: Agreement | null;
  /** Null: it is doubted nowhere. */
  readonly because: Disbelief | null;
}

/** Looks after which a source that agreed is believed. */
export const looksMin = 6;
/** So many looks in a row must agree until a source that was named is believed again; more if few of them differed. */
const looksToReturn = 10;
/** Of a source that still differs as often as it did, so many looks in a row agree in a case of 150 (e to the 5th). */
const returnWeight = 5;

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
const starkFields: readonly DoubtField[] = ['urls', 'order', 'results'];
const starkTolerances = 3;
const starkShare = 0.01;
/** A source that is not honest differs in two of five looks, or four times as often as others. */
const liarOf = (honest: number): number[] => [Math.min(0.9, Math.max(0.4, 4 * honest))];

/**
 * Small lies: what a source does to one tracked site (`siteFields`), to one place of page 1, and any change of the
 * order. A bias has a direction and noise has both, so that each direction is tested for itself. The share of its
 * looks in which a source lies is unknown: the likelihood ratio is the mean of those of several shares (the method
 * of mixtures, Robbins 1970, Ann. Math. Statist. 41, 1397-1409). Its cumulative sum is an e-detector (Shin, Ramdas
 * and Rinaldo 2024, New England J. Statist. Data Sci. 2, 229-260): over n looks an honest source reaches log(1 /
 * share) with a chance of n x share at most. All tests of all sources have equal parts of `smallAlpha` (Bonferroni).
 */
const liarsOfSmall = (honest: number): number[] => [0.1, 0.25, 0.5, 0.9].map((share) => honest + (1 - honest) * share);
const smallAlpha = 0.01;
const smallLikely = Math.log(20);
const smallDoubtful = Math.log(100);
/** A source that lies about few pages does little harm while it sells, and pages that change show the lie soonest. */
const rareDoubtful = Math.log(5000);
/**
 * Two looks that differ speak against both sources, so that no look is lost. Once it is certain that one of two lies,
 * looks of three alone decide which.
 */
const smallDecided = Math.log(50);
/** How often honest sources differ in one result: counted in looks of others, and taken twice, because sites differ. */
const smallShareMin = 0.015;
const smallSafety = 2;
const priorLooks = 6;
const priorShare = 0.04;
/** Of any change of the order: a page has ten results. */
const priorOrderShare = 0.1;
/** Where honest looks differ more often than this, a look that differs says nothing. */
const smallShareMax = 0.35;
/** Noise lasts: data centres and personalisation show one difference for days, which counts once in so long. */
const repeatMs = 4 * 86_400_000;

type Verdict = 'agrees' | 'odd' | 'open';

/** One way in which sources may differ, of which each is tested for itself. */
interface Test {
  readonly field: DoubtField;
  readonly site: string | null;
  readonly page: number;
  /** Of `place`: among the results that two sources both have, from 1. */
  readonly place?: number;
}

const testKey = ({ field, site, page, place = 0 }: Test): string => `${page} ${field} ${place} ${site ?? ''}`;
/** The places that are tested. */
const placesTested = Array.from({ length: 10 }, (_, index) => index + 1);
const isSmall = ({ field }: Test): boolean => field === 'small_order' || field === 'place' || isSiteField(field);

/** What honest sources differ in, in one test. */
interface Usual {
  /** Mean difference. */
  readonly mean: number;
  /** Two looks differ if by more. */
  readonly tolerance: number;
  /** In so many looks honest sources do. */
  readonly differShare: number;
}

interface Judged {
  readonly look: JointLook;
  readonly verdict: Verdict;
  readonly difference: number;
  readonly usual: Usual;
}

/** Counts of one test of a source, everywhere or in one group. */
class TestRecord {
  readonly test: Test;
  /** Looks in which it was decided whether the source is odd. */
  looks = 0;
  readonly #bar: number;
  #evidence = noEvidence;
  /** Of the looks that decide which source is odd. */
  #decided = noEvidence;
  readonly #seen = { looks: 0, difference: 0 };
  /** By keyword, what was counted last. */
  readonly #counted = new Map<string, { readonly at: number; readonly isOdd: boolean }>();
  #isDoubted = false;
  #usualMean = 0;
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

  constructor(test: Test, bar: number) {
    this.test = test;
    this.#bar = bar;
  }

  get sum(): number {
    return sumIn(this.#evidence);
  }

  /**
   * From a look that differs until the sum is zero again; small lies need one that says which source is odd. A changed
   * order is doubted only while the agreement is below the bar.
   */
  get isDoubted(): boolean {
    if (!this.#isDoubted || !isSmall(this.test)) return this.#isDoubted;
    return sumIn(this.#decided) > 0 && (isSiteField(this.test.field) || this.isBelowBar);
  }

  /** Whether it is doubted, and two other sources agreed against it often enough to believe one of them alone. */
  get isConfirmed(): boolean {
    return this.isDoubted && (this.#since?.confirmed ?? 0) >= confirmedMin;
  }

  /** `tests`: of small lies, over all sources of the service. */
  isCertain(tests: number): boolean {
    const isDecided = !isSmall(this.test) || sumIn(this.#decided) >= smallDecided;
    const least = isSmall(this.test) ? Math.log(tests / smallAlpha) : certain;
    return isDecided && this.sum >= least && (this.#since?.oddMoments.size ?? 0) >= oddMomentsMin;
  }

  /** Whether it agrees less than the bar asks for, beyond what honest sources differ in. */
  get isBelowBar(): boolean {
    const since = this.#since;
    return since !== null && 1 - since.difference / since.looks + this.#usualMean < this.#bar;
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

  get isLikely(): boolean {
    return this.sum >= smallLikely;
  }

  /** Whether one more look that differs makes a small lie likely: then a third source is worth its page. */
  wouldBeLikely(usual: Usual): boolean {
    const isDecided = sumIn(this.#decided) >= smallDecided;
    return !isDecided && sumIn(this.#with(this.#evidence, usual.differShare, 1, 0)) >= smallLikely;
  }

  add({ look, verdict, difference, usual }: Judged): void {
    const { at, keyword, looks } = look;
    const isOdd = verdict !== 'agrees';
    if (isSmall(this.test)) {
      const before = this.#counted.get(keyword);
      if (before !== undefined && at - before.at < repeatMs && before.isOdd === isOdd) return;
      this.#counted.set(keyword, { at, isOdd });
    }
    const { standsFor = 1 } = look;
    const odd = Number(isOdd);
    const isStark = starkFields.includes(this.test.field) && difference > starkTolerances * usual.tolerance;
    const honest = isStark ? starkShare : usual.differShare;
    this.looks += 1;
    this.#usualMean = usual.mean;
    this.#evidence = this.#with(this.#evidence, honest, odd, standsFor - odd);
    if (verdict !== 'open') this.#decided = this.#with(this.#decided, honest, odd, standsFor - odd);
    if (this.sum === 0) this.forgive();
    else {
      this.#since ??= { at, looks: 0, odd: 0, confirmed: 0, difference: 0, keyword, oddMoments: new Set() };
      this.#since.looks += standsFor;
      this.#since.odd += odd;
      this.#since.confirmed += Number(isOdd && looks.length > 2);
      this.#since.difference += difference;
      const isRare = isSmall(this.test) && this.#since.odd < this.#since.looks / 2;
      if (this.sum >= (isRare ? rareDoubtful : isSmall(this.test) ? smallDoubtful : doubtful)) this.#isDoubted = true;
      if (!isOdd) return;
      this.#since.keyword = keyword;
      this.#since.oddMoments.add(at);
    }
  }

  #with(evidence: Evidence, honest: number, odd: number, agreeing: number): Evidence {
    const liars = isSmall(this.test) ? liarsOfSmall(honest) : liarOf(honest);
    const ratios = liars.map(
      (liar, index) =>
        (evidence[index] ?? 0) + odd * Math.log(liar / honest) + agreeing * Math.log((1 - liar) / (1 - honest)),
    );
    return sumIn(ratios) === 0 ? noEvidence : ratios;
  }

  forgive(): void {
    this.#evidence = noEvidence;
    this.#decided = noEvidence;
    this.#isDoubted = false;
    this.#since = null;
  }

  because(group: string | null): Disbelief | null {
    if (this.#since === null) return null;
    const { at: since, looks, odd, difference, keyword } = this.#since;
    const { field, site, page, place } = this.test;
    return {
      field,
      site,
      page,
      place: place ?? null,
      group,
      looks,
      odd,
      agreement: 1 - difference / looks,
      since,
      keyword,
    };
  }
}

/** Logarithms of the likelihood ratios of each share in which a source may lie, since their mean was zero. */
type Evidence = readonly number[];
const noEvidence: Evidence = [];

/** The logarithm of the mean ratio, at least 0. */
function sumIn(evidence: Evidence): number {
  if (evidence.length === 0) return 0;
  const most = Math.max(...evidence);
  return Math.max(0, most + Math.log(sumOf(evidence, (each) => Math.exp(each - most)) / evidence.length));
}

/** Why a source is named, and how many looks in a row have agreed since. */
interface Naming {
  readonly because: Disbelief;
  readonly test: Test;
  agreeing: number;
}

/** The looks at one source. */
class SourceRecord {
  /** By group and test; the group '' has all. */
  readonly #tests = new Map<string, Map<string, TestRecord>>();
  /** By group and page. */
  readonly named = new Map<string, Naming & { readonly group: string; readonly page: number }>();
  readonly #bar: number;

  constructor(bar: number) {
    this.#bar = bar;
  }

  of(group: string, test: Test): TestRecord {
    const tests = getOrInsert(this.#tests, group, () => new Map<string, TestRecord>());
    return getOrInsert(tests, testKey(test), () => new TestRecord(test, this.#bar));
  }

  tests(group: string): TestRecord[] {
    return [...(this.#tests.get(group)?.values() ?? [])];
  }

  /** Looks that decided about a page. */
  looksAt(page: number): number {
    const fields = page === 1 ? agreementFields : resultFields;
    return Math.min(...fields.map((field) => this.of('', { field, site: null, page }).looks));
  }

  /** The strongest reason for doubt in these groups, down to a page. */
  doubt(groups: readonly string[], depth: number): Disbelief | null {
    const doubts = groups.flatMap((group) =>
      this.tests(group)
        .filter(({ isDoubted, test }) => isDoubted && test.page <= depth)
        .map((record) => ({ record, group })),
    );
    const [worst] = doubts.toSorted((a, b) => b.record.sum - a.record.sum);
    return worst === undefined ? null : worst.record.because(worst.group === '' ? null : worst.group);
  }
}

/**
 * Judges the sources of one service by their joint looks, which are added oldest first. A source is odd in a look if it
 * differs from all others, and these agree. Two that differ leave open which is odd, unless one was odd twice lately,
 * or there is no third to ask: then the one that is first in the list is right. `bar`: a source whose agreement is
 * below it, for certain, is named. Each page is judged for itself, and so is each tracked site.
 */
export class SourceJudge {
  readonly #sources: readonly string[];
  readonly #bar: number;
  readonly #records: ReadonlyMap<string, SourceRecord>;
  /** Differences between two sources, by test. */
  readonly #pairs: { readonly pair: readonly string[]; readonly differences: Map<string, PairLook[]> }[] = [];
  /** The sites that are tracked. */
  readonly #sites = new Set<string>();
  readonly #groups = new Set<string>();
  /** By source and test, until a look is added. */
  readonly #known = new Map<string, Usual | null>();

  constructor(sources: readonly string[], bar: number) {
    this.#sources = sources;
    this.#bar = bar;
    this.#records = new Map(sources.map((source) => [source, new SourceRecord(bar)]));
  }

  add(look: JointLook): void {
    const looks = look.looks.filter(({ source }) => this.#records.has(source));
    const { sites = [], group } = look;
    for (const site of sites) this.#sites.add(site);
    this.#groups.add(group);
    const pairs = pairsOf(looks, sites);
    const judged = this.#judged({ ...look, looks });
    for (const { source, test, usual, difference, verdict } of judged)
      this.#record(source, test, verdict, { look, difference, usual });
    const odd = new Set(
      judged.flatMap(({ source, test, verdict }) => (verdict === 'odd' ? [`${testKey(test)}${source}`] : [])),
    );
    for (const each of pairs) {
      const isOdd = (test: Test): boolean => each.pair.some((source) => odd.has(`${testKey(test)}${source}`));
      this.#countPair(each, isOdd);
    }
    this.#known.clear();
  }

  /** The tracked site about which a source probably lies; null: none. */
  suspectedSite(source: string): string | null {
    const record = this.#records.get(source);
    const likely = groupsOf(record ?? new SourceRecord(this.#bar)).flatMap((group) =>
      (record?.tests(group) ?? []).filter(({ test, isLikely }) => test.site !== null && isLikely),
    );
    return likely.toSorted((a, b) => b.sum - a.sum)[0]?.test.site ?? null;
  }

  /** Whether anything speaks for a lie of a source about a site. */
  isSuspected(source: string, site: string, field: SiteField): boolean {
    return (this.#records.get(source)?.of('', { field, site, page: 1 }).sum ?? 0) > 0;
  }

  /** Whether another source should look, too: two looks differ, and it is open which is odd. */
  isOpen(look: JointLook): boolean {
    return this.#judged(look).some(
      ({ source, test, usual, verdict }) =>
        verdict === 'open' && (!isSmall(test) || this.#isLikely(source, test, look.group, usual)),
    );
  }

  #isLikely(source: string, test: Test, group: string, usual: Usual): boolean {
    const record = this.#records.get(source);
    return ['', group].some((each) => record?.of(each, test).wouldBeLikely(usual) === true);
  }

  #judged({ looks, sites = [] }: JointLook) {
    const pairs = pairsOf(looks, sites);
    const tests = testsOf(pairs, sites);
    return looks.flatMap(({ source }) =>
      tests.flatMap((test) => {
        const usual = this.#usual(source, test);
        const differences = differencesFor(source, test, pairs);
        const own = differences.filter(({ pair }) => pair.includes(source));
        if (usual === null || own.length === 0) return [];
        const difference = sumOf(own, (each) => each.difference) / own.length;
        return [{ source, test, usual, difference, verdict: this.#verdict(source, test, usual, differences) }];
      }),
    );
  }

  /** In a group, or everywhere; down to a page, or as far as it was compared. */
  standing(source: string, where: { readonly group?: string; readonly depth?: number } = {}): Standing {
    const record = this.#records.get(source) ?? new SourceRecord(this.#bar);
    const { group, depth = Number.POSITIVE_INFINITY } = where;
    const groups = group === undefined ? groupsOf(record) : ['', group];
    const upTo = (page: number): Pick<Standing, 'belief' | 'because'> => {
      const named = [...record.named.values()].find((each) => groups.includes(each.group) && each.page <= page);
      const because = named?.because ?? record.doubt(groups, page);
      if (because !== null) return { belief: named === undefined ? 'doubted' : 'named', because };
      // a page that was never compared may be wrong
      const last = Number.isFinite(page) ? page : 1;
      const isKnown = Array.from({ length: last }, (_, at) => at + 1).every((at) => record.looksAt(at) >= looksMin);
      return { belief: isKnown ? 'believed' : 'learning', because };
    };
    let believedTo = 0;
    while (upTo(believedTo + 1).belief === 'believed') believedTo += 1;
    const means = agreementFields.map((field) => [field, record.of('', { field, site: null, page: 1 }).agreement]);
    // a look compares all fields
    const agreement = means.some(([, mean]) => mean === null) ? null : (Object.fromEntries(means) as Agreement);
    return { source, ...upTo(depth), depth: believedTo, looks: record.looksAt(1), agreement };
  }

  #verdict(source: string, test: Test, { tolerance }: Usual, differences: readonly Difference[]): Verdict {
    const isNear = ({ difference }: Difference): boolean => difference <= tolerance;
    const own = differences.filter(({ pair }) => pair.includes(source));
    const rest = differences.filter(({ pair }) => !pair.includes(source));
    if (own.some(isNear)) return 'agrees';
    if (rest.length > 0) return rest.every(isNear) ? 'odd' : 'open';
    const present = this.#sources.filter((each) => each === source || own.some(({ pair }) => pair.includes(each)));
    const sound = present.filter((each) => !this.#isKnownToDiffer(each, each === source ? test : mirror(test)));
    if (sound.length === 1) return sound[0] === source ? 'agrees' : 'odd';
    const isThird = this.#sources.some((each) => !present.includes(each) && !this.#isNamedFor(each, test));
    if (isThird) return 'open';
    return present[0] === source ? 'agrees' : 'odd';
  }

  /** Whether a look at a source by one other alone says which is odd. */
  isConfirmed(source: string): boolean {
    return this.#isNamed(source) || (this.#records.get(source)?.tests('') ?? []).some(({ isConfirmed }) => isConfirmed);
  }

  #isKnownToDiffer(source: string, test: Test): boolean {
    // a small lie alone never makes a source the odd one of two: another one that lies would make it certain
    return (
      this.#isNamedFor(source, test) || (!isSmall(test) && this.#records.get(source)?.of('', test).isConfirmed === true)
    );
  }

  /** Whether it says nothing in a test. One that is named for what it does to a site is right about all else. */
  #isNamedFor(source: string, test: Test): boolean {
    const named = this.#records.get(source)?.named.get(namingKey('', 1))?.test;
    if (named === undefined || !isSiteField(named.field)) return named !== undefined;
    return [test, mirror(test)].some((each) => testKey(each) === testKey(named));
  }

  /** At page 1, in all groups. */
  #isNamed(source: string): boolean {
    return this.#records.get(source)?.named.has(namingKey('', 1)) === true;
  }

  /** Tests of small lies, of all sources and groups. */
  get #smallTests(): number {
    const groups = this.#groups.size > 1 ? this.#groups.size + 1 : 1;
    return this.#sources.length * groups * (this.#sites.size * siteFields.length + placesTested.length + 1);
  }

  #record(source: string, test: Test, verdict: Verdict, seen: Omit<Judged, 'verdict'>): void {
    const record = this.#records.get(source);
    if (record === undefined) return;
    const { look } = seen;
    for (const group of ['', look.group]) {
      const counts = record.of(group, test);
      counts.see(seen.difference);
      const key = namingKey(group, test.page);
      const named = record.named.get(key);
      if (named !== undefined && testKey(named.test) === testKey(test)) {
        named.agreeing = verdict === 'agrees' ? named.agreeing + 1 : 0;
        const { odd, looks } = named.because;
        if (named.agreeing < Math.max(looksToReturn, Math.ceil((returnWeight * looks) / odd))) continue;
        record.named.delete(key);
        // if it differs elsewhere, it is doubted again at once
        for (const each of record.tests(group)) if (each.test.page === test.page) each.forgive();
      }
      if (verdict === 'open' && !(isSmall(test) && look.looks.length === 2)) continue;
      counts.add({ ...seen, verdict });
      const because = counts.because(group === '' ? null : group);
      if (named !== undefined || because === null || !counts.isCertain(this.#smallTests)) continue;
      if (isSiteField(test.field) || counts.isBelowBar)
        record.named.set(key, { because, test, agreeing: 0, group, page: test.page });
    }
  }

  #countPair(each: SeenPair, isOdd: (test: Test) => boolean): void {
    const { pair, small } = each;
    let found = this.#pairs.find((known) => known.pair.every((source) => pair.includes(source)));
    if (found === undefined) {
      found = { pair, differences: new Map() };
      this.#pairs.push(found);
    }
    const { differences } = found;
    const keep = (key: string, difference: number, isOddHere: boolean): void =>
      void getOrInsert(differences, key, () => []).push({ difference, isOdd: isOddHere });
    for (const [page, agreement] of each.pages)
      for (const [field, agreed] of Object.entries(agreement)) {
        const test = { field: field as AgreementField, site: null, page }; // its keys are fields
        keep(testKey(test), 1 - agreed, isOdd(test));
      }
    keep('displaced', small.displaced, false);
    keep('absent', small.absent, false);
  }

  /** What two looks at one source differ in, as far as the sources other than this one show. Null: too much. */
  #usual(source: string, test: Test): Usual | null {
    const { field, page } = test;
    return getOrInsert(this.#known, `${source} ${field} ${page}`, () =>
      isSmall(test) ? this.#usualInSmall(source, test) : this.#usualAgreement(source, test),
    );
  }

  #usualAgreement(source: string, test: Test): Usual {
    const key = testKey(test);
    const others = this.#pairLooks(key, (pair) => !pair.includes(source) && !pair.some((each) => this.#isNamed(each)));
    const isPair = this.#sources.length === 2;
    const looks =
      others.length < othersLooksMin
        ? this.#pairLooks(key, () => true).filter(({ isOdd }) => !isPair || !isOdd)
        : others;
    const known = looks.map(({ difference }) => difference);
    if (known.length === 0) return { mean: 0, tolerance: toleranceMin, differShare: share(0, 0) };
    const mean = sumOf(known) / known.length;
    const spread = Math.sqrt(sumOf(known, (each) => (each - mean) ** 2) / known.length);
    const tolerance = Math.min(toleranceMax, Math.max(toleranceMin, mean + deviations * spread));
    return { mean, tolerance, differShare: share(known.filter((each) => each > tolerance).length, known.length) };
  }

  #pairLooks(key: string, isMeant: (pair: readonly string[]) => boolean): PairLook[] {
    return this.#pairs.flatMap(({ pair, differences }) => (isMeant(pair) ? (differences.get(key) ?? []) : []));
  }

  /** Counted in all results: a tracked site alone is seen too seldom. */
  #usualInSmall(source: string, { field, page, site }: Test): Usual | null {
    const isSound = (pair: readonly string[]): boolean => !pair.some((each) => this.#isNamed(each));
    const looksOf = (key: string): PairLook[] => {
      const others = this.#pairLooks(key, (pair) => isSound(pair) && !pair.includes(source));
      return others.length < othersLooksMin ? this.#pairLooks(key, isSound) : others;
    };
    const of = (key: string, weigh: (difference: number) => number, prior = priorShare): number => {
      const known = looksOf(key);
      const sum = sumOf(known, ({ difference }) => weigh(difference)) + priorLooks * prior;
      return (smallSafety * sum) / (known.length + priorLooks);
    };
    const order = testKey({ field: 'order', site: null, page });
    const orders = looksOf(order).map(({ difference }) => difference);
    // how much an engine moves its results is learned first
    if (site === null && orders.length < othersLooksMin) return null;
    const half = (difference: number): number => difference / 2; // of both directions
    const found =
      field === 'small_order'
        ? of(order, (difference) => Number(difference > 0 && difference <= toleranceMin), priorOrderShare)
        : field === 'place'
          ? of('displaced', (difference) => difference)
          : of(field === 'missing' || field === 'extra' ? 'absent' : 'displaced', half);
    const differShare = Math.max(smallShareMin, found);
    if (differShare > smallShareMax) return null;
    const mean = site === null && orders.length > 0 ? sumOf(orders) / orders.length : 0;
    return { mean, tolerance: 0, differShare };
  }
}

const namingKey = (group: string, page: number): string => `${page} ${group}`;

/** Groups that decide about a source as a whole: all, and for lack of a better one those where it is named. */
function groupsOf({ named }: SourceRecord): string[] {
  return ['', ...[...named.values()].flatMap(({ group }) => (group === '' ? [] : [group]))];
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

/** What two sources differ in, in one look. */
interface SeenPair {
  /** In this order in `small`. */
  readonly pair: readonly [string, string];
  /** By page, those that both have; below the first, results alone are compared. */
  readonly pages: ReadonlyMap<number, Partial<Agreement>>;
  readonly small: SmallDifferences;
}

function pairsOf(looks: readonly SourceLook[], sites: readonly string[]): SeenPair[] {
  return looks.flatMap((one, at) =>
    looks.slice(at + 1).flatMap((other): SeenPair[] => {
      const small = smallDifferences(one, other, sites);
      if (small === null) return [];
      const pages = new Map<number, Partial<Agreement>>();
      for (const page of one.pages.keys()) {
        const agreement = page === 1 ? agreementOf(pageOne(one), pageOne(other)) : pageAgreement(one, other, page);
        if (agreement !== null) pages.set(page, agreement);
      }
      return [{ pair: [one.source, other.source], pages, small }];
    }),
  );
}

function pageOne({ source, pages }: SourceLook): SourceLook {
  return { source, pages: new Map([...pages].filter(([page]) => page === 1)) };
}

/** The tests that these looks are for. */
function testsOf(pairs: readonly SeenPair[], sites: readonly string[]): Test[] {
  const pages = [...new Set(pairs.flatMap((pair) => [...pair.pages.keys()]))].toSorted((a, b) => a - b);
  const ofPages = pages.flatMap((page): Test[] => {
    const fields = page === 1 ? agreementFields : resultFields;
    return [...fields, 'small_order' as const].map((field) => ({ field, site: null, page }));
  });
  const ofPlaces = placesTested.map((place): Test => ({ field: 'place', site: null, page: 1, place }));
  return [
    ...ofPages,
    ...ofPlaces,
    ...sites.flatMap((site) => siteFields.map((field): Test => ({ field, site, page: 1 }))),
  ];
}

const mirror = (test: Test): Test => (isSiteField(test.field) ? { ...test, field: mirrored[test.field] } : test);

/** What the sources differ in, in one test of one of them. A large change of the order is the matter of `order`. */
function differencesFor(source: string, { field, site, page, place }: Test, pairs: readonly SeenPair[]): Difference[] {
  return pairs.flatMap(({ pair, pages, small }): Difference[] => {
    if (site !== null) {
      const seen = small.sites.get(site);
      if (!isSiteField(field)) return [];
      const isOnlyAtOne = seen === 'missing' || seen === 'extra';
      // two others agree about a site if both show it, or neither: the source differs from both in the same way
      if (!pair.includes(source)) return [{ pair, difference: Number(isOnlyAtOne) }];
      // a search that shows the site nowhere says nothing of it; ranks are compared where both show it
      if (seen === undefined || (isOnlyAtOne && (field === 'better' || field === 'worse'))) return [];
      return [{ pair, difference: Number(seen === (pair[0] === source ? field : mirrored[field])) }];
    }
    const isOfOrder = field === 'small_order' || field === 'place';
    const agreed = pages.get(page)?.[isOfOrder ? 'order' : (field as AgreementField)]; // of no site
    if (agreed === undefined || (isOfOrder && 1 - agreed > toleranceMin)) return [];
    return [{ pair, difference: place === undefined ? 1 - agreed : Number(small.places.has(place)) }];
  });
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
  // a doubt of the first proves none of those right that have not earned belief
  const first = doubted.find(isFirst);
  return trusted[0] ?? first ?? usable[0] ?? doubted[0] ?? offers[0] ?? null;
}
