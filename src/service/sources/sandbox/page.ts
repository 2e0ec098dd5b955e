// One results page as data: its organic results in order and everything around them. How it looks in HTML is for the renderers.
import { addressOf, code, videoAddress } from './address.ts';
import { boundsOf, type Feature, featuresOf } from './features.ts';
import { below, derive, unit } from './random.ts';
import { dateText, type Filling, type Phrases, phrase, phrasesOf, titleCase } from './text.ts';
import { relatedTo } from './vocabulary.ts';
import type { Ranking, Result } from './world.ts';

export interface Link {
  readonly title: string;
  readonly url: string;
}

export interface Video {
  /** Seconds. */
  readonly duration: number;
  readonly thumbnail: string;
}

export interface Organic extends Link {
  readonly description: string;
  readonly siteName: string;
  readonly date?: string;
  readonly rating?: { readonly value: string; readonly votes: number; readonly price: string };
  readonly sitelinks: readonly Link[];
  readonly sitelinkForm: 'inline' | 'table';
  readonly video?: Video;
  /** The link goes through the engine's own redirect. */
  readonly isRedirected: boolean;
}

export interface Cited extends Link {
  readonly source: string;
  readonly age: string;
  readonly key: number;
}

export interface Question {
  readonly text: string;
  readonly answer?: Cited & { readonly text: string };
}

export interface Place {
  readonly name: string;
  readonly rating: string;
  readonly votes: number;
  readonly street: string;
}

export type Block =
  | { readonly kind: 'organic'; readonly organic: Organic }
  | { readonly kind: 'featured_snippet'; readonly answer: string; readonly cited: Cited }
  | { readonly kind: 'people_also_ask'; readonly questions: readonly Question[] }
  | { readonly kind: 'top_stories' | 'images'; readonly items: readonly Cited[] }
  | { readonly kind: 'video'; readonly items: readonly (Cited & Video)[] }
  | { readonly kind: 'perspectives'; readonly items: readonly (Cited & { readonly author: string })[] }
  | { readonly kind: 'local_pack'; readonly places: readonly Place[] };

export interface Advert extends Link {
  readonly host: string;
  readonly text: string;
}

export interface Overview {
  readonly opening: string;
  readonly list: readonly string[];
  readonly closing: string;
  readonly citations: readonly Cited[];
}

export interface Knowledge {
  readonly id: string;
  readonly name: string;
  readonly subtitle: string;
  readonly description: string;
  readonly source: Cited;
  readonly facts: readonly { readonly name: string; readonly value: string }[];
}

export interface Page {
  /** As it was asked, not normalized. */
  readonly keyword: string;
  readonly language: string;
  readonly page: number;
  readonly isLast: boolean;
  readonly phrases: Phrases;
  readonly blocks: readonly Block[];
  readonly topAds: readonly Advert[];
  readonly bottomAds: readonly Advert[];
  readonly related: readonly string[];
  readonly overview?: Overview;
  readonly knowledge?: Knowledge;
}

/** Everything a page's parts are made of. */
interface Scene {
  readonly ranking: Ranking;
  readonly phrases: Phrases;
  readonly title: string;
  readonly year: number;
  readonly key: number;
}

const answerHost = { host: 'en.openpedia.example', name: 'Openpedia' };
const videoHost = { host: 'www.clipnest.example', name: 'Clipnest' };

/** The organic results of a page, in order. */
export function organicOf(ranking: Ranking, page: number): Organic[] {
  return resultsOf(ranking, page).map((result) => organic(sceneOf(ranking), result));
}

/** The page (1-based) of a ranking; without blocks where it lies past the last result. */
export function composePage(ranking: Ranking, keyword: string, page: number): Page {
  const scene = sceneOf(ranking);
  const features = featuresOf(ranking, page);
  const results = resultsOf(ranking, page);
  const isEmpty = results.length === 0;
  const organics = results.map((result) => organic(scene, result));
  return {
    keyword,
    language: ranking.search.language,
    page,
    isLast: boundsOf(ranking, page).isLast,
    phrases: scene.phrases,
    blocks: arrange(organics, features, scene),
    topAds: isEmpty || !features.has('top_ads') ? [] : adverts(scene, page, 1 + below(derive(scene.key, 40), 4)),
    bottomAds:
      isEmpty || !features.has('bottom_ads') ? [] : adverts(scene, page + 50, 1 + below(derive(scene.key, 41), 2)),
    related: isEmpty ? [] : relatedTo(ranking.search.keyword, ranking.topic, scene.phrases, scene.year, 8),
    ...(!isEmpty && features.has('ai_overview') ? { overview: overview(scene, organics) } : {}),
    ...(!isEmpty && features.has('knowledge') ? { knowledge: knowledge(scene) } : {}),
  };
}

function resultsOf(ranking: Ranking, page: number): Result[] {
  const { start, end } = boundsOf(ranking, page);
  const results: Result[] = [];
  for (let index = start; index < end; index++) {
    const result = ranking.at(index);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function sceneOf(ranking: Ranking): Scene {
  return {
    ranking,
    phrases: phrasesOf(ranking.search.language),
    title: titleCase(ranking.search.keyword),
    year: new Date(ranking.day * 86_400_000).getUTCFullYear(),
    key: ranking.searchKey,
  };
}

function filling(scene: Scene, key: number): Filling {
  return { keyword: scene.title, key, year: scene.year };
}

function organic(scene: Scene, result: Result): Organic {
  const { key, site } = result;
  const { phrases, ranking } = scene;
  const url = addressOf(result, ranking.search.keyword, ranking.day);
  const title =
    `${phrase(phrases.titles[site.kind], filling(scene, derive(key, 40)))} ${unit(derive(key, 41)) < 0.7 ? `- ${site.name}` : ''}`.trim();
  const sitelinkChance = unit(derive(key, 42));
  const chance = unit(derive(key, 43));
  return {
    url,
    title,
    description: phrase(phrases.snippets, filling(scene, derive(key, 44))),
    siteName: site.name,
    ...(chance < 0.3 ? { date: dateText(ranking.day - 5 - below(derive(key, 45), 900), phrases) } : {}),
    ...(chance > 0.8 && site.kind === 'shop' ? { rating: rating(key) } : {}),
    sitelinks: sitelinkChance < 0.14 ? sitelinks(scene, result) : [],
    sitelinkForm: sitelinkChance < 0.05 ? 'table' : 'inline',
    ...(site.kind === 'video' ? { video: video(key) } : {}),
    isRedirected: unit(derive(key, 46)) < 0.05,
  };
}

function rating(key: number): { value: string; votes: number; price: string } {
  return {
    value: (3 + 2 * unit(derive(key, 47))).toFixed(1),
    votes: 3 + below(derive(key, 48), 4000),
    price: `$${10 + below(derive(key, 49), 190)}.99`,
  };
}

function video(key: number): Video {
  return {
    duration: 25 + below(derive(key, 50), 1800),
    thumbnail: `https://img.clipnest.example/vi/${code(key, 11)}/mq.jpg`,
  };
}

function sitelinks(scene: Scene, { key, site }: Result): Link[] {
  const { sitelinks: names } = scene.phrases;
  const from = below(derive(key, 51), names.length);
  return Array.from({ length: 4 }, (_, i) => {
    const title = names[(from + i) % names.length] ?? names[0];
    return { title, url: `https://${site.host}/${encodeURIComponent(title.toLowerCase().replaceAll(' ', '-'))}` };
  });
}

/** Features take their places between the organic results. */
function arrange(organics: readonly Organic[], features: ReadonlySet<Feature>, scene: Scene): Block[] {
  if (organics.length === 0) return [];
  const blocks: Block[] = organics.map((each) => ({ kind: 'organic', organic: each }));
  const put = (after: number, block: Block) => {
    const at = blocks.findIndex(
      (each) => each.kind === 'organic' && each.organic === organics[Math.min(after, organics.length - 1)],
    );
    blocks.splice(at + 1, 0, block);
  };
  if (features.has('people_also_ask'))
    put(below(derive(scene.key, 60), 3), { kind: 'people_also_ask', questions: questions(scene, organics) });
  if (features.has('images')) put(4, { kind: 'images', items: cited(scene, organics, 61, 5) });
  if (features.has('video')) put(5, { kind: 'video', items: videos(scene) });
  if (features.has('perspectives')) put(6, { kind: 'perspectives', items: posts(scene) });
  if (features.has('top_stories')) blocks.unshift({ kind: 'top_stories', items: stories(scene) });
  if (features.has('local_pack')) blocks.unshift({ kind: 'local_pack', places: places(scene) });
  if (features.has('featured_snippet')) blocks.unshift(snippet(scene, organics));
  return blocks;
}

/** Results that a feature quotes: some of the page's own, so that features are owned by sites that rank. */
function cited(scene: Scene, organics: readonly Organic[], part: number, count: number): Cited[] {
  const from = below(derive(scene.key, part), organics.length);
  return Array.from({ length: Math.min(count, organics.length) }, (_, i) => {
    const quoted = organics[(from + i) % organics.length];
    const key = derive(derive(scene.key, part), i);
    return {
      title: quoted?.title ?? scene.title,
      url: quoted?.url ?? `https://${answerHost.host}/`,
      source: quoted?.siteName ?? answerHost.name,
      age: phrase(scene.phrases.ages, filling(scene, key)),
      key,
    };
  });
}

function snippet(scene: Scene, organics: readonly Organic[]): Block {
  const [first] = cited(scene, organics.slice(0, 4), 62, 1);
  const answer = phrase(scene.phrases.answers, filling(scene, derive(scene.key, 63)));
  return { kind: 'featured_snippet', answer, cited: first ?? encyclopedia(scene) };
}

function questions(scene: Scene, organics: readonly Organic[]): Question[] {
  const sources = cited(scene, organics, 64, 4);
  return Array.from({ length: 4 }, (_, i) => {
    const key = derive(derive(scene.key, 65), i);
    const template = scene.phrases.questions[(below(derive(scene.key, 66), 6) + i) % scene.phrases.questions.length];
    const text = phrase([template ?? scene.phrases.questions[0]], filling(scene, key));
    const source = sources[i];
    if (source === undefined || unit(key) < 0.4) return { text };
    return { text, answer: { ...source, text: phrase(scene.phrases.answers, filling(scene, derive(key, 1))) } };
  });
}

function stories(scene: Scene): Cited[] {
  const names = ['Daily Herald', 'Morning Ledger', 'The Sentinel', 'Evening Courier'];
  return names.map((source, i) => {
    const key = derive(derive(scene.key, 67), Math.floor(scene.ranking.day / 2) * 4 + i);
    const host = `www.${source.toLowerCase().replaceAll(' ', '')}.example`;
    return {
      title: phrase(scene.phrases.headlines, filling(scene, key)),
      url: `https://${host}/${scene.year}/story-${code(key, 8)}`,
      source,
      age: phrase(scene.phrases.ages, filling(scene, derive(key, 1))),
      key,
    };
  });
}

function videos(scene: Scene): (Cited & Video)[] {
  return Array.from({ length: 3 }, (_, i) => {
    const key = derive(derive(scene.key, 68), i);
    return {
      title: phrase(scene.phrases.titles.video, filling(scene, key)),
      url: videoAddress(videoHost.host, key),
      source: videoHost.name,
      age: phrase(scene.phrases.ages, filling(scene, derive(key, 1))),
      key,
      ...video(key),
    };
  });
}

function posts(scene: Scene): (Cited & { author: string })[] {
  return Array.from({ length: 3 }, (_, i) => {
    const key = derive(derive(scene.key, 69), i);
    return {
      title: phrase(scene.phrases.titles.forum, filling(scene, key)),
      url: `https://www.askround.example/t/${code(key, 8)}`,
      source: 'Askround',
      age: phrase(scene.phrases.ages, filling(scene, derive(key, 1))),
      author: `user_${code(key, 5)}`,
      key,
    };
  });
}

function places(scene: Scene): Place[] {
  return ['Umbrella', 'Corner', 'Central'].map((prefix, i) => {
    const key = derive(derive(scene.key, 70), i);
    return {
      name: `${prefix} ${scene.title}`,
      rating: (3.5 + 1.5 * unit(key)).toFixed(1),
      votes: 5 + below(key, 900),
      street: `${1 + below(derive(key, 1), 200)} Main Street`,
    };
  });
}

function adverts(scene: Scene, part: number, count: number): Advert[] {
  return Array.from({ length: count }, (_, i) => {
    const key = derive(derive(scene.key, 1000 + part), Math.floor(scene.ranking.day / 3) * 8 + i);
    const host = `www.${code(key, 3).replace(/[0-9]/gu, 'a')}-deals.example`;
    return {
      title: phrase(scene.phrases.adTitles, filling(scene, key)),
      url: `https://${host}/offer?kw=${encodeURIComponent(scene.ranking.search.keyword)}&ad=${i + 1}`,
      host,
      text: phrase(scene.phrases.adTexts, filling(scene, derive(key, 1))),
    };
  });
}

function overview(scene: Scene, organics: readonly Organic[]): Overview {
  const say = (part: number) => phrase(scene.phrases.snippets, filling(scene, derive(scene.key, part)));
  const points = [71, 72, 73].map((part) => phrase(scene.phrases.answers, filling(scene, derive(scene.key, part))));
  return { opening: say(74), list: points, closing: say(75), citations: cited(scene, organics, 76, 4) };
}

function encyclopedia(scene: Scene): Cited {
  const slug = encodeURIComponent(scene.title.replaceAll(' ', '_'));
  return {
    title: scene.title,
    url: `https://${answerHost.host}/wiki/${slug}`,
    source: answerHost.name,
    age: '',
    key: scene.key,
  };
}

function knowledge(scene: Scene): Knowledge {
  const { phrases, key } = scene;
  return {
    id: `/g/11${code(derive(key, 77), 8)}`,
    name: scene.title,
    subtitle: phrase(phrases.titles.reference, filling(scene, derive(key, 78))),
    description: phrase(phrases.snippets, filling(scene, derive(key, 79))),
    source: encyclopedia(scene),
    facts: phrases.facts
      .slice(0, 3)
      .map((name, i) => ({ name, value: `${scene.title} ${1900 + below(derive(key, 80 + i), 120)}` })),
  };
}
