// Tracks which open connections wait for a response: Node.js counts unused ones as busy and would wait for them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export class Connections {
  readonly #open = new Set<Socket>();
  readonly #unanswered = new Set<IncomingMessage>();

  /** For a server that does not listen yet. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      this.#unanswered.add(request);
      response.once('close', () => this.#unanswered.delete(request));
    });
  }

  /** Closes connections without a complete request: nothing was charged for half a request. */
  closeIdle(): void {
    const busy = new Set([...this.#unanswered].filter(({ complete }) => complete).map(({ socket }) => socket));
    for (const socket of this.#open) if (!busy.has(socket)) socket.destroy();
  }
}
