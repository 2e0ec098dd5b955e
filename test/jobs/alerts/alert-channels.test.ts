// Alert channels: the messages they send, the texts of their failures, and that no secret is in them.
import { createHmac } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AlertChannel, DeliveryError } from '../../../jobs/alerts/alert-channel.ts';
import { fileChannel } from '../../../jobs/alerts/alert-file.ts';
import { mailChannel } from '../../../jobs/alerts/alert-mail.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import { messageOf, runMessage } from '../../helpers/alerts.ts';
import { closeLater, temporaryFolder } from '../../helpers/closing.ts';
import { type MailServerOptions, startMailServer } from '../../helpers/mail-server.ts';
import { secretPath, startWebhook } from '../../helpers/webhook.ts';

const never = new AbortController().signal;

async function failureOf(channel: AlertChannel): Promise<string> {
  const error: unknown = await channel.send(runMessage(), never).then(
    () => 'it was accepted',
    (failure: unknown) => failure,
  );
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function webhook() {
  const hook = await startWebhook();
  return hook;
}

async function mailServer(options: MailServerOptions = {}) {
  const server = closeLater(await startMailServer(options));
  const mail = (more: { attach?: boolean; to?: string[]; timeoutMs?: number } = {}) =>
    mailChannel({
      smtp: `smtp://rank%40acme.example:hunter2@127.0.0.1:${server.port}`,
      from: 'Acme <rank@acme.example>',
      to: ['seo@acme.example'],
      attach: false,
      ...more,
    });
  return { server, mail };
}

describe('a webhook', () => {
  it('receives the document and the configured header', async () => {
    const hook = await webhook();
    await webhookChannel({ url: hook.url, format: 'json', authorization: 'Bearer t' }).send(runMessage(), never);
    const [post] = hook.posts;
    expect(post).toMatchObject({
      path: secretPath,
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
    });
    expect(post?.body).toMatchObject({
      format: 1,
      event: 'alerts',
      project: 'acme',
      alerts: [{ id: 'alert-1', when: 'moved' }],
    });
  });

  it('with a secret receives a Standard Webhooks signature over id, seconds and body', async () => {
    const hook = await webhook();
    const key = Buffer.from('a key of the receiver');
    for (const secret of [key.toString(), `whsec_${key.toString('base64')}`]) {
      await webhookChannel({ url: hook.url, format: 'json', secret }).send(runMessage(), never);
    }
    for (const { headers, text } of hook.posts) {
      const [id, seconds] = [headers['webhook-id'], headers['webhook-timestamp']];
      const expected = createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${expected}`);
      expect(seconds).toMatch(/^\d{10}$/);
    }
    expect(new Set(hook.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('of a messenger receives text and blocks', async () => {
    const hook = await webhook();
    await webhookChannel({ url: hook.url, format: 'slack' }).send(runMessage(), never);
    expect(Object.keys(hook.posts[0]?.body as object).sort()).toEqual(['blocks', 'text']);
  });

  it('that refuses, hangs, redirects or is unreachable fails with a message without its URL', async () => {
    const hook = await webhook();
    const channel = (more: { timeoutMs?: number } = {}) =>
      webhookChannel({ url: hook.url, format: 'json', authorization: 'Bearer the-token', ...more });
    const host = new URL(hook.url).host;
    const words: string[] = [];
    hook.answers.push(500);
    words.push(await failureOf(channel()));
    hook.answers.push({ status: 307, headers: { location: 'http://169.254.169.254/' } });
    words.push(await failureOf(channel()));
    hook.answers.push('hang');
    words.push(await failureOf(channel({ timeoutMs: 20 })));
    expect(words).toEqual([
      `DeliveryError: ${host} answered 500`,
      `DeliveryError: ${host} answered 307, a redirect, which is not followed`,
      `DeliveryError: ${host} did not answer within 0.02 s`,
    ]);
    // nothing listens there: the port of a closed server could be taken by another process
    words.push(await failureOf(webhookChannel({ url: `http://127.0.0.1:2${secretPath}`, format: 'json' })));
    expect(words[3]).toMatch(/^DeliveryError: 127\.0\.0\.1:\d+: fetch failed: connect ECONNREFUSED/);
    expect(words.join()).not.toMatch(/secret|the-token/);
  });

  it('states how long to wait', async () => {
    const hook = await webhook();
    hook.answers.push({ status: 429, headers: { 'retry-after': '120' } });
    const channel = webhookChannel({ url: hook.url, format: 'slack' });
    await expect(channel.send(runMessage(), never)).rejects.toMatchObject({ waitMs: 120_000 });
  });
});

describe('a mail', () => {
  it('has its sender, its recipients, a subject and the lines', async () => {
    const { server, mail } = await mailServer();
    await mail({ to: ['seo@acme.example', 'Boss <boss@acme.example>'] }).send(runMessage(), never);
    const [received] = server.received;
    expect(received).toMatchObject({
      from: 'rank@acme.example',
      to: ['seo@acme.example', 'boss@acme.example'],
      login: 'rank@acme.example:hunter2',
    });
    const text = received?.text ?? '';
    expect(text).toContain('Auto-Submitted: auto-generated');
    expect(subjectOf(text)).toBe(
      '[rankledger] acme: "running shoes" (US, en, desktop), acme.example: up 8: rank 4, was rank 12 on 2026-01-14',
    );
    expect(text).not.toMatch(/hunter2|Attached/);
    expect(text).toContain('Content-Type: multipart/alternative');
    expect(text).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/);
  });

  it('takes no headers from a keyword', async () => {
    const { server, mail } = await mailServer();
    const keyword = 'shoes\r\nBcc: victim@other.example\r\n\r\n<b>x</b>\u2028.\r\n.';
    await mail().send(runMessage({ keyword }), never);
    expect(server.received).toHaveLength(1);
    const [{ to, text } = { to: [], text: '' }] = server.received;
    expect(to).toEqual(['seo@acme.example']);
    const headers = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
    expect(headers.filter((line) => /^bcc/i.test(line))).toEqual([]);
    expect(subjectOf(text)).toContain('"shoes Bcc: victim@other.example <b>x</b> . ."');
  });

  it('attaches the report, or the table where there is no report, or nothing where they are too large', async () => {
    const { server, mail } = await mailServer();
    const directory = temporaryFolder();
    const message = runMessage({}, { report: { directory, url: null } });
    const send = async () => {
      await mail({ attach: true }).send(message, never);
      return /filename=(\S+)/.exec(server.received.at(-1)?.text ?? '')?.[1] ?? null;
    };
    expect(await send()).toBeNull();
    writeFileSync(join(directory, 'rank-changes.csv'), 'keyword\r\n');
    expect(await send()).toBe('rank-changes.csv');
    writeFileSync(join(directory, 'report.html'), '<!doctype html>');
    expect(await send()).toBe('report.html');
    expect(server.received.at(-1)?.text).toContain(Buffer.from('<!doctype html>').toString('base64'));
    writeFileSync(join(directory, 'report.html'), Buffer.alloc(7_000_001));
    writeFileSync(join(directory, 'rank-changes.csv'), Buffer.alloc(7_000_001));
    expect(await send()).toBeNull();
  });

  it('that is refused or never answered fails with a message without the login', async () => {
    const { server, mail } = await mailServer({ answers: { AUTH: '535 no such user rank@acme.example / hunter2' } });
    expect(await failureOf(mail())).toMatch(
      /^DeliveryError: 127\.0\.0\.1: Invalid login: 535 no such user \*\*\* \/ \*\*\*$/,
    );
    server.options = { answers: { DATA: '451 try later' } };
    expect(await failureOf(mail())).toContain('451 try later');
    server.options = { unknown: ['seo@acme.example'] };
    expect(await failureOf(mail())).toContain('550 no such recipient');
    server.options = { isSilent: true };
    expect(await failureOf(mail({ timeoutMs: 20 }))).toMatch(
      /^DeliveryError: 127\.0\.0\.1: .*(never received|timeout)/i,
    );
    expect(server.received).toEqual([]);
  });

  it('that some recipients accepted is sent to the others alone, as the same mail', async () => {
    const { server, mail } = await mailServer({ unknown: ['gone@b\u00fccher.example', 'gone@xn--bcher-kva.example'] });
    const to = ['Gone <gone@b\u00fccher.example>', 'seo@acme.example', 'Boss <boss@acme.example>'];
    const refused: unknown = await mail({ to })
      .send(runMessage(), never)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^127\.0\.0\.1 refused gone@\S+: .*550 no such recipient/),
      reached: ['seo@acme.example', 'boss@acme.example'],
    });
    const { reached } = refused as DeliveryError;
    const again = runMessage({}, { reached: reached ?? [] });
    // still refused: the channel itself works, and those who have the mail are kept
    await expect(mail({ to }).send(again, never)).rejects.toMatchObject({ reached });
    server.options = {};
    await mail({ to }).send(again, never);
    await mail({ to: to.slice(1) }).send(again, never);
    expect(server.received.map((one) => one.to)).toEqual([
      ['seo@acme.example', 'boss@acme.example'],
      ['gone@xn--bcher-kva.example'],
    ]);
    const headers = server.received.map(({ text }) => [messageIdOf(text), /^To: .*/m.exec(text)?.[0]]);
    expect(headers[1]).toEqual(headers[0]);
  });

  it('has one Message-ID for its alerts and recipients, and a test message a new one each time', async () => {
    const { server, mail } = await mailServer();
    const other = runMessage({ keyword: 'another' });
    for (const message of [
      runMessage(),
      runMessage(),
      other,
      messageOf([], { run: null }),
      messageOf([], { run: null }),
    ])
      await mail().send(message, never);
    await mail({ to: ['boss@acme.example'] }).send(runMessage(), never);
    const [first, again, ...others] = server.received.map(({ text }) => messageIdOf(text));
    expect(first).toMatch(/^<[0-9a-f]{32}@acme\.example>$/);
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(5);
  });
});

describe('a file', () => {
  it('gets one line of JSON per alert, appended to those it has', async () => {
    const path = join(temporaryFolder(), 'deep', 'alerts.jsonl');
    const channel = fileChannel(path, () => Date.UTC(2026, 0, 15));
    await channel.send(runMessage(), never);
    await channel.send(runMessage({ keyword: 'a\nb' }), never);
    const lines = readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { at: '2026-01-15T00:00:00.000Z', project: 'acme', run: { id: 7 }, id: 'alert-1', keyword: 'running shoes' },
      { keyword: 'a\nb' },
    ]);
  });

  it('that cannot be written fails', async () => {
    const path = join(temporaryFolder(), 'taken');
    mkdirSync(path);
    expect(await failureOf(fileChannel(path, () => 0))).toMatch(/^DeliveryError: EISDIR/);
  });
});

function messageIdOf(text: string): string | undefined {
  return /^Message-ID: (\S+)/im.exec(text)?.[1];
}

/** Unfolded and decoded. */
function subjectOf(text: string): string {
  const folded = /^Subject: ((?:.*\r\n)(?:[ \t].*\r\n)*)/m.exec(text)?.[1] ?? '';
  return folded
    .replace(/\?=\r\n[ \t]+=\?/g, '?==?')
    .replace(/\r\n[ \t]+/g, ' ')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, quoted: string) =>
      decodeURIComponent(
        quoted
          .replaceAll('%', '%25')
          .replaceAll('_', ' ')
          .replace(/=([0-9A-F]{2})/g, '%$1'),
      ),
    )
    .trim();
}
