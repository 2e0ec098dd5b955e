// Reads text ads: title, landing page, click URL. Shopping rows are a feature.
import type { Ad } from '../../../model/results/serp.ts';
import { textOf } from '../../page/text.ts';
import type { Element } from '../../page/tree.ts';
import type { Headed, PageIndex } from '../page/page-index.ts';
import { zone } from '../page/regions.ts';
import { absolute, clean, readLink } from '../results/urls.ts';

export interface PlacedAd {
  readonly order: number;
  readonly isTop: boolean;
  readonly ad: Omit<Ad, 'rank'>;
}

/** Text ads in reading order. `firstOrganic` is the order of the first organic result, where there is one. */
export function findAds(pageIndex: PageIndex, firstOrganic: number | undefined): PlacedAd[] {
  const ads: PlacedAd[] = [];
  const units = new Set<Element>();
  for (const headed of pageIndex.headed) {
    if ((headed.zones & (zone.carousel | zone.hidden | zone.furniture)) !== 0) continue;
    // Pages without scripts mark no ads: only the click counter identifies them.
    const isMarked = (headed.zones & zone.ad) !== 0;
    // Marked by its label: see results.ts.
    const isLabelled = !isMarked && (headed.anchor.zones & zone.ad) !== 0;
    if (!isMarked && !isLabelled && !headed.link.isAd) continue;
    const unit = isMarked ? findAdUnit(headed.anchor) : headed.anchor;
    // Sitelinks of an ad have headings too; the first one is the ad's.
    if (unit === undefined || units.has(unit)) continue;
    units.add(unit);
    const title = textOf(headed.heading);
    const link = landingPage(headed);
    if (title === '' || link === undefined) continue;
    const click = clickAddress(headed, unit, pageIndex);
    const place = findRegion(unit) ?? (firstOrganic === undefined || unit.order < firstOrganic ? 'top' : 'bottom');
    ads.push({
      order: headed.heading.order,
      isTop: place === 'top',
      ad: { title, link, ...(click !== undefined && { referral_link: click }) },
    });
  }
  return ads;
}

/** The element of one ad: marked as such, or an item of a list of ads. */
export function findAdUnit(anchor: Element): Element | undefined {
  let unit: Element | undefined;
  for (let at: Element | null = anchor; at !== null && (at.zones & zone.ad) !== 0; at = at.parent) {
    if (at.has('data-text-ad') || at.get('class')?.includes('ads-ad') === true) return at;
    if (at.has('data-pla') || at.get('class')?.includes('commercial-unit') === true || at.get('id') === 'atvcap')
      return undefined;
    if (at.tag === 'li') unit = at;
  }
  return unit;
}

function findRegion(unit: Element): 'top' | 'bottom' | undefined {
  for (let at: Element | null = unit; at !== null; at = at.parent) {
    const id = at.get('id');
    if (id === 'tads') return 'top';
    if (id === 'tadsb' || id === 'bottomads') return 'bottom';
  }
  return undefined;
}

/** The landing page: the link's own URL, else the one that the markup names beside the click counter. */
function landingPage({ anchor, link }: Headed): string | undefined {
  if (link.destination !== undefined) return link.destination;
  const [named] = (anchor.get('data-pcu') ?? '').split(',');
  if (named !== undefined && /^https?:/.test(named)) return clean(named);
  const href = anchor.get('href');
  return link.isAd && href !== undefined ? absolute(href) : undefined;
}

function clickAddress(headed: Headed, unit: Element, pageIndex: PageIndex): string | undefined {
  for (const name of ['data-rw', 'data-arwt']) {
    const address = headed.anchor.get(name);
    if (address !== undefined && address !== '') return absolute(address);
  }
  for (let order = unit.order; order <= unit.last; order++) {
    const anchor = pageIndex.tree.elements[order];
    const href = anchor?.tag === 'a' ? anchor.get('href') : undefined;
    if (href?.includes('/aclk') === true && readLink(href).isAd) return absolute(href);
  }
  return undefined;
}
