// What a keyword is about: its tokens, its topic and related words.
import { below, derive, hashText } from './random.ts';

/** How many groups of sites the world has; a keyword's topic decides which group competes for it. */
export const nicheCount = 64;

/** Everything that depends on the keyword's words alone. */
export interface Topic {
  /** Name of a known topic, or null: then the head word names it. */
  readonly name: string | null;
  /** 0 to nicheCount - 1. */
  readonly niche: number;
  /** Keywords of the same topic, as people type them, the most searched first; empty for an unknown topic. */
  readonly keywords: readonly string[];
}

interface KnownTopic {
  readonly niche: number;
  readonly words: readonly string[];
  readonly keywords: readonly string[];
}

const knownTopics: Readonly<Record<string, KnownTopic>> = {
  running: {
    niche: 0,
    words:
      'run running runner runners marathon jogging trail sneaker sneakers trainers shoe shoes 5k 10k laufschuhe zapatillas'.split(
        ' ',
      ),
    keywords: [
      'running shoes',
      'trail shoes',
      'trail running shoes',
      'marathon training plan',
      'half marathon training plan',
      'best running shoes',
      'running shoes for women',
      'running shoes for men',
      'running shoes for flat feet',
      'marathon shoes',
      'carbon plate running shoes',
      'running socks',
      'running shorts',
      'running jacket',
      'running watch',
      'running belt',
      'couch to 5k',
      '10k training plan',
      '5k training plan',
      'how to run faster',
      'how to start running',
      'running pace calculator',
      'barefoot running shoes',
      'gps running watch',
      'waterproof running shoes',
      'waterproof trail running shoes',
      'how often to replace running shoes',
      'how to choose trail shoes',
      'windproof running jacket',
      'headlamp for running',
      'fell running shoes',
      'waterproof trail shoes',
      'wide running shoes',
      'stability running shoes',
      'cushioned running shoes',
      'racing flats',
      'track spikes',
      'running shoe store',
      'running shoes sale',
      'cheap running shoes',
      'ultramarathon training plan',
      'marathon pace chart',
      'sneakers',
    ],
  },
  outdoor: {
    niche: 1,
    words:
      'hiking hike camping tent tents backpack backpacks backpacking outdoor climbing boots sleeping kayak ski'.split(
        ' ',
      ),
    keywords: [
      'hiking boots',
      'hiking shoes',
      'hiking backpack',
      'camping tent',
      'sleeping bag',
      'sleeping pad',
      'camping stove',
      'trekking poles',
      'rain jacket',
      'headlamp',
      'water filter',
      'climbing shoes',
      'climbing harness',
      'day hikes near me',
      'camping checklist',
      'ultralight tent',
      'backpacking meals',
      'hiking socks',
      'winter boots',
      'fleece jacket',
      'best hiking boots',
      'waterproof hiking boots',
      'lightweight hiking boots',
      'hiking boots vs trail shoes',
      'hydration vest',
      'backpack 30 litres',
      'waterproof jacket',
    ],
  },
  roofing: {
    niche: 2,
    words: 'roof roofing ridge tile tiles slate slates gutter chimney'.split(' '),
    keywords: [
      'ridge tiles',
      'roof tiles',
      'reclaimed ridge tiles',
      'reclaimed roof tiles',
      'chimney pots',
      'roof slates',
    ],
  },
  software: {
    niche: 3,
    words: 'software app apps crm saas api cloud hosting code coding'.split(' '),
    keywords: [
      'crm software',
      'project management software',
      'accounting software',
      'invoice app',
      'web hosting',
      'cloud storage',
      'email marketing software',
      'time tracking app',
      'help desk software',
      'rank tracker',
      'keyword research tool',
      'website builder',
    ],
  },
  food: {
    niche: 4,
    words: 'recipe recipes cook cooking coffee pizza bread cake dinner'.split(' '),
    keywords: [
      'banana bread recipe',
      'pizza dough recipe',
      'coffee maker',
      'espresso machine',
      'sourdough starter',
      'easy dinner recipes',
      'chocolate cake recipe',
      'coffee beans',
      'coffee grinder',
      'meal prep ideas',
    ],
  },
  travel: {
    niche: 5,
    words: 'hotel hotels flight flights travel trip holiday beach resort'.split(' '),
    keywords: [
      'cheap flights',
      'hotels near me',
      'beach hotels',
      'city breaks',
      'travel insurance',
      'all inclusive resorts',
      'last minute holidays',
      'train tickets',
      'car hire',
      'packing list',
    ],
  },
  money: {
    niche: 6,
    words: 'insurance loan loans mortgage credit bank tax invest savings'.split(' '),
    keywords: [
      'car insurance',
      'home insurance',
      'mortgage calculator',
      'personal loan',
      'credit card comparison',
      'savings account',
      'tax calculator',
      'life insurance quotes',
    ],
  },
  health: {
    niche: 7,
    words: 'vitamin yoga diet sleep pain doctor dentist therapy fitness workout'.split(' '),
    keywords: [
      'dentist near me',
      'yoga mat',
      'home workout plan',
      'vitamin d dosage',
      'back pain exercises',
      'protein powder',
      'how to sleep better',
      'keto diet plan',
    ],
  },
};

const namedNiches = Object.keys(knownTopics).length;
const topicOfWord = new Map(
  Object.entries(knownTopics).flatMap(([name, topic]) => topic.words.map((word) => [word, name] as const)),
);

/** Words of the invented language `zzq...` mean nothing: no page and no metrics exist for a keyword made of them. */
export function isNonsense(normalized: string): boolean {
  return normalized.split(' ').every((word) => word.startsWith('zzq'));
}

/**
 * The topic of a normalized keyword: the known topic of its last known word, else a niche named by its longest word.
 */
export function findTopic(normalized: string): Topic {
  const words = normalized.match(/[\p{L}\p{N}]+/gu) ?? [normalized];
  const known = words.findLast((word) => topicOfWord.has(word));
  const name = known === undefined ? null : (topicOfWord.get(known) ?? null);
  const topic = name === null ? undefined : knownTopics[name];
  if (topic !== undefined) return { name, niche: topic.niche, keywords: topic.keywords };
  const head = words.reduce((longest, word) => (word.length > longest.length ? word : longest), '');
  const niche = namedNiches + below(derive(hashText(head), 7), nicheCount - namedNiches);
  return { name: null, niche, keywords: [] };
}
