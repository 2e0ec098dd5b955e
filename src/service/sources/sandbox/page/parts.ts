// The parts around the organic results: answers, questions, stories, ads.

import { phrase } from '../phrases/text.ts';
import { code, queryText, videoAddress } from '../world/address.ts';
import { below, derive, unit } from '../world/random.ts';
import { createVideo } from './organic.ts';
import type { Advert, Block, Cited, Knowledge, Organic, Overview, Place, Question, Video } from './page.ts';
import { filling, type Scene } from './scene.ts';

const answerHost = { host: 'en.openpedia.example', name: 'Openpedia' };
/** Rows of videos and posts come from the few platforms that real pages show; which distinguishes them from stories. */
const videoHost = { host: 'www.youtube.com', name: 'YouTube' };
const platforms = [
  { name: 'Reddit', path: 'www.reddit.com/r/questions/comments/' },
  { name: 'Instagram', path: 'www.instagram.com/reel/' },
  { name: 'Quora', path: 'www.quora.com/unanswered/' },
] as const;

/** Results that a feature quotes: some of the page's own, so that features are owned by sites that rank. */
export function cited(scene: Scene, organics: readonly Organic[], part: number, count: number): Cited[] {
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

export function snippet(scene: Scene, organics: readonly Organic[]): Block {
  const [first] = cited(scene, organics.slice(0, 4), 62, 1);
  const answer = phrase(scene.phrases.answers, filling(scene, derive(scene.key, 63)));
  return { kind: 'featured_snippet', answer, cited: first ?? encyclopedia(scene) };
}

export function questions(scene: Scene, organics: readonly Organic[]): Question[] {
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

export function stories(scene: Scene): Cited[] {
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

export function videos(scene: Scene): (Cited & Video)[] {
  return Array.from({ length: 3 }, (_, i) => {
    const key = derive(derive(scene.key, 68), i);
    return {
      title: phrase(scene.phrases.titles.video, filling(scene, key)),
      url: videoAddress(videoHost.host, key),
      source: videoHost.name,
      age: phrase(scene.phrases.ages, filling(scene, derive(key, 1))),
      key,
      ...createVideo(key),
    };
  });
}

export function posts(scene: Scene): (Cited & { author: string })[] {
  return platforms.map((platform, i) => {
    const key = derive(derive(scene.key, 69), i);
    return {
      title: phrase(scene.phrases.titles.forum, filling(scene, key)),
      url: `https://${platform.path}${code(key, 8)}/`,
      source: platform.name,
      age: phrase(scene.phrases.ages, filling(scene, derive(key, 1))),
      author: `user_${code(key, 5)}`,
      key,
    };
  });
}

export function places(scene: Scene): Place[] {
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

export function adverts(scene: Scene, part: number, count: number): Advert[] {
  return Array.from({ length: count }, (_, i) => {
    const key = derive(derive(scene.key, 1000 + part), Math.floor(scene.ranking.day / 3) * 8 + i);
    const host = `www.${code(key, 3).replace(/[0-9]/gu, 'a')}-deals.example`;
    return {
      title: phrase(scene.phrases.adTitles, filling(scene, key)),
      url: `https://${host}/offer?kw=${queryText(scene.ranking.search.keyword)}&ad=${i + 1}`,
      host,
      text: phrase(scene.phrases.adTexts, filling(scene, derive(key, 1))),
    };
  });
}

export function overview(scene: Scene, organics: readonly Organic[]): Overview {
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

export function knowledge(scene: Scene): Knowledge {
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
