// Composes a results page: its parts and their order.

import type { SearchLocation } from '../../../model/results/location.ts';
import { below, derive } from '../world/random.ts';
import { relatedTo } from '../world/vocabulary.ts';
import type { Ranking } from '../world/world.ts';
import { chooseFeatures, type Feature, pageBounds } from './features.ts';
import { localPlaces } from './local.ts';
import { composeOrganic } from './organic.ts';
import type { Block, Organic, Page, Place } from './page.ts';
import { adverts, cited, knowledge, overview, posts, questions, snippet, stories, videos } from './parts.ts';
import { createScene, type Scene } from './scene.ts';

/** The page (1-based) of a ranking; without blocks where it lies past the last result. */
export function composePage(ranking: Ranking, keyword: string, page: number, where?: SearchLocation): Page {
  const scene = createScene(ranking);
  const features = chooseFeatures(ranking, page);
  const locals = page === 1 && (where !== undefined || features.has('local_pack')) ? localPlaces(scene, where) : [];
  const organics = composeOrganic(ranking, page);
  const isEmpty = organics.length === 0;
  return {
    keyword,
    language: ranking.search.language,
    day: ranking.day,
    page,
    isLast: pageBounds(ranking, page).isLast,
    phrases: scene.phrases,
    ...(where?.kind === 'place' && { place: where.name.split(',').slice(0, 2).join(', ') }),
    blocks: arrange(organics, features, scene, locals),
    topAds: isEmpty || !features.has('top_ads') ? [] : adverts(scene, page, 1 + below(derive(scene.key, 40), 4)),
    bottomAds:
      isEmpty || !features.has('bottom_ads') ? [] : adverts(scene, page + 50, 1 + below(derive(scene.key, 41), 2)),
    related: isEmpty ? [] : relatedTo(ranking.search.keyword, ranking.topic, scene.phrases, scene.year, 6),
    ...(!isEmpty && features.has('ai_overview') ? { overview: overview(scene, organics) } : {}),
    ...(!isEmpty && features.has('knowledge') ? { knowledge: knowledge(scene) } : {}),
  };
}

/** Features take their places between the organic results. */
function arrange(
  organics: readonly Organic[],
  features: ReadonlySet<Feature>,
  scene: Scene,
  locals: readonly Place[],
): Block[] {
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
  if (features.has('images')) put(4, { kind: 'images', items: cited(scene, organics, 61, 4) });
  if (features.has('video')) put(5, { kind: 'video', items: videos(scene) });
  if (features.has('perspectives')) put(6, { kind: 'perspectives', items: posts(scene) });
  if (features.has('top_stories')) blocks.unshift({ kind: 'top_stories', items: stories(scene) });
  if (locals.length > 0) blocks.unshift({ kind: 'local_pack', places: locals });
  if (features.has('featured_snippet')) blocks.unshift(snippet(scene, organics));
  return blocks;
}
