// serposcope: `date,rank,url,target,keyword,device,country,datacenter,local,custom`, URLs never quoted.
import type { ColumnRole } from './reading.ts';
import type { TableFormat } from './table.ts';

const begin = ['date', 'rank', 'url', 'target', 'keyword', 'device'];
const end = ['datacenter', 'local', 'custom'];
const urlColumn = begin.indexOf('url');

/** serposcope writes 32767 for "not found"; a blank cell is a search that the run did not reach. */
export const serposcope: TableFormat = {
  name: 'serposcope',
  signs: { notFound: ['32767', '-'], unclear: ['0'] },
  layoutOf(header) {
    const names = header.map((cell) => cell.toLowerCase());
    const isOurs = begin.every((name, at) => names[at] === name) && end.every((name) => names.includes(name));
    if (!isOurs) return null;
    const roles: ColumnRole[] = ['date', 'rank', 'url', 'target', 'keyword', 'device', 'country'];
    const columns = new Map(
      roles.flatMap((role) => (names.includes(role) ? [[role, names.indexOf(role)] as const] : [])),
    );
    return { width: header.length, columns, dated: [], locations: [names.indexOf('local')] };
  },
  repaired(cells, { width }) {
    const more = cells.length - width;
    if (more <= 0) return cells;
    const url = cells.slice(urlColumn, urlColumn + more + 1).join(',');
    return [...cells.slice(0, urlColumn), url, ...cells.slice(urlColumn + more + 1)];
  },
};
