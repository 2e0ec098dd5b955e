// A results page of the invented world: what it shows, how often and where, what an engine reads of it, and its HTML.

import { withoutEmpty } from '../../engines/page/assemble.ts';
import type { PageBody } from '../../model/errors.ts';
import { parseLocation, type SearchLocation } from '../../model/results/location.ts';
import {
  type Extension,
  type OrganicResult,
  type PageFeature,
  type PeopleAlsoAsk,
  type ReadPage,
  type SerpPage,
  serpPageSchema,
} from '../../model/results/serp.ts';
import { dayMs } from '../../model/time/clock.ts';
import { type PlantedFeature, plantedFeatures } from './options.ts';
import { type Choices, choose, dateText, fill, phrase, phrases, titleCase } from './phrases.ts';
import { listPlaces, localPack } from './places.ts';
import { below, derive, hashText, noise, unit } from './random.ts';
import { buildUrl, code, queryText, type Result, toSlug } from './sites.ts';
import type { Ranking } from './world.ts';

const engine = 'https://www.google.com';

/** HTML that is safe to insert. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
type Value = string | number | Markup | readonly Markup[] | undefined;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A template of HTML: texts and attributes in double quotes are escaped, undefined is nothing. */
function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, i) => part + shown(values[i])).join(''));
}

function shown(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  if (typeof value === 'object') return value.map(shown).join('');
  return String(value).replace(/[&<>"]/gu, (character) => escapes[character] ?? character);
}

/** A page's inputs, and its organic results. */
interface Stage {
  readonly ranking: Ranking;
  readonly number: number;
  readonly where: SearchLocation | undefined;
  readonly mobile: boolean;
  /** The keyword as it reads in titles. */
  readonly title: string;
  readonly year: number;
  readonly results: readonly Unranked[];
  /** A key for a part of the search, and for one of several. */
  part(at: number, index?: number): number;
  say(choices: Choices, key: number): string;
}

type Unranked = Omit<OrganicResult, 'rank'>;

/** A part of a page: what an engine reads of it, and its HTML, which is drawn for few pages. */
interface Part {
  /** Its fields of the root object. */
  readonly serp?: SerpPage;
  readonly links: readonly (string | undefined)[];
  /** How many of its elements count in the ranks over all elements of the page. Default: none. */
  readonly ranked?: number;
  draw(): Markup;
}

interface Scene {
  /** Share of searches that have it at a given time, on desktop and mobile. */
  readonly shares: readonly [number, number];
  /** `above`: how many ranked elements stand above it. */
  compose(stage: Stage, above: number): Part;
}

type SceneName = Exclude<PlantedFeature, 'paid'> | 'top_ads' | 'bottom_ads';

/** Rows of videos and posts come from the few platforms that real pages show; which distinguishes them from stories. */
const platforms = [
  ['Reddit', 'www.reddit.com/r/questions/comments/'],
  ['Instagram', 'www.instagram.com/reel/'],
  ['Quora', 'www.quora.com/unanswered/'],
] as const;

/** A picture that needs no request: the engine's own placeholder, one transparent pixel. */
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';

/** What a page shows beside its results. The order is part of the world. */
const scenes: Readonly<Record<SceneName, Scene>> = {
  top_ads: {
    shares: [0.38, 0.42],
    compose: (stage) => adverts(stage, 'top_ads', stage.number, 1 + below(stage.part(40), 4)),
  },
  bottom_ads: {
    shares: [0.18, 0.14],
    compose: (stage) => adverts(stage, 'bottom_ads', stage.number + 50, 1 + below(stage.part(41), 2)),
  },
  ai_overview: {
    shares: [0.3, 0.26],
    compose({ part, say, results }) {
      const opening = say(phrases.snippets, part(74));
      const points = [71, 72, 73].map((at) => say(phrases.answers, part(at)));
      const closing = say(phrases.snippets, part(75));
      const subtitle = opening.slice(0, 90).trimEnd();
      const references = quote(results, part(76), 4).map(({ title, link, source = '' }, i) => {
        return { index: i + 1, title, href: link, source, subtitle };
      });
      return {
        serp: {
          ai_overview: {
            texts: [
              { type: 'paragraph', snippet: opening },
              { type: 'list', list: points.map((snippet) => ({ type: 'paragraph', snippet })) },
              { type: 'paragraph', snippet: closing },
            ],
            references,
          },
        },
        links: references.map(({ href }) => href),
        draw() {
          const list = points.map((point) => html`<li>${point}</li>`);
          const cards = references.map(
            ({ title, href, source }, i) =>
              html`<li><div data-src-id="${i}"><a aria-label="${title}" href="${href}"></a><div><div>${title}</div><span>${subtitle}</span><div><img src="${pixel}" alt=""><span>${source}</span></div></div></div></li>`,
          );
          return html`<div data-subtree="mfc"><div id="m-x-content"><div>AI Overview</div><div data-container-id="main-col"><div>${opening}</div><ul>${list}</ul><div>${closing}</div></div><div data-container-id="rhs-col"><ul>${cards}</ul></div></div></div>`;
        },
      };
    },
  },
  featured_snippet: {
    shares: [0.14, 0.14],
    compose({ part, results, mobile }) {
      const quoted = quote(results.slice(0, 4), part(62), 1);
      return {
        links: quoted.map(({ link }) => link),
        draw: () =>
          html`<block-component><h2>Featured snippet from the web</h2>${quoted.map((each) => titleLink(each, mobile))}</block-component>`,
      };
    },
  },
  people_also_ask: {
    shares: [0.78, 0.74],
    compose({ part, say, results, mobile }, above) {
      const sources = quote(results, part(64), 4);
      const questions = several(4, (i): PeopleAlsoAsk => {
        const key = part(65, i);
        const question = say([choose(phrases.questions, below(part(66), 6) + i)], key);
        const asked = { rank: i + 1, global_rank: above + i + 1, question };
        const source = sources[i];
        if (source === undefined || unit(key) < 0.4) return asked;
        const text = say(phrases.answers, derive(key, 1));
        return { ...asked, answer_source: source.link, answers: [{ rank: 1, type: 'answer', value: { text } }] };
      });
      const drawPair = ({ question, answer_source: link, answers = [] }: PeopleAlsoAsk) =>
        html`<div class="related-question-pair" data-q="${question}"><div role="button">${question}</div>${answers.map(({ value }) => html`<div>${value.text}</div>`)}${link && titleLink({ title: question, link }, mobile)}</div>`;
      return {
        serp: { people_also_ask: questions },
        links: questions.map((each) => each.answer_source),
        ranked: questions.length,
        draw: () => row('People also ask', questions.map(drawPair)),
      };
    },
  },
  knowledge_graph: {
    shares: [0.16, 0.16],
    compose({ part, say, title }) {
      const kgmid = `/g/11${code(part(77), 8)}`;
      const source = `https://en.openpedia.example/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`;
      const panel = {
        name: title,
        subtitle: say(phrases.titles.reference, part(78)),
        description: say(phrases.snippets, part(79)),
        description_source: 'Openpedia',
        facts: phrases.facts.map((key, i) => {
          return { key, value: [{ text: `${title} ${1900 + below(part(80 + i), 120)}` }] };
        }),
      };
      return {
        serp: { knowledge: panel, overview: { kgmid, title } },
        links: [source],
        draw() {
          const facts = panel.facts.map(
            ({ key, value }) =>
              html`<div data-attrid="kc:/sandbox/thing:${key.toLowerCase()}"><span>${key}: </span>${value.map(({ text }) => html`<span>${text}</span>`)}</div>`,
          );
          return html`<div data-kpid="vise:${kgmid}"><div data-attrid="title" role="heading" aria-level="2">${title}</div><div data-attrid="subtitle">${panel.subtitle}</div>
<div data-attrid="description"><span>${panel.description}</span> <a href="${source}">${panel.description_source}</a></div>${facts}</div>`;
        },
      };
    },
  },
  top_stories: {
    shares: [0.12, 0.15],
    compose({ part, say, ranking, year }) {
      const stories = ['dailyherald', 'morningledger', 'thesentinel', 'eveningcourier'].map((host, i) => {
        const key = part(67, Math.floor(ranking.day / 2) * 4 + i);
        const link = `https://www.${host}.example/${year}/story-${code(key, 8)}`;
        return { title: say(phrases.titles.news, key), link };
      });
      return {
        links: stories.map(({ link }) => link),
        draw: () => section('Top stories', stories.map(boxed)),
      };
    },
  },
  video: {
    shares: [0.3, 0.34],
    compose({ part, say }) {
      const videos = several(3, (i) => {
        const key = part(68, i);
        return { title: say(phrases.titles.video, key), link: `https://www.youtube.com/watch?v=${code(key, 11)}` };
      });
      return {
        links: videos.map(({ link }) => link),
        ranked: videos.length,
        draw: () => row('Videos', videos.map(boxed)),
      };
    },
  },
  images: {
    shares: [0.32, 0.36],
    compose({ part, results }) {
      const images = quote(results, part(61), 4).map(({ title, link }, i) => {
        const image = new URL(`/images/${code(part(61), 8)}-${i + 1}.jpg`, link).href;
        return { rank: i + 1, title, link, image };
      });
      const drawImage = ({ title, link, image }: (typeof images)[number]) =>
        html`<div data-lpage="${link}"><a href="${link}"></a><img alt="${title}" src="${pixel}" data-src="${image}"></div>`;
      return {
        serp: { images },
        links: images.map(({ link }) => link),
        ranked: images.length,
        draw: () => row('Images', images.map(drawImage)),
      };
    },
  },
  local_pack: {
    shares: [0.14, 0.18],
    compose({ ranking, where }) {
      const places = listPlaces(ranking, where, localPack);
      const drawPlace = ({ cid, name, rating, reviews, address, website }: (typeof places)[number]) =>
        html`<div class="VkpGBb"><div class="rllt__link" data-cid="${cid}"><div class="rllt__details"><div role="heading" aria-level="3">${name}</div><div><span>${rating?.toFixed(1)}</span><span>(${reviews})</span></div><div>${address}</div></div></div>${website && html`<a href="${website}">Website</a>`}</div>`;
      return {
        serp: { local_results: places },
        links: places.map(({ website }) => website),
        draw: () => row('Places', places.map(drawPlace)),
      };
    },
  },
  perspectives: {
    shares: [0.24, 0.28],
    compose({ part, say }) {
      const posts = platforms.map(([source, path], i) => {
        const key = part(69, i);
        const author = `user_${code(key, 5)}`;
        return { title: say(phrases.titles.forum, key), author, source, link: `https://${path}${code(key, 8)}/` };
      });
      return {
        serp: { perspectives: posts.map(({ title, author, source }) => ({ title, author, source })) },
        links: posts.map(({ link }) => link),
        draw() {
          const items = posts.map(({ author, source, ...post }) => {
            return html`<div role="listitem">${named(post, html`<div>${author}</div><div>${source}</div>`)}</div>`;
          });
          return section('What people are saying', [html`<div role="list">${items}</div>`]);
        },
      };
    },
  },
};

const sceneNames = Object.keys(scenes) as SceneName[]; // the keys of the table

/** How far, in shares, and how fast, in days, a search wanders into and out of a feature. */
const swing = 0.05;
const periodDays = 9;
const relatedMax = 6;

function several<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** Results that a feature quotes: some of the page's own, so that features are owned by sites that rank. */
function quote(results: readonly Unranked[], key: number, count: number): Unranked[] {
  const from = below(key, results.length);
  return [...results.slice(from), ...results.slice(0, from)].slice(0, count);
}

/** Text ads. Ids distinguish top from bottom. */
function adverts({ ranking, part, say }: Stage, field: 'top_ads' | 'bottom_ads', at: number, count: number): Part {
  const ads = several(count, (i) => {
    const key = part(1000 + at, Math.floor(ranking.day / 3) * 8 + i);
    const host = `www.${code(key, 3).replace(/[0-9]/gu, 'a')}-deals.example`;
    const link = `https://${host}/offer?kw=${queryText(ranking.search.keyword)}&ad=${i + 1}`;
    const click = `${engine}/aclk?sa=l&ai=${code(hashText(link), 24)}&adurl=${encodeURIComponent(link)}`;
    return { rank: i + 1, title: say(phrases.adTitles, key), link, referral_link: click };
  });
  const drawAd = ({ title, link, referral_link: click }: (typeof ads)[number]) =>
    html`<div data-text-ad="1"><span>Sponsored</span><a data-rw="${click}" href="${link}"><div role="heading" aria-level="3">${title}</div><span>${URL.parse(link)?.host}</span></a></div>`;
  return {
    serp: { [field]: ads },
    links: ads.map(({ link }) => link),
    ranked: ads.length,
    draw: () => html`<div id="${field === 'top_ads' ? 'tads' : 'tadsb'}">${ads.map(drawAd)}</div>`,
  };
}

function section(title: string, body: readonly Markup[]): Markup {
  return html`<g-section-with-header><div role="heading" aria-level="2">${title}</div>${body}</g-section-with-header>`;
}

function row(title: string, body: readonly Markup[]): Markup {
  return html`<div><div role="heading" aria-level="2">${title}</div><div>${body}</div></div>`;
}

interface Link {
  readonly title: string;
  readonly link: string;
}

function named({ title, link }: Link, rest?: Markup): Markup {
  return html`<a href="${link}"><div role="heading" aria-level="3">${title}</div>${rest}</a>`;
}

function boxed(link: Link): Markup {
  return html`<div>${named(link)}</div>`;
}

/** The link of a result with its heading: an h3 above the address on desktop, a role below it on mobile. */
function titleLink({ title, link, source, display_link: address }: Unranked, mobile: boolean): Markup {
  const header = html`<div><div>${source}</div><div><cite>${address}</cite></div></div>`;
  const heading = mobile ? html`<div role="heading" aria-level="3">${title}</div>` : html`<h3>${title}</h3>`;
  return html`<div><a href="${link}">${mobile ? [header, heading] : [heading, header]}</a></div>`;
}

/** Scenes of a page of a ranking. Pages after the first show ads at most. */
function chooseScenes({ searchKey, day, search: { mobile }, features }: Ranking, page: number): Set<SceneName> {
  const chosen = sceneNames.filter((name, index) => {
    const feature = featureOf(name);
    if (page > 1 && feature !== 'paid') return false;
    const planted = features.get(feature);
    if (planted === false || (planted === true && page === 1)) return planted;
    const key = derive(searchKey, 300 + index);
    const share = unit(key) + swing * noise(derive(key, mobile ? 1 : 2), day / periodDays);
    return share < scenes[name].shares[mobile ? 1 : 0] / (page > 1 ? 2 : 1);
  });
  const shown = new Set(chosen);
  // The engine shows one answer above the results, not two, but for planted ones.
  if (shown.has('ai_overview') && features.get('featured_snippet') !== true) shown.delete('featured_snippet');
  else if (shown.has('featured_snippet') && features.get('ai_overview') !== true) shown.delete('ai_overview');
  return shown;
}

function featureOf(name: SceneName): PlantedFeature {
  return name === 'top_ads' || name === 'bottom_ads' ? 'paid' : name;
}

/**
 * Where the organic results of a page (1-based) lie in the ranking: 7 to 10, less where features take their room. `end`
 * is exclusive; an empty page is past the last one.
 */
export function pageBounds(ranking: Ranking, page: number): { start: number; end: number; isLast: boolean } {
  const size = (of: number): number =>
    of === 1
      ? 10 - Math.min(3, Math.floor(chooseScenes(ranking, 1).size / 2))
      : 10 - Math.floor(3 * unit(derive(ranking.searchKey, 400 + of)) ** 2);
  let start = 0;
  for (let before = 1; before < page && start < ranking.length; before++) start += size(before);
  const end = Math.min(ranking.length, start + size(page));
  return { start: Math.min(start, ranking.length), end, isLast: end >= ranking.length };
}

/** No field, in the order of the root object. */
const emptySerp: SerpPage = Object.fromEntries(Object.keys(serpPageSchema.shape).map((name) => [name, undefined]));

/**
 * One results page, which is drawn when its text is first read: its HTML is kept or sent for few pages. A getter in an
 * object literal, or a WeakMap, would keep the parts of each page in memory until V8 collects old garbage.
 */
export class Page implements PageBody {
  readonly contentType = 'text/html';
  /** As requested, not normalized. */
  readonly keyword: string;
  readonly location: string | undefined;
  /** What an engine reads of it. */
  readonly read: ReadPage;
  readonly #draw: () => Markup;
  #text: string | undefined;

  constructor(keyword: string, location: string | undefined, read: ReadPage, draw: () => Markup) {
    this.keyword = keyword;
    this.location = location;
    this.read = read;
    this.#draw = draw;
  }

  /** Its HTML, about 9 KB. */
  get text(): string {
    this.#text ??= this.#draw().text;
    return this.#text;
  }

  /** Queues carry a page as JSON, in which a getter of a class has no place. */
  toJSON(): PageBody {
    return { contentType: this.contentType, text: this.text };
  }
}

/** The page (1-based) of a ranking; without results where it lies past the last one. */
export function composePage(ranking: Ranking, keyword: string, number: number, location?: string): Page {
  const where = location === undefined ? undefined : parseLocation(location);
  const { search, searchKey, day, features } = ranking;
  const { language, mobile } = search;
  const { start, end, isLast } = pageBounds(ranking, number);
  const title = titleCase(search.keyword);
  const year = new Date(day * dayMs).getUTCFullYear();
  const part: Stage['part'] = (at, index) =>
    index === undefined ? derive(searchKey, at) : derive(derive(searchKey, at), index);
  const say: Stage['say'] = (choices, key) => phrase(choices, { keyword: title, key, year });
  const results = several(end - start, (i) => ranking.at(start + i))
    .filter((result) => result !== undefined)
    .map((result) => composeResult(result, ranking, say));
  const isEmpty = results.length === 0;
  const stage: Stage = { ranking, number, where, mobile, title, year, results, part, say };
  const chosen = isEmpty ? new Set<SceneName>() : chooseScenes(ranking, number);
  if (!isEmpty && where !== undefined && number === 1 && features.get('local_pack') !== false) chosen.add('local_pack');

  const parts = new Map<SceneName, Part>();
  let ranked = 0;
  const compose = (name: SceneName): readonly Part[] => {
    if (!chosen.has(name)) return [];
    const composed = scenes[name].compose(stage, ranked);
    ranked += composed.ranked ?? 0;
    parts.set(name, composed);
    return [composed];
  };
  compose('top_ads');
  compose('ai_overview');
  compose('knowledge_graph');
  /** The column of results, from top to bottom. */
  const column: Pick<Part, 'draw'>[] = (['featured_snippet', 'local_pack', 'top_stories'] as const).flatMap(compose);
  /** After which result features stand; of two after the same one, the later stands nearer to the next. */
  const after = [
    ['perspectives', 6],
    ['video', 5],
    ['images', 4],
    ['people_also_ask', below(part(60), 3)],
  ] as const;
  const organic = results.map((result, i) => {
    ranked += 1;
    const placed: OrganicResult = { rank: i + 1, global_rank: ranked, ...result };
    column.push({ draw: () => drawResult(result, mobile) });
    for (const [name, at] of after) if (Math.min(at, results.length - 1) === i) column.push(...compose(name));
    return placed;
  });
  compose('bottom_ads');

  const related = isEmpty ? [] : relatedTo(ranking, year);
  const serp = withoutEmpty<SerpPage>({
    ...Object.assign({ ...emptySerp }, ...[...parts.values()].map((each) => each.serp)),
    organic,
    related: related.map((text, i) => {
      return { rank: i + 1, global_rank: ranked + i + 1, text, link: engine + searchAddress(text, '&sa=X') };
    }),
    navigation: otherTabs(keyword).map(([label, address]) => ({ title: label, href: engine + address })),
  });
  const read: ReadPage = { serp, device: mobile ? 'mobile' : 'desktop', features: listFeatures(parts) };
  const drawPage = () => {
    const draw = (name: SceneName) => parts.get(name)?.draw();
    const panel = draw('knowledge_graph');
    const nothing = html`<p>Your search - <em>${keyword}</em> - did not match any documents.</p><ul><li>Make sure all words are spelled correctly.</li></ul>`;
    const list = html`<div id="rso">${mobile ? panel : undefined}${column.map((each) => each.draw())}</div>`;
    const next = html`<a id="pnnext" href="${searchAddress(keyword, `&start=${number * 10}`)}">Next</a>`;
    const searches = related.map(
      (text) => html`<div><a href="${searchAddress(text, '&sa=X')}"><span>${text}</span></a></div>`,
    );
    const main = html`<div id="taw">${draw('top_ads')}</div>${mobile ? draw('ai_overview') : undefined}
<div id="topstuff">${isEmpty ? nothing : undefined}</div><div id="search">${isEmpty ? undefined : list}</div>
<div id="bottomads">${draw('bottom_ads')}</div>
<div id="botstuff"><div id="bres"><div role="heading" aria-level="2">${isEmpty ? undefined : 'People also search for'}</div>${searches}</div>
${isLast ? undefined : next}</div>`;
    const place = where?.kind === 'place' ? where.name.split(',').slice(0, 2).join(', ') : undefined;
    const footer = place && html`<span class="dfB0uf">${place}</span>`;
    const phone = mobile ? html`<meta name="viewport" content="width=device-width,initial-scale=1">` : undefined;
    const tabs = otherTabs(keyword).map(([label, address]) => html`<a href="${address}">${label}</a>`);
    return html`<!doctype html><html lang="${language}"><head><meta charset="UTF-8">${phone}<title>${keyword} - Google Search</title>
<script>(function(){window.google={kEI:"${eventId(day, keyword)}",c:{}};})();</script></head><body id="gsr"><form id="tsf" action="/search" role="search">
<textarea name="q">${keyword}</textarea></form><div id="cnt"><div role="navigation">${tabs}</div>
${mobile ? html`<div id="main">${main}</div>` : html`<div id="rcnt">${draw('ai_overview')}<div id="center_col" role="main">${main}</div>${panel && html`<div id="rhs" role="complementary">${panel}</div>`}</div>`}
<div id="${mobile ? 'sfooter' : 'foot'}" role="contentinfo">${footer}</div></div></body></html>`;
  };
  return new Page(keyword, location, isEmpty ? { serp: {}, features: [] } : read, drawPage);
}

/** The engine's own mark of a page: when it was made, here at the start of its day, and what nothing reads. */
function eventId(day: number, keyword: string): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(day * 86_400);
  bytes.writeInt32LE(hashText(keyword) | 0, 4);
  return bytes.toString('base64url');
}

/** Features in the order of the engine, with the addresses in each. */
function listFeatures(parts: ReadonlyMap<SceneName, Part>): PageFeature[] {
  const byFeature = Map.groupBy(parts, ([name]) => featureOf(name));
  const found = plantedFeatures.flatMap((type): PageFeature[] => {
    const links = byFeature.get(type)?.flatMap(([, part]) => part.links);
    return links === undefined ? [] : [{ type, links: [...new Set(links.filter((link) => link !== undefined))] }];
  });
  return [...found, { type: 'related_searches', links: [] }];
}

/** Related searches at the foot of a page: topic first, then phrases around the keyword. */
function relatedTo({ search: { keyword }, topic: { keywords } }: Ranking, year: number): string[] {
  const key = hashText(keyword);
  const found = new Set<string>();
  for (let i = 0; i < 3 && keywords.length > 3; i++)
    found.add(keywords[(below(key, keywords.length) + i * 5) % keywords.length] ?? keyword);
  const from = below(derive(key, 1), phrases.related.length);
  for (let i = 0; i < phrases.related.length && found.size < relatedMax; i++)
    found.add(fill(choose(phrases.related, from + i), { keyword, key, year }));
  found.delete(keyword);
  return [...found].slice(0, relatedMax);
}

/** A result as the engine reads it. */
function composeResult(result: Result, { search, day }: Ranking, say: Stage['say']): Unranked {
  const { key, site, text: planted } = result;
  const link = buildUrl(result, toSlug(search.keyword), day);
  const chance = unit(derive(key, 43));
  const extensions: Omit<Extension, 'rank'>[] = [];
  if (chance < 0.3) extensions.push({ type: 'date', text: dateText(day - 5 - below(derive(key, 45), 900)) });
  if (chance > 0.8 && site.kind === 'shop') {
    const value = (3 + 2 * unit(derive(key, 47))).toFixed(1);
    const votes = 3 + below(derive(key, 48), 4000);
    extensions.push({ type: 'rating', text: search.mobile ? `Rating: ${value}` : value });
    extensions.push({ type: 'reviews', text: search.mobile ? `${votes} reviews` : String(votes) });
    extensions.push({ type: 'price', text: `$${10 + below(derive(key, 49), 190)}.99` });
  }
  if (planted?.sitelinks ?? unit(derive(key, 42)) < 0.14) {
    const from = below(derive(key, 51), phrases.sitelinks.length);
    for (let i = 0; i < 4; i++) {
      const text = choose(phrases.sitelinks, from + i);
      const path = encodeURIComponent(text.toLowerCase().replaceAll(' ', '-'));
      extensions.push({ type: 'site_link', text, link: `https://${site.host}/${path}` });
    }
  }
  const length = 25 + below(derive(key, 50), 1800);
  const sayPlanted = (choices: Choices, number: number) => say([choose(choices, number)], derive(key, 60 + number));
  const title =
    planted === undefined
      ? say(phrases.titles[site.kind], derive(key, 40))
      : sayPlanted(phrases.newTitles[site.kind], planted.number);
  return {
    title: unit(derive(key, 41)) < 0.7 ? `${title} - ${site.name}` : title.trim(),
    description:
      planted === undefined ? say(phrases.snippets, derive(key, 44)) : sayPlanted(phrases.newSnippets, planted.number),
    link,
    display_link: breadcrumbs(link),
    source: site.name,
    ...(extensions.length > 0 && { extensions: extensions.map((each, i) => ({ ...each, rank: i + 1 })) }),
    ...((planted?.thumbnail ?? site.kind === 'video') && {
      image: `https://img.clipnest.example/vi/${code(key, 11)}/mq.jpg`,
      duration: `${Math.floor(length / 60)}:${String(length % 60).padStart(2, '0')}`,
      duration_sec: length,
    }),
  };
}

function drawResult(result: Unranked, mobile: boolean): Markup {
  const { extensions = [], description, image, duration } = result;
  const textAt = (type: Extension['type']) => extensions.find((each) => each.type === type)?.text;
  const [date, rating, reviews] = [textAt('date'), textAt('rating'), textAt('reviews')];
  const links = extensions.filter(({ type }) => type === 'site_link');
  const votes = mobile ? html` · <span>${reviews}</span>` : html`<span>(${reviews})</span>`;
  return html`<div><div>${titleLink(result, mobile)}${image && html`<div><img alt="" src="${image}"><div>${duration}</div></div>`}
<div>${date && html`<span><span>${date}</span> — </span>`}${description}</div>
${rating && html`<div><span>${rating}</span>${votes} · <span>${textAt('price')}</span></div>`}
${links.length === 0 ? undefined : html`<div>${links.map(({ text, link }) => html` · <a href="${link}">${text}</a>`)}</div>`}</div></div>`;
}

/** `https://www.acme.com/c/shoes` as its site and its path in crumbs. */
function breadcrumbs(url: string): string {
  const { origin, pathname } = new URL(url);
  const parts = decodeURIComponent(pathname)
    .split('/')
    .filter((each) => each !== '');
  return origin + parts.map((each) => ` › ${each}`).join('');
}

/** An address within the engine for a query. */
function searchAddress(query: string, rest: string): string {
  return `/search?sca_esv=${code(hashText(query), 16)}&q=${queryText(query)}${rest}`;
}

/** Label and address of each tab to another kind of search. */
function otherTabs(keyword: string): [label: string, address: string][] {
  return [
    ['Images', searchAddress(keyword, '&udm=2')],
    ['Shopping', searchAddress(keyword, '&udm=28')],
    ['Videos', searchAddress(keyword, '&udm=7')],
    ['News', searchAddress(keyword, '&tbm=nws')],
    ['Maps', searchAddress(keyword, '&udm=1')],
  ];
}

/** The page an engine shows to what it takes for a robot. */
export function captchaPage(keyword: string): string {
  const target = `https://www.google.com/search?q=${queryText(keyword)}`;
  return html`<!doctype html><html><head><title>${target}</title></head><body><form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha" data-sitekey="sandbox" data-s="${code(derive(hashText(keyword), 1), 20)}"></div>
<input type="hidden" name="continue" value="${target}"></form><p>Our systems have detected unusual traffic from your computer network.</p></body></html>`
    .text;
}
