import { expect, it } from 'vitest';
import {
  createMetricsSource,
  createSource,
  describeMetricsSource,
  metricsCostMoney,
  metricsKindOf,
  metricsSourceNames,
} from '../../../src/service/index.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const dependencies = { clock: new FakeClock() };

it('every source of metrics is known by its name, with its kind, and with whether it is paid', () => {
  const simulated = metricsSourceNames.filter((name) => metricsKindOf(name) !== 'live');
  expect(simulated).toEqual(['sandbox', 'replay']);
  expect(metricsSourceNames.filter(metricsCostMoney)).toEqual(['dataforseo', 'semrush', 'keywords-everywhere']);
  expect([metricsKindOf('serper'), metricsKindOf('constructor'), metricsCostMoney('serper')]).toEqual([
    undefined,
    undefined,
    false,
  ]);
});

it('every source of metrics has a description of its price, its metrics and each of its options', async () => {
  for (const name of metricsSourceNames) {
    const source = await describeMetricsSource(name);
    expect(source?.facts.title, name).not.toBe('');
    expect(source?.facts.knows, name).toContain('search_volume');
    expect(source?.facts.example, name).toMatch(new RegExp(`\\nmetrics: \\{ source: ${name}\\b`));
    expect(source?.facts.example.split('\n').length, name).toBeLessThanOrEqual(5);
    expect(metricsCostMoney(name), name).toBe(source?.facts.prices.length !== 0);
    for (const { perRequest, perWanted, perRelated, unitMicroUsd } of source?.facts.prices ?? []) {
      const numbers = [perRequest, perWanted, perRelated, unitMicroUsd.least, unitMicroUsd.most];
      expect(numbers.every(Number.isSafeInteger), name).toBe(true);
      expect(unitMicroUsd.least, name).toBeLessThanOrEqual(unitMicroUsd.most);
    }
    expect(
      source?.options.filter(({ is }) => is === ''),
      name,
    ).toEqual([]);
  }
  expect(await describeMetricsSource('serper')).toBeUndefined();
});

it('a name without metrics is refused with the valid names, and a SERP source with the place to use it', async () => {
  await expect(createMetricsSource('serper' as string, {}, dependencies)).rejects.toThrow(
    'There is no source "serper" of keyword metrics. Known sources of metrics: sandbox, replay, ',
  );
  await expect(createSource('semrush' as string, {}, dependencies)).rejects.toThrow(
    'Source "semrush" has keyword metrics only, and no results pages. Name it under metrics.',
  );
});

it('invalid options are refused with the name of the source and of each option, and no secret', async () => {
  const options = { login: 'a:b', password: 'hunter two', x: 1 };
  const failing = createMetricsSource('dataforseo', options, dependencies);
  const message = await failing.then(
    () => '',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/^Source "dataforseo" of keyword metrics: /);
  expect(message).toMatch(/login: .*password: .*x/);
  expect(message).not.toContain('hunter');
});
