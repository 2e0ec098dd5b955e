// Planted bugs of AI answers and overviews: what is counted, compared, charged and shown.
import type { Plant } from './plants.ts';

export const answers: readonly Plant[] = [
  {
    invariant: 'an AI overview whose links are not known is in no share of citations',
    file: 'jobs/report/rows/overview-rows.ts',
    find: 'if (pages === null) return;',
    replace: 'pages ??= noPages;',
    tests: ['test/jobs/report/overview-rows.test.ts'],
  },
  {
    invariant: 'checks without an AI overview are in its share of checks',
    file: 'jobs/report/rows/overview-rows.ts',
    find: '    period,\n    asked,',
    replace: '    period,\n    asked: shown,',
    tests: ['test/jobs/report/overview-rows.test.ts'],
  },
  {
    invariant: 'second looks at changes are no samples of AI overviews',
    file: 'db/reads/reports/overviews.ts',
    find: 'AND n.confirms IS NULL ',
    replace: '',
    tests: ['test/jobs/report/overview-rows.test.ts'],
  },
  {
    invariant: 'AI overviews of reused pages are counted once',
    file: 'db/reads/reports/overviews.ts',
    find: '(c.pages_reused = 0 OR NOT EXISTS (',
    replace: '(c.pages_reused >= 0 OR NOT EXISTS (',
    tests: ['test/jobs/report/overview-rows.test.ts'],
  },
  {
    invariant: 'a service that charges an account gives no AI answers, which it would not charge',
    file: 'src/app/opening/services.ts',
    find: 'const { answers: _, ...service } = await openEmbedded(name, config, host);',
    replace: 'const service = await openEmbedded(name, config, host);',
    tests: ['test/app/opening/services.test.ts'],
  },
  {
    invariant: 'plan counts only the samples of AI answers that the period lacks',
    file: 'jobs/answers/refresh-answers.ts',
    find: 'if (known.has(sample)) continue;',
    replace: '',
    tests: ['test/cli/commands/prompts-only.test.ts'],
  },
  {
    invariant: 'report.html holds the texts of the newest period only',
    file: 'jobs/report/html/page-answers.ts',
    find: '{ from: newest, to: newest }',
    replace: '{ to: newest }',
    tests: ['test/app/workspace/answers.test.ts'],
  },
];
