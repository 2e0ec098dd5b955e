// Types: one results page as data.
import type { Phrases } from '../phrases/phrases.ts';

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
  /** Absent: an id of its position. */
  readonly cid?: string;
  readonly website?: string;
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
  /** As requested, not normalized. */
  readonly keyword: string;
  readonly language: string;
  /** Days since 1970-01-01, UTC. */
  readonly day: number;
  readonly page: number;
  readonly isLast: boolean;
  readonly phrases: Phrases;
  /** The place that the footer names. */
  readonly place?: string;
  readonly blocks: readonly Block[];
  readonly topAds: readonly Advert[];
  readonly bottomAds: readonly Advert[];
  readonly related: readonly string[];
  readonly overview?: Overview;
  readonly knowledge?: Knowledge;
}
