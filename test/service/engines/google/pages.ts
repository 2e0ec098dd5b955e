// Small pages written by hand, in the structure of each year.
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import type { ReadPage } from '../../../../src/service/model/results/serp.ts';

/** Links to the engine's own parts, each with a token: only its own pages have them. */
export const marks = `<div id="gb">${[1, 2, 3].map((nth) => `<a href="/preferences?hl=en&amp;ved=0CAEQA${nth}"></a>`).join('')}</div>`;
/** The content after the last result. */
export const foot = '<div id="foot"></div>';

/** A desktop page since 2018: `rows` are in the results column, `around` is in other elements by id. */
export function desktopPage(
  rows: string,
  around: { before?: string; after?: string; aside?: string; query?: string } = {},
): string {
  const query = around.query ?? 'running shoes';
  return `<!doctype html><html><head><title>${query} - Google Search</title><style>h3{}</style><script>var a='<h3>no</h3>';</script></head><body>${marks}
<form id="searchform" role="search"><textarea name="q">${query}</textarea></form>
<div id="hdtb" role="navigation"><a href="/search?q=x&amp;tbm=isch&amp;source=lnms">Images</a><a href="/search?q=x&amp;udm=7">Videos</a><a href="/search?q=x&amp;tbs=qdr:h&amp;source=lnt">Past hour</a></div>
<div id="main"><div id="rcnt"><div id="center_col" role="main">${around.before ?? ''}<div id="search"><div id="rso">${rows}</div></div>
${around.after ?? ''}</div><div id="rhs" role="complementary">${around.aside ?? ''}</div></div></div><div id="foot"><a href="/search?q=x&amp;start=10">2</a></div></body></html>`;
}

/** A mobile page: no column next to the results, titles are headings by role. */
export function mobilePage(rows: string): string {
  return `<html><body>${marks}<input name="q" value="running shoes"><div id="main"><div id="center_col"><div id="rso">${rows}</div></div></div>${foot}</body></html>`;
}

/** A page without scripts: links go through \`/url\`. */
export function plainPage(cards: string): string {
  return `<html><head><title>running shoes - Google Search</title></head><body>${marks}<header id="hdr"><form><input name="q" value="running shoes"></form></header>
<div id="main"><div><a href="/search?q=running+shoes&amp;tbm=isch">Images</a></div>${cards}<footer><a href="/search?q=running+shoes&amp;start=10">Next</a></footer></div></body></html>`;
}

/** A desktop result: the link contains the heading, then site name and URL. */
export function result(link: string, title: string, inner = ''): string {
  return `<div class="row"><div data-hveid="A"><div data-snhf="0"><a href="${link}"><br><h3>${title}</h3><div><div><span>Site of ${title}</span><div><cite>https://shown.example<span> › ${title}</span></cite></div></div></div></a></div>${inner}</div></div>`;
}

export function mobileResult(link: string, title: string, inner = ''): string {
  return `<div data-hveid="A"><div><div><a href="${link}"><div><span>Shown</span><span> › path</span></div><div role="heading" aria-level="3"><div>${title}</div></div></a></div>${inner}</div></div>`;
}

export function read(html: string): ReadPage {
  return googleEngine.parse(html, { mobile: false });
}

export function links(html: string): string[] {
  return (read(html).serp.organic ?? []).map((each) => each.link);
}
