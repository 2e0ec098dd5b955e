// Builds the request to Google for a page of a search.
import type { EngineRequest, SearchAsked } from '../engine.ts';

/** `start` grows by 10 a page, although a page may show fewer. Google ignores `num` since September 2025. */
const pageStep = 10;

/*
 * No `uule`: it names a place within a country, but a market is a whole country, which `gl` says already. The
 * canonical name of a country would give the page for its centre.
 */

/** The consent page sets `SOCS` for "reject all"; until 2022 it set `CONSENT`. */
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
