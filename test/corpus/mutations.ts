// Changes to recorded pages: layouts that may change any day, and false content.
import { withDoubts } from '../../src/service/index.ts';
import { madeAt } from '../helpers/page-clock.ts';
import { seeded } from '../helpers/seeded.ts';
import { linksOf, type Markup, type RecordedPage, type RowSpan, type Span } from './recorded-pages.ts';

/** The result of a changed page; `believed` means that false content was read. */
export type Verdict = 'right' | 'refused' | 'wrong' | 'believed';

export interface Mutation {
  readonly name: string;
  /** The verdicts on this page; none if the change does not apply to it. */
  judge(page: RecordedPage, markup: Markup): readonly Verdict[];
}

type Random = () => number;

const attributeText = `=(?:"[^"]*"|'[^']*'|[^\\s>"']+)`;

/** Other names for the values of an attribute, the same one for the same value. */
function renamed(html: string, attribute: string): string {
  const random = seeded(20);
  const names = new Map<string, string>();
  const nameOf = (value: string): string => {
    const name = names.get(value) ?? `x${Math.floor(random() * 2 ** 32).toString(36)}`;
    names.set(value, name);
    return name;
  };
  return html.replace(
    new RegExp(`(\\s${attribute}=)("[^"]*"|'[^']*'|[^\\s>"']+)`, 'g'),
    (_, start: string, raw: string) => {
      const values = raw.replace(/^["']|["']$/g, '').split(/\s+/);
      return `${start}"${values.map((value) => (value === '' ? '' : nameOf(value))).join(' ')}"`;
    },
  );
}

function shuffled(html: string, random: Random): string {
  const attribute = `\\s+[\\w:-]+(?:${attributeText})?`;
  return html.replace(
    new RegExp(`<([a-z][\\w-]*)((?:${attribute}){2,})(\\s*/?)>`, 'g'),
    (_, tag, list: string, end) => {
      const attributes = list.match(new RegExp(attribute, 'g')) ?? [];
      const order = attributes.map((each) => ({ each, key: random() })).sort((one, other) => one.key - other.key);
      return `<${tag}${order.map(({ each }) => each).join('')}${end}>`;
    },
  );
}

/** The page with a possible future layout. */
const looks: Readonly<Record<string, (html: string) => string>> = {
  'other class names': (html) => renamed(html, 'class'),
  'other ids': (html) => renamed(html, 'id'),
  'other names for scripts': (html) => renamed(html, 'jsname'),
  'no attributes of scripts': (html) =>
    html.replace(new RegExp(`\\s(?:js[a-z]+|ping|data-ved)${attributeText}`, 'g'), ''),
  'no roles': (html) => html.replace(new RegExp(`\\srole${attributeText}`, 'g'), ''),
  'attributes in another order': (html) => shuffled(html, seeded(21)),
  'tags in capitals': (html) =>
    html.replace(/<(\/?)([a-z][a-z0-9-]*)(?=[\s>])/g, (_, slash, tag: string) => `<${slash}${tag.toUpperCase()}`),
  'comments between blocks': (html) => html.replaceAll('</div>', '</div><!-- x -->'),
  'headings in blocks of their own': (html) =>
    html.replace(/<h([23])(?=[\s>])/g, '<div><h$1').replace(/<\/h([23])>/g, '</h$1></div>'),
  'another language': (html) =>
    html.replace(/(<h[12][^>]*>)([^<]+)</g, (_, tag: string, text: string) => `${tag}${text.replace(/\p{L}/gu, 'ж')}<`),
  'no headings': (html) => html.replace(/<(\/?)h[1-6](?=[\s>])/g, '<$1div'),
};

/** The forms that a heading may take, as the tag that opens it. */
const headingForms = {
  'a block that is a heading by its role': ['<div role="heading" aria-level="3">', '</div>'],
  'an h2': ['<h2>', '</h2>'],
  'an h4': ['<h4>', '</h4>'],
  'a span': ['<span>', '</span>'],
  'a plain block': ['<div>', '</div>'],
} as const;

function withHeading(html: string, { start, end }: Span, [opening, closing]: readonly [string, string]): string {
  const whole = html.slice(start, end);
  const inner = whole.replace(/^<[^>]*>/, '').replace(/<\/[^>]*>$/, '');
  return html.slice(0, start) + opening + inner + closing + html.slice(end);
}

function sameOrRefused(page: RecordedPage, html: string): Verdict {
  const after = linksOf(page.engine, html, { mobile: page.mobile });
  if (typeof after === 'string') return 'refused';
  // "Nothing found" instead of results is the worst error: every target would lose its rank.
  if (after.length === 0 && page.links.length > 0) return 'believed';
  return after.join('\n') === page.links.join('\n') ? 'right' : 'wrong';
}

const changedLooks: readonly Mutation[] = Object.entries(looks).map(([name, change]) => ({
  name,
  judge: (page) => [sameOrRefused(page, change(page.html))],
}));

/** One result, then each of them, in a form that its engine has not had. */
const changedHeadings: readonly Mutation[] = Object.entries(headingForms).map(([name, form]) => ({
  name: `one result is named by ${name}`,
  judge(page, markup) {
    const spans = markup.headingsOf(titlesOf(page));
    const picked = new Set([0, Math.floor(spans.length / 2), spans.length - 1]);
    return spans
      .filter((_, nth) => picked.has(nth))
      .map((span) => sameOrRefused(page, withHeading(page.html, span, form)));
  },
}));

function titlesOf({ engine, html, mobile }: RecordedPage): readonly string[] {
  return (engine.parse(html, { mobile }).serp.organic ?? []).map(({ title }) => title);
}

const anchorTag = new RegExp(`<a(?=\\s)((?:\\s+[\\w:-]+(?:${attributeText})?)*)\\s*/?>|</a\\s*>`, 'gi');
const addressText = new RegExp(`\\shref${attributeText}`, 'i');
/** URLs outside the engine, and its redirects to them. */
const outwardText = /\shref=["']?(?:https?:|\/\/|\/url\?|\/l\/\?)/i;

/** Changes the start tags of links by `change`; a result without `<a` makes the end tag a `span` too. */
function withLinks(html: string, isChosen: (attributes: string) => boolean, change: (tag: string) => string): string {
  let isSpan = false;
  return html.replace(anchorTag, (tag: string, attributes: string | undefined) => {
    if (tag.startsWith('</')) return isSpan ? '</span>' : tag;
    const changed = isChosen(attributes ?? '') ? change(tag) : tag;
    isSpan = !/^<a/i.test(changed);
    return changed;
  });
}

const isOutward = (attributes: string): boolean => outwardText.test(attributes);
const isAny = (): boolean => true;
const withoutAddress = (tag: string): string => tag.replace(addressText, '');
const asSpan = (tag: string): string => withoutAddress(tag).replace(/^<a/i, '<span');

/** Results that remain visible without a link. */
const lostLinks: Readonly<Record<string, (html: string) => string>> = {
  'links of results lose their addresses': (html) => withLinks(html, isOutward, withoutAddress),
  'links of results lead to scripts': (html) =>
    withLinks(html, isOutward, (tag) => tag.replace(addressText, ' href="javascript:void(0)"')),
  'links of results become spans': (html) => withLinks(html, isOutward, asSpan),
  'all links lose their addresses': (html) => withLinks(html, isAny, withoutAddress),
  'all links become spans': (html) => withLinks(html, isAny, asSpan),
};

const changedLinks: readonly Mutation[] = Object.entries(lostLinks).flatMap(([name, change]) =>
  (['', 'other class names', 'no headings', 'no roles'] as const).map((look) => ({
    name: look === '' ? name : `${name}, ${look}`,
    judge: (page: RecordedPage) => [sameOrRefused(page, (looks[look] ?? ((html) => html))(change(page.html)))],
  })),
);

type Change = (row: string, heading: string) => string;

const retagged =
  (opening: string, closing: string): Change =>
  (row, heading) =>
    row.replace(heading, () => opening + heading.replace(/^<[^>]*>/, '').replace(/<\/[^>]*>$/, '') + closing);
const without =
  (names: string): Change =>
  (row) =>
    row.replace(new RegExp(`\\s(?:${names})${attributeText}`, 'g'), '');
const wrapped =
  (opening: string, closing: string): Change =>
  (row) =>
    opening + row + closing;
const noCite: Change = (row) => row.replace(/<(\/?)cite(?=[\s>])/g, '<$1div');
/** Texts with a path or a host, in and below the heading's link. */
const shownAddress = />[^<>]*(?:›|https?:\/\/|\w\.(?:com|org|net|edu|gov|co)\b)[^<>]*</g;

/** What may change of a result: its heading, its names, its address, the elements around it. */
const changesOfResults: readonly (readonly Change[])[] = [
  [
    ...Object.values(headingForms).map(([opening, closing]) => retagged(opening, closing)),
    retagged('<strong>', '</strong>'),
    retagged('<g-title>', '</g-title>'),
    retagged('', ''),
  ],
  [
    without('class|js[a-z]+'),
    without('class|id|role|js[a-z]+|data-[\\w-]+|aria-[\\w-]+'),
    (row) => row.replace(/\sclass="[^"]*"/g, ' class="q9x"'),
  ],
  [
    noCite,
    (row, heading) =>
      noCite(row, heading)
        .split(heading)
        .map((part) => part.replace(shownAddress, '><'))
        .join(heading),
  ],
  [
    wrapped('<section>', '</section>'),
    wrapped('<div><div class="n1"><div>', '</div></div></div>'),
    wrapped('<ul><li>', '</li></ul>'),
    wrapped('<g-card>', '</g-card>'),
    wrapped('<div role="listitem">', '</div>'),
    wrapped('<article>', '</article>'),
  ],
];

/** Forms of each result that are tried, and results of a page that get them. */
const formsMax = 4;
const resultsMax = 12;

function inNewForm({ html }: RecordedPage, { row, heading }: RowSpan, random: Random): string {
  const title = html.slice(heading.start, heading.end);
  // The heading changes last: the other changes look for it.
  const changes = changesOfResults.toReversed().flatMap((forms) => {
    const change = forms[Math.floor(random() * forms.length)];
    return random() < 0.45 || change === undefined ? [] : [change];
  });
  const changed = changes.reduce((text, change) => change(text, title), html.slice(row.start, row.end));
  return html.slice(0, row.start) + changed + html.slice(row.end);
}

const newForms: Mutation = {
  name: 'one result has another heading, names, address and place at once',
  judge(page, markup) {
    const random = seeded(22 + page.html.length);
    return markup
      .rowsOf(titlesOf(page))
      .slice(0, resultsMax)
      .flatMap((span) => Array.from({ length: formsMax }, () => sameOrRefused(page, inNewForm(page, span, random))));
  },
};

const unlikeBlock: Mutation = {
  name: 'a block of headed links without addresses',
  judge(page, markup) {
    const tag = page.engine.name === 'google' ? 'h3' : 'h2';
    const links = ['one', 'two', 'three'].map(
      (name) => `<div><a href="https://${name}.example/page"><${tag}>Page ${name}</${tag}></a></div>`,
    );
    return markup.rowsOf(titlesOf(page)).flatMap(({ row }) =>
      ['', '<div>Guides</div>'].map((title) => {
        const block = `<div>${title}${links.join('')}</div>`;
        return sameOrRefused(page, page.html.slice(0, row.start) + block + page.html.slice(row.start));
      }),
    );
  },
};

/** The page with one result's link changed: the link in the result's heading, else the link around the heading. */
function withoutOne(html: string, { start, end }: Span): string {
  const within = html.slice(start, end).search(/<a(?=\s)/i);
  const at = within < 0 ? html.slice(0, start).search(/<a(?=\s)(?!.*<a\s)/is) : start + within;
  return at < 0 ? html : html.slice(0, at) + html.slice(at).replace(/^<a[^>]*>/i, withoutAddress);
}

/** The first result, one in the middle and the last one, each alone: the results below it must not move up. */
const lostLink: Mutation = {
  name: 'one result loses its address',
  judge(page, markup) {
    const spans = markup.headingsOf(titlesOf(page));
    const picked = new Set([0, Math.floor(spans.length / 2), spans.length - 1]);
    return spans.filter((_, nth) => picked.has(nth)).map((span) => sameOrRefused(page, withoutOne(page.html, span)));
  },
};

const cutPages: readonly Mutation[] = [
  {
    name: 'saved without the end tags of html and body',
    judge: (page) => [sameOrRefused(page, page.html.replace(/<\/(?:html|body)\s*>/gi, ''))],
  },
  {
    name: 'cut off after a share of its markup',
    judge: (page) =>
      [0.1, 0.3, 0.5, 0.7, 0.9].map((share) =>
        sameOrRefused(page, page.html.slice(0, Math.floor(page.html.length * share))),
      ),
  },
  {
    name: 'cut off, its tags closed, after a share of its markup',
    judge: (page, markup) =>
      [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map((share) =>
        sameOrRefused(page, markup.cutAt(Math.floor(page.html.length * share))),
      ),
  },
  {
    name: 'cut off, its tags closed, after a result',
    judge: (page, markup) =>
      markup
        .headingsOf(titlesOf(page))
        .slice(0, -1)
        .map(({ end }) => sameOrRefused(page, markup.cutAt(end + 1))),
  },
];

const hour = 60 * 60_000;
const requestedAt = Date.UTC(2026, 6, 16, 22, 42);

/** A page that may not be read at all. */
function believedOrRefused(page: RecordedPage, html: string, at?: number): Verdict {
  const read = linksOf(page.engine, html, { mobile: page.mobile, ...(at !== undefined && { requestedAt: at }) });
  return typeof read === 'string' ? 'refused' : 'believed';
}

/** The engine has a timestamp, and this page shows it. */
function hasClock({ engine, html }: RecordedPage): boolean {
  return engine.name === 'google' && madeAt(html, requestedAt) !== html;
}

const stalePages: readonly Mutation[] = [
  ['made two hours before its request', -2 * hour],
  ['made two hours after its request', 2 * hour],
  ['made years before its request', -1000 * 24 * hour],
].map(([name, off]) => ({
  name: String(name),
  judge: (page: RecordedPage) =>
    hasClock(page) ? [believedOrRefused(page, madeAt(page.html, requestedAt + Number(off)), requestedAt)] : [],
}));

/** Fresh pages must be read, or refused stale ones would prove nothing. */
const freshPage: Mutation = {
  name: 'made at its request',
  judge(page) {
    if (!hasClock(page)) return [];
    const after = linksOf(page.engine, madeAt(page.html, requestedAt), { mobile: page.mobile, requestedAt });
    return [typeof after !== 'string' && after.join() === page.links.join() ? 'right' : 'wrong'];
  },
};

/** The page as another site may show it: the same structure and results, without the engine's marks. */
function withoutMarks(html: string): string {
  return html
    .replace(/kEI/g, 'id')
    .replace(/([?&;])(?:ved|ei|sa|usg)=[^&"']*/g, '$1x=1')
    .replace(/\b_G\b|\bIG:|\bvqd\b|\buddg\b/g, 'x')
    .replace(/\sh="ID=[^"]*"/g, '')
    .replace(/action="\/(?:html|lite)\/|\/t\/s[lr]_|react-layout/g, 'x')
    .replace(/([?&;])FORM=[^&"']*/gi, '$1x=1')
    .replace(/bing\.(?:com|net)|duckduckgo\.com/gi, 'site.example');
}

const foreignPages: readonly Mutation[] = [
  {
    name: 'of another site, in the form of this engine',
    judge: (page) => [believedOrRefused(page, withoutMarks(page.html))],
  },
];

/** No recorded page has a word like these. */
const otherWords = 'xylophonbau kolibri';

const decoyPages: readonly Mutation[] = [
  {
    name: 'results of another query under this one',
    judge(page) {
      if (page.links.length === 0) return [];
      const { doubts = [] } = withDoubts(page.engine.parse(page.html, { mobile: page.mobile }), otherWords);
      // Decided by chance words: a share of these may pass.
      return [doubts.includes('decoy_page') ? 'refused' : 'wrong'];
    },
  },
  {
    name: 'a page of another query',
    judge: ({ engine, html, mobile }) => [
      typeof linksOf(engine, html, { mobile, keyword: otherWords }) === 'string' ? 'refused' : 'believed',
    ],
  },
];

export const mutations: readonly Mutation[] = [
  ...changedLooks,
  ...changedHeadings,
  ...changedLinks,
  lostLink,
  newForms,
  unlikeBlock,
  ...cutPages,
  freshPage,
  ...stalePages,
  ...foreignPages,
  ...decoyPages,
];
