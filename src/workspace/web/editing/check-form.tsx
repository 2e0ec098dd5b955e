// Checks keywords now: the price against what is left, then the check, then what happened.
import { Dialog } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import type { KeywordRow } from '../../../read/records.ts';
import type { CheckAnswer } from '../../edit-records.ts';
import type { List } from '../api.ts';
import { moneyText } from '../money.ts';
import { Unread, Waiting } from '../parts/states.tsx';
import { useProject, useProjectAnswer } from '../project.tsx';
import { sumChecks } from '../run-words.ts';
import { counted, number } from '../words.ts';
import { EditFoot, Refused } from './edit-dialog.tsx';
import { editPath, usePreview, useSending } from './edits.ts';

const keywordsMax = 200;

/** Of all rows of the filter, each keyword once. */
export function CheckRows(): ReactNode {
  const { value, error } = useProjectAnswer<List<Pick<KeywordRow, 'keyword'>>>('keywords', 'table', {
    limit: 'all',
    fields: 'keyword',
  });
  if (error !== null || value === undefined) return <Unread error={error} shape="rows" rows={3} />;
  const keywords = [...new Set(value.data.map(({ keyword }) => keyword))];
  if (keywords.length > keywordsMax)
    return (
      <p role="alert" className="notice">
        These are {number(keywords.length)} keywords, and at most {keywordsMax} are checked at once. Filter further.
      </p>
    );
  return <CheckForm keywords={keywords} />;
}

export function CheckForm({ keywords }: { readonly keywords: readonly string[] }): ReactNode {
  const { name } = useProject();
  const path = editPath(name, 'checks');
  const [answer, setAnswer] = useState<CheckAnswer | null>(null);
  const { value, error, isLoading } = usePreview<CheckAnswer>(path, { keywords });
  const { start, isSending, error: refused } = useSending();
  if (answer?.bought) return <Bought bought={answer.bought} />;
  const most = value?.price.creditsAtMost ?? 0;
  const buy = () =>
    start<CheckAnswer>(path, { keywords, creditsAtMost: most, confirm: value?.confirm ?? undefined }, setAnswer);
  return (
    <div className="stack gap-4">
      {value === undefined && error === null && <Waiting shape="rows" rows={3} />}
      {value !== undefined && <Price price={value.price} keywords={keywords.length} />}
      <Refused error={refused ?? error} />
      {isSending && (
        <p role="status" className="cover">
          Checking. It goes on where this page is left.
        </p>
      )}
      <EditFoot
        action={most === 0 ? 'Check now' : `Check now for at most ${moneyText('serp_credit', most)}`}
        isReady={value !== undefined && error === null && !isLoading}
        isSending={isSending}
        onAct={buy}
      />
    </div>
  );
}

const scopes = { run: 'A check may cost', day: 'Left today', month: 'Left this month' } as const;

function Price({
  price: { searches, creditsExpected, creditsAtMost, creditsOfSecondLooks, pagesFresh, budget },
  keywords,
}: {
  readonly price: CheckAnswer['price'];
  readonly keywords: number;
}): ReactNode {
  const caps = budget.filter(({ currency, cap }) => currency === 'serp_credit' && cap !== null);
  return (
    <>
      <p className="soft">
        {counted(keywords, 'keyword')} in all markets and devices: {counted(searches, 'search', 'searches')}
        {pagesFresh > 0 &&
          `. ${counted(pagesFresh, 'page')} ${pagesFresh === 1 ? 'is' : 'are'} fresh enough to cost nothing`}
        .
      </p>
      <dl className="edit-facts">
        <div>
          <dt>Costs</dt>
          <dd>
            {number(creditsExpected)} <span className="unit">credits</span>
            <small>
              expected, at most {number(creditsAtMost)}
              {creditsOfSecondLooks ? `; second looks today at most ${number(creditsOfSecondLooks)} more` : ''}
            </small>
          </dd>
        </div>
        {caps.map(({ scope, cap, spent, reserved }) => (
          <div key={scope}>
            <dt>{scopes[scope]}</dt>
            <dd>
              {number(Math.max(0, (cap ?? 0) - spent - reserved))} <span className="unit">credits</span>
              <small>{scope === 'run' ? 'by the budget' : `of ${number(cap)}`}</small>
            </dd>
          </div>
        ))}
      </dl>
      {caps.length === 0 && <p className="cover">No budget limits credits.</p>}
    </>
  );
}

function Bought({ bought }: { readonly bought: NonNullable<CheckAnswer['bought']> }): ReactNode {
  const { creditsSpent, creditsUnknown, pagesReused, runs } = bought;
  const { ok, incomplete, deferred, failed, lost, all } = sumChecks(runs);
  const problems = runs.flatMap((run) => run.problems);
  const halted = runs.flatMap(({ haltReason }) => haltReason ?? []);
  const outcomes = [
    [incomplete, 'in part'],
    [deferred, 'waiting for budget'],
    [failed, 'failed'],
    [lost, 'with a lost answer'],
  ] as const;
  return (
    <div className="stack gap-4">
      <p role="status">
        <b>
          Checked {number(ok)} of {counted(all, 'search', 'searches')} for {moneyText('serp_credit', creditsSpent)}.
        </b>{' '}
        {outcomes.flatMap(([count, words]) => (count > 0 ? `${number(count)} ${words}` : [])).join(', ')}
      </p>
      {pagesReused > 0 && <p className="cover">{counted(pagesReused, 'page')} were fresh and cost nothing.</p>}
      {creditsUnknown > 0 && (
        <p className="notice">
          Of {moneyText('serp_credit', creditsUnknown)} it is not known whether they were charged. They count as spent.
        </p>
      )}
      {halted.map((reason) => (
        <p key={reason} className="notice bad-notice">
          It stopped early: {reason}
        </p>
      ))}
      {problems.length > 0 && (
        <ul className="lines">
          {problems.slice(0, 10).map(({ keyword, reason }) => (
            <li key={`${keyword} ${reason}`}>
              <bdi>{keyword}</bdi>: <bdi>{reason}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div className="edit-foot">
        <Dialog.Close className="button primary">Done</Dialog.Close>
      </div>
    </div>
  );
}
