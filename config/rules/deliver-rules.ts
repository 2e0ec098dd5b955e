// Rules for scheduled deliveries: channels and projects exist, and the day fits the schedule. And their resolved form.
import { type DeliveryRule, weekdays } from '../../src/tracker/changes/client-reports.ts';
import type { PartialConfig } from '../document/draft.ts';
import type { ConfigIssue } from '../document/issues.ts';
import { nearestWord } from '../document/nearest-word.ts';
import { listDeliveries, type WrittenDelivery } from '../schema/deliver-schema.ts';
import type { RuleInput } from './rule.ts';

const monday = 1;

export function* deliveriesArrive({ draft }: RuleInput): Generator<ConfigIssue> {
  const { reports, alerts } = draft.written;
  if (draft.invalidKeys.has('reports') || draft.invalidKeys.has('alerts') || reports.deliver === undefined) return;
  const channels = Object.keys(alerts?.channels ?? {});
  const projects = draft.projects.map(({ written }) => written.id);
  for (const [index, delivery] of listDeliveries(reports.deliver).entries()) {
    const path = ['reports', 'deliver', ...(typeof reports.deliver === 'string' ? [] : [index])];
    if (channelsOf(delivery, draft).length === 0)
      yield { path, message: 'has no channel', hint: 'add one of type email to alerts.channels, or name others' };
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(delivery.at))
      yield { path: [...path, 'at'], message: `"${delivery.at}" is not a time: write "06:00"` };
    const dayMessage = dayComplaint(delivery);
    if (dayMessage !== undefined) yield { path: [...path, 'day'], message: dayMessage };
    for (const [key, known, what] of [
      ['channels', channels, 'channel'],
      ['projects', projects, 'project'],
    ] as const) {
      for (const [at, name] of (delivery[key] ?? []).entries()) {
        if (known.includes(name)) continue;
        const meant = nearestWord(name, known);
        const hint = meant === undefined ? `known: ${known.join(', ') || 'none'}` : `did you mean ${meant}?`;
        yield { path: [...path, key, at], message: `there is no ${what} "${name}"`, hint };
      }
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
function channelsOf({ channels }: WrittenDelivery, { written }: PartialConfig): readonly string[] {
  if (channels !== undefined) return channels;
  const all = Object.entries(written.alerts?.channels ?? {});
  return all.filter(([, { type }]) => type === 'email').map(([name]) => name);
}

/** Names of the channels that deliveries use. */
export function deliveryChannels(draft: PartialConfig): readonly string[] {
  if (draft.invalidKeys.has('reports')) return [];
  return listDeliveries(draft.written.reports.deliver).flatMap((delivery) => channelsOf(delivery, draft));
}

export function resolveDeliveries(draft: PartialConfig): DeliveryRule[] {
  return listDeliveries(draft.written.reports.deliver).map((delivery) => {
    const { every, day, at, projects, attach } = delivery;
    const ofWeek = typeof day === 'string' ? weekdays.indexOf(day) : monday;
    const ofMonth = typeof day === 'number' ? day : 1;
    return {
      every,
      day: every === 'daily' ? null : every === 'weekly' ? ofWeek : ofMonth,
      at,
      channels: channelsOf(delivery, draft),
      projects: projects ?? null,
      attach,
    };
  });
}
