// Paths of the read API about grids.
import { type KeywordHistoryQuery, type KeywordQuery, NotFound } from './contract.ts';
import { type Endpoint, given, type ReadRequest } from './endpoint.ts';
import { fields } from './row-fields.ts';

/** `tableParameters`: those of the keyword table, which `keywordQuery` reads. */
export function gridEndpoints(
  tableParameters: Readonly<Record<string, string>>,
  keywordQuery: (request: ReadRequest) => KeywordQuery,
): readonly Endpoint[] {
  const { date = '', compare = '' } = tableParameters;
  return [
    {
      path: '/v1/projects/{project}/grids',
      kind: 'list',
      about: 'Every map of the grid with its sums: one per keyword, device and own target',
      parameters: tableParameters,
      fields: fields.gridSumFields,
      read: (reader, request) => reader.grids.sums(keywordQuery(request)),
    },
    {
      path: '/v1/projects/{project}/grids/{id}',
      kind: 'document',
      about: 'The map with the row of this id: its points, with estimates for those not checked, and its sums by date',
      parameters: { date, compare },
      fields: fields.gridPointFields,
      rows: fields.gridRows,
      read(reader, { project, id, query }) {
        const asked: KeywordHistoryQuery = { project, id, ...given('date', query), ...given('compare', query) };
        const map = reader.grids.map(asked);
        if (map === null) throw new NotFound(`no map of "${id}" in ${project}`);
        return map;
      },
    },
    {
      path: '/v1/projects/{project}/grid-points',
      kind: 'list',
      about: 'The points of all maps, one row per keyword, device, own target and point',
      parameters: tableParameters,
      fields: fields.gridPointFields,
      read: (reader, request) => reader.grids.points(keywordQuery(request)),
    },
  ];
}
