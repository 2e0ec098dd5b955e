// Paths of the read API about measured clicks.

import { type HistoryReader, InvalidQuery } from './contract.ts';
import { type Endpoint, given, oneOf, type ReadRequest } from './endpoint.ts';
import type { ClickChangesBy, ClickChangesQuery, ClickReader } from './records.ts';
import { fields } from './row-fields.ts';

const changeKinds: readonly ClickChangesBy[] = ['query', 'page', 'country', 'device'];
/** Of the document; the list has all. */
const rowsMax = 500;
const daysDefault = '28';
const impressionsDefault = '10';

const changeParameters = {
  by: `${changeKinds.join(', ')}; default: query`,
  days: 'days of each period, 1 to 240; default: 28',
  to: 'last day; default: the newest final one',
};

export const clickEndpoints: readonly Endpoint[] = [
  {
    path: '/v1/projects/{project}/click-changes',
    kind: 'document',
    about:
      'Clicks gained or lost against the period before, split into demand, rank and rate, with the largest changes',
    parameters: changeParameters,
    read(reader, request) {
      const { rows, ...answer } = clicksOf(reader).changes(changesQuery(request));
      return { rowsTotal: rows.length, ...answer, rows: rows.slice(0, rowsMax) };
    },
  },
  {
    path: '/v1/projects/{project}/click-changes/rows',
    kind: 'list',
    fields: fields.clickChangeFields,
    about: 'All of these changes, largest first',
    parameters: changeParameters,
    read: (reader, request) => clicksOf(reader).changes(changesQuery(request)).rows,
  },
  {
    path: '/v1/projects/{project}/click-hours',
    kind: 'list',
    fields: fields.clickHourFields,
    about: 'Clicks and impressions of the newest 24 hours in Pacific time, incomplete ones included, and a week before',
    parameters: {},
    read: (reader, { project }) => clicksOf(reader).hours(project),
  },
  {
    path: '/v1/projects/{project}/untracked-queries',
    kind: 'list',
    fields: fields.untrackedFields,
    about: 'Queries with impressions that are not tracked, with what tracking each would cost a month',
    parameters: { minImpressions: `in 28 days; default: ${impressionsDefault}` },
    read: (reader, { project, query }) =>
      clicksOf(reader).untracked(project, Number(query.get('minImpressions') || impressionsDefault)),
  },
  {
    path: '/v1/projects/{project}/without-impressions',
    kind: 'list',
    fields: fields.silentFields,
    about: 'Tracked keywords for which no impressions are reported, with what they cost a month',
    parameters: {},
    read: (reader, { project }) => clicksOf(reader).silent(project),
  },
];

function clicksOf({ clicks }: HistoryReader): ClickReader {
  if (clicks === undefined)
    throw new InvalidQuery('This file does not hold clicks by day. `rankledger view` shows them.');
  return clicks;
}

function changesQuery({ project, query }: ReadRequest): ClickChangesQuery {
  return {
    project,
    by: oneOf('by', query.get('by') || 'query', changeKinds),
    days: Number(query.get('days') || daysDefault),
    ...given(query, 'to'),
  };
}
