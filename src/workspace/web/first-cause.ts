// The first cause of a change of rank that the numbers prove: a competitor, another page of ours, a lost feature.
import { useQueries } from '@tanstack/react-query';
import type { CompetitorSeries, KeywordRow } from '../records.ts';
import { apiPath, isFile, type List, read } from './api.ts';
import { useProject, useProjectAnswer } from './project.tsx';
import { featureName, pathOfUrl, shortUrl } from './words.ts';

/** Competitors whose searches are read, those with the most passes. */
const rivalsMax = 4;

interface Pass {
  readonly rival: string;
  /** The competitor passed us. */
  readonly isLoss: boolean;
}

export interface FirstCause {
  /** Of a row; null: none is proven. */
  readonly causeOf: (row: KeywordRow) => string | null;
  readonly isReading: boolean;
}

export function useFirstCause(): FirstCause {
  const { name: project, facts, asked } = useProject();
  const { value: standings, error } = useProjectAnswer<CompetitorSeries>(isFile() ? null : 'competitors', 'chart');
  const passes = standings === undefined ? [] : passesOf(standings, facts.competitors);
  const answers = useQueries({
    queries: passes.map(({ rival, isLoss }) => {
      const path = apiPath(project, 'keywords', asked, 'table', {
        [isLoss ? 'passedBy' : 'passed']: rival,
        change: isLoss ? 'declined|dropped' : 'improved|entered',
        fields: 'id',
        limit: '1000',
      });
      // the API has this shape: src/workspace/records.ts
      return { queryKey: [path], queryFn: async () => (await read(path)) as List<{ readonly id: string }> };
    }),
  });
  const rivals = new Map<string, string[]>();
  for (const [index, { rival }] of passes.entries())
    for (const { id } of answers[index]?.data?.data ?? []) rivals.set(id, [...(rivals.get(id) ?? []), rival]);
  // a cause further down the list would stand in for one that was not read
  if (error !== null || answers.some(({ isError }) => isError)) return { causeOf: () => null, isReading: false };
  const isReading = !isFile() && (standings === undefined || answers.some(({ isPending }) => isPending));
  return { causeOf: (row) => causeOf(row, rivals.get(row.id) ?? []), isReading };
}

/** Our targets and the competitors that passed each other, those with the most searches first. */
function passesOf({ passes }: CompetitorSeries, competitors: readonly string[]): Pass[] {
  const between = passes
    .filter(
      ({ target, passed, searches }) => searches > 0 && competitors.includes(target) !== competitors.includes(passed),
    )
    .toSorted((a, b) => b.searches - a.searches)
    .map(({ target, passed }) => {
      const isLoss = competitors.includes(target);
      return { rival: isLoss ? target : passed, isLoss };
    });
  const isFirst = (of: Pass, index: number) =>
    between.findIndex(({ rival, isLoss }) => rival === of.rival && isLoss === of.isLoss) === index;
  return between.filter(isFirst).slice(0, 2 * rivalsMax);
}

function causeOf({ change, changeClass, url, previousUrl, lostFeatures }: KeywordRow, rivals: string[]): string | null {
  const isLoss = changeClass === 'dropped' || (change ?? 0) < 0;
  if (rivals.length > 0) {
    const names = rivals.slice(0, 2).map(shortUrl).join(' and ');
    return isLoss ? `passed by ${names}` : `passed ${names}`;
  }
  if (url !== null && previousUrl !== null && url !== previousUrl) return `another page ranks: ${pathOfUrl(url)}`;
  const [lost] = lostFeatures;
  return isLoss && lost !== undefined ? `lost: ${featureName(lost)}` : null;
}
