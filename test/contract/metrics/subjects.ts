// Every source of keyword metrics in the contract suite.
import type { MetricsSubject } from './subject.ts';
import { dataForSeo } from './subjects/dataforseo.ts';
import { googleAds } from './subjects/google-ads.ts';
import { keywordsEverywhere } from './subjects/keywords-everywhere.ts';
import { semrush } from './subjects/semrush.ts';

export const subjects: readonly MetricsSubject[] = [googleAds, dataForSeo, semrush, keywordsEverywhere];
