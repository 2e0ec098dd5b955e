// AI answers of the invented world: each sample cites other pages, more often those that rank well and suit the engine.
import {
  type AnswerCitation,
  type AnswerRequest,
  type AnswerSource,
  answerEngines,
} from '../../model/answer-source.ts';
import { ServiceError } from '../../model/errors.ts';
import { keywordKey } from '../../model/results/keyword-data.ts';
import { buildUrl, toSlug } from './world/address.ts';
import { derive, hashText, noise, unit } from './world/random.ts';
import { createWorld, type Result, type World } from './world/world.ts';

const dayMs = 86_400_000;
const name = 'sandbox';
/** Play money, about what vendors ask. */
const priceMicroUsd = 5_000;

/** Results that an engine reads before it answers. */
const resultsRead = 20;
const citationsMax = 8;
/** How fast the chance of a citation falls with the rank, in ranks. */
const rankScale = 7;
const topShare = 0.85;
/** Days in which the taste of an engine changes noticeably. */
const tasteDays = 45;
/** Share of cited sites that the text also names, and of the best uncited ones. */
const namedShare = 0.8;
const namedUncitedShare = 0.25;

export interface SandboxAnswerOptions {
  readonly seed: number;
  readonly sites: readonly string[];
}

/** The same prompt, engine, market, UTC day and sample always give the same answer. */
export function sandboxAnswers({ seed, sites }: SandboxAnswerOptions): AnswerSource {
  const world = createWorld(seed, sites);
  return {
    name,
    kind: 'sandbox',
    engines: answerEngines,
    concurrency: 4,
    priceMicroUsd: () => priceMicroUsd,
    async fetchAnswer(request, { signal, at }) {
      if (signal.aborted)
        throw new ServiceError('ABORTED', 'The request was cancelled.', { cause: signal.reason, charged: 'no' });
      const answer = compose(world, request, Math.floor(at / dayMs), derive(seed, 4));
      const body = { contentType: 'application/json', text: JSON.stringify(answer) } as const;
      return { ...answer, model: `sandbox-${request.engine}`, body, observedAt: at };
    },
  };
}

interface Candidate extends AnswerCitation {
  readonly title: string;
  /** Chance of being cited. */
  readonly chance: number;
  readonly key: number;
}

function compose(world: World, request: AnswerRequest, day: number, seed: number) {
  const { prompt, engine, country, language, sample } = request;
  const ranking = world.rank({ keyword: keywordKey(prompt), country, language, mobile: false }, day);
  const engineKey = derive(seed, answerEngines.indexOf(engine));
  const sampleKey = derive(derive(hashText(prompt, engineKey), day), sample);
  const candidates = Array.from({ length: Math.min(resultsRead, ranking.length) }, (_, rank) =>
    toCandidate(ranking.at(rank), rank, { prompt, engineKey, day }),
  ).filter((candidate) => candidate !== undefined);
  const roll = ({ key }: Candidate, part: number): number => unit(derive(derive(sampleKey, key), part));
  const chosen = candidates.filter((each) => roll(each, 1) < each.chance);
  const cited = (chosen.length > 0 ? chosen : candidates.slice(0, 1))
    .toSorted((a, b) => roll(a, 2) / a.chance - roll(b, 2) / b.chance)
    .slice(0, citationsMax);
  const others = candidates.filter((each) => !cited.includes(each) && roll(each, 3) < namedUncitedShare * each.chance);
  const lines = [
    `There are several good answers to "${prompt}".`,
    ...cited.map((each, index) =>
      roll(each, 4) < namedShare
        ? `- ${each.title} is a frequent recommendation. [${index + 1}]`
        : `- One overview compares the usual choices. [${index + 1}]`,
    ),
    ...others.map(({ title }) => `- ${title} is worth a look, too.`),
  ];
  return { text: lines.join('\n'), citations: cited.map(({ url, title }) => ({ url, title })) };
}

function toCandidate(
  result: Result | undefined,
  rank: number,
  { prompt, engineKey, day }: { readonly prompt: string; readonly engineKey: number; readonly day: number },
): Candidate | undefined {
  if (result === undefined) return undefined;
  const taste = 1 + 0.9 * noise(derive(result.key, engineKey), day / tasteDays);
  return {
    url: buildUrl(result, toSlug(prompt), day),
    title: result.site.name,
    chance: Math.min(0.97, taste * topShare * Math.exp(-rank / rankScale)),
    key: result.key,
  };
}
