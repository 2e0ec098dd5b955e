// When two links of results pages lead to the same page: scheme, tracking parameters, scroll-to-text fragment and a trailing slash do not count.

/** Parameters that engines, ads and newsletters append to a link; they change from one request to the next. */
const tracking = /^(?:srsltid|gclid|gclsrc|gbraid|wbraid|dclid|fbclid|msclkid|yclid|utm_[^=]*)(?:=|$)/i;

/** The same for all links to one page. A text that is no URL stands for itself. */
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

/** How many of the links stand in the other list as well. */
export function sharedLinks(links: readonly string[], others: readonly string[]): number {
  const known = new Set(others);
  let shared = 0;
  for (const link of new Set(links)) if (known.has(link)) shared += 1;
  return shared;
}

/** Whether more than half of the longer list stands in the other one. */
export function areMostlyTheSame(links: readonly string[], others: readonly string[]): boolean {
  return sharedLinks(links, others) * 2 > Math.max(links.length, others.length);
}
