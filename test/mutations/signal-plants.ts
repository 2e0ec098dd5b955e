// Planted bugs of the noise band and the adaptive plan.
import type { Plant } from './plants.ts';

export const signal: readonly Plant[] = [
  {
    invariant: 'an adaptive plan never exceeds its credits',
    file: 'src/tracker/signal/adaptive-plan.ts',
    find: "if (credits > this.left || had === 'over_budget') return false;",
    replace: '',
    tests: ['test/tracker/signal/adaptive-plan.test.ts'],
  },
  {
    invariant: 'a search that lost its longest gap to the budget says so',
    file: 'src/tracker/signal/adaptive-plan.ts',
    find: 'else if (isLast) unkept.push(each);',
    replace: '',
    tests: ['test/tracker/signal/adaptive-plan.test.ts'],
  },
  {
    invariant: 'further pages of longest gaps leave credits to what finds most',
    file: 'src/tracker/signal/adaptive-plan.ts',
    find: 'const isWithin = furtherCredits <= furtherLeft;',
    replace: 'const isWithin = true;',
    tests: ['test/tracker/signal/adaptive-plan.test.ts'],
  },
  {
    invariant: 'a simulation changes nothing in the real database',
    file: 'src/app/forecast/policy-runs.ts',
    find: 'const uncapped = policyConfig(this.#config, policy.projects, place);',
    replace:
      'const uncapped = policyConfig(this.#config, policy.projects, { ...place, databaseFile: this.#config.databaseFile });',
    tests: ['test/app/forecast/simulate-policies.test.ts'],
  },
  {
    invariant: 'a shallow absence says nothing about a deep rank',
    file: 'src/tracker/signal/sighting.ts',
    find: 'if (before.rank !== null) return before.rank <= seenDownTo(after) ? true : null;',
    replace: 'if (before.rank !== null) return true;',
    tests: ['test/tracker/signal/sighting.test.ts', 'test/tracker/signal/adaptive-plan.test.ts'],
  },
  {
    invariant: 'a drop is not certain after one check',
    file: 'src/tracker/signal/significance.ts',
    find: 'const isCertain = after.rank !== null && ',
    replace: 'const isCertain = ',
    tests: ['test/tracker/signal/significance.test.ts'],
  },
  {
    invariant: 'a changed interval may hold several changes',
    file: 'src/tracker/signal/change-rate.ts',
    find: 'const grown = Math.expm1(rate * days);',
    replace: 'const grown = rate * days;',
    tests: ['test/tracker/signal/change-rate.test.ts'],
  },
  {
    invariant: 'an adaptive plan leaves fixed projects their credits',
    file: 'jobs/run/opening/adaptive-checks.ts',
    find: 'window.spent - window.reserved - needed',
    replace: 'window.spent - window.reserved',
    tests: ['test/jobs/run/adaptive.test.ts'],
  },
  {
    invariant: 'second looks keep their share',
    file: 'jobs/run/closing/judge-changes.ts',
    find: 'if (depth > pagesLeft) continue;',
    replace: '',
    tests: ['test/jobs/run/second-looks.test.ts'],
  },
  {
    invariant: 'an alert waits for the second look at its change',
    file: 'jobs/alerts/alert-rows.ts',
    find: 'return awaitsSecondLook === true || ',
    replace: 'return ',
    tests: ['test/jobs/run/second-looks.test.ts'],
  },
  {
    invariant: 'alerts that waited in vain are written',
    file: 'jobs/run/closing/run-reports.ts',
    find: 'for (const runId of store.secondLooks.lapse(clock.now())) writeAlerts(context, settings, runId);',
    replace: 'store.secondLooks.lapse(clock.now());',
    tests: ['test/jobs/run/second-looks.test.ts'],
  },
  {
    invariant: 'a second look adds no ranking to its slot',
    file: 'jobs/check/check-end.ts',
    find: '  if (facts.isSecondLook) {',
    replace: '  if (facts.isSecondLook && evidence === null) {',
    tests: ['test/jobs/run/second-looks.test.ts'],
  },
  {
    invariant: 'keywords of a project move together: their counts have a longer tail',
    file: 'src/tracker/signal/update-detector.ts',
    find: 'Math.sqrt(dispersion * variance(day.compared))',
    replace: 'Math.sqrt(variance(day.compared))',
    tests: ['test/tracker/signal/update-detector.test.ts'],
  },
  {
    invariant: 'an update does not count as usual',
    file: 'src/tracker/signal/update-detector.ts',
    find: '    else past.push(day);',
    replace: '    past.push(day);',
    tests: ['test/tracker/signal/update-detector.test.ts'],
  },
];
