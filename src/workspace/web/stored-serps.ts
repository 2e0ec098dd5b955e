// The stored results pages of a search: their dates, and the page of a date.
import type { KeywordRow, StoredSerpView } from '../../read/records.ts';
import { changed, pathTo } from './address.ts';
import { useKept, useProject, useProjectAnswer } from './project.tsx';

export interface Search {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  /** Null: the country as a whole. */
  readonly location: string | null;
}

export function searchOf({ keyword, country, language, device, location }: KeywordRow): Search {
  return { keyword, country, language, device, location: location ?? null };
}

/** Null: the query of an address does not name one. */
export function searchIn(query: URLSearchParams): Search | null {
  const [keyword, country, language, device] = ['keyword', 'country', 'language', 'device'].map((of) => query.get(of));
  if (!keyword || !country || !language || !device) return null;
  return { keyword, country, language, device, location: query.get('location') };
}

/** Newest first. `search` null: nothing is read. */
export function useSerpDates(
  search: Search | null,
): ReturnType<typeof useProjectAnswer<{ readonly dates: readonly string[] }>> {
  return useProjectAnswer(search === null ? null : 'serp/dates', 'nothing', { ...search });
}

/** `date` null: nothing is read. */
export function useSerp(
  search: Search,
  date: string | null,
): ReturnType<typeof useProjectAnswer<{ readonly serp: StoredSerpView | null }>> {
  return useProjectAnswer(date === null ? null : 'serp', 'nothing', { ...search, date });
}

/** The path of the results page of a date, beside that of another one: the search takes the place of filters. */
export function useSerpPath(): (search: Search, date?: string | null, against?: string | null) => string {
  const { name } = useProject();
  const kept = useKept();
  return (search, date = null, against = null) => pathTo(name, 'serp', changed(kept, { ...search, date, against }));
}
