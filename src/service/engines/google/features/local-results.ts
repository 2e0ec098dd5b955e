// Reads the list of places: name, number, rating, category, address and website of each.
import type { LocalResult } from '../../../model/results/serp.ts';
import { textOf } from '../../page/text.ts';
import { type Element, findAll, findFirst, hasClass, withClass } from '../../page/tree.ts';
import type { PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { isOwnSite } from '../results/urls.ts';

const elsewhere = zone.side | zone.furniture | zone.overview | zone.question;
/** Between the facts of a line. */
const dot = /[\u00b7\u22c5]/;

/**
 * The unpaid places of the results column, in order, as recorded from 2019 to 2026: elements with a number
 * (`data-cid`), each around a block of details. Older lists and pages without scripts have no numbers.
 */
export function findLocalResults(pageIndex: PageIndex): LocalResult[] {
  const { tree } = pageIndex;
  const places = new Map<string, LocalResult>();
  const paid = new Set<string>();
  for (const element of pageIndex.byData('data-cid')) {
    const cid = element.get('data-cid') ?? '';
    const details = findFirst(tree, element, withClass('rllt__details'));
    if (!/^\d{12,20}$/.test(cid) || (element.zones & elsewhere) !== 0 || details === undefined) continue;
    if (places.has(cid) || paid.has(cid)) continue;
    const name = findFirst(tree, details, (each) => each.get('role') === 'heading');
    if (name === undefined) continue;
    if (isPaid(details, name)) paid.add(cid);
    else
      places.set(cid, {
        rank: places.size + 1,
        name: textOf(name),
        cid,
        ...readFacts(details, name),
        ...websiteOf(pageIndex, element),
      });
  }
  return [...places.values()];
}

/** A line before the name says that the place is paid, in any language. */
function isPaid(details: Element, name: Element): boolean {
  return details.children.some((child) => typeof child !== 'string' && child.last < name.order && textOf(child) !== '');
}

/** A line with this dot holds opening hours. */
const hoursDot = '\u22c5';

/** Below the name: `4.9(141) \u00b7 Dentist`, then the address. */
function readFacts(details: Element, name: Element): Omit<LocalResult, 'rank' | 'name'> {
  const lines = details.children.flatMap((child) =>
    typeof child === 'string' || child.order <= name.order ? [] : [textOf(child)],
  );
  const at = lines.findIndex((line) => /^\d[.,]\d\s*\(/.test(line));
  const [, rating = '', reviews = ''] = /^(\d[.,]\d)\s*\(([^)]+)\)/.exec(lines[at] ?? '') ?? [];
  const facts = at === -1 ? [] : parted(lines[at] ?? '').slice(1);
  const category = facts.findLast((fact) => /^\p{L}/u.test(fact));
  const below = lines[at + 1] ?? '';
  const parts = parted(below);
  const phone = parts.find((part) => /^\+?[\d\s().-]{7,20}$/.test(part));
  const address = below.includes(hoursDot) ? undefined : parts.findLast((part) => part !== phone && isAddress(part));
  const count = reviewCount(reviews);
  return {
    ...(rating !== '' && { rating: Number(rating.replace(',', '.')) }),
    ...(count !== undefined && { reviews: count }),
    ...(category !== undefined && { category }),
    ...(address !== undefined && { address }),
    ...(phone !== undefined && { phone }),
  };
}

function parted(line: string): string[] {
  return line.split(dot).map((part) => part.trim());
}

/** A street with a number, or a place in a region; not `10+ years in business`. */
function isAddress(text: string): boolean {
  return /\d|,/.test(text) && !/^\d+\+/.test(text);
}

/** `141`, `1,234`, `1.234`, `2.2K`. */
function reviewCount(written: string): number | undefined {
  const thousands = /^(\d+(?:[.,]\d)?)\s?K$/i.exec(written);
  if (thousands !== null) return Math.round(1000 * Number(thousands[1]?.replace(',', '.')));
  const digits = written.replace(/[.,\s\u00a0\u202f]/g, '');
  return /^\d{1,9}$/.test(digits) ? Number(digits) : undefined;
}

/** The only link from the block of the place that leaves the engine. */
function websiteOf({ tree, linkOf }: PageIndex, element: Element): Pick<LocalResult, 'website'> {
  let block = element;
  while (block.parent !== null && !hasClass(block, 'VkpGBb') && block.depth > 0) block = block.parent;
  if (!hasClass(block, 'VkpGBb')) return {};
  const sites = findAll(tree, block, (each) => each.tag === 'a').flatMap((anchor) => linkOf(anchor).destination ?? []);
  const website = sites.find((site) => !isOwnSite(site));
  return website === undefined ? {} : { website };
}
