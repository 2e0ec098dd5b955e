// The contract of every vendor of AI answers, tested with a scripted vendor on loopback and constructed samples.
import { describe, expect, it } from 'vitest';
import {
  type AnswerEngine,
  type AnswerService,
  answerSourceNames,
  type Clock,
  createAnswerSource,
  createSearchDataService,
  describeAnswerSource,
  type ServiceError,
  systemClock,
} from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { memorySource } from '../../helpers/memory-source.ts';
import { startVendorServer } from '../sources/vendor-server.ts';
import type { AnswerSubject, Said } from './subject.ts';
import { subjects } from './subjects.ts';

const key = 'secret-key-123';
const prompt = 'what are the best shoes? 50% + "ü" & more';
const said: Said = {
  text: '**Acme** is a good choice. [1][2]',
  cited: [
    { url: 'https://b.example/2', title: 'B' },
    { url: 'https://acme.example/1?x=1#:~:text=good%20choice', title: 'A' },
    { url: 'https://b.example/2', title: 'B again' },
  ],
};

async function start(subject: AnswerSubject, clock: Clock = systemClock) {
  const vendor = await startVendorServer();
  const options = { ...subject.options(key, vendor.url), allowLoopback: true, requestsPerSecond: 1000 };
  const answers = await createAnswerSource(subject.source, options, { clock });
  const service = createSearchDataService({ source: { ...memorySource(), answers }, clock });
  closeLater(service);
  if (service.answers === undefined) expect.fail('the service has no answers');
  return { vendor, answers: service.answers };
}

const ask = (answers: AnswerService, engine: AnswerEngine, signal?: AbortSignal) =>
  answers.ask({ engine, prompt, country: 'US', language: 'en', sample: 1 }, signal === undefined ? {} : { signal });

const failureOf = (asked: Promise<unknown>): Promise<ServiceError> =>
  asked.then(
    () => expect.fail('an answer was sold'),
    (error: unknown) => error as ServiceError,
  );

it('has a subject for every vendor of AI answers', () => {
  expect(subjects.map(({ source }) => source).sort()).toEqual(
    answerSourceNames.filter((name) => name !== 'sandbox').toSorted(),
  );
});

describe.each(subjects.map((subject) => [subject.source, subject] as const))('%s', (_, subject) => {
  it('gives of each engine the text and the cited pages in order, each once, and none that was only searched', async () => {
    const { vendor, answers } = await start(subject);
    for (const engine of answers.engines) {
      vendor.script = () => subject.sells(engine, said);
      const answer = await ask(answers, engine);
      expect(answer.text, engine).toBe(said.text);
      expect(answer.citations, engine).toEqual([
        { url: 'https://b.example/2', title: 'B' },
        { url: 'https://acme.example/1?x=1', title: 'A' },
      ]);
      expect(answer.microUsdStated, engine).toBe(subject.cost === null ? undefined : subject.cost * 1_000_000);
      expect(answers.priceMicroUsd(engine)).toBeGreaterThan(0);
    }
  });

  it('sends prompt and key as they are, and keeps the key out of what it stores', async () => {
    const { vendor, answers } = await start(subject);
    const [engine = 'chatgpt'] = answers.engines;
    vendor.script = () => subject.sells(engine, { ...said, text: `echo ${key}` });
    const answer = await ask(answers, engine);
    expect(vendor.requests.map(subject.asked)).toEqual([{ prompt, key }]);
    expect(JSON.stringify(answer)).not.toContain(key);
  });

  it('makes an answer without a text a failure that was paid', async () => {
    const { vendor, answers } = await start(subject);
    for (const engine of answers.engines) {
      vendor.script = () => subject.sells(engine, { text: '', cited: [] });
      const failure = await failureOf(ask(answers, engine));
      expect(failure, engine).toMatchObject({ code: 'WORKER_FAILED', charged: 'yes' });
    }
  });

  it('makes an answer to another prompt a failure that was paid, at the price that it states', async () => {
    const { vendor, answers } = await start(subject);
    const stated = subject.cost === null ? undefined : subject.cost * 1_000_000;
    for (const engine of answers.engines) {
      vendor.script = () => subject.sells(engine, { ...said, prompt });
      expect((await ask(answers, engine)).text, engine).toBe(said.text);
      vendor.script = () => subject.sells(engine, { ...said, prompt: 'what are the best boots?' });
      const failure = await failureOf(ask(answers, engine));
      expect(failure, engine).toMatchObject({ code: 'WORKER_FAILED', charged: 'yes' });
      expect(failure.message).toContain('to another prompt: "what are the best boots?"');
      expect(failure.stated, engine).toBe(stated);
    }
  });

  it.each([
    ['no credits', 'outOfCredits', { code: 'INSUFFICIENT_CREDITS', disposition: 'halt', charged: 'no' }],
    ['a wrong key', 'badKey', { disposition: 'halt', charged: 'no' }],
    ['too many requests', 'throttled', { disposition: 'wait', charged: 'no', retryAfterMs: 7_000 }],
  ] as const)('recognises %s', async (_what, reply, expected) => {
    const { vendor, answers } = await start(subject);
    vendor.script = () => subject[reply];
    const [engine = 'chatgpt'] = answers.engines;
    expect(await failureOf(ask(answers, engine))).toMatchObject(expected);
  });

  it('says that a lost or unreadable answer may have been charged', async () => {
    const { vendor, answers } = await start(subject);
    const [engine = 'chatgpt'] = answers.engines;
    vendor.script = () => 'reset';
    expect(await failureOf(ask(answers, engine))).toMatchObject({ charged: 'unknown' });
    vendor.script = () => ({ body: '<html>sorry</html>' });
    expect(await failureOf(ask(answers, engine))).toMatchObject({ charged: 'unknown' });
  });

  it('says that an answer that was given up may have been charged', async () => {
    const { vendor, answers } = await start(subject);
    const [engine = 'chatgpt'] = answers.engines;
    vendor.script = () => 'hang';
    const stop = new AbortController();
    const asked = failureOf(ask(answers, engine, stop.signal));
    await vendor.untilRequests(1);
    stop.abort();
    expect(await asked).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
  });

  it('says of each engine where its format is documented, and when that was read', async () => {
    const facts = (await describeAnswerSource(subject.source))?.facts;
    for (const { format, asOf } of facts?.engines ?? []) {
      expect(format).toMatch(/read 20\d\d-\d\d/);
      expect(asOf).toMatch(/^20\d\d-\d\d$/);
    }
  });
});

it('an answer that a vendor is still making is collected with the key that ordered it, and ordered once', async () => {
  const subject = subjects.find(({ source }) => source === 'brightdata');
  if (subject === undefined) expect.fail('no subject');
  // polls come at once; each sleep takes its time on this clock
  let now = 0;
  const limitMs = 300_000;
  const sleep = async (ms: number): Promise<void> => {
    if (ms >= limitMs) await new Promise(() => undefined);
    now += ms;
  };
  const { vendor, answers } = await start(subject, { now: () => now, sleep });
  vendor.script = ({ method }) => {
    if (method === 'POST') return { status: 202, body: { snapshot_id: 's_1', message: 'not ready' } };
    return vendor.requests.length < 4 ? { status: 202, body: { status: 'running' } } : subject.sells('chatgpt', said);
  };
  const answer = await ask(answers, 'chatgpt');
  expect(answer.text).toBe(said.text);
  expect(vendor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /datasets/v3/scrape',
    ...Array.from({ length: 3 }, () => 'GET /datasets/v3/snapshot/s_1'),
  ]);
});
