// Words of a site's home page that its visitors may search for: a start for keywords. Pure.
import { Parser } from 'htmlparser2';

interface HomePage {
  /** In lower case, in the order of the page, each once. */
  readonly phrases: readonly string[];
  /** The language tag of the page, such as `en-GB`; null: it has none. */
  readonly language: string | null;
}

const phrasesMax = 8;
const [wordsMin, wordsMax, charactersMax] = [2, 5, 60];
const headings: readonly string[] = ['title', 'h1', 'h2', 'h3'];
/** Between a subject and the name of the site in a title. */
const separators = /[|•]|\s[–—·:-]\s/u;

/** Title and headings. Sentences and single words are no keywords. */
export function readHomePage(html: string): HomePage {
  const texts: string[] = [];
  let [language, open, text]: [string | null, string | null, string] = [null, null, ''];
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'html') language = attributes['lang']?.trim() || null;
      if (open !== null || !headings.includes(name)) return;
      [open, text] = [name, ''];
    },
    ontext(part) {
      if (open !== null) text += part;
    },
    onclosetag(name) {
      if (name !== open) return;
      texts.push(text);
      open = null;
    },
  });
  parser.end(html);
  const phrases = texts
    .flatMap((each) => each.split(separators))
    .map(plain)
    .filter(isPhrase);
  return { phrases: [...new Set(phrases)].slice(0, phrasesMax), language };
}

function plain(text: string): string {
  return text.normalize('NFC').replaceAll(/\s+/gu, ' ').trim().toLowerCase();
}

function isPhrase(text: string): boolean {
  const words = text.split(' ').length;
  return (
    words >= wordsMin && words <= wordsMax && text.length <= charactersMax && /^[\p{L}\p{M}\p{N} '’&+-]+$/u.test(text)
  );
}
