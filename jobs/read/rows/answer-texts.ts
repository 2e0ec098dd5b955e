// The AI answers of a project with their texts: newest period first, then engine by engine, prompt by prompt.

import { type AnswerTextQuery, NotFound } from '../../../src/read/contract.ts';
import { LazyRows, type ListRows } from '../../../src/read/lazy-rows.ts';
import { type AnswerSample, answerSamples, periodStart } from '../../../src/tracker/answers/answers.ts';
import { byText } from '../../../src/tracker/figures.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';

/** Answers of the periods and samples of this project, of which a page reads its own: others may ask more often. */
export function answerTexts(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  { from = '', to = '9999', ...wanted }: Omit<AnswerTextQuery, 'project'>,
): ListRows<AnswerSample> {
  const { prompts, service } = project;
  for (const name of ['prompt', 'country', 'language', 'engine'] as const) {
    const known = name === 'engine' ? prompts?.engines : prompts?.list.map((of) => of[name]);
    if (wanted[name] !== undefined && !known?.includes(wanted[name]))
      throw new NotFound(
        `no ${name} "${wanted[name]}" in ${project.id}; known: ${[...new Set(known)].slice(0, 10).join(', ')}`,
      );
  }
  if (prompts === undefined) return [];
  const toSample = answerSamples(project);
  const isWanted = (search: Readonly<Record<'engine' | 'prompt' | 'country' | 'language', string>>): boolean =>
    (Object.keys(search) as (keyof typeof search)[]).every((name) => (wanted[name] ?? search[name]) === search[name]);
  const { every, samples: samplesMax } = prompts;
  const groups = prompts.engines.flatMap((engine) =>
    prompts.list.flatMap(({ prompt, country, language }) => {
      const search = { engine, prompt, country, language };
      if (!isWanted(search)) return [];
      return store.answers
        .periods({ ...search, service }, { from, to, samplesMax })
        .filter(({ period }) => period === periodStart(period, every))
        .map((group) => ({ ...group, search }));
    }),
  );
  groups.sort((a, b) => byText(b.period, a.period));
  const read = (shown: readonly (typeof groups)[number][]) =>
    shown.flatMap(({ search, period }) =>
      store.answers
        .list({ ...search, service }, period, period)
        .filter(({ sample }) => sample <= samplesMax)
        .map((answer) => toSample(search, answer)),
    );
  return new LazyRows(
    groups,
    read,
    groups.map(({ samples }) => samples),
  );
}
