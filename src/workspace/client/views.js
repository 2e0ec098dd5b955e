// The views by the name that they have in the address. Those with a label stand in the navigation.
import { Answers } from './views/answers.js';
import { Clicks } from './views/clicks.js';
import { Competitors } from './views/competitors.js';
import { Keyword } from './views/keyword.js';
import { Keywords } from './views/keywords.js';
import { LandingPages } from './views/landing-pages.js';
import { GridView } from './views/map.js';
import { Portfolio } from './views/portfolio.js';
import { Segments } from './views/segments.js';
import { Serp } from './views/serp.js';

/** @type {Record<string, { component: (props: any) => any, label?: string }>} */
export const views = {
  portfolio: { component: Portfolio },
  keywords: { component: Keywords, label: 'Keywords' },
  map: { component: GridView, label: 'Map' },
  pages: { component: LandingPages, label: 'Landing pages' },
  clicks: { component: Clicks, label: 'Clicks' },
  answers: { component: Answers, label: 'AI answers' },
  competitors: { component: Competitors, label: 'Competitors' },
  segments: { component: Segments, label: 'Segments' },
  keyword: { component: Keyword },
  serp: { component: Serp },
};
