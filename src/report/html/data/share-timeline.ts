// Share of voice over time: each target's clicks in percent of those of all domains on the same pages.
import { type ShareOfVoice, startShareOfVoice, sumRates } from '../../../tracker/changes/visibility.ts';
import { HiddenResults, type SerpSites } from '../../rows/serp.ts';
import type { TargetSeries } from './page-data.ts';

/** The organic results of a page, in order. */
export interface OrganicPage {
  readonly page: number;
  readonly urlIds: readonly number[];
}

export class ShareTimeline {
  readonly #sites: SerpSites;
  readonly #curveName: string;
  /** A sum per target for each date with pages; undefined for other dates. */
  readonly #sums: (readonly ShareOfVoice[] | undefined)[];
  /** Number of checks with a known volume, by date. */
  readonly #weighed: Uint32Array;

  /** Throws RangeError for an unknown curve. */
  constructor(sites: SerpSites, curveName: string, dateCount: number) {
    this.#sites = sites;
    this.#curveName = curveName;
    this.#sums = new Array(dateCount).fill(undefined);
    this.#weighed = new Uint32Array(dateCount);
  }

  /** Adds a complete check with its pages in order. A missing page ends it, because ranks beyond a gap are unknown. */
  add(date: number, volume: number | null, pages: readonly OrganicPage[]): void {
    const sums = this.#sums[date] ?? this.#sites.targets.map(() => startShareOfVoice(this.#curveName));
    this.#sums[date] = sums;
    if (volume !== null) this.#weighed[date] = (this.#weighed[date] ?? 0) + 1;
    const seen = new Set<number>();
    const domainRanks: number[] = [];
    const targetRanks: (number | null)[] = this.#sites.targets.map(() => null);
    const hidden = new HiddenResults(this.#sites);
    const isRanked = (target: number): boolean => targetRanks[target] !== null;
    let rank = 0;
    for (const [index, { page, urlIds }] of pages.entries()) {
      if (page !== index + 1) break;
      for (const urlId of urlIds) {
        rank += 1;
        const domain = this.#sites.domainOf(urlId);
        if (domain !== 0 && !seen.has(domain)) {
          seen.add(domain);
          domainRanks.push(rank);
        }
        for (const target of this.#sites.targetsOf(urlId)) targetRanks[target] ??= rank;
        hidden.add(urlId, isRanked);
      }
    }
    const rates = sumRates(this.#curveName, domainRanks);
    const unproven = hidden.unproven(isRanked);
    for (const [target, sum] of sums.entries())
      if (!unproven.has(target)) sum.add(volume, targetRanks[target] ?? null, rates);
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
