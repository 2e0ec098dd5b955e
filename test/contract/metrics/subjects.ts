// Every source of keyword metrics that the contract suite holds to the contract.
import type { MetricsSubject } from './subject.ts';
import { dataForSeo } from './subjects/dataforseo.ts';
import { googleAds } from './subjects/google-ads.ts';
import { keywordsEverywhere } from './subjects/keywords-everywhere.ts';
import { semrush } from './subjects/semrush.ts';

export const subjects: readonly MetricsSubject[] = [googleAds, dataForSeo, semrush, keywordsEverywhere];
