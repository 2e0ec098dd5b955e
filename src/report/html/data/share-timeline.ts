// Share of voice over time: each target's clicks in percent of those of all domains on the same pages.
import { curveRates, type ShareOfVoice, startShareOfVoice } from '../../../tracker/changes/visibility.ts';
import { HiddenResults, type SerpSites } from '../../rows/serp.ts';
import type { TargetSeries } from './page-data.ts';

export class ShareTimeline {
  readonly #sites: SerpSites;
  readonly #curveName: string;
  /** A sum per target for each date with pages; undefined for other dates. */
  readonly #sums: (readonly ShareOfVoice[] | undefined)[];
  /** Number of checks with a known volume, by date. */
  readonly #weighed: Uint32Array;
  readonly #rates: readonly number[];
  /** Of each target in a check; 0: it does not rank. */
  readonly #ranks: Int32Array;
  /** Of each domain the number of the check that it was in last. */
  #seen = new Uint32Array(1_024);
  #checks = 0;

  /** Throws RangeError for an unknown curve. */
  constructor(sites: SerpSites, curveName: string, dateCount: number) {
    this.#sites = sites;
    this.#curveName = curveName;
    this.#sums = new Array(dateCount).fill(undefined);
    this.#weighed = new Uint32Array(dateCount);
    this.#rates = curveRates(curveName);
    this.#ranks = new Int32Array(sites.targets.length);
  }

  /** Adds a complete check with its organic results by rank. */
  add(date: number, volume: number | null, urlIds: Iterable<number>): void {
    const sums = this.#sums[date] ?? this.#sites.targets.map(() => startShareOfVoice(this.#curveName));
    this.#sums[date] = sums;
    if (volume === null) return;
    this.#weighed[date] = (this.#weighed[date] ?? 0) + 1;
    if (volume === 0) return;
    this.#checks += 1;
    this.#ranks.fill(0);
    let hidden: HiddenResults | undefined;
    const isRanked = (target: number): boolean => (this.#ranks[target] ?? 0) > 0;
    let [rank, rates] = [0, 0];
    for (const urlId of urlIds) {
      rank += 1;
      const domain = this.#sites.domainOf(urlId);
      if (domain !== 0 && this.#isFirst(domain)) rates += this.#rates[rank - 1] ?? 0;
      for (const target of this.#sites.targetsOf(urlId)) if (!isRanked(target)) this.#ranks[target] = rank;
      if (this.#sites.destinationOf(urlId) === 'exact') continue;
      hidden ??= new HiddenResults(this.#sites);
      hidden.add(urlId, isRanked);
    }
    const unproven = hidden?.unproven(isRanked);
    for (const [target, sum] of sums.entries())
      if (unproven?.has(target) !== true) sum.add(volume, this.#ranks[target] || null, rates);
  }

  /** Whether no result of this check before was of the domain. */
  #isFirst(domain: number): boolean {
    if (domain >= this.#seen.length) {
      const longer = new Uint32Array(2 * domain);
      longer.set(this.#seen);
      this.#seen = longer;
    }
    if (this.#seen[domain] === this.#checks) return false;
    this.#seen[domain] = this.#checks;
    return true;
  }

  /** One per target, own targets first. */
  lines(): TargetSeries[] {
    return this.#sites.targets.map(({ value, role }, target) => {
      const values = this.#sums.map((sums) => {
        const percent = sums?.[target]?.percent() ?? null;
        return percent === null ? null : Math.round(percent * 100) / 100;
      });
      const of = values.map((percent, date) => (percent === null ? null : (this.#weighed[date] ?? 0)));
      return { target: value, isOwn: role === 'own', values, of };
    });
  }
}
