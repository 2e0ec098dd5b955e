// Reads a page of Brave Search: sections of results, and the order in which they are mixed.

import type {
  Extension,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  PeopleAlsoAsk,
  Perspective,
  ReadPage,
  SerpPage,
} from '../../model/results/serp.ts';
import { type Fields, present } from '../../net/fields.ts';
import {
  organicList,
  organicResult,
  resolveDestination,
  siteLinks,
  textExtension,
} from '../vendor-kit/pages/elements.ts';
import { feature, pageWith, panelLinks } from '../vendor-kit/pages/features.ts';
import { rejectOtherOrder } from '../vendor-kit/pages/validator.ts';
import { numberAt, numbered, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';

/** Reads what the form has. Whether a page without organic results is an empty one is left to the caller. */
export function readPageForm(root: Fields): ReadPage {
  const places = readOrder(root);
  const mixed = objectsAt(objectAt(root, 'mixed'), 'main').filter((each) => wordsAt(each, 'type') === 'web');
  rejectOtherOrder(mixed, 'web.results', ['index']);
  const web = objectAt(root, 'web');
  const discussions = readSection(root, 'discussions').map(readDiscussion);
  const serp = present<SerpPage>({
    organic: web && organicList(web, 'results', (item, index) => readOrganic(item, index, places.get(`web ${index}`))),
    knowledge: readKnowledge(readSection(root, 'infobox')[0]),
    people_also_ask: numbered(
      readSection(root, 'faq').map((item, index) => readQuestion(item, places.get(`faq ${index}`))),
    ),
    perspectives: discussions.length === 0 ? undefined : discussions,
  });
  return pageWith(serp, besides(root));
}

/** The results of a section, which holds one or a list. */
function readSection(root: Fields, name: string): readonly Fields[] {
  const section = objectAt(root, name);
  const one = objectAt(section, 'results');
  return one === undefined ? objectsAt(section, 'results') : [one];
}

/** Sections whose results are ranked one by one. */
const rankedSections: readonly string[] = ['web', 'faq', 'videos'];

/**
 * Where the ranked elements stand among all of them, by section and index; empty where the mix leaves out a result of
 * the web.
 */
function readOrder(root: Fields): ReadonlyMap<string, number> {
  const mixed = objectAt(root, 'mixed');
  const places = new Map<string, number>();
  for (const reference of [...objectsAt(mixed, 'top'), ...objectsAt(mixed, 'main')]) {
    const type = wordsAt(reference, 'type') ?? '';
    if (!rankedSections.includes(type)) continue;
    const count = readSection(root, type).length;
    const index = numberAt(reference, 'index');
    const indexes = reference.raw('all') === true ? Array.from({ length: count }, (_, nth) => nth) : [index];
    for (const each of indexes) {
      if (each === undefined || each >= count || places.has(`${type} ${each}`)) continue;
      places.set(`${type} ${each}`, places.size + 1);
    }
  }
  const isWhole = readSection(root, 'web').every((_, index) => places.has(`web ${index}`));
  return isWhole ? places : new Map();
}

function besides(root: Fields): PageFeature[] {
  return [
    ...feature('discussions_and_forums', readSection(root, 'discussions'), 'url'),
    ...feature('top_stories', readSection(root, 'news'), 'url'),
    ...feature('video', readSection(root, 'videos'), 'url'),
    ...feature('local_pack', readSection(root, 'locations'), 'url'),
    ...panelLinks(root.raw('infobox')),
  ];
}

function readOrganic(item: Fields, index: number, place: number | undefined): OrganicResult {
  const names = { link: ['url'], description: ['description'], displayLink: [] };
  const video = objectAt(item, 'video');
  const picture = objectAt(item, 'thumbnail');
  const shown = objectAt(item, 'meta_url');
  const host = wordsAt(shown, 'netloc', 'hostname');
  return present<OrganicResult>({
    ...organicResult(item, index, names, readExtensions(item)),
    global_rank: place,
    display_link: host === undefined ? undefined : [host, wordsAt(shown, 'path')].filter(Boolean).join(' '),
    source: wordsAt(objectAt(item, 'profile'), 'name', 'long_name'),
    image: wordsAt(picture, 'original', 'src'),
    duration: wordsAt(video, 'duration'),
    duration_sec: secondsIn(wordsAt(video, 'duration')),
  });
}

function readExtensions(item: Fields): Omit<Extension, 'rank'>[] {
  const rating = objectAt(item, 'rating');
  const ratingText = (name: string) => {
    const number = numberAt(rating, name);
    return number === undefined ? undefined : String(number);
  };
  return [
    ...siteLinks(objectsAt(objectAt(item, 'deep_results'), 'buttons')),
    ...textExtension('date', wordsAt(item, 'age', 'page_age')),
    ...textExtension('rating', ratingText('ratingValue')),
    ...textExtension('reviews', ratingText('reviewCount')),
  ];
}

/** `12:34` or `1:02:03`. */
function secondsIn(duration: string | undefined): number | undefined {
  if (duration === undefined || !/^\d{1,3}(?::\d\d){1,2}$/.test(duration)) return undefined;
  return duration.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

function readKnowledge(box: Fields | undefined): KnowledgePanel | undefined {
  const name = wordsAt(box, 'title');
  if (box === undefined || name === undefined) return undefined;
  const pairs = box.raw('attributes');
  const facts = (Array.isArray(pairs) ? pairs : []).flatMap((pair: unknown) => {
    const [key, text] = Array.isArray(pair) ? pair : [];
    if (typeof key !== 'string' || typeof text !== 'string') return [];
    return [{ key: plain(key), value: [{ text: plain(text) }] }];
  });
  return present<KnowledgePanel>({
    name,
    subtitle: wordsAt(box, 'label', 'category'),
    description: wordsAt(box, 'long_desc', 'description'),
    description_source: wordsAt(objectsAt(box, 'providers')[0], 'name'),
    facts: facts.length === 0 ? undefined : facts,
  });
}

/** Attributes are sent with their links as HTML. */
function plain(text: string): string {
  return text.replace(/<[^<>]*>/g, '').trim();
}

function readQuestion(item: Fields, place: number | undefined): Omit<PeopleAlsoAsk, 'rank'> {
  const text = wordsAt(item, 'answer');
  return present<Omit<PeopleAlsoAsk, 'rank'>>({
    global_rank: place,
    question: wordsAt(item, 'question') ?? '',
    answer_source: resolveDestination(wordsAt(item, 'url')),
    answers: text === undefined ? undefined : [{ rank: 1, type: 'answer', value: { text } }],
  });
}

function readDiscussion(item: Fields): Perspective {
  const post = objectAt(item, 'data');
  return present<Perspective>({
    title: wordsAt(post, 'title') ?? wordsAt(item, 'title') ?? '',
    source: wordsAt(post, 'forum_name'),
  });
}
