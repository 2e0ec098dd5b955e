// Sums of measured clicks over rows. Languages of a country share their clicks: they count once.

interface CountedRow {
  readonly keyword: string;
  readonly country: string;
  readonly device: string;
  readonly target: string;
  /** Null: nothing is reported. */
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
}

/** Null until a row with numbers was added: nothing that is reported is not zero. */
export class RowClicks {
  #measuredClicks: number | null = null;
  #impressions: number | null = null;
  readonly #counted = new Set<string>();

  get measuredClicks(): number | null {
    return this.#measuredClicks;
  }

  get impressions(): number | null {
    return this.#impressions;
  }

  add(row: CountedRow): void {
    const { measuredClicks, impressions } = row;
    if (measuredClicks === null || impressions === null) return;
    const { keyword, country, device, target } = row;
    const { size } = this.#counted;
    // keywords that differ in case only are the same search
    if (this.#counted.add([keyword.toLowerCase(), country, device, target].join('\n')).size === size) return;
    this.#measuredClicks = (this.#measuredClicks ?? 0) + measuredClicks;
    this.#impressions = (this.#impressions ?? 0) + impressions;
  }
}
