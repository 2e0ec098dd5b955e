// Reads when a page was made from the engine's tokens: the event id of its scripts, and the tokens of its links.
import type { PageContext } from '../../engine.ts';
import { pageFailure } from '../../page/failure.ts';
import type { PageIndex } from './page-index.ts';

/** How much older or newer than its request a page may be: clocks differ, and answers take time. */
const driftMaxMs = 60 * 60_000;
/** Most links whose tokens are read. */
const linksMax = 2_000;

const eventIdText = /kEI["']?\s*[:=]\s*["']([\w-]{8,64})["']/;
const linkEventIdText = /[?&;]ei=([\w-]{8,64})/;
/** Token of a link: a version, then a protocol buffer in base64. */
export const linkTokenText = /[?&;]ved=([0-9][\w-]{4,120})/;

/**
 * Throws for a page that was not made at the time of its request: it comes from a cache or a forger, not from the
 * engine.
 */
export function rejectStalePage(pageIndex: PageIndex, { requestedAt }: PageContext, html: string): void {
  if (requestedAt === undefined) return;
  const madeAt = pageMoment(pageIndex, html);
  if (madeAt === undefined || Math.abs(madeAt - requestedAt) <= driftMaxMs) return;
  const [made, requested] = [madeAt, requestedAt].map((moment) => new Date(moment).toISOString());
  throw pageFailure('stale_page', html, `It was made at ${made} and requested at ${requested}.`);
}

/** UTC milliseconds; undefined if the page has no such token. Pages without scripts have it only in their links. */
export function pageMoment(pageIndex: PageIndex, html: string): number | undefined {
  const own = scriptMoment(html);
  if (own !== undefined) return own;
  // Links may repeat the token of the previous page: the newest one belongs to this page.
  const moments = pageIndex.anchors.slice(0, linksMax).flatMap((anchor) => {
    const href = anchor.get('href') ?? '';
    const [, eventId] = linkEventIdText.exec(href) ?? [];
    const [, token] = linkTokenText.exec(href) ?? [];
    return [
      eventId === undefined ? undefined : eventMoment(eventId),
      token === undefined ? undefined : tokenMoment(token),
    ];
  });
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** The moment in the event id of the page's scripts. */
export function scriptMoment(html: string): number | undefined {
  const [, eventId] = eventIdText.exec(html) ?? [];
  return eventId === undefined ? undefined : eventMoment(eventId);
}

/** An event id begins with the seconds since 1970, in four bytes, the lowest first. */
function eventMoment(eventId: string): number | undefined {
  const bytes = Buffer.from(eventId, 'base64url');
  return bytes.length < 4 ? undefined : plausible(bytes.readUInt32LE(0) * 1000);
}

/**
 * Since 2016 a link's token begins with field 13, in it field 1, in it field 1: the microseconds since 1970, as a
 * varint.
 */
function tokenMoment(token: string): number | undefined {
  const bytes = Buffer.from(token.slice(1), 'base64url');
  if (bytes[0] !== 0x6a || bytes[2] !== 0x0a || bytes[4] !== 0x08) return undefined;
  let value = 0;
  let factor = 1;
  for (const byte of bytes.subarray(5, 14)) {
    value += (byte & 0x7f) * factor;
    factor *= 128;
    if (byte < 0x80) return plausible(value / 1000);
  }
  return undefined;
}

/** Implausible times are ignored: the bytes mean something else. */
function plausible(moment: number): number | undefined {
  return moment >= firstMoment && moment < lastMoment ? moment : undefined;
}

const firstMoment = Date.UTC(2005, 0);
const lastMoment = Date.UTC(2100, 0);
