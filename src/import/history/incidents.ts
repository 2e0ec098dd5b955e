// The status feed of a search engine: the updates of its ranking that its operator has announced.
import type { AnnouncedUpdate } from '../../tracker/changes/note.ts';
import { parseJson, UnreadableFile } from '../text/text-file.ts';

/** The product of the feed whose incidents are updates. Crawling, indexing and serving have outages instead. */
const rankingProduct = 'ranking';
const nameCharactersMax = 150;

/**
 * Reads `incidents.json`: an array of incidents with `id`, `begin`, `end`, `external_desc`, `service_name` and
 * `affected_products`. Throws UnreadableFile for other text, and for an incident of ranking that lacks one of them.
 */
export function readIncidents(text: string): { readonly updates: AnnouncedUpdate[]; readonly others: number } {
  if (!/^\s*[[{]/.test(text)) throw otherForm();
  const incidents = parseJson([text]);
  if (!Array.isArray(incidents)) throw otherForm();
  const updates: AnnouncedUpdate[] = [];
  for (const incident of incidents as readonly unknown[]) {
    if (!isObject(incident)) throw otherForm();
    if (!isOfRanking(incident)) continue;
    const { id, begin, end, external_desc: written } = incident;
    const [beginAt, endAt] = [instant(begin), end === undefined || end === null || end === '' ? null : instant(end)];
    const name = typeof written === 'string' ? written.replace(/[\s\p{Cc}]+/gu, ' ').trim() : '';
    if (typeof id !== 'string' || id === '' || name === '' || beginAt === undefined || endAt === undefined)
      throw otherForm();
    if (endAt !== null && endAt < beginAt) throw otherForm();
    updates.push({ feedId: id, name: name.slice(0, nameCharactersMax), beginAt, endAt });
  }
  return { updates, others: incidents.length - updates.length };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfRanking({ service_name: service, affected_products: products }: Readonly<Record<string, unknown>>) {
  const titles = Array.isArray(products) ? products.map((product) => (isObject(product) ? product['title'] : '')) : [];
  return [service, ...titles].some((title) => typeof title === 'string' && title.toLowerCase() === rankingProduct);
}

/** `2026-08-18T16:27:00+00:00` as UTC milliseconds; undefined: another text. */
function instant(written: unknown): number | undefined {
  const isInstant = typeof written === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(written);
  const at = isInstant ? Date.parse(written) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function otherForm(): UnreadableFile {
  return new UnreadableFile(
    'it is not a status feed',
    'Name an incidents.json: an array of incidents with id, begin, end and external_desc.',
  );
}
