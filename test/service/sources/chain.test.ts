import { describe, expect, it, vi } from 'vitest';
import {
  createSearchDataService,
  ProcessMemory,
  type SerpSource,
  ServiceError,
  type SourceDependencies,
  type SourceProbe,
} from '../../../src/service/index.ts';
import { chainModule } from '../../../src/service/sources/chain.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { memorySource, pageOf } from '../../helpers/memory-source.ts';

type Answer = 'sold' | ServiceError;

/** A source that returns these answers in turn, and then repeats the last. */
function partOf(name: string, ...answers: Answer[]) {
  const part = {
    name,
    kind: 'live' as const,
    bodyType: 'application/json' as const,
    asked: 0,
    closed: false,
    async fetchPage(request: { keyword: string; page: number }) {
      part.asked++;
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? 'sold';
      if (answer !== 'sold') throw answer;
      return {
        body: { contentType: 'application/json' as const, text: JSON.stringify({ by: name, ...request }) },
        observedAt: 5,
      };
    },
    readPage(body: { text: string }, request: Parameters<SerpSource['readPage']>[1]) {
      expect(JSON.parse(body.text)).toMatchObject({ by: name });
      return pageOf(request);
    },
    async close() {
      part.closed = true;
    },
  };
  return part;
}

const chainOf = (clock: FakeClock, ...parts: readonly SerpSource[]) => chainWith({ clock }, ...parts);

async function chainWith(dependencies: SourceDependencies & { clock: FakeClock }, ...parts: readonly SerpSource[]) {
  const { clock } = dependencies;
  const module = chainModule(async (name) => {
    const serp = parts.find((part) => part.name === name);
    return serp === undefined ? {} : { serp };
  });
  const source = await module.create({ sources: parts.map(({ name }) => ({ source: name })) }, dependencies);
  return { source, service: createSearchDataService({ source, clock }) };
}

const throttled = (retryAfterMs: number) => new ServiceError('RATE_LIMIT_EXCEEDED', 'Too fast.', { retryAfterMs });
const outOfCredits = new ServiceError('INSUFFICIENT_CREDITS', 'Empty.');
const failed = (charged: 'no' | 'yes' | 'unknown') => new ServiceError('SERP_FAILED', 'Failed.', { charged });
const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };

describe('a page', () => {
  it('is requested from the first source, and from no other once it is sold', async () => {
    const [one, two] = [partOf('one'), partOf('two')];
    const { service } = await chainOf(new FakeClock(), one, two);
    const { pages } = await service.serp({ keyword: 'shoes' });
    expect([one.asked, two.asked, pages[0]?.source]).toEqual([1, 0, 'one']);
    expect(pages[0]?.serp.organic).toHaveLength(2);
  });

  it('is requested from the next one after any failure that has certainly cost nothing', async () => {
    for (const failure of [
      throttled(1000),
      outOfCredits,
      failed('no'),
      new ServiceError('CONNECTION_FAILED', 'Away.'),
    ]) {
      const [one, two] = [partOf('one', failure), partOf('two')];
      const { service } = await chainOf(new FakeClock(), one, two);
      const { pages } = await service.serp({ keyword: 'shoes' });
      expect([one.asked, two.asked, pages[0]?.source], failure.code).toEqual([1, 1, 'two']);
    }
  });

  it('that may have been paid for is requested from no other source', async () => {
    for (const charged of ['yes', 'unknown'] as const) {
      const [one, two] = [partOf('one', failed(charged)), partOf('two')];
      const { service } = await chainOf(new FakeClock(), one, two);
      await expect(service.serp({ keyword: 'shoes' })).rejects.toMatchObject({ code: 'SERP_FAILED', charged });
      expect(two.asked).toBe(0);
    }
  });

  it('that is cancelled during a request is requested from no other source', async () => {
    const given = new AbortController();
    const one = partOf('one', new ServiceError('ABORTED', 'Given up.', { charged: 'no' }));
    const two = partOf('two');
    const { source } = await chainOf(new FakeClock(), one, two);
    given.abort();
    await expect(source.serp?.fetchPage(request, { signal: given.signal, at: 0 })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    expect(two.asked).toBe(0);
  });

  it('is read again by the source that sold it, and by no other', async () => {
    const [one, two] = [partOf('one', outOfCredits), partOf('two')];
    const { source, service } = await chainOf(new FakeClock(), one, two);
    const { pages } = await service.serp({ keyword: 'shoes' });
    const body = pages[0]?.body ?? { contentType: 'application/json', text: '' };
    expect(JSON.parse(body.text)).toEqual({ answered_by: 'two', answer: { by: 'two', ...request } });
    expect(source.serp?.readPage(body, request).serp.organic).toHaveLength(2);
    const other = await chainOf(new FakeClock(), one, partOf('three'));
    expect(() => other.source.serp?.readPage(body, request)).toThrow('two');
    expect(() => source.serp?.readPage({ contentType: 'application/json', text: '{}' }, request)).toThrow(ServiceError);
  });

  it('that cannot be read names its source, and so does HTML', async () => {
    const text = '<html>half';
    const unreadable = new ServiceError('UNREADABLE_RESPONSE', 'Cut.', { body: { contentType: 'text/html', text } });
    const { service } = await chainOf(new FakeClock(), partOf('one', unreadable), partOf('two'));
    const error = await service.serp({ keyword: 'shoes' }).catch((thrown: ServiceError) => thrown);
    expect(error).toMatchObject({ code: 'UNREADABLE_RESPONSE', body: { text: `<!-- answered by one -->\n${text}` } });
  });
});

describe('a source that', () => {
  it('is out of credits is skipped for a minute', async () => {
    const clock = new FakeClock();
    const [one, two] = [partOf('one', outOfCredits), partOf('two')];
    const { service } = await chainOf(clock, one, two);
    await service.serp({ keyword: 'shoes' });
    await service.serp({ keyword: 'boots' });
    expect([one.asked, two.asked]).toEqual([1, 2]);
    await clock.advance(60_000);
    await service.serp({ keyword: 'socks' });
    expect([one.asked, two.asked]).toEqual([2, 3]);
  });

  it('is rate limited is skipped until its retry time', async () => {
    const clock = new FakeClock();
    const [one, two] = [partOf('one', throttled(3000), 'sold'), partOf('two')];
    const { service } = await chainOf(clock, one, two);
    await service.serp({ keyword: 'shoes' });
    await clock.advance(2999);
    await service.serp({ keyword: 'boots' });
    await clock.advance(1);
    const { pages } = await service.serp({ keyword: 'socks' });
    expect([one.asked, two.asked, pages[0]?.source]).toEqual([2, 2, 'one']);
  });
});

describe('a source that refuses us', () => {
  it('is reported with every page that another one sells, also while it is skipped', async () => {
    const { service } = await chainOf(new FakeClock(), partOf('one', outOfCredits), partOf('two'));
    for (const keyword of ['shoes', 'boots']) {
      const { pages } = await service.serp({ keyword });
      expect(pages[0]?.passedOver).toEqual([
        { source: 'one', code: 'INSUFFICIENT_CREDITS', message: 'Empty.', hint: outOfCredits.hint },
      ]);
    }
  });

  it('is reported with a failure of the next one, but a rate limit is not', async () => {
    const refused = await chainOf(new FakeClock(), partOf('one', outOfCredits), partOf('two', failed('unknown')));
    const passedOver = [{ source: 'one', code: 'INSUFFICIENT_CREDITS' }];
    await expect(refused.service.serp({ keyword: 'shoes' })).rejects.toMatchObject({ source: 'two', passedOver });
    const hurried = await chainOf(new FakeClock(), partOf('one', throttled(1000)), partOf('two'));
    expect((await hurried.service.serp({ keyword: 'shoes' })).pages[0]).not.toHaveProperty('passedOver');
  });
});

describe('idempotency keys', () => {
  const keeping = (name: string, ...answers: Answer[]) => Object.assign(partOf(name, ...answers), { keepsKeys: true });

  it('are stored if each source stores them and the chain can remember the source, and not otherwise', async () => {
    const clock = new FakeClock();
    const memory = new ProcessMemory(clock);
    const all = await chainWith({ clock, memory }, keeping('one'), keeping('two'));
    expect([all.source.serp?.keepsKeys, all.service.keepsKeys]).toEqual([true, 'pages']);
    expect((await chainWith({ clock, memory }, keeping('one'), partOf('two'))).service.keepsKeys).toBeUndefined();
    expect((await chainOf(clock, keeping('one'), keeping('two'))).service.keepsKeys).toBeUndefined();
  });

  it('that a source may have sold go to it alone from then on, even after a restart or a refusal', async () => {
    const clock = new FakeClock();
    const memory = new ProcessMemory(clock);
    const parts = [keeping('one', failed('unknown'), outOfCredits, 'sold'), keeping('two')] as const;
    const options = { idempotencyKey: 'key' };
    const again = async () =>
      (await chainWith({ clock, memory }, ...parts)).service.serp({ keyword: 'shoes' }, options);
    await expect(again()).rejects.toMatchObject({ charged: 'unknown' });
    await expect(again()).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      disposition: 'abandon',
      charged: 'no',
    });
    expect((await again()).pages[0]?.source).toBe('one');
    expect([parts[0].asked, parts[1].asked]).toEqual([3, 0]);
  });

  it('that a source has certainly not sold go to the next one', async () => {
    const clock = new FakeClock();
    const parts = [keeping('one', failed('no')), keeping('two')] as const;
    const { service } = await chainWith({ clock, memory: new ProcessMemory(clock) }, ...parts);
    const options = { idempotencyKey: 'key' };
    for (const _ of [1, 2]) expect((await service.serp({ keyword: 'shoes' }, options)).pages[0]?.source).toBe('two');
    // the second time the source that sold it is used
    expect([parts[0].asked, parts[1].asked]).toEqual([1, 2]);
  });
});

describe('if all sources refuse,', () => {
  it.each<[string, ServiceError[], object]>([
    ['the shortest wait', [throttled(9000), throttled(4000)], { code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 4000 }],
    ['a wait before a halt', [outOfCredits, throttled(4000)], { code: 'RATE_LIMIT_EXCEEDED' }],
    ['another try before a halt', [outOfCredits, failed('no')], { code: 'SERP_FAILED', disposition: 'retry' }],
    [
      'a halt where nothing else is left',
      [outOfCredits, outOfCredits],
      { code: 'INSUFFICIENT_CREDITS', disposition: 'halt' },
    ],
  ])('%s is the combined failure, and it costs nothing', async (_name, answers, expected) => {
    const parts = answers.map((answer, index) => partOf(`part${index}`, answer));
    const { service } = await chainOf(new FakeClock(), ...parts);
    await expect(service.serp({ keyword: 'shoes' })).rejects.toMatchObject({ ...expected, charged: 'no' });
  });
});

it('a chain consists of live sources with pages', async () => {
  const clock = new FakeClock();
  const simulated = { ...partOf('one'), kind: 'sandbox' as const };
  await expect(chainOf(clock, simulated, partOf('two'))).rejects.toThrow('"one" is not a live source');
  const options = { sources: [{ source: 'a' }, { source: 'b' }] };
  await expect(chainModule(async () => ({})).create(options, { clock })).rejects.toThrow('"a" has no results pages');
});

it('the probe of a chain reports each source separately', async () => {
  const answer: SourceProbe = { answers: true, creditsLeft: 12, unit: 'credit', message: 'one answers.' };
  const one = { ...partOf('one'), probe: async () => answer };
  const { source } = await chainOf(new FakeClock(), one, partOf('two'));
  const probe = await source.serp?.probe?.({ signal: new AbortController().signal, at: 0 });
  expect(probe).toMatchObject({
    answers: true,
    creditsLeft: null,
    message: 'one answers. two has no free request for a test.',
  });
  expect(probe?.parts?.map(({ source: name, answers, creditsLeft }) => [name, answers, creditsLeft])).toEqual([
    ['one', true, 12],
    ['two', null, null],
  ]);
  const silent = await chainOf(new FakeClock(), partOf('one'), partOf('two'));
  expect(silent.source.serp?.probe).toBeUndefined();
});

it('a chain that cannot be created closes the sources it has opened', async () => {
  const clock = new FakeClock();
  const [one, simulated] = [partOf('one'), { ...partOf('two'), kind: 'sandbox' as const }];
  const metrics = memorySource();
  const options = { sources: [{ source: 'one' }, { source: 'two' }, { source: 'three' }] };
  const create = async (name: string) => {
    if (name === 'three') throw new Error('no key');
    return name === 'one' ? { ...metrics, serp: one } : { serp: partOf('two') };
  };
  await expect(chainModule(create).create(options, { clock })).rejects.toThrow('no key');
  expect([one.closed, metrics.closed]).toEqual([true, ['metrics']]);
  await expect(chainOf(clock, partOf('four'), simulated)).rejects.toThrow('is not a live source');
  const closes = vi.spyOn(simulated, 'close');
  await expect(chainOf(clock, partOf('four'), simulated)).rejects.toThrow('is not a live source');
  expect(closes).toHaveBeenCalledTimes(1);
});

it('a chain closes its sources when it is closed', async () => {
  const parts = [partOf('one'), partOf('two')];
  const { service } = await chainOf(new FakeClock(), ...parts);
  await service.close();
  expect(parts.map(({ closed }) => closed)).toEqual([true, true]);
});
