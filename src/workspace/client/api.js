// Reads the API of the server. A newer request of a component replaces an older one.
import { useEffect, useState } from 'preact/hooks';

/** A message for people. */
export class ApiError extends Error {}

const tokenKey = 'rankledger.token';

/** @param {string} token */
export function saveToken(token) {
  sessionStorage.setItem(tokenKey, token);
}

/**
 * Reads a document of the API. Rejects with ApiError.
 * @param {string} path `/v1/...`
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>}
 */
export async function read(path, signal) {
  const token = sessionStorage.getItem(tokenKey);
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(path, { headers, ...(signal && { signal }) }).catch((error) => {
    if (signal?.aborted) throw error;
    throw new ApiError('The server does not answer. Is `rankledger view` still running?');
  });
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new ApiError(body?.error?.message ?? `The server answered ${answer.status}.`);
}

/**
 * A document of the API: `value` is undefined until the first answer, and stays while a newer one is on its way.
 * @template Value
 * @param {string | null} path null: nothing is read
 * @returns {{ value: Value | undefined, error: string | null, isLoading: boolean }}
 */
export function useDocument(path) {
  const [state, setState] = useState(
    /** @returns {{ path: string | null, value: Value | undefined, error: string | null }} */
    () => ({ path: null, value: undefined, error: null }),
  );
  useEffect(() => {
    if (path === null) return undefined;
    const abort = new AbortController();
    read(path, abort.signal).then(
      (value) => setState({ path, value: /** @type {Value} */ (value), error: null }),
      (error) => {
        if (!abort.signal.aborted) setState({ path, value: undefined, error: String(error.message ?? error) });
      },
    );
    return () => abort.abort();
  }, [path]);
  return { value: state.value, error: state.error, isLoading: state.path !== path };
}
