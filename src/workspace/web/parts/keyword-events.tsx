// What else changed in a keyword's period: seen, not proven to be the cause.
import type { ReactNode } from 'react';
import type { KeywordHistory } from '../../records.ts';
import { type Event, keywordEvents } from '../keyword-story.ts';
import { day, featureName, pathOfUrl, shortUrl, statusText } from '../words.ts';
import './keyword-events.css';

const eventsMax = 4;

export function KeywordEvents({ history }: { readonly history: KeywordHistory }): ReactNode {
  const events = keywordEvents(history).slice(0, eventsMax);
  if (events.length === 0) return null;
  const newest = history.row.date ?? undefined;
  return (
    <ul className="keyword-events">
      {events.map((event) => (
        <li key={`${event.kind} ${event.date} ${'feature' in event ? event.feature : ''}`}>
          <span className="quiet">{day(event.date, newest)}</span>
          <span>
            <EventText event={event} />
          </span>
        </li>
      ))}
    </ul>
  );
}

const featureChanges: Readonly<Record<(Event & { kind: 'feature' })['change'], string>> = {
  won: 'now shows us',
  lost: 'no longer shows us',
  appeared: 'appeared on the page',
  vanished: 'left the page',
};

function EventText({ event }: { readonly event: Event }): ReactNode {
  switch (event.kind) {
    case 'page':
      return (
        <>
          <bdi>{pathOfUrl(event.to)}</bdi> replaced <bdi>{pathOfUrl(event.from)}</bdi>
          {event.turns > 1 && `; the page changed ${event.turns} times`}
        </>
      );
    case 'passed':
      return event.isOurs ? (
        <span className="good">
          We passed <bdi>{shortUrl(event.target)}</bdi>
        </span>
      ) : (
        <span className="bad">
          <bdi>{shortUrl(event.target)}</bdi> passed us
        </span>
      );
    case 'feature':
      return (
        <span className={event.change === 'won' ? 'good' : event.change === 'lost' ? 'bad' : undefined}>
          {featureName(event.feature)} {featureChanges[event.change]}
        </span>
      );
    default:
      return (
        <>
          {statusText(event.status)}
          {event.dates > 1 && ` (${event.dates} dates)`}
          {event.note !== null && <bdi>: {event.note}</bdi>}
        </>
      );
  }
}
