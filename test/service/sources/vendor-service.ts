// A service over one vendor, whose answers a test writes.
import { expect } from 'vitest';
import { type CallOptions, createSearchDataService, createSource } from '../../../src/service/index.ts';
import { type Reply, type SeenRequest, startVendorServer } from '../../contract/sources/vendor-server.ts';
import { closeLater } from '../../helpers/closing.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const apiKey = { apiKey: 'first-key-123' };
const login = { login: 'me@agency.example', password: 'first-key-123' };
const credentials: Readonly<Record<string, object>> = {
  brightdata: { ...apiKey, zone: 'serp_api1' },
  'brightdata-maps': { ...apiKey, zone: 'serp_api1' },
  dataforseo: login,
  'dataforseo-maps': login,
  oxylabs: { username: 'acme', password: 'secret 12' },
  searxng: { allowPrivate: true },
  yandex: { ...apiKey, folderId: 'b1gexample' },
};

/** `more` are options of the source; `keyword` is searched for from `startAt` on. */
export async function openVendor(source: string, more: object = {}, keyword = 'shoes', startAt?: number) {
  const vendor = await startVendorServer();
  const clock = new FakeClock(startAt);
  const own = { ...(credentials[source] ?? apiKey), requestsPerSecond: 1000 };
  const network = source === 'searxng' ? {} : { allowLoopback: true };
  const options = { ...own, ...network, baseUrl: vendor.url, ...more };
  const service = closeLater(
    createSearchDataService({ source: await createSource(source, options, { clock }), clock }),
  );
  return {
    vendor,
    clock,
    options,
    service,
    /** The page in this answer; without one, in the answer of the script. */
    async ask(reply?: Reply, asked: object = {}, options: CallOptions = {}) {
      if (reply !== undefined) vendor.script = () => reply;
      await clock.advance(10);
      const { pages } = await service.serp({ keyword, ...asked }, options);
      return pages[0] ?? expect.fail('there is no page');
    },
  };
}

/** The one page in this answer, or why it is none. */
export async function readAnswer(source: string, keyword: string, body: object, asked: object = {}, startAt?: number) {
  const { ask } = await openVendor(source, {}, keyword, startAt);
  return await ask({ body }, asked).catch((error: unknown) => error);
}

/** The request for a page with these parameters. Throws what refuses it. */
export async function requestFor(source: string, asked: object): Promise<SeenRequest> {
  const { vendor, ask } = await openVendor(source, {}, 'dentist');
  const outcome = await ask(undefined, asked).catch((error: unknown) => error);
  const [seen] = vendor.requests;
  if (seen === undefined) throw outcome;
  return seen;
}
