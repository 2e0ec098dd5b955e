// How many rows moved on the day of a change, by what they share: what a common cause shows itself by. Pure.

import { getOrInsert } from '../maps.ts';
import { exceedsBand, type Significance } from '../signal/significance.ts';
import { compareWithPast, type MovedShare, shareOf } from '../signal/update-detector.ts';
import { withoutTracking } from '../tracking.ts';
import type { Alike, AlikeScope } from './causes.ts';

/** What is asked of a row. */
interface MovedRow {
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
class Count {
  readonly scope: AlikeScope;
  readonly name: string;
  // lists, not sets: most pages have one row, and few counts are asked for
  readonly #keywords: string[] = [];
  readonly #moved: string[] = [];
  #distinct: { readonly compared: number; readonly moved: number } | undefined;

  constructor(scope: AlikeScope, name: string) {
    this.scope = scope;
    this.name = name;
  }

  add(keyword: string, isOutside: boolean): void {
    this.#distinct = undefined;
    this.#keywords.push(keyword);
    if (isOutside) this.#moved.push(keyword);
  }

  get compared(): number {
    return this.#keywords.length;
  }

  get outside(): number {
    return this.#moved.length;
  }

  get distinctKeywords(): { readonly compared: number; readonly moved: number } {
    this.#distinct ??= { compared: new Set(this.#keywords).size, moved: new Set(this.#moved).size };
    return this.#distinct;
  }
}

/** The counts of one project in one run, or between two dates. */
export class AlikeCounts {
  readonly #counts = new Map<AlikeScope, Map<string, Count>>();

  /** Only comparable changes count. Second looks do not: they are made of changes alone. */
  add(row: MovedRow): void {
    if (!row.complete || row.changeClass === 'first_check' || row.changeClass === 'not_comparable') return;
    const isOutside = exceedsBand(row.judged);
    for (const [scope, name] of scopesOf(row)) this.#countOf(scope, name).add(row.keyword, isOutside);
  }

  *all(): Generator<Omit<Count, 'add'>> {
    for (const counts of this.#counts.values()) yield* counts.values();
  }

  get project(): Omit<Count, 'add'> {
    return this.#countOf('project', '');
  }

  #countOf(scope: AlikeScope, name: string): Count {
    const ofScope = getOrInsert(this.#counts, scope, () => new Map<string, Count>());
    return getOrInsert(ofScope, name, () => new Count(scope, name));
  }

  /**
   * The keywords that moved on the day of a row, by what they share with it. `pastOf`: the shares of the days before,
   * oldest first; a scope that has none kept is compared with the project. `spans`: how many usual distances of checks
   * lie between both dates.
   */
  of(row: MovedRow, pastOf: (scope: AlikeScope, name: string) => readonly MovedShare[], spans: number): Alike[] {
    return scopesOf(row).flatMap(([scope, name]) => {
      const count = this.#counts.get(scope)?.get(name);
      if (count === undefined) return [];
      const { compared, moved: outside } = count.distinctKeywords;
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

function scopesOf({ country, language, device, tags, url, previousUrl }: MovedRow): (readonly [AlikeScope, string])[] {
  const page = url ?? previousUrl;
  return [
    ['project', ''],
    ['market', `${country}, ${language}, ${device}`],
    ['device', device],
    ...tags.map((tag) => ['tag', tag] as const),
    ...(page === null ? [] : [['page', withoutTracking(page)] as const]),
  ];
}
