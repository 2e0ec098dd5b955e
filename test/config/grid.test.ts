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

function gridOf(grid: string): Promise<unknown> {
  return load({
    'rankledger.yaml': [
      'budget: { serpCredits: { perDay: 999 } }',
      'projects:',
      `  - { id: acme, targets: [acme.com], market: { grid: ${grid} }, keywords: [a] }`,
      '',
    ].join('\n'),
  });
}

it('a grid goes on from -180 degrees where it crosses 180', async () => {
  const points = gridPoints({ center: '0,179.995', size: 3, spacing: '1km' });
  expect(points.slice(3, 6)).toEqual(['@0,179.986017,14z', '@0,179.995,14z', '@0,-179.996017,14z']);
  await expect(gridOf('{ center: "0,179.995", size: 3, spacing: 1km }')).resolves.toBeDefined();
});

it.each([
  ['{ center: "84.9,20", size: 5, spacing: 50km }', '5 points 50km apart reach beyond 85 degrees of latitude'],
  ['{ center: "10,20", size: 15, spacing: 2000km }', 'choose a smaller size or spacing'],
  ['{ center: "10,20", size: 3, spacing: 0km }', 'points 0km apart are the same point'],
])('the grid %s is refused in one line, not once for each point', async (grid, message) => {
  const refused = await gridOf(grid).catch((error: Error) => error.message);
  expect(refused).toContain('projects[0].market.grid: ');
  expect(refused).toContain(message);
  expect(String(refused).split('\n')).toHaveLength(1);
});
