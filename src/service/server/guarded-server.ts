// HTTP servers that take the requests of a connection one at a time, and answer malformed ones.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';

/** A connection that is closed: `flood` sent more requests ahead than any client does, without reading answers. */
export interface RefusedConnection {
  readonly reason: 'malformed' | 'large-headers' | 'slow' | 'flood';
  readonly address: string;
}

/** The last answer on a connection. */
interface ConnectionRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface GuardedServerOptions extends ServerOptions {
  /** Logs a refused connection, and gives its answer. */
  readonly refuse: (refused: RefusedConnection) => ConnectionRefusal;
}

/** Unanswered requests of a connection. Browsers send none ahead of an answer; a packet may hold 1,700 of them. */
const pipelinedMax = 16;

interface Turn {
  readonly take: () => void;
  /** Whether all bytes of its request have arrived. */
  readonly isWhole: () => boolean;
}

/** Of a body that is sent on after its answer: so much is read and dropped, for so long, and the connection closes. */
const rest = { bytesMax: 1_048_576, msMax: 5_000, pollMs: 5 };

/** Clients may send a small body after the answer, and use the connection again. A large one ends with it. */
function dropRest({ socket, complete }: IncomingMessage, isWhole: () => boolean): void {
  if (complete) return;
  const [bytesMax, endsAt] = [socket.bytesRead + rest.bytesMax, performance.now() + rest.msMax];
  const poll = setInterval(() => {
    const isEnough = socket.bytesRead > bytesMax || performance.now() > endsAt;
    if (isEnough && !isWhole()) socket.destroy();
    if (socket.destroyed || isWhole()) clearInterval(poll);
  }, rest.pollMs).unref();
}

/** One request of a connection at a time bounds its memory and processor time: answers leave in order in any case. */
export function createGuardedServer({ refuse, ...options }: GuardedServerOptions, answer: RequestListener): Server {
  const turnsOf = new WeakMap<Socket, Turn[]>();
  const close = (socket: Socket, reason: RefusedConnection['reason']): void => {
    const { status, headers, body } = refuse({ reason, address: socket.remoteAddress ?? '' });
    const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
    socket.destroySoon(); // ending it would go on reading
  };
  const server = createServer(options, (request, response) => {
    const { socket } = request;
    if (!socket.writable) return; // refused, like all that came with it
    const turns = turnsOf.get(socket) ?? [];
    turnsOf.set(socket, turns);
    const takeFirst = (): void => {
      if (socket.writable) turns[0]?.take();
    };
    if (turns.length < pipelinedMax) {
      const isWhole = () => request.complete;
      turns.push({ take: () => answer(request, response), isWhole });
      response.once('finish', () => dropRest(request, isWhole));
      response.once('close', () => {
        turns.shift();
        takeFirst();
      });
      // later, so that none is answered of a flood that arrives at once
      if (turns.length === 1) process.nextTick(takeFirst);
    } else if (socket.bytesWritten === 0) close(socket, 'flood');
    else socket.destroy(); // an answer may have begun
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket; // of an HTTP server
    const turns = turnsOf.get(socket) ?? [];
    const broken = turns.at(-1)?.isWhole() === false ? turns.pop() : undefined;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else if (turns.length > 0) turns.push({ take, isWhole: () => true });
    else if (broken !== undefined && socket.bytesWritten > 0)
      socket.destroy(); // its answer may have begun
    else take();
    function take(): void {
      close(socket, reasons.get(error.code ?? '') ?? 'malformed');
    }
  });
  return server;
}

const reasons: ReadonlyMap<string, RefusedConnection['reason']> = new Map([
  ['HPE_HEADER_OVERFLOW', 'large-headers'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'slow'],
]);

/**
 * For a server that does not listen yet: closes its connections without a complete request, for which nothing was
 * charged. Node.js counts unused ones as busy and would wait for them.
 */
export function idleConnectionsOf(server: Server): () => void {
  const open = new Set<Socket>();
  const unanswered = new Set<IncomingMessage>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    unanswered.add(request);
    response.once('close', () => unanswered.delete(request));
  });
  return () => {
    const busy = new Set([...unanswered].filter(({ complete }) => complete).map(({ socket }) => socket));
    for (const socket of open) if (!busy.has(socket)) socket.destroy();
  };
}
