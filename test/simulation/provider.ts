// A scripted Search Data Service in this process, written from the specification, behind the real client's connections.
import type { Dispatcher } from 'undici';
import { pageOfResults, type WireSearch } from './engine.ts';
import { dealFault, type FaultMix, type FaultName, type Phase } from './faults.ts';
import { Random } from './random.ts';
import type { Sometimes } from './sometimes.ts';

/** One line of the provider's books. */
export interface Sale {
  readonly key: string;
  readonly at: number;
  readonly serpCredits: number;
  readonly microUsd: number;
}

/** A page as it was sent; whether it arrived, the provider cannot know. */
export interface SentPage {
  readonly links: readonly string[];
  readonly at: number;
}

export interface ProviderOptions {
  readonly mix: FaultMix;
  readonly phases: readonly Phase[];
  /** Repeats the answer of an `Idempotency-Key` for a day instead of selling twice. */
  readonly keepsKeys: boolean;
  readonly latencyMs: number;
}

interface Time {
  now(): number;
  sleep(ms: number): Promise<void>;
}

interface Goods {
  readonly text: string;
  readonly serpCredits: number;
  readonly microUsd: number;
  readonly links: readonly string[];
}

interface Order {
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly fault: FaultName;
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Record<string, string>;
}

const dayMs = 86_400_000;

export class Provider {
  readonly sales: Sale[] = [];
  /** By request key: the pages that were sent completely. */
  readonly sent = new Map<string, SentPage[]>();
  /** By request key: the number of requests, with any result. */
  readonly asked = new Map<string, number>();
  readonly #options: ProviderOptions;
  readonly #time: Time;
  readonly #random: Random;
  readonly #sometimes: Sometimes;
  readonly #kept = new Map<string, { readonly goods: Goods; readonly at: number }>();
  #isWell = false;
  #requests = 0;

  constructor(options: ProviderOptions, time: Time, seed: number, sometimes: Sometimes) {
    this.#options = options;
    this.#time = time;
    this.#random = new Random(seed, 'provider');
    this.#sometimes = sometimes;
  }

  /** From now on every request is answered correctly. */
  recover(): void {
    this.#isWell = true;
  }

  /** The connections of one client. Once it `isGone` nothing arrives any more, and nothing is answered. */
  connections(isGone: () => boolean): Dispatcher {
    const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean => {
      if (isGone()) return true;
      const key = (options.headers as Record<string, string>)['idempotency-key'] ?? '';
      const body = JSON.parse(String(options.body)) as Order['body'];
      this.#serve({ path: options.path, key, body, fault: this.#fault() }, handler).catch((error: unknown) => {
        queueMicrotask(() => {
          throw error;
        });
      });
      return true;
    };
    return { dispatch } as unknown as Dispatcher;
  }

  #fault(): FaultName {
    const { mix, phases } = this.#options;
    const fault = this.#isWell ? 'ok' : dealFault(this.#random, mix, phases, this.#time.now());
    this.#sometimes.count(`fault ${fault}`);
    return fault;
  }

  async #serve(order: Order, handler: Dispatcher.DispatchHandler): Promise<void> {
    const { fault, key } = order;
    this.#requests += 1;
    const requestId = `sim-${this.#requests}`;
    const connection = new Client(handler);
    await this.#time.sleep(1);
    if (fault === 'refused') {
      connection.lose('ECONNREFUSED');
      return;
    }
    if (!connection.open()) return;
    this.asked.set(key, (this.asked.get(key) ?? 0) + 1);
    const latency = fault === 'slow' ? this.#random.whole(10_000, 55_000) : this.#options.latencyMs;
    await this.#time.sleep(latency / 2);
    const refusal = this.#refusal(fault);
    if (refusal !== undefined) {
      connection.answer(refusal, requestId);
      return;
    }
    if (fault === 'uncharged-timeout') return;
    if (fault === 'uncharged-reset') {
      connection.lose('ECONNRESET');
      return;
    }
    const goods = this.#sell(order);
    await this.#time.sleep(latency / 2);
    if (fault === 'charged-timeout') return;
    if (fault === 'charged-reset') connection.lose('ECONNRESET');
    else connection.answer(this.#wrap(order, goods), requestId);
  }

  /** The answer before anything is sold. */
  #refusal(fault: FaultName): Reply | undefined {
    switch (fault) {
      case 'rate-limited':
        return { ...refused(429, 'RATE_LIMIT_EXCEEDED'), headers: this.#retryAfter() };
      case 'out-of-credits':
        return refused(402, 'INSUFFICIENT_CREDITS');
      case 'bad-credentials':
        return refused(401, 'INVALID_API_KEY');
      case 'forbidden':
        return refused(403, 'IP_NOT_WHITELISTED');
      case 'uncharged-5xx':
        return this.#failure();
      default:
        return undefined;
    }
  }

  #failure(): Reply {
    return this.#random.pick([refused(500, 'INTERNAL_ERROR'), refused(502, 'SERP_FAILED'), refused(504, 'TIMEOUT')]);
  }

  #retryAfter(): Record<string, string> {
    const seconds = this.#random.pick([1, 2, 30, 120, 900]);
    const date = new Date(this.#time.now() + seconds * 1000).toUTCString();
    return this.#random.pick<Record<string, string>>([{ 'retry-after': String(seconds) }, { 'retry-after': date }, {}]);
  }

  /** Charges, unless the answer of this key is kept. */
  #sell(order: Order): Goods {
    const at = this.#time.now();
    const kept = this.#kept.get(order.key);
    if (this.#options.keepsKeys && kept !== undefined && Math.abs(at - kept.at) < dayMs) return kept.goods;
    const goods = order.path.endsWith('/v1/serp') ? pageGoods(order, at) : metricsGoods(order);
    this.sales.push({ key: order.key, at, serpCredits: goods.serpCredits, microUsd: goods.microUsd });
    this.#kept.set(order.key, { goods, at });
    return goods;
  }

  /** The answer that was sold, or what the fault turns it into. */
  #wrap({ fault, key }: Order, goods: Goods): Reply {
    switch (fault) {
      case 'charged-5xx':
        return this.#failure();
      case 'truncated':
        return { status: 200, text: goods.text.slice(0, goods.text.length / 2) };
      case 'html':
        return {
          status: 200,
          text: '<!doctype html><title>Bad gateway</title>',
          headers: { 'content-type': 'text/html' },
        };
      case 'empty':
        return { status: 200, text: '{}' };
      case 'empty-organic':
        return { status: 200, text: '{"organic":[],"related":[]}' };
      default:
        this.sent.set(key, [...(this.sent.get(key) ?? []), { links: goods.links, at: this.#time.now() }]);
        return { status: 200, text: goods.text };
    }
  }
}

/** The server side of one request, as the connections of the client see it. */
class Client {
  readonly #handler: Dispatcher.DispatchHandler;
  #isGone = false;

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  /** False if the client has aborted meanwhile. */
  open(): boolean {
    this.#handler.onRequestStart?.(this.#controller, {});
    return !this.#isGone;
  }

  answer({ status, text, headers }: Reply, requestId: string): void {
    if (this.#isGone) return;
    const all = { 'content-type': 'application/json', ...headers, 'x-request-id': requestId };
    this.#handler.onResponseStart?.(this.#controller, status, all);
    this.#handler.onResponseData?.(this.#controller, Buffer.from(text));
    this.#handler.onResponseEnd?.(this.#controller, {});
  }

  lose(code: string): void {
    if (!this.#isGone) this.#handler.onResponseError?.(this.#controller, Object.assign(new Error('lost'), { code }));
  }

  get #controller(): Dispatcher.DispatchController {
    const abort = (): void => {
      this.#isGone = true;
    };
    return { abort } as unknown as Dispatcher.DispatchController;
  }
}

function refused(status: number, code: string): Reply {
  return { status, text: JSON.stringify({ error: `Simulated ${status}`, code }) };
}

function pageGoods({ body, fault }: Order, at: number): Goods {
  const search: WireSearch = {
    keyword: fault === 'another-search' ? `${body['keyword']} rental` : String(body['keyword']),
    country: String(body['country']),
    language: String(body['language']),
    mobile: body['mobile'] === true,
  };
  const page = fault === 'repeats-page-1' ? 1 : Number(body['start_page']);
  const links = pageOfResults(search, at, page);
  const organic = links.map((link, index) => ({
    rank: index + 1,
    global_rank: index + 2,
    title: `Result ${index}`,
    link,
  }));
  const related = [{ rank: 1, global_rank: links.length + 2, text: 'more', link: 'https://engine.example/search' }];
  const text = JSON.stringify({ ...(organic.length > 0 && { organic }), related });
  return { text, serpCredits: 1, microUsd: 0, links };
}

function metricsGoods({ body }: Order): Goods {
  const keyword = String(body['keyword']);
  const keywords = [keyword, `${keyword} online`, `cheap ${keyword}`].slice(0, Number(body['limit']));
  const data = keywords.map((one, index) => ({
    keyword: one,
    search_volume: 1000 - index,
    cpc: 1.5,
    competition: 40,
    competition_level: 'medium',
    country: String(body['country']),
    language: String(body['language']),
    intent: 'commercial',
    related_keywords: null,
  }));
  const cost = Math.max(0.01, (data.length / 100) * 0.03);
  const text = JSON.stringify({ success: true, result_count: data.length, cost, data });
  return { text, serpCredits: 0, microUsd: Math.round(cost * 1e6), links: [] };
}
