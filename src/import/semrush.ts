// Position tracking of Semrush: a preamble, then a row a keyword and columns a target and day (`*.acme.com/*_20260501`, `..._type`, `..._landing`).
import type { DatedColumn, TableFormat } from './table.ts';

const datedHeader = /^(.+)_(\d{4})(\d{2})(\d{2})(?:_(type|landing))?$/;

/** It looks at 100 results and writes a dash where the target is not among them. */
export const semrush: TableFormat = {
  name: 'semrush',
  signs: { notFound: ['-'], unclear: ['0'] },
  layoutOf(header) {
    const keyword = header.findIndex((cell) => cell.toLowerCase() === 'keyword');
    const volume = header.findIndex((cell) => cell.toLowerCase() === 'search volume');
    const dated = header.flatMap((cell, at): DatedColumn[] => {
      const [, target = '', year, month, day, part] = datedHeader.exec(cell) ?? [];
      if (year === undefined || part !== undefined) return [];
      const beside = (name: string): number | null => {
        const found = header.indexOf(`${cell}_${name}`);
        return found === -1 ? null : found;
      };
      const date = `${year}-${month}-${day}`;
      return [{ date, target, rank: at, url: beside('landing'), element: beside('type'), device: null }];
    });
    if (keyword === -1 || dated.length === 0 || dated.some(({ date }) => Number.isNaN(Date.parse(date)))) return null;
    const columns = new Map([['keyword', keyword] as const, ...(volume === -1 ? [] : [['volume', volume] as const])]);
    return { width: header.length, columns, dated };
  },
};
