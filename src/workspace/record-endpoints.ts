// Paths of the read API about runs, money, alerts and notes, of all projects or one.
import type { PeriodQuery } from './contract.ts';
import { type Endpoint, given, type ReadRequest } from './endpoint.ts';
import { fields } from './row-fields.ts';

export const period = { from: 'first local date', to: 'last local date' };
const projectParameter = { project: 'only this project' };

/** The highest `limit` of runs. */
const runsMax = 10_000;

export const recordEndpoints: readonly Endpoint[] = [
  {
    path: '/v1/runs',
    kind: 'list',
    fields: fields.runFields,
    about: 'Runs, newest first',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.runs({ ...periodQuery(request), limit: runsMax }),
  },
  {
    path: '/v1/spend',
    kind: 'list',
    fields: fields.spendFields,
    about: 'What was spent by day, service and currency (SERP credits, or micro-USD)',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.spend(periodQuery(request)),
  },
  {
    path: '/v1/alerts',
    kind: 'list',
    fields: fields.alertFields,
    about: 'Alerts, newest first',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.alerts(periodQuery(request)),
  },
  {
    path: '/v1/notes',
    kind: 'list',
    fields: fields.noteFields,
    about: 'Notes by date',
    parameters: { ...projectParameter, ...period },
    read: (reader, request) => reader.notes(periodQuery(request)),
  },
];

export function periodQuery({ query }: ReadRequest): PeriodQuery {
  return { ...given('project', query), ...given('from', query), ...given('to', query) };
}
