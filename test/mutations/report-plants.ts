// The planted bugs of reports: templates, deliveries, mails, retention, and files that were delivered.
import type { Plant } from './plants.ts';

export const reports: readonly Plant[] = [
  {
    invariant: 'a change of AI answers is reported only where the intervals do not overlap',
    file: 'src/tracker/answers/answer-share.ts',
    find: 'if (now.low > before.high)',
    replace: 'if (now.share > before.share)',
    tests: ['test/tracker/answers/answer-share.test.ts', 'test/jobs/report/answer-tables.test.ts'],
  },
  {
    invariant: 'a warning stays on the page with every template',
    file: 'src/report/html/page.ts',
    find: 'warning !== null && html`<aside class="banner',
    replace: 'warning !== null && template.sections === null && html`<aside class="banner',
    tests: ['test/report/html/template.test.ts'],
  },
  {
    invariant: 'a report has the comments on its own days, and no others',
    file: 'src/tracker/changes/report-template.ts',
    find: 'comment.from <= to && comment.to >= from',
    replace: 'comment.from <= to',
    tests: ['test/report/html/template.test.ts'],
  },
  {
    invariant: 'a delivery that was sent is not sent again',
    file: 'jobs/alerts/deliver-reports.ts',
    find: 'if (failure === null) store.reportDeliveries.markSent(delivery.id, clock.now());',
    replace: 'if (failure === null) store.reportDeliveries.postpone(delivery.id, "", clock.now());',
    tests: ['test/app/reports/deliver.test.ts'],
  },
  {
    invariant: 'a delivery that one process has taken is not taken by another before its lease ends',
    file: 'db/history/report-deliveries.ts',
    find: '+ 1`, nextTryAt: until })',
    replace: '+ 1`, nextTryAt: at })',
    tests: ['test/app/reports/deliver.test.ts'],
  },
  {
    invariant: 'a new delivery begins with its next period',
    file: 'db/history/report-deliveries.ts',
    find: 'const isFirst = !this.#isKnown(projectId, delivery);',
    replace: 'const isFirst = !this.#isKnown(projectId, delivery) && at < 0;',
    tests: ['test/app/reports/deliver.test.ts'],
  },
  {
    invariant: 'a keyword cannot become markup in a mail',
    file: 'src/report/alerts/mail-html.ts',
    find: `return plain.replace(/[&<>"']/g, (character) =>`,
    replace: 'return plain.replace(/[&]/g, (character) =>',
    tests: ['test/report/alerts/alert-forms.test.ts'],
  },
  {
    invariant: 'retention keeps the newest report of each project',
    file: 'jobs/report/files/old-reports.ts',
    find: 'name !== newest && ',
    replace: '',
    tests: ['test/app/reports/retention.test.ts'],
  },
  {
    invariant: 'retention keeps answers to other questions',
    file: 'jobs/report/files/old-reports.ts',
    find: '(-run\\d+)?$/;',
    replace: '/;',
    tests: ['test/app/reports/retention.test.ts'],
  },
  {
    invariant: 'retention deletes no file that a report did not write',
    file: 'jobs/report/files/daily-folders.ts',
    find: '...(filesIn(folder) ?? [])',
    replace: '...readdirSync(folder)',
    tests: ['test/app/reports/retention.test.ts', 'test/jobs/report/agency-files.test.ts'],
  },
  {
    invariant: 'a month of the files of all projects is archived before its days are removed',
    file: 'jobs/report/files/agency-files.ts',
    find: 'if (!current.startsWith(month) && !existsSync(join(parent, month)))',
    replace: 'if (current.startsWith(month) && !existsSync(join(parent, month)))',
    tests: ['test/jobs/report/agency-files.test.ts'],
  },
  {
    invariant: 'another question never replaces a report that was delivered',
    file: 'jobs/report/report-question.ts',
    find: 'const isOther = hasOtherBaseline || delivered !== baseline;',
    replace: 'const isOther = hasOtherBaseline && delivered === baseline;',
    tests: ['test/app/reports/delivered-files.test.ts'],
  },
];
