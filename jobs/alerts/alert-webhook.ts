// The webhook channel: posts alerts as JSON. It follows no redirects: only the configured address is allowed.

import { createHmac, hash } from 'node:crypto';
import { alertDocument, slackMessage } from '../../src/report/alerts/alert-forms.ts';
import { digestDocument, digestSlack } from '../../src/report/alerts/digest.ts';
import { hourMs } from '../../src/tracker/schedule/time-units.ts';
import { type AlertChannel, DeliveryError, type DigestChannel, describeError, messageKey } from './alert-channel.ts';

interface WebhookOptions {
  readonly url: string;
  readonly format: 'json' | 'slack';
  /** Value of the header of this name. */
  readonly authorization?: string;
  /** Signs each message, so that its receiver knows who sent it and when (standardwebhooks.com). */
  readonly secret?: string;
  readonly timeoutMs?: number;
}

const timeoutMsStandard = 15_000;
/** A longer wait that a receiver asks for is cut to this. */
const retryAfterMsMax = hourMs;

export function webhookChannel(options: WebhookOptions): AlertChannel & DigestChannel {
  const { url, format, authorization, secret, timeoutMs = timeoutMsStandard } = options;
  const { host, pathname, search } = new URL(url);
  const secrets = [url, `${pathname}${search}`, authorization ?? '', secret ?? ''].filter((text) => text !== '/');
  /** `id` is the same at every attempt. */
  const post = async (document: object, id: string, signal: AbortSignal): Promise<void> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const body = JSON.stringify(document);
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'rankledger',
        ...(authorization === undefined ? {} : { authorization }),
        ...(secret === undefined ? {} : signatureHeaders(secret, id, body, Date.now())),
      },
      body,
      signal: AbortSignal.any([signal, limit]),
    }).catch((error: unknown) => {
      if (limit.aborted) throw new DeliveryError(`${host} did not answer within ${timeoutMs / 1000} s`);
      throw new DeliveryError(`${host}: ${describeError(error, secrets)}`);
    });
    await response.body?.cancel().catch(() => {});
    if (response.ok) return;
    const isElsewhere = response.status >= 300 && response.status < 400;
    const what = isElsewhere ? `${response.status}, a redirect, which is not followed` : `${response.status}`;
    throw new DeliveryError(`${host} answered ${what}`, retryAfterMs(response.headers.get('retry-after')));
  };
  return {
    async send(message, signal) {
      await post(format === 'slack' ? slackMessage(message) : alertDocument(message), messageKey(message), signal);
    },
    async sendDigest({ id, digest }, signal) {
      await post(format === 'slack' ? digestSlack(digest) : { id, ...digestDocument(digest) }, id, signal);
    },
  };
}

/**
 * Headers by which a receiver proves a message, as Standard Webhooks has them: HMAC-SHA-256 over id, seconds and body.
 * The id is the same at every try of the same alerts, so that a receiver can drop what it has already; old seconds mean
 * a message that was sent again by others.
 */
function signatureHeaders(secret: string, message: string, body: string, now: number): Record<string, string> {
  const id = `msg_${hash('sha256', message).slice(0, 32)}`;
  const seconds = Math.floor(now / 1000);
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': `${seconds}`, 'webhook-signature': `v1,${signature}` };
}

function retryAfterMs(written: string | null): number {
  if (written === null || !/^\d{1,6}$/.test(written)) return 0;
  return Math.min(Number(written) * 1000, retryAfterMsMax);
}
