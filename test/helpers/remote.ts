// A client and its scripted provider, for tests of the client.
import { type AddressInfo, createServer } from 'node:net';
import { type ClientOptions, SearchDataClient } from '../../src/service/client/client.ts';
import { closeLater } from './closing.ts';
import { FakeClock } from './fake-clock.ts';
import { type Provider, type ProviderOptions, startProvider } from './provider.ts';

export interface Remote {
  readonly provider: Provider;
  readonly client: SearchDataClient;
  readonly clock: FakeClock;
}

/** Starts a provider and points a client at it. */
export async function setUpRemote(
  options: ProviderOptions = {},
  changes: Partial<ClientOptions> = {},
): Promise<Remote> {
  const provider = await startProvider(options);
  const clock = new FakeClock();
  const { url: baseUrl, user, password } = provider;
  const client = new SearchDataClient({ retries: { attemptsMax: 1 }, baseUrl, user, password, clock, ...changes });
  closeLater(client);
  return { provider, client, clock };
}

/** A client of any URL. */
export function clientOf(baseUrl: string, changes: Partial<ClientOptions> = {}): SearchDataClient {
  const client = new SearchDataClient({
    retries: { attemptsMax: 1 },
    baseUrl,
    user: 'u',
    password: 'p',
    clock: new FakeClock(),
    ...changes,
  });
  return closeLater(client);
}

/** The URL of a server that answers any connection with these bytes, or hangs up. */
export async function bareServer(answer: string | undefined): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (answer === undefined) socket.destroy();
    else socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater({ close: () => new Promise<void>((resolve) => server.close(() => resolve())) });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
