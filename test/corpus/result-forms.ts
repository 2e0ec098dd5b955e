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

const rebuilt: readonly Form[] = rows.flatMap(([name, row, isHeldOut = false]) => [
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
    name: `beside the result above, of the same site: ${name}`,
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

export const resultForms: readonly Form[] = [...rebuilt, ...changed, ...lists, ...places];
