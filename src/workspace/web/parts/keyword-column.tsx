// The first column of a table of keywords: the keyword with its market, leading to its page.
import { marketWords } from '../words.ts';
import type { PlainColumn } from './plain-table.tsx';

type KeywordOfMarket = Parameters<typeof marketWords>[0] & { readonly id: string; readonly keyword: string };

export function keywordColumn<Row extends KeywordOfMarket>(pathOf: (id: string) => string): PlainColumn<Row> {
  return {
    name: 'keyword',
    label: 'Keyword',
    value: ({ keyword }) => keyword,
    cell: (row) => (
      <a href={pathOf(row.id)}>
        <bdi>{row.keyword}</bdi> <span className="aside">{marketWords(row)}</span>
      </a>
    ),
  };
}
