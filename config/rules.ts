// The named rules of a config that span several keys. Each yields findings; none of them stops the others.
import * as alerts from './alerts-rules.ts';
import * as project from './project-rules.ts';
import type { Rule } from './rule.ts';
import * as service from './service-rules.ts';

function rule(name: string, severity: Rule['severity'], check: Rule['check']): Rule {
  return { name, severity, check };
}

/** Every rule, in the order in which a file is usually written. */
export const rules: readonly Rule[] = [
  rule('curve-is-known', 'problem', service.curveIsKnown),
  rule('secrets-from-environment', 'problem', service.secretsFromEnvironment),
  rule('service-address', 'problem', service.serviceAddress),
  rule('source-is-known', 'problem', service.sourceIsKnown),
  rule('queue-fits-driver', 'problem', service.queueFitsDriver),
  rule('shared-places-are-free', 'problem', project.sharedPlacesAreFree),
  rule('notes-are-of-projects', 'problem', project.notesAreOfProjects),
  rule('alerts-are-heard', 'problem', alerts.alertsAreHeard),
  rule('alert-secrets-from-environment', 'problem', alerts.alertSecretsFromEnvironment),
  rule('webhooks-are-encrypted', 'problem', alerts.webhooksAreEncrypted),
  rule('authorization-fits-header', 'problem', alerts.authorizationFitsHeader),
  rule('project-ids-differ', 'problem', project.projectIdsDiffer),
  rule('service-is-known', 'problem', project.serviceIsKnown),
  rule('targets-differ', 'problem', project.targetsDiffer),
  rule('deep-is-deeper', 'problem', project.deepIsDeeper),
  rule('durations-are-useful', 'problem', project.durationsAreUseful),
  rule('something-is-tracked', 'problem', project.somethingIsTracked),
  rule('project-rules-are-of-the-project', 'problem', alerts.projectRulesAreOfTheProject),
  rule('volumes-can-be-had', 'problem', service.volumesCanBeHad),
  rule('passwords-travel-encrypted', 'warning', service.passwordsTravelEncrypted),
  rule('caps-are-ordered', 'warning', service.capsAreOrdered),
  rule('spending-is-capped', 'warning', service.spendingIsCapped),
  rule('domains-without-www', 'warning', project.domainsWithoutWww),
  rule('competitors-stand-apart', 'warning', project.competitorsStandApart),
  rule('freshness-shorter-than-slots', 'warning', project.freshnessIsShorterThanSlots),
  rule('channels-are-used', 'warning', alerts.channelsAreUsed),
  rule('competitors-are-there', 'warning', alerts.competitorsAreThere),
];
