// Every SERP source in the contract suite.
import type { SourceSubject } from './subject.ts';
import { brave } from './subjects/brave.ts';
import { brightData, thordata } from './subjects/brightdata.ts';
import { dataForSeo } from './subjects/dataforseo.ts';
import { hasData } from './subjects/hasdata.ts';
import { brightDataMaps, dataForSeoMaps, searchApiMaps, serpApiMaps, serperMaps } from './subjects/maps.ts';
import { oxylabs } from './subjects/oxylabs.ts';
import { searchApi } from './subjects/searchapi.ts';
import { searxng } from './subjects/searxng.ts';
import { serpApi, serpApiBing, serpApiYahoo, serpApiYandex } from './subjects/serpapi.ts';
import { serper } from './subjects/serper.ts';
import { scaleSerp, valueSerp } from './subjects/valueserp.ts';
import { yandex } from './subjects/yandex.ts';
import { zenserp } from './subjects/zenserp.ts';

export const subjects: readonly SourceSubject[] = [
  serpApi,
  serpApiBing,
  serpApiYahoo,
  serpApiYandex,
  serper,
  valueSerp,
  scaleSerp,
  searchApi,
  hasData,
  zenserp,
  brightData,
  thordata,
  oxylabs,
  searxng,
  brave,
  yandex,
  dataForSeo,
  serpApiMaps,
  serperMaps,
  searchApiMaps,
  dataForSeoMaps,
  brightDataMaps,
];
