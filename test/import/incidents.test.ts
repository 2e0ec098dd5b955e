// The status feed of a search engine: which incidents are updates, and what is refused.
import { expect, it, test } from 'vitest';
import { readIncidents } from '../../src/import/history/incidents.ts';

const spam = {
  id: 'LEubPCm2',
  number: '4538327372',
  begin: '2026-08-18T16:27:00+00:00',
  end: '2026-08-21T08:49:00+00:00',
  external_desc: 'August 2026\n spam update',
  updates: [{ when: '2026-08-18T16:28:47+00:00', text: 'Released', status: 'SERVICE_INFORMATION' }],
  severity: 'low',
  service_name: 'Ranking',
  affected_products: [{ title: 'Ranking', id: 'rGHU1u87' }],
};
const indexing = { ...spam, id: 'b', service_name: 'Indexing', affected_products: [{ title: 'Indexing' }] };

test('incidents of ranking are updates, with and without an end; others are counted', () => {
  const open = { ...spam, id: 'c', end: null, service_name: 'Search', external_desc: 'core update' };
  expect(readIncidents(JSON.stringify([spam, indexing, open]))).toEqual({
    updates: [
      {
        feedId: 'LEubPCm2',
        name: 'August 2026 spam update',
        beginAt: Date.UTC(2026, 7, 18, 16, 27),
        endAt: Date.UTC(2026, 7, 21, 8, 49),
      },
      { feedId: 'c', name: 'core update', beginAt: Date.UTC(2026, 7, 18, 16, 27), endAt: null },
    ],
    others: 1,
  });
});

it.each([
  ['an object', {}],
  ['a row that is not an object', [1]],
  ['no name', [{ ...spam, external_desc: undefined }]],
  ['a begin without a zone', [{ ...spam, begin: '2026-08-18T16:27:00' }]],
  ['an end before its begin', [{ ...spam, end: '2026-08-17T16:27:00Z' }]],
])('%s is refused', (_what, document) => {
  expect(() => readIncidents(JSON.stringify(document))).toThrow('not a status feed');
});
