// The mail channel: sends alerts over SMTP, with the report attached where the config asks for it.
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { domainToASCII } from 'node:url';
import { alertMail } from '../../src/report/alerts/alert-forms.ts';
import { digestHtml, digestSubject, digestText } from '../../src/report/alerts/digest.ts';
import type { AlertMessage } from '../../src/tracker/changes/alerts.ts';
import { type AlertChannel, DeliveryError, type DigestChannel, describeError, messageKey } from './alert-channel.ts';

interface MailOptions {
  /** `smtp://` (with STARTTLS) or `smtps://`, with user and password where the server asks for them. */
  readonly smtp: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly attach: boolean;
  readonly timeoutMs?: number;
}

/** The first that is there goes with the mail. */
const attachable = ['report.html', 'rank-changes.csv'];
const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.pdf': 'application/pdf',
};
/** Mail servers refuse more, often at 10 MB; what is attached grows by a third on its way. */
const attachmentBytesMax = 7_000_000;
const timeoutMsStandard = 20_000;

interface Attachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

export function mailChannel(options: MailOptions): AlertChannel & DigestChannel {
  const { from, to, attach, timeoutMs = timeoutMsStandard } = options;
  const server = parseServer(options.smtp);
  const secrets = [options.smtp, server.user, server.password];
  const messageIdOf = (key: string) => `<${key}@${domainOf(addressOf(from)) || 'rankledger'}>`;
  /** Rejects with a DeliveryError that names those who have it where it is not all of them. */
  const post = async (mail: Mail, reached: readonly string[], signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    const missing = mail.to.map(addressOf).filter((address) => !reached.includes(address));
    if (missing.length === 0) return;
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
    const { attachment, ...rest } = mail;
    try {
      const { rejected, rejectedErrors = [] } = await transport.sendMail({
        from,
        ...rest,
        envelope: { from: addressOf(from), to: missing },
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(attachment === null ? {} : { attachments: [attachment] }),
      });
      const refused = new Set(rejected.map((address) => addressOf(String(address))));
      if (refused.size === 0) return;
      const why = describeError(rejectedErrors[0] ?? 'no reason', secrets);
      const taken = missing.filter((address) => !refused.has(address));
      throw new DeliveryError(`${server.host} refused ${[...refused].join(', ')}: ${why}`, 0, [...reached, ...taken]);
    } catch (error) {
      if (error instanceof DeliveryError) throw error;
      // the server works: it refuses those that are left
      const isRefusal = error instanceof Error && 'rejected' in error && reached.length > 0;
      throw new DeliveryError(`${server.host}: ${describeError(error, secrets)}`, 0, isRefusal ? reached : null);
    } finally {
      transport.close();
    }
  };
  return {
    async send(message: AlertMessage, signal: AbortSignal) {
      const attachment = attach ? await readReport(message) : null;
      const messageId = messageIdOf(messageKey(message, ...to));
      const mail = { to: [...to], ...alertMail(message, attachment?.filename ?? null), messageId, attachment };
      await post(mail, message.reached ?? [], signal);
    },
    async sendDigest({ id, recipient, digest, attachment: file }, signal) {
      const attachment = file === null ? null : await readAttachment(dirname(file), basename(file));
      const note = file === null ? null : attachmentNote(basename(file), attachment);
      await post(
        {
          to: [recipient],
          subject: digestSubject(digest),
          text: digestText(digest, note),
          html: digestHtml(digest, note),
          messageId: messageIdOf(id),
          attachment,
        },
        [],
        signal,
      );
    },
  };
}

interface Mail {
  readonly to: string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The same at every attempt of a mail: mail programs show it once. */
  readonly messageId: string;
  readonly attachment: Attachment | null;
}

/** Of `Acme <rank@acme.com>`, with its domain as mail servers have it. */
function addressOf(written: string): string {
  const address = /<([^<>]*)>$/.exec(written)?.[1] ?? written;
  const domain = domainOf(address);
  return `${address.slice(0, address.length - domain.length)}${domainToASCII(domain) || domain}`;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function attachmentNote(name: string, attachment: Attachment | null): string {
  return attachment === null ? `${name} is too large for a mail.` : `Attached: ${name}`;
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
async function readReport({ report }: AlertMessage): Promise<Attachment | null> {
  if (report === null) return null;
  for (const name of attachable) {
    const attachment = await readAttachment(report.directory, name);
    if (attachment !== null) return attachment;
  }
  return null;
}

/** Null where it is missing, or too large to be mailed. */
async function readAttachment(directory: string, name: string): Promise<Attachment | null> {
  const file = join(directory, name);
  const size = await stat(file).then(
    (found) => found.size,
    () => null,
  );
  if (size === null || size > attachmentBytesMax) return null;
  const contentType = contentTypes[extname(name)] ?? 'application/octet-stream';
  return { filename: name, contentType, content: await readFile(file) };
}
