// Raw bytes over a socket, for requests that no client would send.
import { connect, type Socket } from 'node:net';

/** Opens a connection; `closed` resolves with everything received when the other side ends it. */
export function openSocket(url: string): { readonly socket: Socket; readonly closed: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  const closed = new Promise<string>((resolve) => {
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(text));
  });
  return { socket, closed };
}

/** Sends the bytes and waits until the server has closed the connection. */
export async function exchangeBytes(url: string, bytes: string | Uint8Array): Promise<string> {
  const { socket, closed } = openSocket(url);
  socket.write(bytes);
  return await closed;
}

/** Status, headers in lower case, and body of one raw response. */
export function parseResponse(text: string): { status: number; headers: Map<string, string>; body: string } {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  return { status: Number(first.split(' ')[1]), headers: new Map(headers), body: rest.join('\r\n\r\n') };
}
