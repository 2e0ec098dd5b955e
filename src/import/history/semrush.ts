// Semrush position tracking: one row a keyword, one column a target and day (`*.acme.com/*_20260501`).

import { parseCountry } from '../../tracker/countries.ts';
import { parseDate } from '../cells/dates.ts';
import { parseDevice } from '../cells/values.ts';
import { type DatedColumn, type Layout, shortened, type TableFormat } from './table.ts';

const datedHeader = /^(.+)_(\d{8})$/;

/** Semrush searches 100 results and writes a dash for "not found". */
export const semrush: TableFormat = {
  name: 'semrush',
  signs: { notFound: ['-'], unclear: ['0'] },
  layoutOf(header, { timezone }, { above }) {
    const keyword = header.findIndex((cell) => cell.toLowerCase() === 'keyword');
    const volume = header.findIndex((cell) => cell.toLowerCase() === 'search volume');
    const dated = header.flatMap((cell, rank): DatedColumn[] => {
      const [, target = '', written] = datedHeader.exec(cell) ?? [];
      const day = written === undefined ? undefined : parseDate(written, timezone, 'ymd');
      if (day === undefined || 'refused' in day) return [];
      const beside = (name: string): number | null => {
        const found = header.indexOf(`${cell}_${name}`);
        return found === -1 ? null : found;
      };
      return [{ date: day.date, target, rank, url: beside('landing'), element: beside('type'), device: null }];
    });
    if (keyword === -1 || dated.length === 0) return null;
    const columns = new Map([['keyword', keyword] as const, ...(volume === -1 ? [] : [['volume', volume] as const])]);
    return { width: header.length, columns, dated, ...readCampaign(above) };
  },
};

/**
 * Device and location of the campaign, from the lines above the header: `Device: mobile`, `Location: Texas, United
 * States (Google) - English`. The caller's options decide where device or country is unknown.
 */
function readCampaign(above: readonly (readonly string[])[]): Pick<Layout, 'market' | 'place'> {
  const lines = above.map((cells) => cells.filter((cell) => cell !== '').join(', '));
  const said = (name: string): string => {
    const line = lines.find((text) => text.toLowerCase().startsWith(`${name}:`)) ?? '';
    return line
      .slice(name.length + 1)
      .replaceAll('"', '')
      .trim();
  };
  const [place = ''] = said('location').split(/ \(| - /);
  const places = place.split(',').map((part) => part.trim());
  const country = parseCountry(places.at(-1) ?? '');
  const market = { country, device: parseDevice(said('device')) };
  return country !== null && places.length > 1 ? { market, place: shortened(place) } : { market };
}
