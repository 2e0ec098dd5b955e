// Reads the read API: over HTTP, or from the data of the page itself. A newer request replaces an older one.
import { useEffect, useMemo, useState } from 'preact/hooks';

/** A message for people. `needsToken`: the server asks who is reading. */
export class ApiError extends Error {
  /** @param {string} message @param {boolean} [needsToken] */
  constructor(message, needsToken = false) {
    super(message);
    this.needsToken = needsToken;
  }
}

/**
 * Answers a path of the API at once, or throws an error with a message for people.
 * @typedef {(path: string) => unknown} Answerer
 */

/** @type {Answerer | null} */
let answerHere = null;
/** @type {((path: string) => { readonly type: string, readonly text: string[] }) | null} */
let fileHere = null;

/**
 * The page holds its data: nothing is fetched.
 * @param {Answerer} answer
 * @param {NonNullable<typeof fileHere>} writeFile
 */
export function readFromPage(answer, writeFile) {
  answerHere = answer;
  fileHere = writeFile;
}

/** Whether the page is a file with its data: other dates, stored pages and purchases are not in it. */
export function isFile() {
  return answerHere !== null;
}

const tokenKey = 'rankledger.token';

/** @param {string} token */
export function saveToken(token) {
  sessionStorage.setItem(tokenKey, token);
}

/** Whether requests need a header, which a plain link does not send. */
export function sendsToken() {
  return sessionStorage.getItem(tokenKey) !== null;
}

/**
 * Reads a document of the API. Rejects with ApiError.
 * @param {string} path `/v1/...`
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export async function read(path, signal) {
  return (await answerTo(path, signal)).json();
}

/** Reads a file of the API. Rejects with ApiError. @param {string} path */
export async function readFile(path) {
  if (fileHere !== null) {
    const { type, text } = fileHere(path);
    return new Blob(text, { type });
  }
  return (await answerTo(path)).blob();
}

/** @param {string} path @param {AbortSignal} [signal] */
async function answerTo(path, signal) {
  const token = sessionStorage.getItem(tokenKey);
  /** @type {Record<string, string>} */
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(path, { headers, ...(signal && { signal }) }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError('The server does not answer. Is `rankledger view` still running?');
  });
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  const needsToken = answer.status === 401 || answer.status === 429;
  throw new ApiError(body?.error?.message ?? `The server answered ${answer.status}.`, needsToken);
}

/**
 * A document of the API: `value` is undefined until the first answer, and stays while a newer one is on its way.
 * @template Value
 * @param {string | null} path null: nothing is read
 * @param {{ readonly isLate?: boolean }} [options] late: a file works it out after it has drawn the rest
 * @returns {{ value: Value | undefined, error: string | null, needsToken: boolean, isLoading: boolean }}
 */
export function useDocument(path, { isLate = false } = {}) {
  const answer = useMemo(
    () => (path === null || answerHere === null || isLate ? null : answered(answerHere, path)),
    [path],
  );
  const [state, setState] = useState(
    /** @returns {{ path: string | null, value: Value | undefined, error: string | null, needsToken: boolean }} */
    () => ({ path: null, value: undefined, error: null, needsToken: false }),
  );
  useEffect(() => {
    if (path === null || answer !== null) return undefined;
    if (answerHere !== null) {
      setState({ path, ...answered(answerHere, path) });
      return undefined;
    }
    const abort = new AbortController();
    read(path, abort.signal).then(
      (value) => setState({ path, value: /** @type {Value} */ (value), error: null, needsToken: false }),
      (error) => {
        if (abort.signal.aborted) return;
        const needsToken = error instanceof ApiError && error.needsToken;
        setState({ path, value: undefined, error: String(error.message ?? error), needsToken });
      },
    );
    return () => abort.abort();
  }, [path]);
  if (answer !== null) return answer;
  const { value, error, needsToken } = state;
  return { value, error, needsToken, isLoading: state.path !== path };
}

/**
 * @template Value
 * @param {Answerer} answer
 * @param {string} path
 * @returns {{ value: Value | undefined, error: string | null, needsToken: boolean, isLoading: boolean }}
 */
function answered(answer, path) {
  try {
    return { value: /** @type {Value} */ (answer(path)), error: null, needsToken: false, isLoading: false };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { value: undefined, error: message, needsToken: false, isLoading: false };
  }
}
