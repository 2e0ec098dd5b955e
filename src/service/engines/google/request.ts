// Builds the request to Google for a page of a search.
import { encodeUule } from '../../model/results/uule.ts';
import type { EngineRequest, SearchAsked } from '../engine.ts';

/** `start` grows by 10 a page, although a page may show fewer. Google ignores `num` since September 2025. */
const pageStep = 10;

/** The consent page sets `SOCS` for "reject all"; until 2022 it set `CONSENT`. */
const cookies = { CONSENT: 'YES+', SOCS: 'CAI' } as const;

/**
 * `uule` only for a location within the country: a whole country is in `gl` already, and its name would give the page
 * for its centre.
 */
export function searchRequest({ keyword, country, language, page, location }: SearchAsked): EngineRequest {
  const query = new URLSearchParams({
    q: keyword,
    hl: language,
    gl: country.toLowerCase(),
    // results without personalisation, and no page of another spelling
    pws: '0',
    nfpr: '1',
    ...(location !== undefined && { uule: encodeUule(location) }),
    ...(page > 1 && { start: String(pageStep * (page - 1)) }),
  });
  return { url: `https://www.google.com/search?${query}`, cookies };
}
