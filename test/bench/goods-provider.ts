// A provider in a separate process: pages of the specification after `latencyMs`, 429 beyond its limits.
import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ownHost } from './folder.ts';

export interface GoodsTerms {
  readonly latencyMs: number;
  /** Absent: without a limit. */
  readonly inFlightMax?: number;
  /** In any second, wherever it begins. Absent: without a limit. */
  readonly perSecondMax?: number;
}

/** What the provider saw in one round of requests. */
interface GoodsBooks {
  readonly sold: number;
  readonly refused: number;
  readonly mostAtOnce: number;
  readonly mostPerSecond: number;
  /** Pages that were sold again. */
  readonly soldAgain: number;
}

export interface GoodsProvider {
  readonly url: string;
  /** Ends the process, and returns what it saw. */
  close(): Promise<GoodsBooks>;
}

/** Starts a provider that listens on loopback when this resolves. */
export async function startGoodsProvider(terms: GoodsTerms): Promise<GoodsProvider> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), JSON.stringify(terms)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false });
  const { value: url } = await lines.next();
  return {
    url: String(url).trim(),
    async close() {
      child.stdin.end();
      const { value: books } = await lines.next();
      return JSON.parse(String(books)) as GoodsBooks;
    },
  };
}

class Counter {
  readonly #terms: GoodsTerms;
  #open = 0;
  readonly #sold = new Set<string>();
  /** When the requests of the last second came. */
  readonly #came: number[] = [];
  readonly books = { sold: 0, refused: 0, mostAtOnce: 0, mostPerSecond: 0, soldAgain: 0 };

  constructor(terms: GoodsTerms) {
    this.#terms = terms;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    let asked = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      asked += chunk;
    });
    request.on('end', () => this.#answer(JSON.parse(asked) as { keyword: string; page?: number }, response));
  }

  #answer({ keyword, page = 1 }: { keyword: string; page?: number }, response: ServerResponse): void {
    const { latencyMs, inFlightMax, perSecondMax = Number.POSITIVE_INFINITY } = this.#terms;
    const now = performance.now();
    while (now - (this.#came[0] ?? now) >= 1000) this.#came.shift();
    this.#came.push(now);
    this.books.mostPerSecond = Math.max(this.books.mostPerSecond, this.#came.length);
    if (this.#open >= (inFlightMax ?? Number.POSITIVE_INFINITY) || this.#came.length > perSecondMax) {
      this.books.refused += 1;
      send(response, 429, '{"error":"Too many requests","code":"RATE_LIMIT_EXCEEDED"}');
      return;
    }
    this.#open += 1;
    this.books.mostAtOnce = Math.max(this.books.mostAtOnce, this.#open);
    const sell = (): void => {
      this.#open -= 1;
      this.books.sold += 1;
      const sold = `${page} ${keyword}`;
      if (this.#sold.has(sold)) this.books.soldAgain += 1;
      this.#sold.add(sold);
      send(response, 200, pageOf(keyword));
    };
    if (latencyMs === 0) sell();
    else setTimeout(sell, latencyMs);
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

/** Ten organic results, four questions and eight related searches: about five kilobytes, as a common results page. */
function pageOf(keyword: string): string {
  const number = Number(keyword.split(' ').at(-1));
  const path = encodeURIComponent(keyword);
  const organic = Array.from({ length: 10 }, (_, index) => {
    const host = index === number % 10 ? `www.${ownHost}` : `www.site${(number * 7 + index * 13) % 2000}.example`;
    return {
      rank: index + 1,
      global_rank: index + 3,
      title: `${keyword}: what to know before you choose, and where to buy - ${host}`,
      description: `Jan 12, 2026 — Everything about ${keyword}: prices, sizes, tests and what our readers say. Compare offers of more than 100 shops and find yours.`,
      link: `https://${host}/guides/${path}?page=${index}`,
      display_link: `https://${host} › guides › ${keyword}`,
      source: host,
      extensions: [{ type: 'date', text: 'Jan 12, 2026', rank: 1 }],
    };
  });
  const people_also_ask = Array.from({ length: 4 }, (_, index) => ({
    rank: index + 1,
    global_rank: 2,
    question: `What is the best of ${keyword}, number ${index}?`,
  }));
  const related = Array.from({ length: 8 }, (_, index) => ({
    rank: index + 1,
    global_rank: 13,
    text: `${keyword} near me ${index}`,
    link: `https://www.google.com/search?q=${path}+near+me+${index}`,
  }));
  return JSON.stringify({ organic, people_also_ask, related });
}

const [, file, terms] = process.argv;
if (file !== undefined && terms !== undefined && pathToFileURL(file).href === import.meta.url) {
  const counter = new Counter(JSON.parse(terms) as GoodsTerms);
  const server = createServer((request, response) => counter.serve(request, response));
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
  });
  process.stdin.resume().on('end', () => {
    process.stdout.write(`${JSON.stringify(counter.books)}\n`, () => process.exit(0));
  });
}
