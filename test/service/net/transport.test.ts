import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Dispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import packageFacts from '../../../package.json' with { type: 'json' };
import { exchange, userAgent } from '../../../src/service/net/transport.ts';

const sending = { method: 'POST', origin: 'http://127.0.0.1', path: '/', headers: {} } as const;
const controller = { abort() {} } as unknown as Dispatcher.DispatchController;

/** A connection that delivers an answer in these pieces, and calls `beforeEnd` once the last one has arrived. */
function connection(pieces: Iterable<Buffer>, beforeEnd = () => {}): Dispatcher {
  const dispatch = (_: unknown, handler: Dispatcher.DispatchHandler): boolean => {
    handler.onRequestStart?.(controller, undefined);
    handler.onResponseStart?.(controller, 200, {}, 'OK');
    for (const piece of pieces) handler.onResponseData?.(controller, piece);
    beforeEnd();
    handler.onResponseEnd?.(controller, {});
    return true;
  };
  return { dispatch } as unknown as Dispatcher;
}

function* bytesOf(text: string, times: number): Generator<Buffer> {
  const buffer = Buffer.from(text);
  for (let nth = 0; nth < times; nth++) {
    for (let at = 0; at < buffer.length; at++) yield buffer.subarray(at, at + 1);
  }
}

function memoryMiB(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 ** 2;
}

describe('an answer in pieces of one byte', () => {
  it('takes about as much memory as its bytes', async () => {
    const before = memoryMiB();
    let during = Number.POSITIVE_INFINITY;
    const answer = exchange(
      connection(bytesOf('{"a":1} ', 125_000), () => {
        during = memoryMiB();
      }),
      sending,
      new AbortController().signal,
    );
    expect((await answer).bytes.length).toBe(1_000_000);
    expect(during - before).toBeLessThan(16);
  });

  it('is read as it was sent', async () => {
    const text = 'a page of über 16 KiB '.repeat(2000);
    const { bytes, isWhole } = await exchange(connection(bytesOf(text, 1)), sending, new AbortController().signal);
    expect(Buffer.from(bytes).toString()).toBe(text);
    expect(isWhole).toBe(true);
  });
});

it('requests name the version of the package', () => {
  expect(userAgent).toBe(`rankledger/${packageFacts.version}`);
});
