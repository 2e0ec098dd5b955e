// A mail server on loopback that speaks basic SMTP, refuses on request, and keeps what it received.
import { type AddressInfo, createServer, type Socket } from 'node:net';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as received, lines ended by CRLF. */
  readonly text: string;
  /** User and password, if the client logged in. */
  readonly login: string | null;
}

export interface MailServerOptions {
  /** Answers of a verb in place of the usual one, such as `{ DATA: '451 try later' }`; RCPT is refused by address. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Addresses that it does not know. */
  readonly unknown?: readonly string[];
  /** It never says anything. */
  readonly isSilent?: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  options: MailServerOptions;
  close(): Promise<void>;
}

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (mailServer.options.isSilent === true) return;
    converse(socket, mailServer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const mailServer: MailServer = {
    port: (server.address() as AddressInfo).port,
    received: [],
    options,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return mailServer;
}

function converse(socket: Socket, server: MailServer): void {
  const say = (line: string) => socket.write(`${line}\r\n`);
  let mail = { from: '', to: [] as string[] };
  let login: string | null = null;
  let data: string | null = null;
  let waiting = '';
  const verbs: Readonly<Record<string, (rest: string) => string>> = {
    EHLO: () => '250-here\r\n250 AUTH PLAIN',
    AUTH: (rest) => {
      login = Buffer.from(rest.replace(/^PLAIN /, ''), 'base64')
        .toString()
        .split('\0')
        .slice(1)
        .join(':');
      return '235 welcome';
    },
    MAIL: (rest) => {
      mail = { from: addressIn(rest), to: [] };
      return '250 go on';
    },
    RCPT: (rest) => {
      const address = addressIn(rest);
      if (server.options.unknown?.includes(address) === true) return '550 no such recipient';
      mail.to.push(address);
      return '250 go on';
    },
    DATA: () => {
      data = '';
      return '354 end with a dot';
    },
    QUIT: () => '221 bye',
  };
  const take = (line: string): void => {
    if (data !== null) {
      if (line !== '.') {
        data += `${line.replace(/^\.\./, '.')}\r\n`;
        return;
      }
      server.received.push({ ...mail, text: data, login });
      data = null;
      say('250 taken');
      return;
    }
    const verb = line.slice(0, 4).toUpperCase();
    const answer = server.options.answers?.[verb] ?? verbs[verb]?.(line.slice(5)) ?? '500 what?';
    say(answer);
    if (verb === 'QUIT') socket.end();
  };
  socket.on('data', (chunk) => {
    waiting += chunk.toString('latin1');
    for (let end = waiting.indexOf('\r\n'); end !== -1; end = waiting.indexOf('\r\n')) {
      const line = waiting.slice(0, end);
      waiting = waiting.slice(end + 2);
      take(line);
    }
  });
  say('220 here');
}

function addressIn(rest: string): string {
  return /<([^>]*)>/.exec(rest)?.[1] ?? '';
}
