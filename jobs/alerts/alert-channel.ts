// The contract of an alert channel, and the error of a failed delivery.

import { hash, randomUUID } from 'node:crypto';
import type { Digest } from '../../src/report/alerts/digest.ts';
import { errorText } from '../../src/service/terms.ts';
import type { AlertMessage } from '../../src/tracker/changes/alerts.ts';
import { hourMs, minuteMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';

export interface AlertChannel {
  /**
   * Resolves when all receivers have the message; those that `message.reached` names are left out. Rejects with a
   * DeliveryError, whose message holds no secret.
   */
  send(message: AlertMessage, signal: AbortSignal): Promise<void>;
}

export interface DigestChannel {
  /** Sends a scheduled report. Rejects with a DeliveryError, whose message holds no secret. */
  sendDigest(message: DigestMessage, signal: AbortSignal): Promise<void>;
}

interface DigestMessage {
  /** The same at every attempt, so that a receiver can drop what it has already. */
  readonly id: string;
  /** A mail address; empty where the channel has one receiver. */
  readonly recipient: string;
  readonly digest: Digest;
  /** The file to attach to a mail: absolute; null: none. */
  readonly attachment: string | null;
}

/** A message that was not taken, in words without addresses or passwords. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** Not before so long. */
  readonly waitMs: number;
  /** The receivers that took the message, and must not get it again; null: the attempt reached none. */
  readonly reached: readonly string[] | null;

  constructor(message: string, waitMs = 0, reached: readonly string[] | null = null) {
    super(message);
    this.waitMs = waitMs;
    this.reached = reached;
  }
}

/**
 * The same at every attempt to send these alerts, also after a restart, and another for the alerts of another database.
 * A test message is new each time.
 */
export function messageKey({ project, run, alerts }: AlertMessage, ...more: readonly string[]): string {
  if (run === null) return randomUUID();
  return hash('sha256', JSON.stringify([project, run.id, run.slot, alerts, ...more])).slice(0, 32);
}

export function toDeliveryError(error: unknown): DeliveryError {
  return error instanceof DeliveryError ? error : new DeliveryError(describeError(error));
}

/** How long after each failed attempt the next one is due; after the last of them there is none. */
const pausesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 3 * hourMs, 6 * hourMs, 12 * hourMs];

/** When to try again after so many failed attempts, UTC milliseconds; null: never. */
export function nextAttempt({ clock, random }: JobContext, attempts: number, { waitMs }: DeliveryError): number | null {
  const pauseMs = pausesMs[attempts - 1];
  return pauseMs === undefined ? null : clock.now() + Math.max(waitMs, Math.round(pauseMs * (1 + random() / 10)));
}

const charactersMax = 300;
/** Shorter secrets would make holes into ordinary words. */
const secretCharactersMin = 3;

/** The message of an error and its causes, in one line, without secrets. */
export function describeError(error: unknown, secrets: readonly string[] = []): string {
  const causes: string[] = [];
  for (let cause: unknown = error; cause !== undefined && causes.length < 3; ) {
    causes.push(errorText(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  let words = causes.join(': ').replace(/[\p{Cc}\s]+/gu, ' ');
  for (const secret of secrets) {
    if (secret.length >= secretCharactersMin) words = words.replaceAll(secret, '***');
  }
  return words.slice(0, charactersMax).toWellFormed();
}
