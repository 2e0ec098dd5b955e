// Fetches the home page of a site whose tracking begins, for its first keywords and its market.
import { countryComplaint, languageComplaint } from '../../../config/schema/complaints.ts';
import type { StarterMarket } from '../../../config/starter.ts';
import { readHomePage } from '../../import/lists/home-page.ts';
import { firstBytes } from './files.ts';

const [timeoutMs, bytesMax] = [10_000, 2_097_152];

/** `url`: of the page. Null: it cannot be read, or is no page. */
export async function firstKeywords(
  url: string,
): Promise<{ readonly phrases: readonly string[]; readonly market: StarterMarket } | null> {
  const html = await fetchPage(url);
  if (html === null) return null;
  const { phrases, language } = readHomePage(html);
  return { phrases, market: marketOf(language ?? '', new URL(url).hostname) };
}

async function fetchPage(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), headers: { accept: 'text/html' } });
    if (!response.ok || !response.headers.get('content-type')?.includes('text/html')) return null;
    return (await firstBytes(response, bytesMax)).toString('utf8');
  } catch {
    return null; // no such site, no answer, a broken certificate: tracking begins without it
  }
}

/** The language of the page, and its country: of the language, else of the domain. */
function marketOf(tag: string, host: string): StarterMarket {
  const [language = '', region = ''] = tag.split('-');
  const ending = host.split('.').at(-1) ?? '';
  const country = [region, ending === 'uk' ? 'GB' : ending].find(
    (each) => each.length === 2 && countryComplaint(each) === undefined,
  );
  const isKnown = language !== '' && languageComplaint(language) === undefined;
  return { country, language: isKnown ? language : undefined };
}
