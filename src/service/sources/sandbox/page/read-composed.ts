// What the engine reads from a composed page, without rendering and parsing its HTML. A test holds both equal.

import { withoutEmpty } from '../../../engines/page/assemble.ts';
import type {
  Ad,
  Extension,
  KnowledgePanel,
  OrganicResult,
  PageFeature,
  ReadPage,
  SerpPage,
} from '../../../model/results/serp.ts';
import { breadcrumbs, durationText, otherTabs, referralAddress, searchAddress } from '../render/addresses.ts';
import type { Advert, Block, Organic, Page, Place } from './page.ts';

const engine = 'https://www.google.com';

/** What blocks between the organic results add to the root object. */
type BlockParts = Required<Pick<SerpPage, 'organic'>> &
  Pick<SerpPage, 'people_also_ask' | 'perspectives' | 'images' | 'local_results'>;

/** Position of each ranked element of the page, counted in reading order. */
type NextRank = () => number;

/**
 * Reads a page whose keyword consists of words and single spaces: markup, marks and odd spaces in a keyword change what
 * the engine reads, and need the HTML. The page has at least one organic result.
 */
export function readComposed(page: Page, mobile: boolean): ReadPage {
  let ranked = page.topAds.length;
  const next: NextRank = () => ++ranked;
  const blocks: BlockParts = { organic: [] };
  for (const block of page.blocks) addBlock(blocks, block, page, mobile, next);
  ranked += page.bottomAds.length;
  const related = page.related.map((text, index) => {
    return { rank: index + 1, global_rank: next(), text, link: engine + searchAddress(text, '&sa=X') };
  });
  const { knowledge, overview, topAds, bottomAds } = page;
  const serp = withoutEmpty({
    organic: blocks.organic,
    knowledge: knowledge && panel(knowledge),
    people_also_ask: blocks.people_also_ask,
    related,
    navigation: otherTabs(page).map(([title, href]) => ({ title, href: engine + href })),
    perspectives: blocks.perspectives,
    ai_overview: overview && aiOverview(overview),
    images: blocks.images,
    top_ads: topAds.map(advert),
    bottom_ads: bottomAds.map(advert),
    overview: knowledge && { kgmid: knowledge.id, title: knowledge.name },
    local_results: blocks.local_results,
  });
  return { serp, features: listFeatures(page, serp) };
}

function addBlock(parts: BlockParts, block: Block, page: Page, mobile: boolean, next: NextRank): void {
  switch (block.kind) {
    case 'organic':
      parts.organic.push(organic(block.organic, parts.organic.length + 1, next(), page, mobile));
      break;
    case 'people_also_ask':
      parts.people_also_ask = block.questions.map(({ text, answer }, index) => ({
        rank: index + 1,
        global_rank: next(),
        question: text,
        ...(answer !== undefined && {
          answer_source: answer.url,
          answers: [{ rank: 1, type: 'answer', value: { text: answer.text } }],
        }),
      }));
      break;
    case 'images':
      parts.images = block.items.map(({ title, url }, index) => {
        next();
        return { rank: index + 1, title, link: url };
      });
      break;
    case 'video':
      for (const _ of block.items) next();
      break;
    case 'perspectives':
      parts.perspectives = block.items.map(({ title, author, source }) => ({ title, author, source }));
      break;
    case 'local_pack':
      parts.local_results = block.places.map(place);
      break;
    case 'featured_snippet':
    case 'top_stories':
  }
}

function organic(result: Organic, rank: number, globalRank: number, page: Page, mobile: boolean): OrganicResult {
  const { site, path } = breadcrumbs(result.url);
  const extensions = listExtensions(result, page, mobile);
  return {
    rank,
    global_rank: globalRank,
    title: result.title,
    description: result.description,
    link: result.url,
    display_link: site + path,
    source: result.siteName,
    ...(extensions.length > 0 && { extensions }),
    ...(result.video !== undefined && {
      image: result.video.thumbnail,
      duration: durationText(result.video.duration),
      duration_sec: result.video.duration,
    }),
  };
}

function listExtensions({ date, rating, sitelinks }: Organic, page: Page, mobile: boolean): Extension[] {
  const { rated, reviews } = page.phrases.labels;
  const found: Omit<Extension, 'rank'>[] = [];
  if (date !== undefined) found.push({ type: 'date', text: date });
  if (rating !== undefined) {
    found.push({ type: 'rating', text: mobile ? `${rated}: ${rating.value}` : rating.value });
    found.push({ type: 'reviews', text: mobile ? `${rating.votes} ${reviews}` : String(rating.votes) });
    found.push({ type: 'price', text: rating.price });
  }
  for (const { title, url } of sitelinks) found.push({ type: 'site_link', text: title, link: url });
  return found.map((each, index) => ({ ...each, rank: index + 1 }));
}

function place({ name, rating, votes, street, cid, website }: Place, index: number) {
  return {
    rank: index + 1,
    name,
    cid: cid ?? `1011004582974200${index}`,
    rating: Number(rating),
    reviews: votes,
    address: street,
    ...(website !== undefined && { website }),
  };
}

function panel({ name, subtitle, description, source, facts }: NonNullable<Page['knowledge']>): KnowledgePanel {
  return {
    name,
    subtitle,
    description,
    description_source: source.source,
    facts: facts.map((fact) => ({ key: fact.name, value: [{ text: fact.value }] })),
  };
}

function aiOverview(written: NonNullable<Page['overview']>): NonNullable<SerpPage['ai_overview']> {
  const { opening, list, closing, citations } = written;
  return {
    texts: [
      { type: 'paragraph', snippet: opening },
      { type: 'list', list: list.map((snippet) => ({ type: 'paragraph', snippet })) },
      { type: 'paragraph', snippet: closing },
    ],
    references: citations.map(({ title, url, source }, index) => ({
      index: index + 1,
      title,
      href: url,
      source,
      subtitle: opening.slice(0, 90).trimEnd(),
    })),
  };
}

function advert({ title, url }: Advert, index: number): Ad {
  return { rank: index + 1, title, link: url, referral_link: referralAddress(url) };
}

/** Features in the order of the engine. */
function listFeatures(page: Page, serp: SerpPage): PageFeature[] {
  const features: PageFeature[] = [];
  const add = (type: string, links: readonly string[]) => features.push({ type, links: [...new Set(links)] });
  const blocks = new Map(page.blocks.map((block) => [block.kind, block]));
  const ads = [...page.topAds, ...page.bottomAds];
  if (ads.length > 0) add('paid', links(ads));
  if (page.overview !== undefined) add('ai_overview', links(page.overview.citations));
  const snippet = blocks.get('featured_snippet');
  if (snippet?.kind === 'featured_snippet') add('featured_snippet', [snippet.cited.url]);
  if (serp.local_results !== undefined)
    add(
      'local_pack',
      serp.local_results.flatMap(({ website }) => website ?? []),
    );
  if (page.knowledge !== undefined) add('knowledge_graph', [page.knowledge.source.url]);
  for (const kind of ['top_stories', 'video', 'perspectives', 'images'] as const) {
    const block = blocks.get(kind);
    if (block !== undefined && 'items' in block) add(kind, links(block.items));
  }
  const questions = blocks.get('people_also_ask');
  if (questions?.kind === 'people_also_ask')
    add(
      'people_also_ask',
      questions.questions.flatMap(({ answer }) => answer?.url ?? []),
    );
  if (page.related.length > 0) add('related_searches', []);
  return features;
}

function links(items: readonly { readonly url: string }[]): string[] {
  return items.map(({ url }) => url);
}
