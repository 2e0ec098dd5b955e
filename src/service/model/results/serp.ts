// Types of a results page: the specification's root object, its elements, and SERP features.

/** An extension of an organic result: sitelinks, dates, ratings and the like. */
export interface Extension {
  type: 'site_link' | 'date' | 'text' | 'rating' | 'reviews' | 'price' | 'fact' | 'list' | 'question' | 'missing';
  text: string;
  link?: string;
  /** 1-based within the result's extensions. */
  rank: number;
}

/**
 * Marks a result whose destination is not fully known. `host_only`: only its site, and `link` is the site's root
 * instead of the page. `hidden`: nothing, and `link` is the engine's redirect.
 */
export type DestinationState = 'host_only' | 'hidden';

export interface OrganicResult {
  /** 1-based among the organic results of this page object. */
  rank: number;
  /** 1-based among all ranked elements of this page object, in reading order; absent if the provider omits it. */
  global_rank?: number;
  title: string;
  description?: string;
  /** Destination URL, with redirects resolved. */
  link: string;
  /** An addition to the specification; absent if `link` is the destination itself. */
  destination_state?: DestinationState;
  display_link?: string;
  source?: string;
  extensions?: Extension[];
  /** Thumbnail URL of a video result. */
  image?: string;
  /** `minutes:seconds`. */
  duration?: string;
  duration_sec?: number;
}

export interface KnowledgePanel {
  name?: string;
  subtitle?: string;
  description?: string;
  description_source?: string;
  facts?: { key: string; value: { text: string }[] }[];
}

export interface PeopleAlsoAsk {
  rank: number;
  global_rank?: number;
  question: string;
  answer_source?: string;
  answers?: {
    rank: number;
    type: 'answer' | 'ordered_list' | 'unordered_list' | 'table' | 'video';
    value: { text: string };
  }[];
}

export interface RelatedSearch {
  rank: number;
  global_rank?: number;
  text: string;
  link: string;
}

export interface NavigationTab {
  title: string;
  href: string;
}

export interface Perspective {
  title: string;
  author?: string;
  source?: string;
}

export interface ImageResult {
  rank: number;
  title: string;
  link: string;
  image?: string;
}

export interface Ad {
  rank: number;
  title: string;
  link: string;
  referral_link?: string;
}

/** A place in the list of local results; paid places are left out, and not counted. An extension. */
export interface LocalResult {
  /** Position among the unpaid places of the page. */
  rank: number;
  name: string;
  /** Google's place id, `ChIJ...`. */
  place_id?: string;
  /** Google's number of the place. */
  cid?: string;
  /** 0 to 5. */
  rating?: number;
  reviews?: number;
  category?: string;
  address?: string;
  phone?: string;
  website?: string;
}

export type AiOverviewText =
  | { type: 'paragraph' | 'title'; snippet: string; reference_indexes?: number[] }
  | { type: 'list'; title?: string; list: AiOverviewText[] }
  | { type: 'code'; snippet: string };

export interface AiOverview {
  texts?: AiOverviewText[];
  references?: { index: number; title: string; href: string; source?: string; subtitle?: string }[];
}

/** The root object of one page. A field without a value is absent: never null, never an empty array. */
export interface SerpPage {
  organic?: OrganicResult[];
  knowledge?: KnowledgePanel;
  people_also_ask?: PeopleAlsoAsk[];
  related?: RelatedSearch[];
  navigation?: NavigationTab[];
  perspectives?: Perspective[];
  ai_overview?: AiOverview;
  images?: ImageResult[];
  top_ads?: Ad[];
  bottom_ads?: Ad[];
  overview?: { kgmid?: string; title?: string };
  local_results?: LocalResult[];
}

/**
 * One SERP feature on one page, named in DataForSEO's snake_case (`featured_snippet`, `people_also_ask`, `ai_overview`,
 * `local_pack`, `knowledge_graph`, `top_stories`, `video`, `images`, `paid`, `related_searches`,
 * `discussions_and_forums`, ...).
 */
export interface PageFeature {
  readonly type: string;
  /** Destination URLs in the feature, in its order; empty if there are none. */
  readonly links: readonly string[];
}

/**
 * Why a parsed page may still be wrong. The parser cannot decide it, but a caller that knows earlier pages of the same
 * search can. Other callers treat a doubt as a failure with this reason.
 */
export type PageDoubt = 'decoy_page' | 'empty_unproven';

/** A parsed page: the specification's root object, and its features, for some of which the root object has no field. */
export interface ReadPage {
  readonly serp: SerpPage;
  /** Absent if there is none. */
  readonly doubts?: readonly PageDoubt[];
  readonly features: readonly PageFeature[];
}
