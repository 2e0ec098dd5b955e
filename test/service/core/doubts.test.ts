// A doubtful page: callers in this process get it with its doubts; customers and single requests get a failure.
import { describe, expect, it } from 'vitest';
import { askSerp } from '../../../jobs/query/ask-service.ts';
import { MessageSigner, outcomeOfEnd, packOutcome } from '../../../jobs/queue/bullmq/messages.ts';
import { callService } from '../../../jobs/queue/queue.ts';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import { type AnsweredPage, createSearchDataService, type ReadPage } from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { keyword, project, service as serviceName, World } from '../../helpers/jobs.ts';
import { failureOf, memorySource } from '../../helpers/memory-source.ts';
import { startProvider } from '../../helpers/provider.ts';

const serp = {
  organic: [
    ['Best frozen pizza, ranked', 'We baked and tasted a dozen pies.'],
    ['Ristorante Margherita', 'Thin crust with tomatoes and mozzarella.'],
    ['Four cheese pie from the freezer', 'Ready in ten minutes at 220 degrees.'],
  ].map(([title = '', description = ''], at) => ({
    rank: at + 1,
    title,
    description,
    link: `https://food.example/${at}`,
  })),
};
const decoy = (): ReadPage => ({ serp, features: [] });
const asked = { keyword: 'dakdekker Amsterdam' };
const request = { ...asked, country: 'NL', language: 'nl', mobile: false, page: 1 };
const doubts = ['decoy_page'];

describe('a decoy', () => {
  it('has its doubt after a service in process buys it and reads it again', async () => {
    const service = createSearchDataService({
      source: memorySource({ kind: 'live', page: decoy }),
      clock: new FakeClock(),
    });
    const { pages } = await service.serp(asked);
    expect(pages.map((page) => page.doubts)).toEqual([doubts]);
    expect(service.readPage(pages[0]!.body, request).doubts).toEqual(doubts);
    const { pages: pizza } = await service.serp({ keyword: 'frozen pizza' });
    expect(pizza[0]).not.toHaveProperty('doubts');
  });

  it('has its doubt after a provider sends it', async () => {
    const provider = await startProvider();
    const client = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl: provider.url,
      user: provider.user,
      password: provider.password,
    });
    closeLater(client);
    provider.next({ answer: serp });
    const { pages } = await client.serp(asked);
    expect(pages[0]?.doubts).toEqual(doubts);
    expect(client.readPage(pages[0]!.body, request).doubts).toEqual(doubts);
  });

  it('keeps its doubt through Redis', async () => {
    const service = createSearchDataService({
      source: memorySource({ kind: 'live', page: decoy }),
      clock: new FakeClock(),
    });
    const job = { service: 's', request, at: 0, requestKey: 'k', order: 1 };
    const call = { signal: new AbortController().signal, beforeSend: async () => {} };
    const outcome = await callService(new Map([['s', service]]), job, call);
    const [key, signer] = ['try', new MessageSigner(null)];
    const end = { kind: 'outcome', payload: packOutcome(outcome, key, signer), payer: null } as const;
    expect(outcomeOfEnd(end, { key, payer: 'me', isUnwanted: false }, signer)).toMatchObject({
      ok: true,
      answer: { doubts },
    });
  });

  it('is a failure for customers, who get their credits back', async () => {
    const { service, accounts, ann } = await setUpCustomers({ kind: 'live', page: decoy });
    const failure = await failureOf(service.serp(asked, callerOf(ann)));
    expect(failure).toMatchObject({ code: 'SERP_FAILED', reason: 'decoy_page', status: 502, charged: 'yes' });
    expect((await accounts.find('acme')).serpCredits).toBe(100);
  });

  it('is a failure of a single request, and its pages are paid', async () => {
    const provider = await startProvider();
    const world = new World({ provider, projects: [project()] });
    provider.next({ answer: serp });
    await expect(askSerp(world.context, serviceName, asked)).rejects.toMatchObject({
      code: 'SERP_FAILED',
      reason: 'decoy_page',
      charged: 'yes',
    });
    expect(world.store.audit.totals('serp_credit')).toMatchObject({ spent: 1, unknown: 0, open: 0 });
    expect(world.broken()).toEqual([]);
  });

  it('proves nothing in a check: the page is fetched again', async () => {
    const provider = await startProvider();
    const tracked = project({ keywords: [keyword(asked.keyword, { depth: 1 })] });
    const world = new World({ provider, projects: [tracked] });
    provider.next({ answer: serp });
    await world.runSlot(Date.UTC(2026, 0, 15, 6));
    expect(world.checks()).toEqual(['dakdekker Amsterdam ok 1']);
    expect(provider.requests).toHaveLength(2);
    expect(world.broken()).toEqual([]);
  });
});

it('a page that an engine doubts keeps that doubt', async () => {
  const page = (): ReadPage => ({ serp: {}, features: [], doubts: ['empty_unproven'] });
  const { service, ann } = await setUpCustomers({ kind: 'live', page });
  const { pages }: { readonly pages: readonly AnsweredPage[] } = await service.serp(asked);
  expect(pages[0]?.doubts).toEqual(['empty_unproven']);
  expect(await failureOf(service.serp(asked, callerOf(ann)))).toMatchObject({ reason: 'empty_unproven' });
});
