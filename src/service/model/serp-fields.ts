// Removes empty fields: the specification promises that a field without a value is absent.
import type { AiOverviewText, SerpPage } from './serp.ts';

/** A copy of the page without null, undefined and empty arrays, at any depth, and without empty objects at the root. */
export function presentFields(serp: SerpPage): SerpPage {
  const page = compact(serp) as SerpPage;
  if (page.ai_overview?.texts !== undefined) {
    const texts = page.ai_overview.texts.filter(holdsText);
    if (texts.length > 0) page.ai_overview.texts = texts;
    else delete page.ai_overview.texts;
  }
  for (const field of Object.keys(page) as (keyof SerpPage)[]) {
    if (Object.keys(page[field] ?? {}).length === 0) delete page[field];
  }
  return page;
}

function compact(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(compact);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => !isNothing(field));
  return Object.fromEntries(fields.map(([name, field]) => [name, compact(field)]));
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** A list that lost its empty `list` says nothing. */
function holdsText(text: AiOverviewText): boolean {
  return text.type !== 'list' || text.list !== undefined;
}
