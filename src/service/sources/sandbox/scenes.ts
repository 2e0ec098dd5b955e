// The scenes of a results page: what it shows beside the organic results, how often and where, and what it says there.

import { withoutEmpty } from '../../engines/page/assemble.ts';
import { placeName, type SearchLocation } from '../../model/results/location.ts';
import type {
  Ad,
  AiOverview,
  Extension,
  LocalResult,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  ReadPage,
  SerpPage,
} from '../../model/results/serp.ts';
import { dayMs } from '../../model/time/clock.ts';
import type { PlantedFeature } from './events.ts';
import { type Choices, dateText, fill, phrase, phrases, titleCase } from './phrases.ts';
import { below, derive, hashText, noise, unit } from './random.ts';
import { buildUrl, code, queryText, type Result, toSlug } from './sites.ts';
import type { Ranking, Spot } from './world.ts';

const engine = 'https://www.google.com';

/** A page's inputs, and its organic results. */
interface Stage {
  readonly ranking: Ranking;
  readonly number: number;
  /** The keyword as it reads in titles. */
  readonly title: string;
  readonly year: number;
  readonly results: readonly Unranked[];
  /** A key for a part of the search, and for one of several. */
  part(at: number, index?: number): number;
  say(choices: Choices, key: number): string;
}

type Unranked = Omit<OrganicResult, 'rank'>;

/** Rows of videos and posts come from the few platforms that real pages show; which distinguishes them from stories. */
const platforms = [
  ['Reddit', 'www.reddit.com/r/questions/comments/'],
  ['Instagram', 'www.instagram.com/reel/'],
  ['Quora', 'www.quora.com/unanswered/'],
] as const;

/**
 * What a page shows beside its results: the share of searches that have it at a given time, on desktop and mobile, and
 * what it says. The order is part of the world.
 */
const scenes = {
  top_ads: {
    shares: [0.38, 0.42],
    compose: (stage: Stage) => adverts(stage, stage.number, 1 + below(stage.part(40), 4)),
  },
  bottom_ads: {
    shares: [0.18, 0.14],
    compose: (stage: Stage) => adverts(stage, stage.number + 50, 1 + below(stage.part(41), 2)),
  },
  ai_overview: {
    shares: [0.3, 0.26],
    compose({ part, say, results }: Stage): AiOverview {
      const opening = say(phrases.snippets, part(74));
      const points = [71, 72, 73].map((at) => say(phrases.answers, part(at)));
      const subtitle = opening.slice(0, 90).trimEnd();
      return {
        texts: [
          { type: 'paragraph', snippet: opening },
          { type: 'list', list: points.map((snippet) => ({ type: 'paragraph', snippet })) },
          { type: 'paragraph', snippet: say(phrases.snippets, part(75)) },
        ],
        references: quote(results, part(76), 4).map(({ title, link, source = '' }, i) => {
          return { index: i + 1, title, href: link, source, subtitle };
        }),
      };
    },
  },
  featured_snippet: {
    shares: [0.14, 0.14],
    compose: ({ part, results }: Stage): readonly Link[] => quote(results.slice(0, 4), part(62), 1),
  },
  people_also_ask: {
    shares: [0.78, 0.74],
    compose({ part, say, results }: Stage) {
      const sources = quote(results, part(64), 4);
      return several(4, (i): Omit<PeopleAlsoAsk, 'rank'> => {
        const key = part(65, i);
        const question = say([choose(phrases.questions, below(part(66), 6) + i)], key);
        const source = sources[i];
        if (source === undefined || unit(key) < 0.4) return { question };
        const text = say(phrases.answers, derive(key, 1));
        return { question, answer_source: source.link, answers: [{ rank: 1, type: 'answer', value: { text } }] };
      });
    },
  },
  knowledge: {
    shares: [0.16, 0.16],
    compose: ({ part, say, title }: Stage) => ({
      id: `/g/11${code(part(77), 8)}`,
      source: `https://en.openpedia.example/wiki/${encodeURIComponent(title.replaceAll(' ', '_'))}`,
      panel: {
        name: title,
        subtitle: say(phrases.titles.reference, part(78)),
        description: say(phrases.snippets, part(79)),
        description_source: 'Openpedia',
        facts: phrases.facts
          .slice(0, 3)
          .map((key, i) => ({ key, value: [{ text: `${title} ${1900 + below(part(80 + i), 120)}` }] })),
      },
    }),
  },
  top_stories: {
    shares: [0.12, 0.15],
    compose: ({ part, say, ranking, year }: Stage): readonly Link[] =>
      ['dailyherald', 'morningledger', 'thesentinel', 'eveningcourier'].map((host, i) => {
        const key = part(67, Math.floor(ranking.day / 2) * 4 + i);
        const link = `https://www.${host}.example/${year}/story-${code(key, 8)}`;
        return { title: say(phrases.titles.news, key), link };
      }),
  },
  video: {
    shares: [0.3, 0.34],
    compose: ({ part, say }: Stage): readonly Link[] =>
      several(3, (i) => {
        const key = part(68, i);
        return { title: say(phrases.titles.video, key), link: `https://www.youtube.com/watch?v=${code(key, 11)}` };
      }),
  },
  images: {
    shares: [0.32, 0.36],
    compose: ({ part, results }: Stage) =>
      quote(results, part(61), 4).map(({ title, link }, i) => {
        const image = new URL(`/images/${code(part(61), 8)}-${i + 1}.jpg`, link).href;
        return { rank: i + 1, title, link, image };
      }),
  },
  local_pack: {
    shares: [0.14, 0.18],
    compose: ({ ranking }: Stage) => listPlaces(ranking, undefined, localPack),
  },
  perspectives: {
    shares: [0.24, 0.28],
    compose: ({ part, say }: Stage) =>
      platforms.map(([source, path], i) => {
        const key = part(69, i);
        const author = `user_${code(key, 5)}`;
        return { title: say(phrases.titles.forum, key), author, source, link: `https://${path}${code(key, 8)}/` };
      }),
  },
};
type Feature = keyof typeof scenes;
/** Scenes of the planted features that have another name. */
const plantedScenes: Readonly<Partial<Record<PlantedFeature, readonly Feature[]>>> = {
  paid: ['top_ads', 'bottom_ads'],
  knowledge_graph: ['knowledge'],
};
/** How far, in shares, and how fast, in days, a search wanders into and out of a feature. */
const swing = 0.05;
const periodDays = 9;
const relatedMax = 6;

function several<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

/** The choice at an index, which goes round. */
function choose(choices: Choices, index: number): string {
  return choices[index % choices.length] ?? choices[0];
}

/** Results that a feature quotes: some of the page's own, so that features are owned by sites that rank. */
function quote(results: readonly Unranked[], key: number, count: number): Unranked[] {
  const from = below(key, results.length);
  return [...results.slice(from), ...results.slice(0, from)].slice(0, count);
}

function adverts({ ranking: { day, search }, part, say }: Stage, at: number, count: number): Ad[] {
  return several(count, (i) => {
    const key = part(1000 + at, Math.floor(day / 3) * 8 + i);
    const host = `www.${code(key, 3).replace(/[0-9]/gu, 'a')}-deals.example`;
    const link = `https://${host}/offer?kw=${queryText(search.keyword)}&ad=${i + 1}`;
    const click = `${engine}/aclk?sa=l&ai=${code(hashText(link), 24)}&adurl=${encodeURIComponent(link)}`;
    return { rank: i + 1, title: say(phrases.adTitles, key), link, referral_link: click };
  });
}

export interface Link {
  readonly title: string;
  readonly link: string;
}

/** One results page: what an engine reads of it, and what it shows besides. */
export interface Page {
  /** As requested, not normalized. */
  readonly keyword: string;
  readonly language: string;
  readonly mobile: boolean;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly number: number;
  readonly isLast: boolean;
  /** The place that the footer names. */
  readonly place: string | undefined;
  readonly read: ReadPage;
  /** The column of results, from top to bottom. */
  readonly layout: readonly (Feature | 'organic')[];
  /** Links of features that are read without their titles. */
  readonly quoted: Readonly<Partial<Record<Feature, readonly Link[] | undefined>>>;
}

/** Features of the first page of a ranking. Later pages show ads at most. */
function chooseFeatures({ searchKey, day, search: { mobile }, features }: Ranking, page: number): ReadonlySet<Feature> {
  const shown = new Set<Feature>();
  for (const [index, [name, { shares }]] of Object.entries(scenes).entries()) {
    const feature = name as Feature; // the keys of the table
    if (page > 1 && feature !== 'top_ads' && feature !== 'bottom_ads') continue;
    const key = derive(searchKey, 300 + index);
    const share = unit(key) + swing * noise(derive(key, mobile ? 1 : 2), day / periodDays);
    if (share < (shares[mobile ? 1 : 0] ?? 0) / (page > 1 ? 2 : 1)) shown.add(feature);
  }
  for (const [name, isShown] of features ?? []) {
    for (const feature of plantedScenes[name] ?? [name as Feature]) // all others have one name
      if (!isShown) shown.delete(feature);
      else if (page === 1) shown.add(feature);
  }
  // The engine shows one answer above the results, not two, but for planted ones.
  if (shown.has('ai_overview') && features?.get('featured_snippet') !== true) shown.delete('featured_snippet');
  else if (shown.has('featured_snippet') && features?.get('ai_overview') !== true) shown.delete('ai_overview');
  return shown;
}

/**
 * Where the organic results of a page (1-based) lie in the ranking: 7 to 10, less where features take their room. `end`
 * is exclusive; an empty page is past the last one.
 */
export function pageBounds(ranking: Ranking, page: number): { start: number; end: number; isLast: boolean } {
  const size = (of: number): number =>
    of === 1
      ? 10 - Math.min(3, Math.floor(chooseFeatures(ranking, 1).size / 2))
      : 10 - Math.floor(3 * unit(derive(ranking.searchKey, 400 + of)) ** 2);
  let start = 0;
  for (let before = 1; before < page && start < ranking.length; before++) start += size(before);
  const end = Math.min(ranking.length, start + size(page));
  return { start: Math.min(start, ranking.length), end, isLast: end >= ranking.length };
}

/** The page (1-based) of a ranking; without results where it lies past the last one. */
export function composePage(ranking: Ranking, keyword: string, number: number, where?: SearchLocation): Page {
  const { search, searchKey, day } = ranking;
  const { language, mobile } = search;
  const { start, end, isLast } = pageBounds(ranking, number);
  const place = where?.kind === 'place' ? where.name.split(',').slice(0, 2).join(', ') : undefined;
  const frame = { keyword, language, mobile, day, number, isLast, place };
  if (start === end) return { ...frame, read: { serp: {}, features: [] }, layout: [], quoted: {} };

  const title = titleCase(search.keyword);
  const year = new Date(day * dayMs).getUTCFullYear();
  const part: Stage['part'] = (at, index) =>
    index === undefined ? derive(searchKey, at) : derive(derive(searchKey, at), index);
  const say: Stage['say'] = (choices, key) => phrase(choices, { keyword: title, key, year });
  const results = several(end - start, (i) => ranking.at(start + i))
    .filter((result) => result !== undefined)
    .map((result) => composeResult(result, ranking, say));
  const stage: Stage = { ranking, number, title, year, results, part, say };
  const shown = chooseFeatures(ranking, number);
  const composed = <F extends Feature>(feature: F) =>
    // an entry of the table returns what it says
    shown.has(feature) ? (scenes[feature].compose(stage) as ReturnType<(typeof scenes)[F]['compose']>) : undefined;
  const [topAds = [], bottomAds = []] = [composed('top_ads'), composed('bottom_ads')];
  const [questions = [], images = []] = [composed('people_also_ask'), composed('images')];
  const [posts, known] = [composed('perspectives'), composed('knowledge')];
  const isListed = where !== undefined && number === 1 && ranking.features?.get('local_pack') !== false;
  const places = isListed ? listPlaces(ranking, where, localPack) : composed('local_pack');
  const quoted: Page['quoted'] = {
    featured_snippet: composed('featured_snippet'),
    knowledge: known && [{ title: known.panel.description_source, link: known.source }],
    top_stories: composed('top_stories'),
    video: composed('video'),
    perspectives: posts,
  };

  /** Features above the results, and after which result; of two after the same one, the later stands nearer to it. */
  const above: readonly Feature[] = ['featured_snippet', 'local_pack', 'top_stories'];
  const after: readonly (readonly [Feature, number])[] = [
    ['perspectives', 6],
    ['video', 5],
    ['images', 4],
    ['people_also_ask', below(part(60), 3)],
  ];
  const layout = [
    ...above.filter((feature) => (feature === 'local_pack' ? (places?.length ?? 0) > 0 : shown.has(feature))),
    ...results.flatMap((_, i) => {
      const here = after.filter(([feature, at]) => shown.has(feature) && Math.min(at, results.length - 1) === i);
      return ['organic' as const, ...here.map(([feature]) => feature)];
    }),
  ];
  /** Ranks are counted over all elements of the page, in reading order. */
  const sizes: Partial<Record<Feature | 'organic', number>> = {
    organic: 1,
    people_also_ask: questions.length,
    images: images.length,
    video: quoted.video?.length ?? 0,
  };
  let ranked = topAds.length;
  const ranks = layout.map((block) => {
    const first = ranked + 1;
    ranked += sizes[block] ?? 0;
    return first;
  });
  const resultRanks = ranks.filter((_, at) => layout[at] === 'organic');
  const questionRank = ranks[layout.indexOf('people_also_ask')] ?? 0;
  ranked += bottomAds.length;
  const serp = withoutEmpty({
    organic: results.map((result, i) => ({ rank: i + 1, global_rank: resultRanks[i] ?? 0, ...result })),
    knowledge: known?.panel,
    people_also_ask: questions.map((each, i) => ({ rank: i + 1, global_rank: questionRank + i, ...each })),
    related: relatedTo(ranking, phrases.related, year).map((text, i) => {
      return { rank: i + 1, global_rank: ranked + i + 1, text, link: engine + searchAddress(text, '&sa=X') };
    }),
    navigation: otherTabs(keyword).map(([label, address]) => ({ title: label, href: engine + address })),
    perspectives: posts?.map(({ title, author, source }) => ({ title, author, source })),
    ai_overview: composed('ai_overview'),
    images,
    top_ads: topAds,
    bottom_ads: bottomAds,
    overview: known && { kgmid: known.id, title },
    local_results: places,
  });
  return {
    ...frame,
    read: { serp, device: mobile ? 'mobile' : 'desktop', features: listFeatures(serp, quoted) },
    layout,
    quoted,
  };
}

/** Features in the order of the engine, with the addresses in each. */
function listFeatures(serp: SerpPage, quoted: Page['quoted']): PageFeature[] {
  const ads = [...(serp.top_ads ?? []), ...(serp.bottom_ads ?? [])];
  const found: readonly (readonly [string, readonly (string | undefined)[] | undefined])[] = [
    ['paid', ads.length > 0 ? linksOf(ads) : undefined],
    ['ai_overview', serp.ai_overview?.references?.map(({ href }) => href)],
    ['featured_snippet', linksOf(quoted.featured_snippet)],
    ['local_pack', serp.local_results?.map(({ website }) => website)],
    ['knowledge_graph', linksOf(quoted.knowledge)],
    ['top_stories', linksOf(quoted.top_stories)],
    ['video', linksOf(quoted.video)],
    ['perspectives', linksOf(quoted.perspectives)],
    ['images', linksOf(serp.images)],
    ['people_also_ask', serp.people_also_ask?.map((each) => each.answer_source)],
    ['related_searches', serp.related && []],
  ];
  return found.flatMap(([type, links]) =>
    links === undefined ? [] : { type, links: [...new Set(links.filter((link) => link !== undefined))] },
  );
}

function linksOf(items: readonly { readonly link: string }[] | undefined): string[] | undefined {
  return items?.map(({ link }) => link);
}

/** Related searches at the foot of a page: topic first, then phrases around the keyword. */
function relatedTo({ search: { keyword }, topic: { keywords } }: Ranking, templates: Choices, year: number): string[] {
  const key = hashText(keyword);
  const found = new Set<string>();
  for (let i = 0; i < 3 && keywords.length > 3; i++)
    found.add(keywords[(below(key, keywords.length) + i * 5) % keywords.length] ?? keyword);
  const from = below(derive(key, 1), templates.length);
  for (let i = 0; i < templates.length && found.size < relatedMax; i++)
    found.add(fill(choose(templates, from + i), { keyword, key, year }));
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
    const { rated, reviews } = phrases.labels;
    const value = (3 + 2 * unit(derive(key, 47))).toFixed(1);
    const votes = 3 + below(derive(key, 48), 4000);
    extensions.push({ type: 'rating', text: search.mobile ? `${rated}: ${value}` : value });
    extensions.push({ type: 'reviews', text: search.mobile ? `${votes} ${reviews}` : String(votes) });
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
  const title =
    planted === undefined
      ? say(phrases.titles[site.kind], derive(key, 40))
      : say([choose(phrases.newTitles[site.kind], planted.number)], derive(key, 60 + planted.number));
  return {
    title: unit(derive(key, 41)) < 0.7 ? `${title} - ${site.name}` : title.trim(),
    description:
      planted === undefined
        ? say(phrases.snippets, derive(key, 44))
        : say([choose(phrases.newSnippets, planted.number)], derive(key, 60 + planted.number)),
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

/** `https://www.acme.com/c/shoes` as its site and its path in crumbs. */
function breadcrumbs(url: string): string {
  const { origin, pathname } = new URL(url);
  const parts = decodeURIComponent(pathname)
    .split('/')
    .filter((each) => each !== '');
  return origin + parts.map((each) => ` › ${each}`).join('');
}

/** An address within the engine for a query. */
export function searchAddress(query: string, rest: string): string {
  return `/search?sca_esv=${code(hashText(query), 16)}&q=${queryText(query)}${rest}`;
}

/** Label and address of each tab to another kind of search. */
export function otherTabs(keyword: string): [label: string, address: string][] {
  const { labels } = phrases;
  return [
    [labels.images, searchAddress(keyword, '&udm=2')],
    [labels.shopping, searchAddress(keyword, '&udm=28')],
    [labels.videos, searchAddress(keyword, '&udm=7')],
    [labels.news, searchAddress(keyword, '&tbm=nws')],
    [labels.maps, searchAddress(keyword, '&udm=1')],
  ];
}

/** Degrees: coordinates within one such cell share their sites and businesses. */
const cellDegrees = 0.25;
/** Sites of the area with a business there, and how many of them a list shows. */
const localPack = { businesses: 8, shown: 3 };
export const wholeMap = { businesses: 40, shown: 20 };
/** What a degree of distance costs, where the quality of a business is 0 to 1. */
const distancePenalty = 12;

/** The area of a location, a place itself or the cell around a coordinate; and where in it the coordinate is. */
export function areaOf(where: SearchLocation): { area: string; spot?: Spot } {
  if (where.kind === 'place') return { area: where.name };
  const { latitude, longitude } = where;
  return {
    area: `@${Math.round(latitude / cellDegrees)},${Math.round(longitude / cellDegrees)}`,
    spot: { north: latitude - middle(latitude), east: longitude - middle(longitude) },
  };
}

function middle(degrees: number): number {
  return Math.round(degrees / cellDegrees) * cellDegrees;
}

/**
 * Businesses of the sites that rank in an area, nearer ones first. Searches for a place are made in its middle. Without
 * a location the list is the same in the whole country.
 */
export function listPlaces(
  ranking: Ranking,
  where: SearchLocation | undefined,
  { businesses, shown }: typeof wholeMap,
): LocalResult[] {
  if (where === undefined)
    return ['Umbrella', 'Corner', 'Central'].map((prefix, i) => {
      const key = derive(derive(ranking.searchKey, 70), i);
      return {
        rank: i + 1,
        name: `${prefix} ${titleCase(ranking.search.keyword)}`,
        cid: `1011004582974200${i}`,
        rating: Number((3.5 + 1.5 * unit(key)).toFixed(1)),
        reviews: 5 + below(key, 900),
        address: `${1 + below(derive(key, 1), 200)} Main Street`,
      };
    });
  const { area, spot = { north: 0, east: 0 } } = areaOf(where);
  const areaKey = hashText(area);
  const hosts = new Map<string, string>();
  for (let at = 0; at < ranking.length && hosts.size < businesses; at++) {
    const site = ranking.at(at)?.site;
    if (site !== undefined) hosts.set(site.host, site.name);
  }
  return [...hosts]
    .map(([host, name]) => {
      const key = hashText(host, areaKey);
      const [north, east] = [1, 2].map((part) => (unit(derive(key, part)) - 0.5) * cellDegrees);
      const distance = Math.hypot((north ?? 0) - spot.north, (east ?? 0) - spot.east);
      return { host, name, key, score: unit(derive(key, 3)) - distancePenalty * distance };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, shown)
    .map(({ host, name, key }, i) => ({
      rank: i + 1,
      name: where.kind === 'place' ? `${name} ${placeName(where.name)}` : name,
      cid: `1${String(Math.floor(1e17 * unit(key))).padStart(17, '0')}`,
      rating: Number((3.5 + 1.5 * unit(derive(key, 4))).toFixed(1)),
      reviews: 5 + Math.floor(900 * unit(derive(key, 5))),
      address: `${1 + Math.floor(200 * unit(derive(key, 6)))} Main Street`,
      website: `https://${host}/`,
    }));
}
