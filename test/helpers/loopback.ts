// An HTTP server on a free port of loopback.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { closeLater, forget } from './closing.ts';

export interface Loopback {
  readonly server: Server;
  /** `http://127.0.0.1:` and its port. */
  readonly url: string;
  /** Breaks hanging connections and stops listening. */
  close(): Promise<void>;
}

/**
 * Keeps a connection as long as its client does: a keep-alive timeout during a stall of the machine would fail the next
 * request, which is no fault of its sender.
 */
export async function listenOnLoopback(answer: RequestListener): Promise<Loopback> {
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  // a tunnel no longer belongs to the server, and would keep it open for as long as the client likes
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const loopback: Loopback = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        forget(loopback);
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return closeLater(loopback);
}
