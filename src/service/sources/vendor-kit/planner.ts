// Inputs of Google's keyword planner, for all vendors of its numbers: locations, languages, refused keywords. Pure.
import type { CompetitionLevel } from '../../model/results/keyword-data.ts';
import { isTextTaken, type SearchLimits } from '../../model/search-limits.ts';
import type { MetricsRequest } from '../../model/source.ts';
import { locationCode, numberedCountries } from './market.ts';

/**
 * Codes of languages as the planner writes them, each with its number among the language constants. Source: its table
 * of codes, 2026.
 */
const languages: ReadonlyMap<string, number> = new Map(
  `ar1019 bg1020 bn1056 ca1038 cs1021 da1009 de1001 el1022 en1000 es1003 et1043 fa1064 fi1011 fr1002 gu1072 hi1023 hr1039 hu1024 id1025 is1026 it1004
   iw1027 ja1005 kn1086 ko1012 lt1029 lv1028 ml1098 mr1101 ms1102 nl1010 no1013 pa1110 pl1030 pt1014 ro1032 ru1031 sk1033 sl1034 sr1035 sv1015 ta1130
   te1131 th1044 tl1042 tr1037 uk1036 ur1041 vi1040 zh_CN1017 zh_TW1018`
    .split(/\s+/)
    .map((entry) => [entry.replace(/\d+$/, ''), Number(/\d+$/.exec(entry)?.[0])]),
);

/** Codes of BCP 47 for which the planner has another one. */
const otherCodes: ReadonlyMap<string, string> = new Map([
  ['he', 'iw'],
  ['nb', 'no'],
  ['nn', 'no'],
  ['fil', 'tl'],
  ['zh', 'zh_CN'],
  ['zh-CN', 'zh_CN'],
  ['zh-SG', 'zh_CN'],
  ['zh-TW', 'zh_TW'],
  ['zh-HK', 'zh_TW'],
  ['zh-MO', 'zh_TW'],
]);

/** What the planner calls competition; any other word is unknown. */
export const plannerLevels: ReadonlyMap<string | undefined, CompetitionLevel> = new Map([
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
]);

/** What the planner refuses, at each vendor of its numbers. */
export const plannerLimits = {
  countries: numberedCountries,
  languages: [...languages.keys(), ...otherCodes.keys()].filter((code) => !code.includes('_')),
  keyword: { charactersMax: 80, wordsMax: 10 },
} as const satisfies SearchLimits;

interface PlannerMarket {
  /** 2000 and the number of the country. */
  readonly location: number;
  readonly languageCode: string;
  readonly languageConstant: number;
}

/** The market to query. It is within the planner's limits. */
export function plannerMarket({ country, language }: MetricsRequest): PlannerMarket {
  const location = locationCode(country);
  const [primary = ''] = language.split('-');
  const languageCode = otherCodes.get(language) ?? otherCodes.get(primary) ?? primary;
  const languageConstant = languages.get(languageCode);
  if (location === undefined || languageConstant === undefined) throw new Error('the limits were not checked');
  return { location, languageCode, languageConstant };
}

/** Whether the planner surely accepts the keyword: one that it rejects fails the whole request. */
export function plannerTakes(keyword: string): boolean {
  return (
    isTextTaken(plannerLimits.keyword, keyword) && !/[!@%^*()={};~`<>?\\|,[\]]|\p{Extended_Pictographic}/u.test(keyword)
  );
}
