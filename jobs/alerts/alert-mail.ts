// The mail channel: sends alerts over SMTP, with the report attached where the config asks for it.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { alertMail } from '../../src/report/alerts/alert-forms.ts';
import type { AlertMessage } from '../../src/tracker/alert.ts';
import { type AlertChannel, DeliveryError, describeError } from './alert-channel.ts';

export interface MailOptions {
  /** `smtp://` (with STARTTLS) or `smtps://`, with user and password where the server asks for them. */
  readonly smtp: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly attach: boolean;
  readonly timeoutMs?: number;
}

/** The first that is there goes with the mail. */
const attachable = [
  { name: 'report.html', contentType: 'text/html; charset=utf-8' },
  { name: 'rank-changes.csv', contentType: 'text/csv; charset=utf-8' },
];
/** Mail servers refuse more, often at 10 MB; what is attached grows by a third on its way. */
const attachmentBytesMax = 7_000_000;
const timeoutMsStandard = 20_000;

interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export function mailChannel(options: MailOptions): AlertChannel {
  const { from, to, attach, timeoutMs = timeoutMsStandard } = options;
  const server = parseServer(options.smtp);
  const secrets = [options.smtp, server.user, server.password];
  return {
    async send(message: AlertMessage, signal: AbortSignal) {
      signal.throwIfAborted();
      const attachment = attach ? await readAttachment(message) : null;
      const mail = alertMail(message, attachment?.filename ?? null);
      const { createTransport } = await import('nodemailer');
      const transport = createTransport({
        host: server.host,
        port: server.port,
        secure: server.isSecure,
        requireTLS: !server.isSecure && server.user !== '' && !server.isHere,
        ...(server.user === '' ? {} : { auth: { user: server.user, pass: server.password } }),
        ...(server.isHere ? { tls: { rejectUnauthorized: false } } : {}),
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      try {
        const sent = await transport.sendMail({
          from,
          to: [...to],
          ...mail,
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...(attachment === null ? {} : { attachments: [attachment] }),
        });
        // those who have it must not get it again and again because of the others
        const refused = sent.rejected.length;
        return refused === 0 ? null : `${server.host} accepted it for ${to.length - refused} of ${to.length} addresses`;
      } catch (error) {
        throw new DeliveryError(`${server.host}: ${describeError(error, secrets)}`);
      } finally {
        transport.close();
      }
    },
  };
}

interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
  /** On this machine: the connection needs no TLS. */
  readonly isHere: boolean;
}

function parseServer(smtp: string): MailServer {
  const url = new URL(smtp);
  const isSecure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    isHere: /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host),
  };
}

/** Null where the report has none of the files, or they are too large to be mailed. */
async function readAttachment({ report }: AlertMessage): Promise<Attachment | null> {
  if (report === null) return null;
  for (const { name, contentType } of attachable) {
    const file = join(report.directory, name);
    const size = await stat(file).then(
      (found) => found.size,
      () => null,
    );
    if (size !== null && size <= attachmentBytesMax) {
      return { filename: name, contentType, content: await readFile(file) };
    }
  }
  return null;
}
