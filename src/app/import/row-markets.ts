// The market of a row: from its cells, else from the options.
import { countryCode, countryComplaint, languageCode, languageComplaint } from '../../../config/schema/complaints.ts';
import type { KeywordReading } from '../../import/keywords/keyword-tables.ts';
import { UsageError } from '../opening/usage-error.ts';

export interface PartialMarket {
  readonly country: string | null;
  readonly language: string | null;
}

/** Throws UsageError for an unknown country or language. */
export function parseMarket({
  country,
  language,
}: {
  readonly country?: string;
  readonly language?: string;
}): PartialMarket {
  const complaint =
    (country === undefined ? undefined : countryComplaint(country)) ??
    (language === undefined ? undefined : languageComplaint(language));
  if (complaint !== undefined) throw new UsageError(complaint);
  return {
    country: country === undefined ? null : countryCode(country),
    language: language === undefined ? null : languageCode(language),
  };
}

/** Finds the market of each row; parses each spelling once. */
export class RowMarkets {
  readonly #default: PartialMarket;
  readonly #countries = new Map<string, string | undefined>();
  readonly #languages = new Map<string, string | undefined>();

  constructor(standard: PartialMarket) {
    this.#default = standard;
  }

  /** The market, or the reason why there is none. */
  of({ country: writtenCountry, language: writtenLanguage }: KeywordReading) {
    const country = writtenCountry === null ? this.#default.country : this.#country(writtenCountry);
    const language = writtenLanguage === null ? this.#default.language : this.#language(writtenLanguage);
    if (country === undefined || language === undefined) return 'unknown_market';
    return country === null || language === null ? 'no_market' : { country, language };
  }

  #country(written: string): string | undefined {
    return remembered(this.#countries, written, () =>
      countryComplaint(written) === undefined ? countryCode(written) : undefined,
    );
  }

  #language(written: string): string | undefined {
    return remembered(this.#languages, written, () =>
      languageComplaint(written) === undefined ? languageCode(written) : undefined,
    );
  }
}

/** A column that is no market's could name another one in each row. */
const spellingsMax = 1_000;

function remembered(known: Map<string, string | undefined>, written: string, find: () => string | undefined) {
  if (known.has(written)) return known.get(written);
  if (known.size >= spellingsMax) known.clear();
  const found = find();
  known.set(written, found);
  return found;
}
