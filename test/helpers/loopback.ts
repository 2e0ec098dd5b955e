// An HTTP server on a free port of loopback.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Loopback {
  readonly server: Server;
  /** `http://127.0.0.1:` and its port. */
  readonly url: string;
  /** Breaks what hangs and stops listening. */
  close(): Promise<void>;
}

/**
 * Keeps a connection as long as its client does: one that it gave up while the machine stood still would be lost under the next request, which is no
 * fault of whoever sent it.
 */
export async function listenOnLoopback(answer: RequestListener): Promise<Loopback> {
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  // a tunnel is none of the server's connections any more, and would keep it open for as long as its client likes
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
