// What was said, to whom? Alerts by day with the state of their delivery, and the notes of the same days.
import { Check, CircleAlert, Clock3, Flag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AlertRecord, NoteRecord } from '../../../read/records.ts';
import { pathTo, useAddress, useChangeQuery } from '../address.ts';
import { deliveryText, ruleText, type SaidAlert, saidAlerts } from '../alert-words.ts';
import { type List, useAnswer } from '../api.ts';
import { SharedCursor } from '../parts/chart.tsx';
import { DayBars } from '../parts/day-bars.tsx';
import { PageTitle } from '../parts/page-title.tsx';
import { Empty, Unread } from '../parts/states.tsx';
import { datesBetween } from '../period.ts';
import { useProject } from '../project.tsx';
import { counted, day, number, weekday } from '../words.ts';
import './alerts.css';

/** Deliveries that are read, newest first. */
const deliveriesMax = 10_000;
/** Shown at once; a link shows the others. */
const shownMax = 200;

export function Alerts(): ReactNode {
  const { name, facts, period } = useProject();
  const { query } = useAddress();
  const asked = new URLSearchParams({ project: name, from: period.from ?? '', to: period.to ?? '' });
  const hasPeriod = period.to !== null;
  const alerts = useAnswer<List<AlertRecord>>(hasPeriod ? `/v1/alerts?${asked}&limit=${deliveriesMax}` : null);
  const notes = useAnswer<List<NoteRecord>>(hasPeriod ? `/v1/notes?${asked}&limit=1000` : null);
  const error = alerts.error ?? notes.error;
  if (!hasPeriod)
    return (
      <Empty heading="Alerts" title="Nothing was checked yet">
        <p>Alerts follow the second run: they say what changed since the first.</p>
      </Empty>
    );
  if (error !== null || alerts.value === undefined || notes.value === undefined)
    return <Unread heading="Alerts" error={error} shape="page" />;
  const all = saidAlerts(alerts.value.data, facts);
  const [rule, state] = [query.get('rule'), query.get('delivery')];
  const found = all
    .filter((of) => rule === null || of.rule === rule)
    .filter(({ deliveries }) => state === null || deliveries.some((of) => of.state === state));
  const isNarrow = rule !== null || state !== null;
  if (all.length === 0) return <NoAlerts notes={notes.value.data} />;
  return (
    <SharedCursor>
      <div className="page-head side-by-side alerts-head">
        <Headline alerts={all} isCut={alerts.value.total > deliveriesMax} />
        <ByDay alerts={found} notes={notes.value.data} />
      </div>
      <Filters alerts={all} />
      {found.length === 0 && isNarrow ? (
        <Empty title="No alert has both">
          <p>
            <a href={pathTo(name, 'alerts', { from: query.get('from'), to: query.get('to') })}>
              Show all {number(all.length)}
            </a>
          </p>
        </Empty>
      ) : (
        <Days alerts={found} notes={isNarrow ? [] : notes.value.data} />
      )}
    </SharedCursor>
  );
}

function NoAlerts({ notes }: { readonly notes: readonly NoteRecord[] }): ReactNode {
  const { period } = useProject();
  return (
    <>
      <div>
        <PageTitle>No alert in this period</PageTitle>
        <p className="sub">
          Each run is compared with the rules of the project. <code>rankledger alerts test</code> sends a sample to
          every channel.
        </p>
      </div>
      {notes.length > 0 && (
        <section className="alerts-day" aria-labelledby="notes">
          <h2 id="notes">
            Notes <span className="aside">of the period</span>
          </h2>
          <ul>
            {notes.toReversed().map(({ date, text }) => (
              <li key={`${date} ${text}`} className="alerts-note">
                <span className="alerts-date cover">{day(date, period.to ?? undefined)}</span> <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const stateOf = (state: string) => (of: SaidAlert) => of.deliveries.some((delivery) => delivery.state === state);

function Headline({ alerts, isCut }: { readonly alerts: readonly SaidAlert[]; readonly isCut: boolean }): ReactNode {
  const failed = alerts.filter(stateOf('failed'));
  const waiting = alerts.filter(stateOf('pending')).length;
  const channels = new Set(
    failed.flatMap(({ deliveries }) => deliveries.filter((of) => of.state === 'failed')).map(({ channel }) => channel),
  );
  const reached = new Set(alerts.flatMap(({ deliveries }) => deliveries.map(({ channel }) => channel)));
  return (
    <div>
      <PageTitle>
        {`${isCut ? 'The newest ' : ''}${counted(alerts.length, 'alert')}`}
        {failed.length > 0 && `, ${failed.length === alerts.length ? 'none' : number(failed.length)} not delivered`}
      </PageTitle>
      <p className="sub">
        {`To ${listed(reached)}, by ${counted(new Set(alerts.map(({ rule }) => rule)).size, 'rule')}`}
        {waiting > 0 && ` · ${number(waiting)} wait to be sent`}
      </p>
      {failed.length > 0 && (
        <p className="alerts-failed bad">
          <CircleAlert size={15} aria-hidden="true" />
          <span>
            {counted(failed.length, 'alert')} never reached {listed(channels)}. <code>rankledger alerts list</code> says
            why; <code>rankledger alerts retry</code> sends them again.
          </span>
        </p>
      )}
    </div>
  );
}

function listed(names: ReadonlySet<string>): string {
  return [...names].sort().join(' and ');
}

function ByDay({
  alerts,
  notes,
}: {
  readonly alerts: readonly SaidAlert[];
  readonly notes: readonly NoteRecord[];
}): ReactNode {
  const { period } = useProject();
  const dates = datesBetween(period.from ?? '', period.to ?? '');
  const counts = Map.groupBy(alerts, ({ date }) => date);
  return (
    <DayBars
      isSmall
      height={120}
      label="Alerts by day"
      dates={dates}
      lines={[{ name: 'alerts', isOwn: true, values: dates.map((date) => counts.get(date)?.length ?? 0) }]}
      marks={notes}
      format={(value) => number(value)}
    />
  );
}

/** Each choice says how many it would show. */
function Filters({ alerts }: { readonly alerts: readonly SaidAlert[] }): ReactNode {
  const rules = [...Map.groupBy(alerts, ({ rule }) => rule)].toSorted(([, a], [, b]) => b.length - a.length);
  const states = ['sent', 'pending', 'failed'].filter((state) => alerts.some(stateOf(state)));
  return (
    <div className="screen-only filter-bar across wraps">
      <Choices
        name="rule"
        title="What"
        total={alerts.length}
        options={rules.map(([rule, of]) => ({ value: rule, label: ruleText(rule), count: of.length }))}
      />
      {states.length > 1 && (
        <Choices
          name="delivery"
          title="Delivery"
          options={states.map((state) => ({
            value: state,
            label: deliveryText(state),
            count: alerts.filter(stateOf(state)).length,
          }))}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  /** Parameter of the address. */
  readonly name: string;
  readonly title: string;
  readonly total?: number;
  readonly options: readonly { readonly value: string; readonly label: string; readonly count: number }[];
}

function Choices({ name, title, total, options }: ChoicesProps): ReactNode {
  const { query } = useAddress();
  const change = useChangeQuery();
  const chosen = query.get(name);
  const choice = (value: string | null, label: string, count: number) => (
    <button
      key={value}
      type="button"
      className="choice"
      aria-pressed={chosen === value}
      onClick={() => change({ [name]: chosen === value ? null : value })}
    >
      {label} <span className="alerts-count">{number(count)}</span>
    </button>
  );
  return (
    <fieldset className="alerts-choices">
      <legend className="unseen">{title}</legend>
      <span className="cover" aria-hidden="true">
        {title}
      </span>
      <div className="choices">
        {total !== undefined && choice(null, 'All', total)}
        {options.map(({ value, label, count }) => choice(value, label, count))}
      </div>
    </fieldset>
  );
}

function Days({
  alerts,
  notes,
}: {
  readonly alerts: readonly SaidAlert[];
  readonly notes: readonly NoteRecord[];
}): ReactNode {
  const { period } = useProject();
  const { query } = useAddress();
  const change = useChangeQuery();
  const shown = query.has('all') ? alerts : alerts.slice(0, shownMax);
  const byDay = Map.groupBy(shown, ({ date }) => date);
  const oldest = shown.length < alerts.length ? (shown.at(-1)?.date ?? '') : '';
  const noted = Map.groupBy(
    notes.filter(({ date }) => date >= oldest),
    ({ date }) => date,
  );
  const dates = [...new Set([...byDay.keys(), ...noted.keys()])].sort().reverse();
  return (
    <>
      {dates.map((date) => (
        <section key={date} className="alerts-day" aria-labelledby={`day-${date}`}>
          <h2 id={`day-${date}`}>
            {day(date, period.to ?? undefined)} <span className="aside">{weekday(date)}</span>
          </h2>
          <ul>
            {notesOf(noted.get(date) ?? [], byDay.get(date) ?? []).map(({ text }) => (
              <li key={text} className="alerts-note">
                <Flag size={14} aria-hidden="true" />
                <span>
                  <span className="unseen">Note: </span>
                  <bdi>{text}</bdi>
                </span>
              </li>
            ))}
            {byDay.get(date)?.map((of, index, ofDay) => (
              <AlertLine key={of.key} alert={of} isSame={ofDay[index - 1]?.rule === of.rule} />
            ))}
          </ul>
        </section>
      ))}
      {shown.length < alerts.length && (
        <p>
          <button type="button" className="button" onClick={() => change({ all: 'true' }, { replace: true })}>
            Show the other {number(alerts.length - shown.length)}
          </button>
        </p>
      )}
    </>
  );
}

/** A suspected update is noted as well as alerted: once is enough. */
function notesOf(notes: readonly NoteRecord[], alerts: readonly SaidAlert[]): readonly NoteRecord[] {
  const isAlerted = alerts.some(({ rule }) => rule === 'update-suspected');
  return isAlerted ? notes.filter(({ text }) => !text.startsWith('update suspected')) : notes;
}

interface LineProps {
  readonly alert: SaidAlert;
  /** The line before has the same rule. */
  readonly isSame: boolean;
}

function AlertLine({ alert: { rule, keyword, target, text, deliveries }, isSame }: LineProps): ReactNode {
  const { name, asked } = useProject();
  const ofPeriod = { from: asked.get('from'), to: asked.get('to') };
  const isOfRun = /^(run-|nothing-checked|budget-share)/.test(rule);
  return (
    <li className="alerts-line">
      <span className="soft">
        <span className={isSame ? 'alerts-same' : undefined}>{ruleText(rule)}</span>
      </span>
      <span className="alerts-text">
        {keyword !== null && (
          <a className="alerts-keyword" href={pathTo(name, 'keywords', { q: keyword.keyword, ...ofPeriod })}>
            <bdi>{keyword.keyword}</bdi> <span className="aside">{keyword.market}</span>
          </a>
        )}{' '}
        {target !== null && <bdi className="quiet">{target}</bdi>}{' '}
        {isOfRun ? <a href={pathTo(name, 'runs', ofPeriod)}>{text}</a> : <bdi>{text}</bdi>}
      </span>
      <span className="alerts-sent">
        {deliveries
          .toSorted((a, b) => a.channel.localeCompare(b.channel, 'en'))
          .map(({ channel, state }) => (
            <Delivery key={channel} channel={channel} state={state} />
          ))}
      </span>
    </li>
  );
}

function Delivery({ channel, state }: { readonly channel: string; readonly state: string }): ReactNode {
  const Icon = state === 'sent' ? Check : state === 'failed' ? CircleAlert : Clock3;
  return (
    <span
      className={state === 'failed' ? 'alerts-delivery bad' : 'alerts-delivery'}
      title={`${channel}: ${deliveryText(state)}`}
    >
      <Icon size={13} aria-hidden="true" />
      <bdi>{channel}</bdi>
      <span className={state === 'failed' ? undefined : 'unseen'}>{deliveryText(state)}</span>
    </span>
  );
}
