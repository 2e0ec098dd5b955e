// The SERP features of a project's searches over time come from its own checks.
import { expect, it } from 'vitest';
import { FeatureHistory } from '../../../jobs/report/html/page-rows.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld } from '../../helpers/ranked-world.ts';

it('of two projects in one run each reads its own searches', async () => {
  const acme = project({ keywords: [keyword('a', { depth: 1 }), keyword('both', { depth: 1 })] });
  const globex = project({ id: 'globex', keywords: [keyword('both', { depth: 1 }), keyword('b', { depth: 1 })] });
  const { world, clock } = new RankedWorld([acme, globex]);
  const at = clock.now();
  await world.run({ kind: 'slot', projects: world.projects, at });
  const { reportSeries } = world.store;
  const searches = ['a', 'both', 'b'].map((text) =>
    Number(
      world.db.sql('SELECT s.id FROM searches s JOIN keywords k ON k.id = s.keyword_id WHERE k.text = ?').get(text)?.[
        'id'
      ],
    ),
  );
  const known = [acme, globex].map((one) => {
    const scope = { context: world.context, project: one };
    const features = new FeatureHistory(scope, reportSeries.dates(one.id, at, 90), new Set(searches));
    return searches.map((search) => features.of(search).length > 0);
  });
  expect(known).toEqual([
    [true, true, false],
    [false, true, true],
  ]);
  await world.close();
});
