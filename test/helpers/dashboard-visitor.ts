// A browser without scripts for the dashboard: follows redirects, keeps the cookie, submits the forms of a page.
import { type CheerioAPI, load } from 'cheerio';

export interface SeenPage {
  readonly status: number;
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
  readonly $: CheerioAPI;
  readonly title: string;
  /** The text of the error box; empty if there is none. */
  readonly problem: string;
}

export class DashboardVisitor {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  /** Of the session. */
  cookie: string | undefined;
  /** Of a browser that has signed in. */
  device: string | undefined;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url;
    this.#headers = headers;
  }

  async open(path: string): Promise<SeenPage> {
    return await this.#ask(path, {});
  }

  /** Submits the form that posts to `action`, with its own fields and `values` in place of some. */
  async submit(page: SeenPage, action: string, values: Record<string, string> = {}): Promise<SeenPage> {
    const form = page.$(`form[action="${action}"]`);
    if (form.length !== 1) throw new Error(`There are ${form.length} forms to ${action} on ${page.path}.`);
    const fields = new URLSearchParams();
    for (const { name, value } of form.serializeArray()) fields.set(name, value);
    for (const [name, value] of Object.entries(values)) {
      if (form.find(`[name="${name}"]`).length === 0) throw new Error(`The form to ${action} has no field ${name}.`);
      fields.set(name, value);
    }
    return await this.post(action, fields);
  }

  async post(path: string, fields: URLSearchParams, headers: Record<string, string> = {}): Promise<SeenPage> {
    return await this.#ask(path, { method: 'POST', body: fields, headers });
  }

  async #ask(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<SeenPage> {
    const cookie = [this.cookie, this.device].filter((each) => each !== undefined).join('; ');
    const sent = { ...this.#headers, ...init.headers, ...(cookie !== '' && { cookie }) };
    const response = await fetch(this.#url + path, { ...init, headers: sent, redirect: 'manual' });
    for (const set of response.headers.getSetCookie()) {
      const value = set.includes('Max-Age=0') ? undefined : set.split(';', 1)[0];
      if (set.startsWith('__Host-rankledger-device=')) this.device = value;
      else this.cookie = value;
    }
    const text = await response.text();
    if (response.status === 303) return await this.#ask(response.headers.get('location') ?? '', {});
    const $ = load(text);
    const problem = $('[role="alert"]').text();
    return { status: response.status, path, headers: response.headers, text, $, title: $('h1').text(), problem };
  }
}
