// One result of a recorded page in a form that its engine has not had: the list stays exact, or the page is refused.
import type { Markup, RecordedPage, RowSpan, Span } from './recorded-pages.ts';

/** A result: its place in the markup, and what it shows. */
export interface Shown {
  readonly span: RowSpan;
  readonly link: string;
  readonly title: string;
  readonly address: string;
  readonly text: string;
}

interface Form {
  readonly name: string;
  /** Seen only when the figures are taken, not while the readers are written. */
  readonly isHeldOut?: boolean;
  /** The page and its links with one result in this form; undefined where the form does not apply. */
  change(page: RecordedPage, results: readonly (Shown | undefined)[], nth: number, markup: Markup): Changed | undefined;
}

interface Changed {
  readonly html: string;
  readonly links: readonly string[];
}

/** In reading order; undefined where another heading has the title of the result, such as that of a panel. */
export function shownResults({ engine, html, mobile }: RecordedPage, markup: Markup): readonly (Shown | undefined)[] {
  const organic = engine.parse(html, { mobile }).serp.organic ?? [];
  const spans = markup.rowsOf(organic.map(({ title }) => title));
  if (spans.length !== organic.length) return [];
  return organic.map(({ link, title, description = '' }, nth) => {
    const span = spans[nth];
    if (span === undefined || !leadsTo(cut(html, span.row), link)) return undefined;
    const { host = 'unknown.example', pathname = '/' } = URL.parse(link) ?? {};
    const path = pathname.split('/').filter((part) => part !== '');
    const text = description === '' ? 'Some words that say what this page is about, and a few more.' : description;
    return { span, link, title, text, address: [`https://${host}`, ...path.slice(0, 1)].join(' › ') };
  });
}

/** Redirects hide the page to which they lead. */
function leadsTo(row: string, link: string): boolean {
  const host = URL.parse(link)?.host ?? '';
  return row.includes(host) || /\/goto\?url|\/ck\/a\?/.test(row);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The name of a site, as a person would write it. */
function nameOf(link: string): string {
  const host = URL.parse(link)?.hostname.replace(/^(?:www|m|en|mobile)\./, '') ?? '';
  const [name = ''] = host.split('.');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

interface Parts {
  readonly href: string;
  readonly title: string;
  readonly address: string;
  readonly text: string;
  readonly name: string;
}

function partsOf({ link, title, address, text }: Shown): Parts {
  return {
    href: escaped(link),
    title: escaped(title),
    address: escaped(address),
    text: escaped(text),
    name: escaped(nameOf(link)),
  };
}

/** Rows made anew of what a result shows. */
const rows: readonly (readonly [name: string, row: (parts: Parts) => string, isHeldOut?: boolean])[] = [
  [
    'the site line above the linked title',
    ({ href, title, address, text }) =>
      `<div><div>${address}</div><div><a href="${href}">${title}</a></div><div>${text}</div></div>`,
  ],
  [
    'the name of the site above the linked title',
    ({ href, title, name, text }) =>
      `<div><div>${name}</div><div><a href="${href}">${title}</a></div><div>${text}</div></div>`,
  ],
  [
    'the site line above a title that is a heading by its role',
    ({ href, title, address, name, text }) =>
      `<div><div><span>${name}</span><cite>${address}</cite></div><a href="${href}"><div role="heading" aria-level="3">${title}</div></a><div>${text}</div></div>`,
  ],
  [
    'the site line below the linked title',
    ({ href, title, address, text }) => `<div><a href="${href}">${title}</a><div>${address}</div><p>${text}</p></div>`,
  ],
  [
    'one link around all of it',
    ({ href, title, address, text }) =>
      `<a href="${href}"><div>${title}</div><div>${address}</div><div>${text}</div></a>`,
  ],
  ['no site line', ({ href, title, text }) => `<div><div><a href="${href}">${title}</a></div><div>${text}</div></div>`],
  [
    'its text above the linked title',
    ({ href, title, address, text }) =>
      `<div><div>${text}</div><div><a href="${href}">${title}</a></div><div>${address}</div></div>`,
  ],
  [
    'one link around all of it, the site line first',
    ({ href, title, address, text }) =>
      `<a href="${href}"><div>${address}</div><div>${title}</div><div>${text}</div></a>`,
    true,
  ],
  [
    'name and site line above in one line with the date',
    ({ href, title, address, name, text }) =>
      `<article><header><b>${name}</b> · <span>${address}</span> · 3 days ago</header><section><a href="${href}"><span>${title}</span></a></section><section><span>${text}</span></section></article>`,
    true,
  ],
  [
    'a picture that leads to the page before the site line',
    ({ href, title, address, text }) =>
      `<div><a href="${href}"><img src="/x.png" alt=""></a><div>${address}</div><a href="${href}">${title}</a><p>${text}</p></div>`,
    true,
  ],
  [
    'the rows of a table',
    ({ href, title, address, text }) =>
      `<table><tr><td>${address}</td></tr><tr><td><a href="${href}">${title}</a></td></tr><tr><td>${text}</td></tr></table>`,
    true,
  ],
  [
    'a plain title, and a link behind its text',
    ({ href, title, address, text }) =>
      `<div><h3>${title}</h3><div>${address}</div><p>${text}</p><a href="${href}">${title}</a></div>`,
    true,
  ],
  [
    'unknown elements',
    ({ href, title, address, text }) =>
      `<s-result><s-site>${address}</s-site><s-title><a href="${href}">${title}</a></s-title><s-text>${text}</s-text></s-result>`,
    true,
  ],
  [
    'an empty link over all of it',
    ({ href, title, address, text }) =>
      `<div><a href="${href}" aria-label="${title}"></a><div>${title}</div><div>${address}</div><div>${text}</div></div>`,
    true,
  ],
  [
    'the site line above, and no text',
    ({ href, title, address }) => `<div><div>${address}</div><a href="${href}"><b>${title}</b></a></div>`,
    true,
  ],
];

/**
 * Rows as engines have changed them between years. 108 of 1,881 such pages were silently wrong at first. Two rules now
 * cover the translation and the summary.
 */
const redesigns: typeof rows = [
  [
    'a title that is a heading by its role, above its icon, site line and menu',
    ({ href, title, address, name, text }) =>
      `<div><div><span><a jsname="x1" ping="/url?x=1" href="${href}"><div role="heading" aria-level="3">${title}</div><div><img src="/i.png" alt=""><span>${name}</span><cite>${address}</cite></div></a></span><div role="button" aria-label="About this result">⋮</div></div><div><div>${text}</div></div></div>`,
  ],
  [
    'its icon, site line and menu above a plain title',
    ({ href, title, address, name, text }) =>
      `<div><div><img src="/i.png" alt=""><div><div>${name}</div><div>${address}</div></div><div role="button" aria-label="About this result">⋮</div></div><a href="${href}"><span>${title}</span></a><div><span>${text}</span></div></div>`,
  ],
  [
    'a date before a text in two blocks',
    ({ href, title, address, text }) =>
      `<div><div><a href="${href}"><span>${title}</span></a></div><div>${address}</div><div><span>12 Mar 2024 — </span>${text.slice(0, text.length / 2)}</div><div>${text.slice(text.length / 2)}</div></div>`,
  ],
  [
    'sitelinks in a row that scrolls',
    ({ href, title, address, text }) =>
      `<div><div><a href="${href}">${title}</a></div><div>${address}</div><div>${text}</div><g-scrolling-carousel><div><a href="${href}#a">Prices</a><a href="${href}#b">Contact</a><a href="${href}#c">About us</a></div></g-scrolling-carousel></div>`,
  ],
  [
    'a picture at the left of a heading and a text',
    ({ href, title, address, text }) =>
      `<div><div><a href="${href}"><img src="/x.png" alt=""></a></div><div><a href="${href}"><h4>${title}</h4></a><div>${address}</div><div>${text}</div></div></div>`,
  ],
  [
    'a link to its translation beside its title',
    ({ href, title, address, text }) =>
      `<div><div><a href="${href}">${title}</a> <a href="https://translate.google.com/translate?hl=en&amp;u=${href}">Translate this page</a></div><div>${address}</div><div>${text}</div></div>`,
  ],
  [
    'a summary with sources below its text',
    ({ href, title, address, text }) =>
      `<div><div><a href="${href}">${title}</a></div><div>${address}</div><div>${text}</div><div><button>Summary</button><p>A machine wrote this summary of three pages about it. <a href="https://source.example/a">Source</a> <a href="https://another.example/b">Another</a></p></div></div>`,
  ],
  [
    'an article with a heading of the second level',
    ({ href, title, address, name, text }) =>
      `<article><header><img src="/i.png" alt=""><span>${name}</span><cite>${address}</cite></header><h2><a href="${href}">${title}</a></h2><p>${text}</p><footer><a href="${href}#more">Only from this site</a></footer></article>`,
  ],
  [
    'custom elements with a link around its title',
    ({ href, title, address, name, text }) =>
      `<g-result><a href="${href}" ping="/url?x=1" jsname="x1"><result-heading>${title}</result-heading></a><result-meta>${name} <cite>${address}</cite></result-meta><result-text>${text}</result-text></g-result>`,
  ],
  [
    'a list of terms',
    ({ href, title, address, text }) =>
      `<dl><dt><a href="${href}">${title}</a></dt><dd>${address}</dd><dd>${text}</dd></dl>`,
  ],
  [
    'a text above its title, and facts below it',
    ({ href, title, address, name, text }) =>
      `<div><p>${text}</p><div><a href="${href}"><strong>${title}</strong></a></div><div>${name} | ${address}</div><ul><li>Rating: 4.5</li><li>12 votes</li></ul></div>`,
  ],
];

/**
 * Rows in forms of no engine. Before rows that lead to one site were read by what they show, 27 % of 420 pages with
 * such a row were silently wrong.
 */
const unknownRows: typeof rows = [
  [
    'a card that names its site and shows no address',
    ({ href, title, text, name }) =>
      `<a href="${href}"><img src="/x.png" alt=""><div>${name}</div><div>${title}</div><div>${text}</div></a>`,
  ],
  [
    'its address, its text and its title in one block',
    ({ href, title, address, text }) =>
      `<div><a href="${href}">${address}</a><p>${text}</p><a href="${href}">${title}</a></div>`,
  ],
  [
    'one paragraph',
    ({ href, title, address, text }) => `<p><a href="${href}">${title}</a> – ${text} <cite>${address}</cite></p>`,
  ],
  [
    'lines parted by breaks',
    ({ href, title, address, text }) =>
      `<div><a href="${href}">${title}</a><br>${text}<br><span>${address}</span></div>`,
  ],
  [
    'a form',
    ({ href, title, address, text }) =>
      `<form action="/x"><a href="${href}"><b>${title}</b></a><div>${text}</div><div>${address}</div></form>`,
  ],
  [
    'a plain title and a linked address',
    ({ href, title, address, text }) =>
      `<div><div>${title}</div><div>${text}</div><a href="${href}">${address}</a></div>`,
  ],
  [
    'a menu before its title',
    ({ href, title, text, name }) =>
      `<div><div><span>${name}</span><div role="menu"><a href="/search?q=x">Hide</a></div></div><a href="${href}"><div><span role="heading">${title}</span></div></a><div>${text}</div></div>`,
  ],
  [
    'a quotation mark before its text',
    ({ href, title, text, name }) =>
      `<div><img src="/i.png" alt=""><span>${name}</span> <a href="${href}">${title}</a><span>“${text}”</span></div>`,
  ],
  [
    'a complement',
    ({ href, title, address, text }) =>
      `<div role="complementary"><a href="${href}"><b>${title}</b></a><div>${address}</div><div>${text}</div></div>`,
  ],
  [
    'its title in web components',
    ({ href, title, address, text }) =>
      `<r-card><a slot="t" href="${href}">${title}</a><span slot="h">${address}</span><span slot="s">${text}</span></r-card>`,
  ],
];

const attributeText = `=(?:"[^"]*"|'[^']*'|[^\\s>"']+)`;
const retagged =
  (opening: string, closing: string) =>
  (row: string, heading: string): string =>
    row.replace(heading, () => opening + heading.replace(/^<[^>]*>/, '').replace(/<\/[^>]*>$/, '') + closing);
const without =
  (names: string) =>
  (row: string): string =>
    row.replace(new RegExp(`\\s(?:${names})${attributeText}`, 'g'), '');
const wrapped =
  (opening: string, closing: string) =>
  (row: string): string =>
    opening + row + closing;
/** Texts with a path or a host, in and below the heading's link. */
const shownAddress = />[^<>]*(?:›|https?:\/\/|\w\.(?:com|org|net|edu|gov|co)\b)[^<>]*</g;
const noCite = (row: string): string => row.replace(/<(\/?)cite(?=[\s>])/g, '<$1div');

/** The row of the page with a part of it changed. */
const changes: readonly (readonly [name: string, (row: string, heading: string) => string, isHeldOut?: boolean])[] = [
  ['a heading by its role', retagged('<div role="heading" aria-level="3">', '</div>')],
  ['a heading by its role, of the second level', retagged('<div role="heading" aria-level="2">', '</div>'), true],
  ['a plain block as heading', retagged('<div>', '</div>')],
  ['an h4', retagged('<h4>', '</h4>'), true],
  ['other class names', (row) => row.replace(/\sclass="[^"]*"/g, ' class="q9x"')],
  ['no names', without('class|id|role|js[a-z]+|data-[\\w-]+|aria-[\\w-]+'), true],
  ['no cite', noCite],
  [
    'no address',
    (row, heading) =>
      noCite(row)
        .split(heading)
        .map((part) => part.replace(shownAddress, '><'))
        .join(heading),
    true,
  ],
  ['another block around it', wrapped('<div><div class="n1"><div>', '</div></div></div>')],
  ['a list around it', wrapped('<ul><li>', '</li></ul>'), true],
  ['a card around it', wrapped('<g-card>', '</g-card>')],
  ['an item of a list around it', wrapped('<div role="listitem">', '</div>'), true],
  ['an article around it', wrapped('<article>', '</article>'), true],
  [
    'a plain heading and no names',
    (row, heading) => without('class|data-[\\w-]+')(retagged('<b>', '</b>')(row, heading)),
  ],
  [
    'a section around it, no cite, a span as heading',
    (row, heading) => `<section>${noCite(retagged('<span>', '</span>')(row, heading))}</section>`,
    true,
  ],
];

const cut = (html: string, { start, end }: Span): string => html.slice(start, end);
const replaced = (html: string, { start, end }: Span, text: string): string =>
  html.slice(0, start) + text + html.slice(end);

/** The start tag of a row: items of a list stay items. */
function frame(row: string): readonly [opening: string, closing: string] {
  const [, tag = 'div'] = /^<([a-z][\w-]*)/i.exec(row) ?? [];
  return /^(?:li|tr)$/i.test(tag) ? ['<li class="n1">', '</li>'] : ['', ''];
}

const isTableRow = (row: string): boolean => /^<(?:tr|td|tbody)\b/i.test(row);

const besideOwn = (name: string): string => `beside the result above, of the same site: ${name}`;

/**
 * A row of no known form in the block of a result of its site reads like a link below this result: nothing parts them.
 */
export const lostForms: ReadonlySet<string> = new Set(unknownRows.map(([name]) => besideOwn(name)));

const rebuilt: readonly Form[] = [...rows, ...redesigns, ...unknownRows].flatMap(([name, row, isHeldOut = false]) => [
  {
    name,
    isHeldOut,
    change({ html, links }, results, nth) {
      const result = results[nth];
      if (result === undefined || isTableRow(cut(html, result.span.row))) return undefined;
      const [opening, closing] = frame(cut(html, result.span.row));
      return { html: replaced(html, result.span.row, opening + row(partsOf(result)) + closing), links };
    },
  },
  {
    name: besideOwn(name),
    isHeldOut,
    change: ({ html, links }, results, nth) => {
      const [above, result] = [results[nth - 1], results[nth]];
      if (result === undefined || above === undefined || isTableRow(cut(html, result.span.row))) return undefined;
      const link = sameSite(above.link);
      const changed = partsOf({ ...result, link, address: link.replace(/\/(?=[^/])/, ' › ') });
      const at = above.span.row.end;
      const before = cut(html, above.span.row);
      const [opening, closing] = frame(before);
      const both =
        opening === '' ? `<div>${before}<div>${row(changed)}</div></div>` : before + opening + row(changed) + closing;
      if (result.span.row.start < at) return undefined;
      const text = both + html.slice(at, result.span.row.start);
      return {
        html: html.slice(0, above.span.row.start) + text + html.slice(result.span.row.end),
        links: links.with(nth, link),
      };
    },
  },
]);

function sameSite(link: string): string {
  const { origin = 'https://unknown.example' } = URL.parse(link) ?? {};
  return `${origin}/another-page-of-it`;
}

const changed: readonly Form[] = changes.map(([name, change, isHeldOut = false]) => ({
  name,
  isHeldOut,
  change({ html, links }, results, nth) {
    const result = results[nth];
    if (result === undefined) return undefined;
    const row = cut(html, result.span.row);
    if (isTableRow(row)) return undefined;
    const after = change(row, cut(html, result.span.heading));
    return after === row ? undefined : { html: replaced(html, result.span.row, after), links };
  },
}));

/** Inside the block of the result above, at its end. */
const indented = (name: string, form: (parts: Parts) => string, isHeldOut = false): Form => ({
  name: `indented below the result above, ${name}`,
  isHeldOut,
  change({ html, links }, results, nth) {
    const [above, result] = [results[nth - 1], results[nth]];
    if (above === undefined || result === undefined || isTableRow(cut(html, above.span.row))) return undefined;
    const end = above.span.row.start + cut(html, above.span.row).lastIndexOf('</');
    if (result.span.row.start < above.span.row.end) return undefined;
    const link = sameSite(above.link);
    const parts = partsOf({ ...result, link, address: link.replace(/\/(?=[^/])/, ' › ') });
    const text = html.slice(0, end) + form(parts) + html.slice(end, result.span.row.start);
    return { html: text + html.slice(result.span.row.end), links: links.with(nth, link) };
  },
});

const lists: readonly Form[] = [
  indented(
    'in a list, without a site line',
    ({ href, title, text }) => `<ul><li><div><a href="${href}"><h3>${title}</h3></a><div>${text}</div></div></li></ul>`,
  ),
  indented(
    'in a list, with a site line',
    ({ href, title, address, text }) =>
      `<ul><li><div><a href="${href}"><h3>${title}</h3><cite>${address}</cite></a><div>${text}</div></div></li></ul>`,
  ),
  indented(
    'without a list or a heading',
    ({ href, title, text }) => `<div><div><a href="${href}">${title}</a></div><div>${text}</div></div>`,
    true,
  ),
  indented(
    'in a table, the site line above',
    ({ href, title, address, text }) =>
      `<table><tr><td><div>${address}</div><a href="${href}"><h3>${title}</h3></a><div>${text}</div></td></tr></table>`,
    true,
  ),
  indented(
    'in a list, a heading by its role',
    ({ href, title, text }) =>
      `<ol><li><a href="${href}"><div role="heading" aria-level="3">${title}</div></a><div>${text}</div></li></ol>`,
    true,
  ),
];

const places: readonly Form[] = [
  {
    name: 'one level further out',
    change({ html, links }, results, nth, markup) {
      const result = results[nth];
      const around = result && markup.around(result.span.row);
      if (result === undefined || around === undefined || isTableRow(cut(html, result.span.row))) return undefined;
      const [opening = '<div>'] = /^<[^>]*>/.exec(cut(html, around)) ?? [];
      const [, tag = 'div'] = /^<([a-z][\w-]*)/i.exec(opening) ?? [];
      const again = opening.replace(/\sid=(?:"[^"]*"|'[^']*'|[^\s>]+)/, '');
      return { html: replaced(html, result.span.row, `</${tag}>${cut(html, result.span.row)}${again}`), links };
    },
  },
  {
    name: 'behind its list',
    change({ html, links }, results, nth, markup) {
      const result = results[nth];
      const list = result && nth === results.length - 1 ? markup.listAround(result.span.row) : undefined;
      if (result === undefined || list === undefined || isTableRow(cut(html, result.span.row))) return undefined;
      const row = cut(html, result.span.row);
      const end = html.slice(list.end);
      return {
        html: html.slice(0, result.span.row.start) + html.slice(result.span.row.end, list.end) + row + end,
        links,
      };
    },
  },
  {
    name: 'before its list',
    isHeldOut: true,
    change({ html, links }, results, nth, markup) {
      const result = results[nth];
      const list = result && nth === 0 ? markup.listAround(result.span.row) : undefined;
      if (result === undefined || list === undefined || isTableRow(cut(html, result.span.row))) return undefined;
      const row = cut(html, result.span.row);
      const before = html.slice(0, list.start) + row + html.slice(list.start, result.span.row.start);
      return { html: before + html.slice(result.span.row.end), links };
    },
  },
  {
    name: 'in one block with the result above',
    change({ html, links }, results, nth) {
      const [above, result] = [results[nth - 1], results[nth]];
      if (above === undefined || result === undefined || result.span.row.start < above.span.row.end) return undefined;
      const [one, other] = [cut(html, above.span.row), cut(html, result.span.row)];
      if (isTableRow(one) || /^<li/i.test(one)) return undefined;
      const between = html.slice(above.span.row.end, result.span.row.start);
      const joined = `${html.slice(0, above.span.row.start)}<div>${one}${other}</div>${between}`;
      return { html: joined + html.slice(result.span.row.end), links };
    },
  },
];

/** Parts of a page that usually hold no results. */
const regionTags: readonly (readonly [name: string, opening: string])[] = [
  ['a form', '<form action="/x">'],
  ['a nav', '<nav>'],
  ['a header', '<header>'],
  ['a footer', '<footer>'],
  ['an aside', '<aside>'],
  ['a complement', '<div role="complementary">'],
  ['a navigation', '<div role="navigation">'],
  ['a banner', '<div role="banner">'],
  ['a figure', '<figure>'],
  ['a set of fields', '<fieldset>'],
  ['a search', '<search>'],
];
const regions: readonly Form[] = regionTags.flatMap(([name, opening]) => {
  const closing = `</${/\w+/.exec(opening)?.[0] ?? 'div'}>`;
  return [
    {
      name: `in ${name}`,
      change: ({ html, links }, results, nth) => {
        const span = results[nth]?.span.row;
        if (span === undefined || isTableRow(cut(html, span))) return undefined;
        const [, item = '', row = '', end = ''] = /^(<li\b[^>]*>)?(.*?)(<\/li\s*>)?$/is.exec(cut(html, span)) ?? [];
        return { html: replaced(html, span, item + opening + row + closing + end), links };
      },
    },
    {
      name: `in ${name}, with all others`,
      change({ html, links }, results, nth, markup) {
        const result = nth === 0 ? results[0] : undefined;
        const list = result && markup.listAround(result.span.row);
        return list && { html: replaced(html, list, opening + cut(html, list) + closing), links };
      },
    },
    {
      name: `in ${name}, from here to the end`,
      change({ html, links }, results, nth) {
        const [from, to] = [results[nth]?.span.row, results.at(-1)?.span.row];
        if (from === undefined || to === undefined || from.start >= to.start) return undefined;
        const text = cut(html, { start: from.start, end: to.end });
        if (/<\/(?:ol|body)\b/.test(text) || /^<(?:li|tr|td|tbody)\b/i.test(text)) return undefined;
        return { html: replaced(html, { start: from.start, end: to.end }, opening + text + closing), links };
      },
    },
  ] satisfies Form[];
});

export const resultForms: readonly Form[] = [...rebuilt, ...changed, ...lists, ...places, ...regions];
