import { expect, it } from 'vitest';
import { gridPoints } from '../../config/keyword-files/grid.ts';
import { load } from './folder.ts';

it('a grid has its points from north to south and west to east, as far apart as it says', () => {
  const points = gridPoints({ center: '30,-97', size: 3, spacing: '1km' });
  expect(points).toHaveLength(9);
  expect(points[4]).toBe('@30,-97,14z');
  expect(points[0]).toBe('@30.008983,-97.010373,14z');
  expect(points[8]).toBe('@29.991017,-96.989627,14z');
});

it('each keyword of the market is searched at each point, unless it has a location or another country', async () => {
  const config = await load({
    'rankledger.yaml': [
      'budget: { serpCredits: { perDay: 99 } }',
      'projects:',
      '  - id: acme',
      '    targets: [acme.com]',
      '    market: { grid: { center: "30.27,-97.74", size: 2, spacing: 500m } }',
      '    keywords: [a, { keyword: b, location: none }, { keyword: c, country: GB }]',
      '',
    ].join('\n'),
  });
  const keywords = config.projects[0]?.keywords ?? [];
  expect(keywords.map(({ keyword }) => keyword)).toEqual(['a', 'a', 'a', 'a', 'b', 'c']);
  expect(new Set(keywords.map(({ location }) => location)).size).toBe(5);
});

it('a market has either a location or a grid', async () => {
  const written = [
    'budget: { serpCredits: { perDay: 99 } }',
    'projects:',
    '  - id: acme',
    '    targets: [acme.com]',
    '    market: { location: "Austin, Texas", grid: { center: "30.27,-97.74", size: 2, spacing: 500m } }',
    '    keywords: [a]',
    '',
  ].join('\n');
  await expect(load({ 'rankledger.yaml': written })).rejects.toThrow('either a location or a grid');
});
