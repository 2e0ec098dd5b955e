// What a check proves, computed anew from the pages that the provider sent, counted from the top. No product code.

/** A target as the config writes it. */
export interface OracleTarget {
  readonly match: string;
  readonly value: string;
}

export type Verdict =
  | { readonly kind: 'ranked'; readonly rank: number; readonly page: number; readonly url: string }
  | { readonly kind: 'seen'; readonly page: number; readonly url: string }
  /** Absent from all pages down to `provenDepth` (0: from none). */
  | { readonly kind: 'absent'; readonly provenDepth: number };

/** `pages`: links by page number, as far as they were read. `depth`: how many pages the check was to read. */
export function judge(pages: ReadonlyMap<number, readonly string[]>, target: OracleTarget, depth: number): Verdict {
  let rank = 0;
  let provenDepth = 0;
  for (let page = 1; pages.has(page); page += 1) {
    const links = pages.get(page) ?? [];
    const at = links.findIndex((link) => isOf(link, target));
    if (at >= 0) return { kind: 'ranked', rank: rank + at + 1, page, url: links[at] ?? '' };
    rank += links.length;
    // a page with elements but without results says that nothing follows
    provenDepth = links.length === 0 ? Math.max(page, depth) : page;
    if (links.length === 0) break;
  }
  for (const [page, links] of [...pages].sort(([a], [b]) => a - b)) {
    const url = links.find((link) => isOf(link, target));
    if (url !== undefined) return { kind: 'seen', page, url };
  }
  return { kind: 'absent', provenDepth };
}

function isOf(link: string, { match, value }: OracleTarget): boolean {
  const { hostname } = new URL(link);
  return match === 'host' ? hostname === value : hostname === value || hostname.endsWith(`.${value}`);
}
