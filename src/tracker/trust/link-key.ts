// Compares links of results pages without scheme, tracking parameters, text fragment and trailing slash.

/** Tracking parameters of engines, ads and newsletters: they differ between two requests for one page. */
const tracking = /^(?:srsltid|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|utm_[^=]*)(?:=|$)/i;

/** One key for all links to a page. A text that is not a URL is its own key. */
export function linkKey(link: string): string {
  const fragment = link.indexOf('#:~:');
  const whole = (fragment === -1 ? link : link.slice(0, fragment)).replace(/^https?:\/\//i, '');
  const question = whole.indexOf('?');
  const path = (question === -1 ? whole : whole.slice(0, question)).replace(/\/$/, '');
  if (question === -1) return path;
  const kept = whole
    .slice(question + 1)
    .split('&')
    .filter((parameter) => parameter !== '' && !tracking.test(parameter));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

/** How many links the two lists share. */
export function sharedLinks(links: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  let shared = 0;
  for (const link of new Set(links)) if (known.has(link)) shared += 1;
  return shared;
}

/** Whether the lists share more than half of the longer one. */
export function shareMostLinks(links: readonly string[], others: readonly string[]): boolean {
  return sharedLinks(links, others) * 2 > Math.max(links.length, others.length);
}
