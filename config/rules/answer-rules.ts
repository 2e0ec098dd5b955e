// Rules for AI answers: prompts need a source that has them, at a price that the budget limits.
import { answerKindOf, answerSourceNames, sourceKindOf } from '../../src/service/index.ts';
import type { ConfigIssue } from '../document/issues.ts';
import { nearestWord } from '../document/nearest-word.ts';
import { eachService, type RuleInput, soundProjects, writtenServices } from './rule.ts';

/** The source must have answers. Invented answers are rejected beside real pages, like invented metrics. */
export function* answersAreKnown({ draft }: RuleInput): Generator<ConfigIssue> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'embedded' || service.answers === undefined) continue;
    const { source } = service.answers;
    const path = ['services', name, 'answers', 'source'];
    const kind = answerKindOf(source);
    if (kind === undefined) {
      const meant = nearestWord(source, answerSourceNames);
      const hint = meant === undefined ? `known: ${answerSourceNames.join(', ')}` : `did you mean ${meant}?`;
      yield { path, message: `there is no source "${source}" of AI answers`, hint };
    } else if (kind !== 'live' && sourceKindOf(service.source) === 'live') {
      const message = `"${source}" has simulated answers, and the pages of "${service.source}" are real: reports would mix them`;
      yield { path, message, hint: 'name a live source of answers' };
    }
  }
}

/** A project with prompts must use a service that has answers. */
export function* promptsCanBeAsked({ draft }: RuleInput): Generator<ConfigIssue> {
  const services = writtenServices(draft);
  for (const { index, written } of soundProjects(draft, 'service', 'prompts')) {
    const service = services.get(written.service);
    if (written.prompts === undefined || service === undefined || service === null) continue;
    if (service.mode === 'embedded' && service.account !== undefined) {
      const message = `the service "${written.service}" charges the account "${service.account}", and AI answers are not charged to accounts`;
      const hint =
        'ask the prompts in a project with an embedded service without account: they are paid from the budget';
      yield { path: ['projects', index, 'prompts'], message, hint };
      continue;
    }
    if (answerSourceOf(service) !== null) continue;
    const message = `the service "${written.service}" has no AI answers`;
    const hint =
      service.mode === 'remote'
        ? 'providers of the specification have none: use an embedded service with answers: { source: ... }'
        : 'name a source of answers in the service: answers: { source: ... }';
    yield { path: ['projects', index, 'prompts'], message, hint };
  }
}

export function* answersAreCapped({ draft }: RuleInput): Generator<ConfigIssue> {
  if (draft.invalidKeys.has('budget')) return;
  const { budget } = draft.written;
  if (Object.values(budget?.keywordDataUsd ?? {}).some((cap) => cap !== undefined)) return;
  const services = writtenServices(draft);
  const paying = soundProjects(draft, 'service', 'prompts').find(({ written }) => {
    const service = services.get(written.service);
    const source = service === undefined || service === null ? null : answerSourceOf(service);
    return written.prompts !== undefined && source !== null && answerKindOf(source) === 'live';
  });
  if (paying === undefined) return;
  yield {
    path: budget === undefined ? ['projects', paying.index, 'prompts'] : ['budget'],
    message: `AI answers of the service "${paying.written.service}" may cost money, and budget.keywordDataUsd has no limit`,
    hint: 'such as keywordDataUsd: { perMonth: 10.00 }',
  };
}

type AnsweringService =
  | { readonly mode: 'remote' }
  | { readonly mode: 'embedded'; readonly source: string; readonly answers?: { readonly source: string } | undefined };

/** The source of a service's answers; null: it has none. Of the sources of pages only the sandbox brings them. */
export function answerSourceOf(service: AnsweringService): string | null {
  if (service.mode === 'remote') return null;
  return service.answers?.source ?? (sourceKindOf(service.source) === 'sandbox' ? service.source : null);
}
