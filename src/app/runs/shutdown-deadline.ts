// The time between a stop signal and cancelling requests in flight.

/** After a stop signal, requests in flight get this long to return the pages that they have paid for. */
const graceMs = 8000;

/** A signal that follows `stop` after the grace time. */
export function shutdownDeadline(stop: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(stop.reason), graceMs);
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      stop.removeEventListener('abort', begin);
    },
  };
}
