// A webhook on loopback that accepts posts or fails them, and keeps them.
import type { IncomingHttpHeaders } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The body as received. */
  readonly text: string;
}

export interface Webhook {
  /** With a path that is a secret. */
  readonly url: string;
  readonly posts: Post[];
  /** The statuses of the next posts, then 200; `hang` is no answer. */
  readonly answers: (number | 'hang' | { readonly status: number; readonly headers: Record<string, string> })[];
  close(): Promise<void>;
}

export const secretPath = '/services/T0/very-secret-path';

export async function startWebhook(): Promise<Webhook> {
  const posts: Post[] = [];
  const answers: Webhook['answers'] = [];
  const { url, close } = await listenOnLoopback((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const body: unknown = JSON.parse(text);
      posts.push({ path: request.url ?? '', headers: request.headers, body, text });
      const answer = answers.shift() ?? 200;
      if (answer === 'hang') return;
      if (typeof answer === 'number') response.writeHead(answer).end('a body that says the-token');
      else response.writeHead(answer.status, answer.headers).end();
    });
  });
  return {
    url: `${url}${secretPath}`,
    posts,
    answers,
    close,
  };
}
