// Sums of measured clicks over rows. Languages of a country share their clicks: they count once.

interface CountedRow {
  readonly keyword: string;
  readonly country: string;
  readonly device: string;
  readonly target: string;
  /** Null: nothing is reported. */
  readonly measuredClicks: number | null;
  /** Null: also where they are unknown. */
  readonly impressions: number | null;
}

/**
 * Null until a row with numbers was added: nothing that is reported is not zero. Impressions are unknown where those of
 * a row are, or where a search has them for several targets: a results page may show both.
 */
export class RowClicks {
  #measuredClicks: number | null = null;
  #impressions: number | null = 0;
  readonly #counted = new Map<string, Set<string>>();

  get measuredClicks(): number | null {
    return this.#measuredClicks;
  }

  get impressions(): number | null {
    return this.#measuredClicks === null ? null : this.#impressions;
  }

  add(row: CountedRow): void {
    const { measuredClicks, impressions } = row;
    if (measuredClicks === null) return;
    const { keyword, country, device, target } = row;
    // keywords that differ in case only are the same search
    const search = [keyword.toLowerCase(), country, device].join('\n');
    const targets = this.#counted.get(search) ?? new Set();
    if (targets.has(target)) return;
    this.#counted.set(search, targets.add(target));
    this.#measuredClicks = (this.#measuredClicks ?? 0) + measuredClicks;
    if (this.#impressions === null || impressions === null || targets.size > 1) this.#impressions = null;
    else this.#impressions += impressions;
  }
}
