// Waits for a service: a run shows them in its progress and logs each once.
import { expect, it } from 'vitest';
import { Breaker, breakerLimits } from '../../../jobs/purchase/breaker.ts';
import { ServiceState } from '../../../jobs/purchase/service-states.ts';
import type { RequestFailure } from '../../../jobs/retry.ts';
import type { PipelineProgress } from '../../../jobs/run/run-request.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { keyword, project, resultsWith, World } from '../../helpers/jobs.ts';
import { type ProviderOptions, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);
const [firstPauseMs] = breakerLimits.pausesMs;
const refusal: RequestFailure = {
  code: 'RATE_LIMIT_EXCEEDED',
  message: 'Too many requests.',
  hint: '',
  disposition: 'wait',
  charged: 'no',
  retryAfterMs: null,
  body: null,
};
interface Observed {
  readonly events: readonly PipelineProgress[];
  readonly log: readonly (readonly [facts: object, message: string])[];
}

/** A run of 30 searches, ten at once, at a provider with these faults. */
async function observe(fault: NonNullable<ProviderOptions['fault']>, more: object = {}): Promise<Observed> {
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', 1), fault });
  const log: (readonly [object, string])[] = [];
  const line = (facts: object, message: string) => void log.push([facts, message]);
  const world = new World({
    provider,
    clock: new JobClock(at),
    projects: [
      project({ keywords: Array.from({ length: 30 }, (_, index) => keyword(`word ${index}`, { depth: 1 })), ...more }),
    ],
    concurrency: 10,
    log: { debug() {}, info: line, warn: line, error: line },
  });
  const events: PipelineProgress[] = [];
  await world.run(undefined, { onProgress: (event) => events.push(event) });
  return { events, log };
}

const waitsOf = (events: readonly PipelineProgress[]) => events.flatMap(({ waits }) => waits);

it('a run shows the wait that a provider requires until the provider answers', async () => {
  const { events, log } = await observe((nth) => (nth === 6 ? { status: 429, retryAfter: '30' } : 'ok'));
  const [first] = waitsOf(events);
  expect(first).toMatchObject({ service: 'vendor', why: 'asked' });
  expect(first?.until).toBeGreaterThanOrEqual(at + 30_000);
  const asked = log.filter(([, message]) => message.startsWith('service requires a wait'));
  expect(asked.map(([facts]) => facts)).toEqual([
    { runId: 1, service: 'vendor', until: new Date(first?.until ?? 0).toISOString() },
  ]);
  const checking = events.filter(({ phase }) => phase === 'checking');
  expect(checking.at(-1)).toMatchObject({ done: 30, total: 30, waits: [] });
});

it('a wait is logged once, however many requests report it, and lasts as long as the longest', () => {
  const logged: object[] = [];
  const log = { debug() {}, info: (facts: object) => logged.push(facts), warn() {}, error() {} };
  const clock = new JobClock(at);
  const line = new ServiceState('vendor', null, new AbortController().signal);
  const refused = (retryAfterMs: number) =>
    line.onPage({ log, clock }, 1, { ok: false, failure: { ...refusal, retryAfterMs } });
  refused(20_000);
  refused(30_000);
  refused(10_000);
  expect(logged).toEqual([{ runId: 1, service: 'vendor', until: '2026-01-15T06:00:20.000Z' }]);
  expect(line.wait(clock.now())).toEqual({ service: 'vendor', until: at + 30_000, why: 'asked' });
  clock.advance(30_000);
  expect(line.wait(clock.now())).toBeNull();
  refused(10_000);
  expect(logged).toHaveLength(2);
  refused(3_600_000);
  expect(line.wait(clock.now())).toEqual({ service: 'vendor', until: clock.now() + 3_600_000, why: 'cut' });
});

it('a wait of a second is neither shown nor logged', async () => {
  const { events, log } = await observe((nth) => (nth === 6 ? { status: 429, retryAfter: '1' } : 'ok'));
  expect(waitsOf(events)).toEqual([]);
  expect(log.map(([, message]) => message)).toEqual(['run opened', 'run closed']);
});

it('a failing service is shown with the time of the next attempt', async () => {
  const { events, log } = await observe((nth) => (nth <= breakerLimits.failuresMax + 1 ? { status: 502 } : 'ok'));
  const pauses = log.filter(([, message]) => message.startsWith('service is failing'));
  expect(pauses).toHaveLength(2);
  const [first] = waitsOf(events);
  expect(first).toMatchObject({ service: 'vendor', why: 'failing' });
  expect((first?.until ?? 0) - at).toBeGreaterThanOrEqual(firstPauseMs ?? 0);
  const until = new Date(first?.until ?? 0).toISOString();
  expect(pauses[0]?.[0]).toMatchObject({ service: 'vendor', pauseMs: firstPauseMs, until });
  const checking = events.filter(({ phase }) => phase === 'checking');
  expect(checking.at(-1)).toMatchObject({ done: 30, waits: [] });
});

it('a pause is logged with the time at which it was decided, even if the log entry is late', () => {
  const logged: object[] = [];
  const log = { debug() {}, info() {}, warn: (facts: object) => logged.push(facts), error() {} };
  const clock = new JobClock(at);
  const breaker = new Breaker('vendor', 0);
  const state = new ServiceState('vendor', breaker, new AbortController().signal);
  for (let failures = 0; failures < breakerLimits.failuresMax; failures += 1) breaker.admit(at)?.end('failed', at);
  clock.advance(1);
  state.onPage({ log, clock }, 1, { ok: false, failure: refusal });
  expect(logged).toEqual([
    { runId: 1, service: 'vendor', pauseMs: firstPauseMs, until: new Date(at + (firstPauseMs ?? 0)).toISOString() },
  ]);
});

it('a wait for keyword data is shown and logged, too', async () => {
  const volumes = { schedule: '0 4 2 * *', limit: 33 };
  const { events, log } = await observe(
    (_, body) => (isFirstOfVolumes(body) ? { status: 429, retryAfter: '20' } : 'ok'),
    { volumes },
  );
  const shown = events.filter(({ phase }) => phase === 'volumes');
  expect(waitsOf(shown)).toEqual([expect.objectContaining({ service: 'vendor', why: 'asked' })]);
  expect(shown.at(-1)?.waits).toEqual([]);
  expect(log.filter(([, message]) => message.startsWith('service requires a wait'))).toHaveLength(1);
});

let volumesAsked = 0;
function isFirstOfVolumes(body: Readonly<Record<string, unknown>>): boolean {
  if (!('limit' in body)) return false;
  volumesAsked += 1;
  return volumesAsked === 1;
}
