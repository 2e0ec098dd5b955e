// A relay before Redis that hangs up on every client at a word of the test's choice: once, before Redis has heard it or before its answer gets back.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { RedisServer } from './redis.ts';

export interface Cut {
  /** True at the bytes with which to hang up; `before` is all that this connection has sent until then. */
  readonly at: (bytes: string, before: string) => boolean;
  /** Whether Redis still gets these bytes. */
  readonly isHeard: boolean;
  /** What happens to Redis while nobody is connected through the relay. */
  readonly meanwhile?: () => Promise<void>;
}

export class RedisRelay {
  readonly url: string;
  /** Resolves once it has hung up and lets clients in again. */
  readonly isCut: Promise<void>;
  readonly #close: () => Promise<void>;

  static async start(redis: RedisServer, cut: Cut): Promise<RedisRelay> {
    const sockets = new Set<Socket>();
    const done = Promise.withResolvers<void>();
    let isOpen = true;
    let isOver = false;
    const hangUp = async (upstream: Socket, bytes: Buffer): Promise<void> => {
      isOver = true;
      isOpen = false;
      if (cut.isHeard) {
        upstream.write(bytes);
        await once(upstream, 'data');
      }
      for (const socket of sockets) socket.destroy();
      await cut.meanwhile?.();
      isOpen = true;
      done.resolve();
    };
    const server = createServer((client) => {
      if (!isOpen) return void client.destroy();
      const upstream = connect(redis.port, '127.0.0.1');
      let sent = '';
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.on('data', (bytes) => {
        if (!isOpen) return;
        const text = bytes.toString('latin1');
        if (!isOver && cut.at(text, sent)) return void hangUp(upstream, bytes);
        sent += text;
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => {
        if (isOpen) client.write(bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const close = async (): Promise<void> => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    };
    return new RedisRelay((server.address() as AddressInfo).port, done.promise, close);
  }

  private constructor(port: number, isCut: Promise<void>, close: () => Promise<void>) {
    this.url = `redis://127.0.0.1:${port}`;
    this.isCut = isCut;
    this.#close = close;
  }

  close(): Promise<void> {
    return this.#close();
  }
}
