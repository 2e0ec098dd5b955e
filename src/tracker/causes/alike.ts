// How many rows moved on the day of a change, by what they share: what a common cause shows itself by. Pure.
import { exceedsBand, type Significance } from '../signal/significance.ts';
import { compareWithPast, type MovedShare, shareOf } from '../signal/update-detector.ts';
import type { Alike, AlikeScope } from './causes.ts';

/** What is asked of a row. */
export interface MovedRow {
  readonly keyword: string;
  readonly complete: boolean;
  readonly changeClass: string;
  readonly judged: Significance | null;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly tags: readonly string[];
  readonly url: string | null;
  readonly previousUrl: string | null;
}

/** Rows, and their keywords: devices and targets of one keyword move together anyway. */
interface Count {
  readonly scope: AlikeScope;
  readonly name: string;
  compared: number;
  outside: number;
  readonly keywords: Set<string>;
  readonly movedKeywords: Set<string>;
}

/** The counts of one project in one run, or between two dates. */
export class AlikeCounts {
  readonly #counts = new Map<string, Count>();

  /** Only comparable changes count. Second looks do not: they are made of changes alone. */
  add(row: MovedRow): void {
    if (!row.complete || row.changeClass === 'first_check' || row.changeClass === 'not_comparable') return;
    const isOutside = exceedsBand(row.judged);
    for (const [scope, name] of scopesOf(row)) {
      const key = `${scope} ${name}`;
      const count = this.#counts.get(key) ?? newCount(scope, name);
      this.#counts.set(key, count);
      count.compared += 1;
      count.keywords.add(row.keyword);
      if (!isOutside) continue;
      count.outside += 1;
      count.movedKeywords.add(row.keyword);
    }
  }

  all(): Iterable<Readonly<Count>> {
    return this.#counts.values();
  }

  get project(): Readonly<Count> {
    return this.#counts.get('project ') ?? newCount('project', '');
  }

  /**
   * The keywords that moved on the day of a row, by what they share with it. `pastOf`: the shares of the days before,
   * oldest first; a scope that has none kept is compared with the project. `spans`: how many usual distances of checks
   * lie between both dates.
   */
  of(row: MovedRow, pastOf: (scope: AlikeScope, name: string) => readonly MovedShare[], spans: number): Alike[] {
    return scopesOf(row).flatMap(([scope, name]) => {
      const count = this.#counts.get(`${scope} ${name}`);
      if (count === undefined) return [];
      const { keywords, movedKeywords } = count;
      const [compared, outside] = [keywords.size, movedKeywords.size];
      const own = pastOf(scope, name);
      const past = own.length > 0 ? own : pastOf('project', '');
      const score =
        spans < spansMin
          ? compareWithPast({ date: '', compared, outside }, past).score
          : longScore(spans, { compared, outside }, past);
      return [{ scope, name, compared, moved: outside, score }];
    });
  }
}

/** Between dates that are so far apart, more keywords have moved than within a day. */
const spansMin = 2;

/**
 * Standard deviations above the share that so many days move, if each keyword moves on a day with its usual share: a
 * binomial count. Many move back, which makes the score too low, not too high.
 */
function longScore(
  spans: number,
  { compared, outside }: Pick<MovedShare, 'compared' | 'outside'>,
  past: readonly MovedShare[],
): number {
  const share = 1 - (1 - shareOf(past)) ** spans;
  return (outside - compared * share) / Math.sqrt(compared * share * (1 - share));
}

function newCount(scope: AlikeScope, name: string): Count {
  return { scope, name, compared: 0, outside: 0, keywords: new Set(), movedKeywords: new Set() };
}

function scopesOf({ country, language, device, tags, url, previousUrl }: MovedRow): (readonly [AlikeScope, string])[] {
  const page = url ?? previousUrl;
  return [
    ['project', ''],
    ['market', `${country}, ${language}, ${device}`],
    ['device', device],
    ...tags.map((tag) => ['tag', tag] as const),
    ...(page === null ? [] : [['page', page] as const]),
  ];
}
