// Resolves alerts: URLs become secrets, paths become absolute. Pure.
import { resolve as resolvePath } from 'node:path';
import type { AlertRule } from '../src/tracker/changes/alerts.ts';
import type { PartialProject } from './document/draft.ts';
import type { WrittenAlertRule, WrittenAlerts, WrittenChannel } from './schema/alerts-schema.ts';
import { Secret } from './schema/secret.ts';

export type ChannelConfig =
  | {
      readonly type: 'webhook';
      readonly url: Secret;
      readonly format: 'json' | 'slack';
      readonly authorization?: Secret;
      readonly secret?: Secret;
    }
  | {
      readonly type: 'email';
      readonly smtp: Secret;
      readonly from: string;
      readonly to: readonly string[];
      readonly attach: boolean;
    }
  /** `path` is absolute. */
  | { readonly type: 'file'; readonly path: string };

export interface AlertsConfig {
  readonly channels: ReadonlyMap<string, ChannelConfig>;
  /** For projects without their own rules. */
  readonly rules: readonly AlertRule[];
  readonly ownRules: ReadonlyMap<string, readonly AlertRule[]>;
}

/** The alert rules of a project: its own ones, or the common ones that do not name other projects. */
export function alertRulesOf({ ownRules, rules }: AlertsConfig, project: string): readonly AlertRule[] {
  return (ownRules.get(project) ?? rules).filter(
    ({ projects }) => projects === undefined || projects.includes(project),
  );
}

export function resolveAlerts(
  written: WrittenAlerts | undefined,
  projects: readonly PartialProject[],
  directory: string,
): AlertsConfig {
  const channels = Object.entries(written?.channels ?? {});
  return {
    channels: new Map(channels.map(([name, channel]) => [name, resolveChannel(channel, directory)])),
    rules: (written?.rules ?? []).map(resolveRule),
    ownRules: new Map(
      projects.flatMap(({ written: { id, alerts } }) => (alerts === undefined ? [] : [[id, alerts.map(resolveRule)]])),
    ),
  };
}

function resolveChannel(channel: WrittenChannel, directory: string): ChannelConfig {
  switch (channel.type) {
    case 'webhook': {
      const { type, url, format, authorization, secret } = channel;
      return {
        ...{ type, url: new Secret(url), format },
        ...(authorization !== undefined && { authorization: new Secret(authorization) }),
        ...(secret !== undefined && { secret: new Secret(secret) }),
      };
    }
    case 'email': {
      const { type, smtp, from, to, attach } = channel;
      return { type, smtp: new Secret(smtp), from, to, attach };
    }
    case 'file':
      return { type: channel.type, path: resolvePath(directory, channel.path) };
  }
}

/** The schema's types allow undefined in optional keys, but its output never has it. */
function resolveRule(rule: WrittenAlertRule): AlertRule {
  return rule as AlertRule;
}
