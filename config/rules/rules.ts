// The list of rules that span several config keys. Each yields issues; none stops the others.
import * as alerts from './alerts-rules.ts';
import * as answers from './answer-rules.ts';
import * as deliver from './deliver-rules.ts';
import * as project from './project-rules.ts';
import type { Rule } from './rule.ts';
import * as service from './service-rules.ts';

function rule(name: string, severity: Rule['severity'], check: Rule['check']): Rule {
  return { name, severity, check };
}

/** All rules, in the usual order of a config file. */
export const rules: readonly Rule[] = [
  rule('curve-is-known', 'problem', service.ctrCurveExists),
  rule('secrets-from-environment', 'problem', service.secretsFromEnvironment),
  rule('service-address', 'problem', service.serviceAddress),
  rule('source-is-known', 'problem', service.sourceExists),
  rule('queue-fits-driver', 'problem', service.queueFitsDriver),
  rule('shared-places-are-free', 'problem', project.reservedIdsAreFree),
  rule('notes-are-of-projects', 'problem', project.noteProjectsExist),
  rule('alerts-are-heard', 'problem', alerts.alertRulesHaveChannels),
  rule('alert-secrets-from-environment', 'problem', alerts.alertSecretsFromEnvironment),
  rule('deliveries-arrive', 'problem', deliver.deliveriesArrive),
  rule('webhooks-are-encrypted', 'problem', alerts.webhooksAreEncrypted),
  rule('authorization-fits-header', 'problem', alerts.authorizationFitsHeader),
  rule('project-ids-differ', 'problem', project.projectIdsDiffer),
  rule('former-names-are-free', 'problem', project.formerNamesAreFree),
  rule('view-names-differ', 'problem', project.viewNamesDiffer),
  rule('service-is-known', 'problem', project.serviceExists),
  rule('targets-differ', 'problem', project.targetsDiffer),
  rule('deep-is-deeper', 'problem', project.deepIsDeeper),
  rule('grid-stands-alone', 'problem', project.gridStandsAlone),
  rule('adaptive-has-a-budget', 'problem', project.adaptiveHasBudget),
  rule('durations-are-useful', 'problem', project.durationsAreUseful),
  rule('something-is-tracked', 'problem', project.keywordsExist),
  rule('project-rules-are-of-the-project', 'problem', alerts.projectRulesIncludeProject),
  rule('volumes-can-be-had', 'problem', service.volumesAreSold),
  rule('answers-are-known', 'problem', answers.answersAreKnown),
  rule('prompts-can-be-asked', 'problem', answers.promptsCanBeAsked),
  rule('passwords-travel-encrypted', 'warning', service.passwordsTravelEncrypted),
  rule('caps-are-ordered', 'warning', service.capsAreOrdered),
  rule('caps-hold-any-check', 'warning', service.capsHoldAnyCheck),
  rule('spending-is-capped', 'warning', service.spendingIsCapped),
  rule('answers-are-capped', 'warning', answers.answersAreCapped),
  rule('domains-without-www', 'warning', project.domainsWithoutWww),
  rule('competitors-stand-apart', 'warning', project.competitorsStandApart),
  rule('keywords-are-no-files', 'warning', project.keywordsAreNoFiles),
  rule('freshness-shorter-than-slots', 'warning', project.freshnessIsShorterThanSlots),
  rule('channels-are-used', 'warning', alerts.channelsAreUsed),
  rule('competitors-are-there', 'warning', alerts.competitorRulesHaveCompetitors),
];
