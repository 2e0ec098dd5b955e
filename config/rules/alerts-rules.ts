// Rules for alerts and deliveries: names exist, secrets come from the environment, connections are encrypted.

import { type PartialConfig, type RuleInput, soundProjects } from '../document/draft.ts';
import { type ConfigIssue, literalSecret, meantHint, type Path } from '../document/problems.ts';
import type { WrittenAlertRule } from '../schema/alerts-schema.ts';
import { listDeliveries, type WrittenDelivery } from '../schema/reports-schema.ts';

export function* deliveriesArrive({ draft }: RuleInput): Generator<ConfigIssue> {
  const { reports } = draft.written;
  if (draft.invalidKeys.has('reports') || draft.invalidKeys.has('alerts') || reports.deliver === undefined) return;
  for (const [index, delivery] of listDeliveries(reports.deliver).entries()) {
    const path = ['reports', 'deliver', ...(typeof reports.deliver === 'string' ? [] : [index])];
    if (channelsOf(delivery, draft).length === 0)
      yield { path, message: 'has no channel', hint: 'add one of type email to alerts.channels, or name others' };
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(delivery.at))
      yield { path: [...path, 'at'], message: `"${delivery.at}" is not a time: write "06:00"` };
    const dayMessage = dayComplaint(delivery);
    if (dayMessage !== undefined) yield { path: [...path, 'day'], message: dayMessage };
    yield* unknownNames(path, delivery, draft);
  }
}

/** Channels and projects that a rule or a delivery names, and that the config lacks. */
function* unknownNames(
  path: Path,
  named: Pick<WrittenDelivery, 'channels' | 'projects'>,
  { written, projects }: PartialConfig,
): Generator<ConfigIssue> {
  const known = {
    channel: Object.keys(written.alerts?.channels ?? {}),
    project: projects.map((project) => project.written.id),
  };
  for (const what of ['channel', 'project'] as const) {
    for (const [at, name] of (named[`${what}s`] ?? []).entries()) {
      if (known[what].includes(name)) continue;
      const message = `there is no ${what} "${name}"`;
      yield { path: [...path, `${what}s`, at], message, hint: meantHint(name, known[what]) };
    }
  }
}

function dayComplaint({ every, day }: WrittenDelivery): string | undefined {
  if (day === undefined) return undefined;
  if (every === 'daily') return 'a daily delivery has no day';
  if (every === 'weekly')
    return typeof day === 'string' ? undefined : 'a weekly delivery takes a weekday, such as monday';
  return typeof day === 'number' ? undefined : 'a monthly delivery takes a day of the month, 1 to 28';
}

/** Those named, or all that send mail. */
export function channelsOf({ channels }: WrittenDelivery, { written }: PartialConfig): readonly string[] {
  if (channels !== undefined) return channels;
  const all = Object.entries(written.alerts?.channels ?? {});
  return all.filter(([, { type }]) => type === 'email').map(([name]) => name);
}

/** Names of the channels that deliveries use. */
function deliveryChannels(draft: PartialConfig): readonly string[] {
  if (draft.invalidKeys.has('reports')) return [];
  return listDeliveries(draft.written.reports.deliver).flatMap((delivery) => channelsOf(delivery, draft));
}

/** All written alert rules with their paths: those of the file and those of projects. */
function* eachRule({ draft }: RuleInput): Generator<[Path, WrittenAlertRule]> {
  if (!draft.invalidKeys.has('alerts')) {
    for (const [at, rule] of (draft.written.alerts?.rules ?? []).entries()) yield [['alerts', 'rules', at], rule];
  }
  for (const { index, written } of soundProjects(draft, 'alerts')) {
    for (const [at, rule] of (written.alerts ?? []).entries()) yield [['projects', index, 'alerts', at], rule];
  }
}

function writtenChannels({ draft }: RuleInput) {
  return draft.invalidKeys.has('alerts') ? [] : Object.entries(draft.written.alerts?.channels ?? {});
}

export function* alertRulesHaveChannels(input: RuleInput): Generator<ConfigIssue> {
  if (input.draft.invalidKeys.has('alerts')) return;
  const hasChannels = writtenChannels(input).length > 0;
  for (const [path, rule] of eachRule(input)) {
    if (hasChannels) yield* unknownNames(path, rule, input.draft);
    else yield { path, message: 'has no channel', hint: 'add one to alerts.channels' };
  }
}

export function* projectRulesIncludeProject({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const { index, written } of soundProjects(draft, 'alerts')) {
    for (const [at, { projects }] of (written.alerts ?? []).entries()) {
      if (projects === undefined || projects.includes(written.id)) continue;
      const path = ['projects', index, 'alerts', at, 'projects'];
      yield { path, message: 'excludes the project of the rule', hint: 'omit the key' };
    }
  }
}

export function* alertSecretsFromEnvironment(input: RuleInput): Generator<ConfigIssue> {
  for (const [name, channel] of writtenChannels(input)) {
    const pathOf = (key: string): Path => ['alerts', 'channels', name, key];
    const literals = (key: string, variable: string): ConfigIssue[] =>
      input.substitutionOf(pathOf(key)) === undefined ? [literalSecret(pathOf(key), key, variable)] : [];
    if (channel.type === 'webhook') {
      const url = URL.parse(channel.url);
      if (url !== null && `${url.username}${url.password}` !== '')
        yield { path: pathOf('url'), message: 'contains a user or password', hint: 'use the key authorization' };
      else if (channel.format === 'slack') yield* literals('url', 'ALERT_URL');
      if (channel.authorization !== undefined) yield* literals('authorization', 'ALERT_AUTHORIZATION');
      if (channel.secret !== undefined) yield* literals('secret', 'ALERT_SECRET');
    }
    if (channel.type === 'email' && (URL.parse(channel.smtp)?.password ?? '') !== '')
      yield* literals('smtp', 'SMTP_URL');
  }
}

export function* webhooksAreEncrypted(input: RuleInput): Generator<ConfigIssue> {
  for (const [name, channel] of writtenChannels(input)) {
    if (channel.type !== 'webhook' || channel.allowHttp || URL.parse(channel.url)?.protocol !== 'http:') continue;
    yield {
      path: ['alerts', 'channels', name, 'url'],
      message: 'is not encrypted',
      hint: 'use https, or allowHttp: true for an address on this machine or network',
    };
  }
}

/** A header must be one line of valid characters; `fetch` would reject it only when an alert is sent. */
export function* authorizationFitsHeader(input: RuleInput): Generator<ConfigIssue> {
  for (const [name, channel] of writtenChannels(input)) {
    if (channel.type !== 'webhook' || !/[^\t\x20-\x7e]/.test(channel.authorization ?? '')) continue;
    const path = ['alerts', 'channels', name, 'authorization'];
    yield { path, message: 'contains characters that HTTP headers forbid' };
  }
}

export function* channelsAreUsed(input: RuleInput): Generator<ConfigIssue> {
  if (input.draft.invalidKeys.has('alerts')) return;
  const rules = [...eachRule(input)].map(([, rule]) => rule);
  const delivering = deliveryChannels(input.draft);
  for (const [name] of writtenChannels(input)) {
    if (delivering.includes(name)) continue;
    if (rules.some(({ channels }) => channels === undefined || channels.includes(name))) continue;
    yield { path: ['alerts', 'channels', name], message: 'is not used: no rule sends to it' };
  }
}

export function* competitorRulesHaveCompetitors(input: RuleInput): Generator<ConfigIssue> {
  const { draft } = input;
  if (draft.projects.some(({ written }) => written.competitors.length > 0)) return;
  for (const [path, rule] of eachRule(input)) {
    if (rule.when === 'competitor-overtook')
      yield { path, message: 'never matches: no project has competitors', hint: 'add competitors: to a project' };
  }
}
