// Organic results of the invented world: title, URL, snippet and extensions.

import { dateText, phrase } from '../phrases/text.ts';
import { buildUrl, code, toSlug } from '../world/address.ts';
import { below, derive, unit } from '../world/random.ts';
import type { Ranking, Result } from '../world/world.ts';
import { pageBounds } from './features.ts';
import type { Link, Organic, Video } from './page.ts';
import { createScene, filling, type Scene } from './scene.ts';

/** The organic results of a page (1-based), in order; empty past the last one. */
export function composeOrganic(ranking: Ranking, page: number): Organic[] {
  const scene = createScene(ranking);
  const slug = toSlug(ranking.search.keyword);
  return pageResults(ranking, page).map((result) => organic(scene, result, slug));
}

function pageResults(ranking: Ranking, page: number): Result[] {
  const { start, end } = pageBounds(ranking, page);
  const results: Result[] = [];
  for (let index = start; index < end; index++) {
    const result = ranking.at(index);
    if (result !== undefined) results.push(result);
  }
  return results;
}

function organic(scene: Scene, result: Result, slug: string): Organic {
  const { key, site } = result;
  const { phrases, ranking } = scene;
  const url = buildUrl(result, slug, ranking.day);
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
    ...(site.kind === 'video' ? { video: createVideo(key) } : {}),
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

/** Length and picture of a video, stable for a key. */
export function createVideo(key: number): Video {
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
