// Reads the read API: over HTTP, or from the data of the page itself.
import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query';
import type { Access } from '../../read/records.ts';
import { changed, type Parameters } from './address.ts';
import { filterNames, textComplaint } from './filters.ts';

/** A message for people. `needsToken`: the server asks who is reading. */
export class ApiError extends Error {
  readonly needsToken: boolean;
  /** It does not exist: asking again does not help. */
  readonly isMissing: boolean;

  constructor(message: string, { needsToken = false, isMissing = false } = {}) {
    super(message);
    this.needsToken = needsToken;
    this.isMissing = isMissing;
  }
}

interface HeldData {
  /** Throws an error with a message for people. */
  readonly answer: (path: string) => unknown;
  readonly file: (path: string) => { readonly type: string; readonly text: string[] };
  /** What its date is compared with. */
  readonly compare: string;
}

let held: HeldData | null = null;

/** The page holds its data: nothing is fetched. */
export function readFromPage(data: HeldData): void {
  held = data;
}

/** The page reads from itself. */
export function isFile(): boolean {
  return held !== null;
}

/** What the date of a file is compared with; null: the page comes from a server, which knows all dates. */
export function heldComparison(): string | null {
  return held?.compare ?? null;
}

const tokenKey = 'rankledger.token';
/** Of the part of a share link after its path, while its token is used. */
const linkKey = 'rankledger.link';

export function saveToken(token: string): void {
  sessionStorage.setItem(tokenKey, token);
  sessionStorage.removeItem(linkKey);
}

/** Takes the token out of the address of a share link, before the page copies or sends it. False: it has none. */
export function takeToken(): boolean {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return false;
  saveToken(token);
  sessionStorage.setItem(linkKey, location.hash);
  history.replaceState(null, '', location.pathname + location.search);
  return true;
}

/**
 * The address of the page, for others. A client's own link opens it for them, too: it shows no more than the client
 * sees. A token that shows everything is never copied.
 */
export function addressToShare(access: Access | undefined): string {
  const isClient = access !== undefined && access.scope !== null;
  const link = isClient ? sessionStorage.getItem(linkKey) : null;
  return link === null ? location.href : new URL(link, location.href).href;
}

/** Undefined: not read yet. */
export function useAccess(): Access | undefined {
  const { value } = useAnswer<Access>(held === null ? '/v1/access' : null);
  return held === null ? value : { mayEdit: false, scope: null };
}

/** Rejects with ApiError. `path`: `/v1/...`. */
export async function read(path: string, signal?: AbortSignal): Promise<unknown> {
  if (held !== null) return held.answer(path);
  return (await request(path, signal)).json();
}

/** A file of the API: a plain link would not send the token. Rejects with ApiError. */
export async function readFile(path: string): Promise<Blob> {
  if (held === null) return (await request(path)).blob();
  const { type, text } = held.file(path);
  return new Blob(text, { type });
}

/** Asks as an editor: `body` is posted, without one the path is read. Rejects with ApiError. */
export async function send(path: string, body?: object): Promise<unknown> {
  if (body === undefined) return (await request(path)).json();
  const headers = { 'content-type': 'application/json', 'x-rankledger-edit': '1' };
  return (await request(path, undefined, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

interface Posted {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function request(path: string, signal?: AbortSignal, posted?: Posted): Promise<Response> {
  const token = sessionStorage.getItem(tokenKey);
  const headers = { ...posted?.headers, ...(token !== null && { authorization: `Bearer ${token}` }) };
  const answer = await fetch(path, { ...posted, headers, ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError('The server does not answer. Is `rankledger view` still running?');
  });
  if (answer.ok) return answer;
  const body = (await answer.json().catch(() => null)) as { error?: { message?: string } } | null;
  const needsToken = answer.status === 401 || answer.status === 429;
  throw new ApiError(body?.error?.message ?? `The server answered ${answer.status}.`, {
    needsToken,
    isMissing: answer.status === 404,
  });
}

export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 30_000, networkMode: 'always' } },
});

export interface Answer<Value> {
  /** Undefined until the first answer; stays while a newer one is on its way. */
  readonly value: Value | undefined;
  readonly error: ApiError | null;
  readonly isLoading: boolean;
}

/** A document of the API. `path` null: nothing is read. */
export function useAnswer<Value>(path: string | null): Answer<Value> {
  const { data, error, isFetching } = useQuery({
    queryKey: [path],
    queryFn: ({ signal }) => read(path ?? '', signal),
    enabled: path !== null,
    placeholderData: keepPreviousData,
    ...(held !== null && path !== null ? { initialData: () => answerHeld(path) } : {}),
  });
  // the API has these shapes: src/read/records.ts
  return { value: data as Value | undefined, error: error as ApiError | null, isLoading: isFetching };
}

/** What the page holds is there at once; an error of it is left to the query. */
function answerHeld(path: string): unknown {
  try {
    return held?.answer(path);
  } catch {
    return undefined;
  }
}

/** A list of the API. */
export interface List<Row> {
  readonly data: readonly Row[];
  readonly total: number;
}

const ofTable: readonly string[] = ['date', 'compare', ...filterNames];

/** Parameters of the address by the kind of answer. */
export const takes = {
  nothing: [] as readonly string[],
  table: ofTable,
  chart: ['from', 'to', 'granularity', ...ofTable],
  period: ['from', 'to'] as readonly string[],
} as const;

/** The path of a project's resource, such as `segments`, with those parameters of `query` that it takes. */
export function apiPath(
  project: string,
  resource: string,
  query: URLSearchParams,
  kind: keyof typeof takes,
  more: Exclude<Parameters, URLSearchParams> = {},
): string {
  const taken = [...query].filter(([name, value]) => takes[kind].includes(name) && isUsable(name, value));
  const parameters = changed(new URLSearchParams(taken), more);
  const path = `/v1/projects/${encodeURIComponent(project)}/${resource}`;
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** The filter bar names what the server would refuse. */
export function isUsable(name: string, value: string): boolean {
  return value !== '' && !((name === 'q' || name === 'url') && textComplaint(value) !== null);
}
