// A relay before Redis that disconnects every client once at a chosen message, before Redis or its reply gets through.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { RedisServer } from './redis.ts';

export interface Cut {
  /** True for the bytes at which to disconnect; `before` is all that this connection has sent until then. */
  readonly at: (bytes: string, before: string) => boolean;
  /** Whether Redis still gets these bytes. */
  readonly isDelivered: boolean;
  /** Runs while no client is connected through the relay. */
  readonly meanwhile?: () => Promise<void>;
}

export class RedisRelay {
  readonly url: string;
  /** Resolves once it has disconnected and accepts clients again. */
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
      if (cut.isDelivered) {
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
