// Results pages and keyword metrics as tables.
import type { KeywordDataResponse, SerpPage } from '../../../service/index.ts';
import type { Printer } from '../../terminal/printer.ts';
import { amount } from '../numbers.ts';
import { type Column, printable, tableLines } from '../table.ts';

type Organic = NonNullable<SerpPage['organic']>[number];
type Place = NonNullable<SerpPage['local_results']>[number];
type Metrics = KeywordDataResponse['data'][number];

const titleWidth = 60;
const linkWidth = 90;

/** Ranks count over all printed pages: `before` is the number of results on earlier ones. */
const resultColumns = (before: number): readonly Column<Organic>[] => [
  { title: 'rank', align: 'right', value: ({ rank }) => amount(before + rank) },
  { title: 'title', value: ({ title }) => title ?? '-', widthMax: titleWidth },
  { title: 'link', value: ({ link }) => link ?? '-', widthMax: linkWidth },
];

const placeColumns: readonly Column<Place>[] = [
  { title: 'rank', align: 'right', value: ({ rank }) => amount(rank) },
  { title: 'place', value: ({ name }) => name ?? '-', widthMax: titleWidth },
  { title: 'id', value: ({ cid, place_id: id }) => (cid === undefined ? (id ?? '-') : `cid:${cid}`) },
  { title: 'address', value: ({ address }) => address ?? '-', widthMax: titleWidth },
];

const metricsColumns: readonly Column<Metrics>[] = [
  { title: 'keyword', value: ({ keyword }) => keyword, widthMax: titleWidth },
  { title: 'searches a month', align: 'right', value: ({ search_volume: volume }) => known(volume, amount) },
  { title: 'CPC', align: 'right', value: ({ cpc }) => known(cpc, (usd) => `$${usd.toFixed(2)}`) },
  { title: 'competition', align: 'right', value: ({ competition }) => known(competition, amount) },
  { title: 'level', value: ({ competition_level: level }) => level ?? '-' },
  { title: 'intent', value: ({ intent }) => intent ?? '-' },
];

/** The organic results of each page, or the places of a map, and its other elements. */
export function printSerp(out: Printer, pages: readonly SerpPage[]): void {
  let before = 0;
  for (const [index, { organic = [], ...others }] of pages.entries()) {
    if (pages.length > 1) out.line(out.styled('bold', `Page ${index + 1}`));
    const { local_results: places = [], ...besidePlaces } = others;
    const isMap = organic.length === 0 && places.length > 0;
    const features = isMap ? besidePlaces : others;
    if (organic.length === 0 && !isMap) out.line('No organic results.');
    if (isMap) for (const line of tableLines(placeColumns, places)) out.line(line);
    for (const line of tableLines(resultColumns(before), organic)) out.line(line);
    const counts = featureCounts(features);
    if (counts !== '') out.line(printable(`  Also on the page: ${counts}`));
    before += organic.length;
  }
}

export function printMetrics(out: Printer, { data }: KeywordDataResponse): void {
  if (data.length === 0) out.line('The source has no data for this keyword.');
  for (const line of tableLines(metricsColumns, data)) out.line(line);
}

/** `people also ask (4), images, related searches (8)` */
function featureCounts(features: Omit<SerpPage, 'organic'>): string {
  return Object.entries(features)
    .flatMap(([name, value]) => {
      const words = name.replaceAll('_', ' ');
      if (Array.isArray(value)) return value.length === 0 ? [] : [`${words} (${value.length})`];
      return value === null || value === undefined ? [] : [words];
    })
    .join(', ');
}

function known(value: number | null | undefined, write: (value: number) => string): string {
  return value === null || value === undefined ? '-' : write(value);
}
