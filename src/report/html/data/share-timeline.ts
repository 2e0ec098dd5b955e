// Share of voice over time: each target's clicks in percent of those of all domains on the same pages.

import { HiddenResults, type SerpSites } from '../../../read/serp.ts';
import { curveRates, ShareOfVoice } from '../../../tracker/changes/visibility.ts';
import { figureDecimals, rounded } from '../../../tracker/figures.ts';
import type { TargetSeries } from './page-data.ts';

/** Of checks in a row. */
interface OrganicResults {
  /** Of each check. */
  readonly counts: Uint16Array;
  readonly urlIds: Int32Array;
}

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
  readonly #isRanked = (target: number): boolean => (this.#ranks[target] ?? 0) > 0;

  /** Throws RangeError for an unknown curve. */
  constructor(sites: SerpSites, curveName: string, dateCount: number) {
    this.#sites = sites;
    this.#curveName = curveName;
    this.#sums = new Array(dateCount).fill(undefined);
    this.#weighed = new Uint32Array(dateCount);
    this.#rates = curveRates(curveName);
    this.#ranks = new Int32Array(sites.targets.length);
  }

  /** Adds complete checks with their results by rank. `volumeOf`: of each; undefined: it does not count. */
  add(date: number, { counts, urlIds }: OrganicResults, volumeOf: (check: number) => number | null | undefined): void {
    const sums = this.#sums[date] ?? this.#sites.targets.map(() => new ShareOfVoice(this.#curveName));
    this.#sums[date] = sums;
    let end = 0;
    for (let check = 0; check < counts.length; check += 1) {
      const start = end;
      end += counts[check] ?? 0;
      const volume = volumeOf(check) ?? null;
      if (volume === null) continue;
      this.#weighed[date] = (this.#weighed[date] ?? 0) + 1;
      if (volume > 0) this.#addCheck(sums, volume, urlIds, [start, end]);
    }
  }

  #addCheck(
    sums: readonly ShareOfVoice[],
    volume: number,
    urlIds: Int32Array,
    [start, end]: readonly [number, number],
  ): void {
    this.#checks += 1;
    this.#ranks.fill(0);
    let hidden: HiddenResults | undefined;
    let rates = 0;
    for (let at = start; at < end; at += 1) {
      const urlId = urlIds[at] ?? 0;
      const domain = this.#sites.domainOf(urlId);
      if (domain !== 0 && this.#isFirst(domain)) rates += this.#rates[at - start] ?? 0;
      if (this.#sites.isOther(urlId)) continue;
      for (const target of this.#sites.targetsOf(urlId))
        if (!this.#isRanked(target)) this.#ranks[target] = at - start + 1;
      if (this.#sites.destinationOf(urlId) === 'exact') continue;
      hidden ??= new HiddenResults(this.#sites);
      hidden.add(urlId, this.#isRanked);
    }
    const unproven = hidden?.unproven(this.#isRanked);
    for (let target = 0; target < sums.length; target += 1)
      if (unproven?.has(target) !== true) sums[target]?.add(volume, this.#ranks[target] || null, rates);
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
        return rounded(percent, figureDecimals);
      });
      const of = values.map((percent, date) => (percent === null ? null : (this.#weighed[date] ?? 0)));
      return { target: value, isOwn: role === 'own', values, of };
    });
  }
}
