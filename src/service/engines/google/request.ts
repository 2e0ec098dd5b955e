// Builds the request to Google for a page of a search.
import type { EngineRequest, SearchAsked } from '../engine.ts';

/** Results that one page stands for in the address of the next; a page may show fewer. `num` is not obeyed any more (September 2025). */
const pageStep = 10;

/*
 * No `uule`: it names a place within a country, by its canonical name, and a market here is a country. `gl` says that already; a page for a country's
 * canonical name would be one for the middle of it.
 */

/** `SOCS` is what the consent page sets for "reject all", `CONSENT` what it set until 2022. */
const cookies = { CONSENT: 'YES+', SOCS: 'CAI' } as const;

export function searchRequest({ keyword, country, language, page }: SearchAsked): EngineRequest {
  const query = new URLSearchParams({
    q: keyword,
    hl: language,
    gl: country.toLowerCase(),
    // results without personalisation, and no page of another spelling
    pws: '0',
    nfpr: '1',
    ...(page > 1 && { start: String(pageStep * (page - 1)) }),
  });
  return { url: `https://www.google.com/search?${query}`, cookies };
}
