// Detects results that only a label marks as ads: "Sponsored", "Anzeige".
import { domainToUnicode } from 'node:url';
import { isHidden, readLines, type TextLine, textOf } from './text.ts';
import type { Element } from './tree.ts';

/** Labels of single ads, as the engines write them in the languages of their markets, and as they wrote them before. */
const labels: ReadonlySet<string> = new Set(
  `ad|advertisement|sponsored|sponsored link|sponsored links|sponsored content|publicité|publicidad|publicidade|pubblicità|werbung
  |sponsored result|sponsored results|gesponserte ergebnisse|résultats sponsorisés|resultados patrocinados|risultati sponsorizzati|gesponsorde resultaten|promoted|anzeige|gesponsert|gesponserd|gesponsord|advertentie|anuncio|patrocinado|patrocinada|anúncio|annonce|sponsorisé|sponsorisée|commandité|annuncio|sponsorizzato
  |annons|sponsrad|sponsrat|annonse|sponset|sponseret|sponsoreret|mainos|sponsoroitu|reklama|sponsorowane|sponzorováno|sponzorované|reklam|sponsorlu|hirdetés|szponzorált|anunț|sponsorizat
  |oglas|sponzorirano|sponzorisano|реклама|спонзорисано|спонсоровано|спонсорирано|διαφήμιση|χορηγούμενη|χορηγούμενο|إعلان|مُموَّل|ممول|מודעה|ממומן|विज्ञापन|प्रायोजित|โฆษณา|ได้รับการสนับสนุน|quảng cáo|được tài trợ|iklan|bersponsor
  |disponsori|広告|スポンサー|広告 スポンサー|广告|赞助内容|赞助|廣告|贊助|贊助商廣告|광고|스폰서`
    .split('|')
    .map((label) => label.trim().normalize('NFKC')),
);
/** Longer lines are sentences, in characters: a word in them is not a label. */
const lineMax = 100;
/** The longest label with the signs around it, in characters. */
const labelMax = 25;
/** Lines and elements of a result that are looked at. */
const linesMax = 40;
const elementsMax = 20;
/** A searched word is emphasised in the texts of results. */
const emphasis = new Set(['b', 'em', 'strong', 'mark', 'i']);

/** Google strikes out the searched words that a result lacks: `Missing: <s>ad</s>`. */
const struck = new Set(['s', 'strike', 'del']);

/** Engines write labels with a dot or a colon behind them, and in brackets. */
const labelWord = /[^\s·•|:()[\]]+/gu;
/** Signs without a width, which may part a label: `Spon\u200bsored`. */
const unseen = /[\u00ad\u200b-\u200d\u2060]/g;

/** The name before the suffix of a host; `ad.network.example` has none, because an ad server is no site. */
const siteName = /^(?:www\.|m\.)?([^.]+)\.(?:[^.]{2,3}\.)?[^.]+$/;

/** `destination`: the name of its site is not a label. */
function isLabel(text: string, destination?: string): boolean {
  if (text.length > labelMax) return false;
  const seen = text.replace(unseen, '').normalize('NFKC');
  const words = (seen.match(labelWord) ?? []).join(' ').toLowerCase();
  return labels.has(words) && words !== siteOf(destination);
}

function siteOf(destination = ''): string | undefined {
  return siteName.exec(domainToUnicode(URL.parse(destination)?.hostname ?? ''))?.[1];
}

/**
 * Whether a line of a result, outside its title and its other links, is a label or begins with one. The name of the
 * site is no label: `AD` of ad.nl.
 */
export function isLabelledAd(
  block: Element,
  { heading, anchor, destination }: { heading: Element; anchor: Element; destination: string | undefined },
): boolean {
  const without = (each: Element): boolean =>
    each === heading ||
    struck.has(each.tag) ||
    (each.tag === 'a' && each !== anchor && each.has('href') && !each.contains(heading));
  const lines = readLines(block, { without, linesMax }).filter(
    ({ text, element }) => text.length <= lineMax && !heading.contains(element),
  );
  return lines.some(({ text, element }, nth) => {
    const [first = ''] = text.split(/[·•|]/u, 1);
    const pair = joined([text, lines[nth + 1]?.text ?? '']);
    if ([first, ...pair].some((each) => isLabel(each, destination))) return true;
    return hasLabelPart({ element, text }, destination, without);
  });
}

/**
 * Whether a part of a line is a label: an element without others. A part of a shown path is none: `site.example › ads`.
 */
function hasLabelPart(
  line: TextLine,
  destination: string | undefined,
  without: (element: Element) => boolean,
): boolean {
  const rest: Element[] = [line.element];
  for (let count = 0; rest.length > 0 && count < elementsMax; count++) {
    const element = rest.pop();
    if (element === undefined || isHidden(element) || without(element)) continue;
    const inner = element.children.filter((child) => typeof child !== 'string');
    if (inner.length === 0 && !emphasis.has(element.tag)) {
      const text = textOf(element);
      if (isLabel(text, destination) && !line.text.includes(`› ${text}`)) return true;
    }
    rest.push(...inner);
  }
  return false;
}

/**
 * Whether a label stands directly above or below a result, on its own: which results it marks is unknown. `isBesides`:
 * elements that are known not to be results, such as ads. A label between a result and an ad is that of the ad.
 */
export function isBesideLabel(block: Element, column: Element, isBesides: (element: Element) => boolean): boolean {
  return ([-1, 1] as const).some((step) => {
    for (let at = block; at.parent !== null && at !== column; at = at.parent) {
      const texts = textsBeside(at, step, isBesides);
      if (texts.length > 0) return texts.some((text) => isLabel(text));
    }
    return false;
  });
}

/** In place of a text that is no label. */
const besides = '-';
/** A label may be in so many elements, or lines. */
const partsMax = 2;

/** The nearest text beside an element, alone and with the next one; in an element with more lines, none is a label. */
function textsBeside(element: Element, step: 1 | -1, isBesides: (element: Element) => boolean): readonly string[] {
  const siblings = element.parent?.children ?? [];
  const at = siblings.indexOf(element);
  const near: (readonly string[])[] = [];
  for (const sibling of step === 1 ? siblings.slice(at + 1) : siblings.slice(0, at).toReversed()) {
    const lines = linesOf(sibling);
    if (lines.length === 0) continue;
    if (typeof sibling !== 'string' && isBesides(sibling)) {
      if (step === 1 || near.length === 0) return [besides];
      break;
    }
    near.push(lines.length > partsMax ? [besides] : lines);
    if (near.length === partsMax) break;
  }
  const [first, second] = near;
  if (first === undefined) return [];
  return [first, ...(second === undefined ? [] : [step === 1 ? [...first, ...second] : [...second, ...first]])].flatMap(
    joined,
  );
}

function linesOf(sibling: Element | string): readonly string[] {
  if (typeof sibling === 'string') return sibling.trim() === '' ? [] : [sibling.trim()];
  return isHidden(sibling) ? [] : readLines(sibling, { linesMax: partsMax + 1 }).map(({ text }) => text);
}

/** As a label that is in several elements may be read. */
function joined(lines: readonly string[]): readonly string[] {
  return [lines.join(''), lines.join(' ')];
}
