// The answers to one prompt, folded: their texts come from outside and are shown as plain text only.
import type { ReactNode } from 'react';
import type { AnswerRecord } from '../../../read/records.ts';
import type { AnswerSample } from '../../../tracker/answers/answers.ts';
import { apiPath, type List } from '../api.ts';
import { useProject, useProjectAnswer } from '../project.tsx';
import { counted, day, moment, number, shortUrl } from '../words.ts';
import { ExportMenu } from './export-menu.tsx';
import { Section } from './section.tsx';
import { Unread } from './states.tsx';

/** The file has all. */
const shownMax = 50;

interface Props {
  readonly row: AnswerRecord;
  /** First date of the oldest period that is shown. */
  readonly since: string;
}

export function AnswerTexts({ row, since }: Props): ReactNode {
  const { name, asked } = useProject();
  const { engine, prompt, country, language } = row;
  const of = { engine, prompt, country, language, from: since };
  const { value, error } = useProjectAnswer<List<AnswerSample>>('answer-texts', 'period', {
    ...of,
    limit: `${shownMax}`,
  });
  if (error !== null || value === undefined) return <Unread error={error} shape="rows" />;
  const { data, total } = value;
  return (
    <Section
      title="Answers"
      cover={total > data.length ? `the newest ${number(data.length)} of ${number(total)}` : counted(total, 'answer')}
      end={
        <ExportMenu
          name="answers"
          path={(more) => apiPath(name, 'answer-texts', asked, 'period', { ...of, ...more })}
        />
      }
    >
      {data.length === 0 && <p className="soft">The texts of these answers are not kept here.</p>}
      <div>
        {data.map((sample) => (
          <Sample key={`${sample.period} ${sample.sample}`} sample={sample} />
        ))}
      </div>
    </Section>
  );
}

function Sample({ sample }: { readonly sample: AnswerSample }): ReactNode {
  const { period, sample: index, observedAt, source, model, text, citations, mentions } = sample;
  const own = citations.filter(({ isOwn }) => isOwn).length;
  return (
    <details className="answer-sample">
      <summary>
        {day(period)}, answer {index}{' '}
        <span className="aside">
          {counted(citations.length, 'citation')}, <b className={own > 0 ? 'good' : undefined}>{number(own)}</b> ours
          {mentions.length > 0 && (
            <>
              {' '}
              · names <bdi>{mentions.map(shortUrl).join(', ')}</bdi>
            </>
          )}
        </span>
      </summary>
      <p className="cover">
        {moment(observedAt)} · {source}
        {model !== null && ` · ${model}`}
      </p>
      <p className="answer-text">
        <bdi>{text}</bdi>
      </p>
      <ol>
        {citations.map(({ url, title, target, isOwn }) => (
          <li key={url}>
            {title !== null && <bdi>{title}</bdi>} <CitedUrl url={url} />
            {target !== null && <span className={isOwn ? 'good' : 'aside'}> {isOwn ? 'ours' : shortUrl(target)}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** An answer may cite anything: only addresses of the web are links. */
export function CitedUrl({ url }: { readonly url: string }): ReactNode {
  if (!/^https?:\/\//i.test(url)) return <bdi>{url}</bdi>;
  return (
    <a href={url} target="_blank" rel="noreferrer" className="quiet-link">
      <bdi>{shortUrl(url)}</bdi>
    </a>
  );
}
