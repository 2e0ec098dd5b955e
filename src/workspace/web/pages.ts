// The pages by their name in the address, in the order of the navigation. Each is loaded when it is opened.
import {
  Bell,
  CircleDollarSign,
  FileText,
  House,
  LayoutGrid,
  List,
  type LucideIcon,
  MapPinned,
  MousePointerClick,
  Sparkles,
  Swords,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';
import { isPart, type ReaderScope } from '../scoped-reader.ts';
import type { Project } from './project.tsx';

export interface Page {
  readonly component: ComponentType;
  readonly label: string;
  /** Absent: it is reached from other pages, not from the navigation. */
  readonly icon?: LucideIcon;
  /** Beside its label. Absent, or 0: nothing. */
  readonly count?: (project: Project) => number | null | undefined;
  /** A page without data of its subject is not in the navigation. Absent: there always is. */
  readonly isShown?: (project: Project) => boolean;
  /** Not for readers with this scope. Absent: for all. */
  readonly isHidden?: (scope: ReaderScope) => boolean;
  /** Its numbers are of the whole project: target, market and device do not narrow them. */
  readonly isUnfiltered?: boolean;
  /** The page of the navigation that leads to it. */
  readonly under?: string;
  /** It chooses its dates itself: the period of the project is not its. */
  readonly hasOwnDates?: true;
}

const page = (load: () => Promise<ComponentType>): ComponentType => lazy(async () => ({ default: await load() }));

export const pages: Readonly<Record<string, Page>> = {
  home: { component: page(async () => (await import('./pages/home.tsx')).Home), label: 'Home', icon: House },
  keywords: {
    component: page(async () => (await import('./pages/keywords.tsx')).Keywords),
    label: 'Keywords',
    icon: List,
    count: ({ overview }) => overview?.keywords,
  },
  keyword: {
    component: page(async () => (await import('./pages/keyword.tsx')).Keyword),
    label: 'Keyword',
    under: 'keywords',
    isUnfiltered: true,
  },
  serp: {
    component: page(async () => (await import('./pages/serp.tsx')).Serp),
    label: 'Results page',
    under: 'keywords',
    isUnfiltered: true,
    hasOwnDates: true,
  },
  pages: { component: page(async () => (await import('./pages/pages.tsx')).Pages), label: 'Pages', icon: FileText },
  competitors: {
    component: page(async () => (await import('./pages/competitors.tsx')).Competitors),
    label: 'Competitors',
    icon: Swords,
  },
  segments: {
    component: page(async () => (await import('./pages/segments.tsx')).Segments),
    label: 'Segments',
    icon: LayoutGrid,
  },
  places: {
    component: page(async () => (await import('./pages/places.tsx')).Places),
    label: 'Places',
    icon: MapPinned,
    isShown: ({ facts }) => facts.grid !== undefined,
  },
  map: { component: page(async () => (await import('./pages/places.tsx')).OldPlaces), label: 'Places' },
  clicks: {
    component: page(async () => (await import('./pages/clicks.tsx')).Clicks),
    label: 'Clicks',
    icon: MousePointerClick,
    isShown: ({ facts, scope }) => facts.clicks !== undefined || (facts.clickExport !== undefined && scope === null),
    isHidden: isPart,
  },
  // projects without prompts have AI overviews of their keywords
  answers: {
    component: page(async () => (await import('./pages/answers.tsx')).Answers),
    label: 'AI answers',
    icon: Sparkles,
    isHidden: isPart,
  },
  portfolio: { component: page(async () => (await import('./pages/portfolio.tsx')).Portfolio), label: 'All projects' },
  runs: {
    component: page(async () => (await import('./pages/runs.tsx')).Runs),
    label: 'Runs and spend',
    icon: CircleDollarSign,
    isHidden: () => true,
    isUnfiltered: true,
  },
  alerts: {
    component: page(async () => (await import('./pages/alerts.tsx')).Alerts),
    label: 'Alerts',
    icon: Bell,
    count: ({ overview }) => overview?.alerts,
    isHidden: () => true,
    isUnfiltered: true,
  },
};
