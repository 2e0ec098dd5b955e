// What editors ask the server to write, and what it answers: docs/workspace.md. Nothing is written without a preview.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, isUsable, queries, send, useAccess } from '../api.ts';
import { filterNames } from '../filters.ts';

/** The list without the item, or with it. */
export function toggled<Item>(list: readonly Item[], item: Item): readonly Item[] {
  return list.includes(item) ? list.filter((of) => of !== item) : [...list, item];
}

/** Whether this server can write, and this reader may. */
export function useMayEdit(): boolean {
  return useAccess()?.mayEdit === true;
}

export function editPath(project: string, resource: string): string {
  return `/v1/projects/${encodeURIComponent(project)}/${resource}`;
}

/** The rows that the keyword table shows for a query, as an edit names them. */
export function rowsOf(asked: URLSearchParams): object {
  const taken = [...asked].filter(([name, value]) => filterNames.includes(name) && isUsable(name, value));
  const [date, compare] = [asked.get('date'), asked.get('compare')];
  return {
    filter: `${new URLSearchParams(taken)}`,
    ...(date !== null && { date }),
    ...(compare !== null && { compare }),
  };
}

interface Preview<Value> {
  readonly value: Value | undefined;
  readonly error: ApiError | null;
  /** The value is that of an earlier question. */
  readonly isLoading: boolean;
}

/** What a request would write. `body` null: nothing is asked. `key`: names a body that is too large to. */
export function usePreview<Value>(path: string, body: object | null, key: unknown = body): Preview<Value> {
  const { data, error, isFetching } = useQuery({
    queryKey: ['preview', path, key],
    queryFn: () => send(path, body ?? {}),
    enabled: body !== null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  return {
    // the server has these shapes: docs/workspace.md
    value: body === null ? undefined : (data as Value | undefined),
    error: error as ApiError | null,
    isLoading: isFetching,
  };
}

const settlesInMs = 300;

/** A value once its writer pauses. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settlesInMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The lines of a unified diff, without those that name the file. */
export function diffLines(diff: string): string[] {
  return diff.split('\n').slice(2).filter(Boolean);
}

interface Sending {
  readonly isSending: boolean;
  readonly error: ApiError | null;
  /** Sends what writes, reads everything again, then calls `done`. */
  readonly start: <Value>(path: string, body: object, done: (value: Value) => void) => Promise<void>;
}

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  return {
    isSending,
    error,
    async start<Value>(path: string, body: object, done: (value: Value) => void) {
      setSending(true);
      setError(null);
      try {
        const value = (await send(path, body)) as Value; // the server has these shapes
        await readAgain();
        done(value);
      } catch (failed) {
        setError(failed instanceof ApiError ? failed : new ApiError(String(failed)));
        // another change may stand there by now: the dialog shows it beside the refusal
        await queries.invalidateQueries({ queryKey: ['preview', path] });
      }
      setSending(false);
    },
  };
}

/** Pages show what is written at once. Their dialogs close, so previews are not asked again. */
export async function readAgain(): Promise<void> {
  await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'preview' });
}
