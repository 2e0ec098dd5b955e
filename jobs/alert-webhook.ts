// Alerts to an address: a POST of JSON, as a document of our own or as messengers read it. Redirects are not followed: the address is what was allowed.
import { alertDocument, slackMessage } from '../src/report/alert-forms.ts';
import type { AlertMessage } from '../src/tracker/alert.ts';
import { type AlertChannel, DeliveryError, wordsOf } from './alert-channel.ts';

export interface WebhookOptions {
  readonly url: string;
  readonly format: 'json' | 'slack';
  /** Value of the header of this name. */
  readonly authorization?: string;
  readonly timeoutMs?: number;
}

const timeoutMsStandard = 15_000;
/** What a receiver asks for beyond that is tried earlier. */
const retryAfterMsMax = 3_600_000;

export function webhookChannel(options: WebhookOptions): AlertChannel {
  const { url, format, authorization, timeoutMs = timeoutMsStandard } = options;
  const { host, pathname, search } = new URL(url);
  const secrets = [url, `${pathname}${search}`, authorization ?? ''].filter((text) => text !== '/');
  return {
    async send(message: AlertMessage, signal: AbortSignal) {
      const limit = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'rankledger',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: JSON.stringify(format === 'slack' ? slackMessage(message) : alertDocument(message)),
        signal: AbortSignal.any([signal, limit]),
      }).catch((error: unknown) => {
        if (limit.aborted) throw new DeliveryError(`${host} did not answer within ${timeoutMs / 1000} s`);
        throw new DeliveryError(`${host}: ${wordsOf(error, secrets)}`);
      });
      await response.body?.cancel().catch(() => {});
      if (response.ok) return null;
      const isElsewhere = response.status >= 300 && response.status < 400;
      const what = isElsewhere ? `${response.status}, a redirect, which is not followed` : `${response.status}`;
      throw new DeliveryError(`${host} answered ${what}`, retryAfterMs(response.headers.get('retry-after')));
    },
  };
}

function retryAfterMs(written: string | null): number {
  if (written === null || !/^\d{1,6}$/.test(written)) return 0;
  return Math.min(Number(written) * 1000, retryAfterMsMax);
}
