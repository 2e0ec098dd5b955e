// Types: the phrases of the sandbox in one language.
import type { SiteKind } from '../world/sites.ts';

export type Choices = readonly [string, ...string[]];

/** Labels of a results page and phrases with placeholders for the keyword `{k}`, a number `{n}` and a year `{y}`. */
export interface Phrases {
  readonly titles: Readonly<Record<SiteKind, Choices>>;
  readonly snippets: Choices;
  readonly questions: Choices;
  readonly answers: Choices;
  readonly related: Choices;
  readonly headlines: Choices;
  readonly adTitles: Choices;
  readonly adTexts: Choices;
  readonly sitelinks: Choices;
  readonly facts: Choices;
  readonly months: Choices;
  /** `{d}`, `{m}`, `{y}`. */
  readonly date: string;
  readonly ages: Choices;
  readonly labels: Readonly<Record<Label, string>>;
}

type Label =
  | 'all'
  | 'images'
  | 'videos'
  | 'news'
  | 'shopping'
  | 'maps'
  | 'more'
  | 'ads'
  | 'sponsored'
  | 'questions'
  | 'related'
  | 'stories'
  | 'places'
  | 'posts'
  | 'overview'
  | 'snippet'
  | 'about'
  | 'next'
  | 'nothing'
  | 'advice'
  | 'rated'
  | 'reviews'
  | 'readMore';
