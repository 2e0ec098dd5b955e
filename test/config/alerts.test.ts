// Alerts in the config: channels, rules, references and secrets.
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { load, problemsOf, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const env = {
  ALERT_URL: 'https://hooks.example/services/T0/secret-path',
  SMTP_URL: 'smtp://user:hunter2@mail.example:587',
  ALERT_AUTHORIZATION: 'Bearer secret-token',
};
const channels = [
  'alerts:',
  '  channels:',
  `    ops: { type: webhook, url: "\${ALERT_URL}", format: slack }`,
  `    own: { type: webhook, url: "https://own.example/hook", authorization: "\${ALERT_AUTHORIZATION}" }`,
  `    mail: { type: email, smtp: "\${SMTP_URL}", from: "Acme <rank@acme.com>", to: [seo@acme.com], attach: true }`,
  '    log: { type: file, path: logs/alerts.jsonl }',
];

function config(rules: readonly string[], project: readonly string[] = []): Record<string, string> {
  const ofRules = rules.map((rule) => `    - ${rule}`);
  return { [name]: [...channels, '  rules:', ...ofRules, projectWith(...project)].join('\n') };
}

describe('alerts', () => {
  test('are read with every kind of channel and rule', async () => {
    const rules = [
      '{ when: dropped-out-of, top: 10 }',
      '{ when: moved, by: 5, direction: up, tags: [brand], projects: [acme], channels: [ops, log] }',
      '{ when: moved, by: 3 }',
      '{ when: url-changed }',
      '{ when: other-url, tags: [brand] }',
      '{ when: feature-won, feature: featured_snippet }',
      '{ when: feature-lost, checks: 2 }',
      '{ when: competitor-overtook }',
      '{ when: visibility-fell, percent: 10.5 }',
      '{ when: run-failed }',
      '{ when: run-suspect }',
      '{ when: budget-share, percent: 80 }',
    ];
    const { alerts, directory, warnings } = await load(config(rules, ['competitors: [globex.com]']), env);
    expect(alerts.rules).toHaveLength(rules.length);
    expect(alerts.rules[1]).toEqual({
      when: 'moved',
      by: 5,
      direction: 'up',
      tags: ['brand'],
      projects: ['acme'],
      channels: ['ops', 'log'],
    });
    expect(alerts.rules[2]).toEqual({ when: 'moved', by: 3, direction: 'any' });
    expect(alerts.channels.get('log')).toEqual({ type: 'file', path: join(directory, 'logs/alerts.jsonl') });
    const [ops, own, mail] = ['ops', 'own', 'mail'].map((key) => alerts.channels.get(key));
    expect(ops?.type === 'webhook' && ops.url.reveal()).toBe(env.ALERT_URL);
    expect(own?.type === 'webhook' && own.authorization?.reveal()).toBe(env.ALERT_AUTHORIZATION);
    expect(mail).toMatchObject({ from: 'Acme <rank@acme.com>', to: ['seo@acme.com'], attach: true });
    expect(`${inspect(alerts, { depth: 9 })}${JSON.stringify([...alerts.channels])}`).not.toMatch(/secret-|hunter2/);
    expect(warnings).toEqual([]);
  });

  test('of a project replace those of the file', async () => {
    const files = config(['{ when: run-failed }'], ['alerts: [{ when: url-changed }]']);
    const { alerts } = await load(files, env);
    expect(alerts.ownRules.get('acme')).toEqual([{ when: 'url-changed' }]);
    expect((await load(config(['{ when: run-failed }'], ['alerts: []']), env)).alerts.ownRules.get('acme')).toEqual([]);
  });

  test('without a channel, or with unknown names, are problems, all reported at once', async () => {
    const rules = [
      '{ when: run-failed, channels: [opps] }',
      '{ when: url-changed, projects: [acne] }',
      '{ when: moved }',
      '{ when: moved, by: 0 }',
      '{ when: vanished }',
      '{ when: run-failed, tags: [brand] }',
      '{ when: feature-lost, feature: "AI Overview" }',
    ];
    const problems = (await problemsOf(config(rules), env)).map(
      ({ path, message, hint }) => `${path} ${message} ${hint}`,
    );
    expect(problems.filter((text) => text.startsWith('alerts.rules[2].by is missing'))).toHaveLength(1);
    expect(problems.filter((text) => text.startsWith('alerts.rules[3].by must be at least 1'))).toHaveLength(1);
    expect(problems.filter((text) => /^alerts\.rules\[4\]\.when .*"vanished"/.test(text))).toHaveLength(1);
    expect(problems.filter((text) => text.startsWith('alerts.rules[5].tags unknown key'))).toHaveLength(1);
    expect(problems.filter((text) => text.includes('"AI Overview" is not a SERP feature'))).toHaveLength(1);
    const named = (await problemsOf(config(rules.slice(0, 2)), env)).map(({ message, hint }) => `${message}; ${hint}`);
    expect(named).toEqual([
      'there is no channel "opps"; did you mean ops?',
      'there is no project "acne"; did you mean acme?',
    ]);
    const alone = { [name]: `alerts: { rules: [{ when: run-failed }] }\n${projectWith()}` };
    expect((await problemsOf(alone)).map(({ message }) => message)).toEqual(['has no channel']);
    const elsewhere = projectWith('alerts: [{ when: url-changed, projects: [other] }]', '', '').replace(/\s+$/, '');
    const other = `${elsewhere}\n  - { id: other, targets: [other.com], keywords: [b] }\n`;
    expect(
      (await problemsOf({ [name]: `${channels.join('\n')}\n${other}` }, env)).map(({ message }) => message),
    ).toEqual(['excludes the project of the rule']);
  });

  test('take their secrets from the environment and encrypt their text', async () => {
    const channel = (written: string) => ({
      [name]: `alerts: { channels: { one: ${written} }, rules: [{ when: run-failed }] }\n${projectWith()}`,
    });
    const messages = async (written: string) =>
      (await problemsOf(channel(written), env)).map(({ path, message }) => `${path}: ${message}`);
    const at = 'alerts.channels.one';
    const literal = 'is a literal secret; secrets come from the environment only';
    expect(await messages('{ type: webhook, format: slack, url: "https://hooks.example/T0" }')).toEqual([
      `${at}.url: ${literal}`,
    ]);
    expect(await messages('{ type: webhook, url: "https://a:b@hooks.example/" }')).toEqual([
      `${at}.url: contains a user or password`,
    ]);
    expect(await messages('{ type: webhook, url: "https://h.example/", authorization: "Bearer x" }')).toEqual([
      `${at}.authorization: ${literal}`,
    ]);
    expect(await messages('{ type: email, smtp: "smtp://u:p@m.example", from: a@b.c, to: [a@b.c] }')).toEqual([
      `${at}.smtp: ${literal}`,
    ]);
    expect(await messages('{ type: webhook, url: "http://127.0.0.1:9/" }')).toEqual([`${at}.url: is not encrypted`]);
    expect(await messages('{ type: webhook, url: "ftp://h.example/" }')).toEqual([
      `${at}.url: is not a URL: write https://...`,
    ]);
    expect((await messages('{ type: email, smtp: "http://m.example", from: a@b.c, to: [a@b.c] }'))[0]).toContain(
      'is not a mail server',
    );
    expect(
      (await load(channel('{ type: webhook, url: "http://127.0.0.1:9/", allowHttp: true }'))).alerts.channels.size,
    ).toBe(1);
    expect(
      (await load(channel('{ type: email, smtp: "smtp://localhost:25", from: a@b.c, to: [a@b.c] }'))).alerts.channels
        .size,
    ).toBe(1);
  });

  test.each(['no address', 'a@b@c', 'a@b.c, d@e.f', '<a@b.c', '"a@b.c\\r\\nBcc: d@e.f"', 'A <a@b.c>\\n'])(
    'are sent to no URL like %s',
    async (to) => {
      const written = to.startsWith('"') ? to : `"${to}"`;
      const files = {
        [name]: `alerts: { channels: { one: { type: email, smtp: "smtp://m.example", from: a@b.c, to: [${written}] } } }\n${projectWith()}`,
      };
      expect((await problemsOf(files)).map(({ path, message }) => `${path} ${message}`)[0]).toMatch(
        /^alerts\.channels\.one\.to\[0\] .*is not an email address$/s,
      );
    },
  );

  test('that can never be sent are a warning', async () => {
    const files = {
      [name]: `${channels.join('\n')}\n  rules: [{ when: competitor-overtook, channels: [ops] }]\n${projectWith()}`,
    };
    const { warnings } = await load(files, env);
    expect(warnings.filter((text) => text.includes('is not used: no rule sends to it'))).toHaveLength(3);
    expect(warnings.filter((text) => text.includes('no project has competitors'))).toHaveLength(1);
  });

  test('link to reports at their public URL', async () => {
    const { reports } = await load({ [name]: `reports: { url: "https://seo.example/reports" }\n${projectWith()}` });
    expect(reports.url).toBe('https://seo.example/reports/');
    const problems = async (url: string) =>
      await problemsOf({ [name]: `reports: { url: "${url}" }\n${projectWith()}` });
    expect((await problems('reports.example'))[0]?.message).toContain('is not a URL');
    expect((await problems('https://u:p@seo.example/'))[0]?.message).toContain('contains a user or password');
  });
});
