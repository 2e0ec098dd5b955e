// A sum as one bar of its parts, and what each of them is.
import type { ReactNode } from 'react';
import { number, signed } from '../words.ts';

export interface BarPart {
  readonly name: string;
  /** Its length; the sign does not matter. */
  readonly value: number;
  /** Of its mark and its piece of the bar. */
  readonly colour: string;
  /** With its unit. */
  readonly text: ReactNode;
  readonly label: ReactNode;
}

interface Props {
  readonly title: string;
  readonly cover: ReactNode;
  readonly parts: readonly BarPart[];
}

export function ShareBar({ title, cover, parts }: Props): ReactNode {
  const drawn = parts.filter(({ value }) => value !== 0);
  return (
    <div className="share-bar">
      <h2>{title}</h2>
      <p className="cover">{cover}</p>
      <div className="parts-bar" aria-hidden="true">
        {drawn.map(({ name, value, colour }) => (
          <i key={name} style={{ flexGrow: Math.abs(value), background: colour }} />
        ))}
      </div>
      <ul>
        {parts.map(({ name, colour, text, label }) => (
          <li key={name}>
            <i aria-hidden="true" style={{ background: colour }} />
            <b>{text}</b>
            <span>{label}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface EffectsProps {
  readonly title: string;
  readonly before: number;
  readonly after: number;
  readonly effects: readonly Omit<BarPart, 'text'>[];
}

/** A change as the effects that add up to it. */
export function EffectsBar({ title, before, after, effects }: EffectsProps): ReactNode {
  const tone = (value: number) => (Math.round(value) === 0 ? 'quiet' : value > 0 ? 'good' : 'bad');
  return (
    <ShareBar
      title={title}
      cover={`${number(before)} → ${number(after)}, exactly these parts`}
      parts={effects.map((effect) => ({
        ...effect,
        text: <span className={tone(effect.value)}>{signed(effect.value)}</span>,
      }))}
    />
  );
}

/** The accent, paler with each step. */
export function shade(step: number): string {
  const depths = [100, 76, 56, 40, 26];
  return `color-mix(in oklab, var(--accent) ${depths[step] ?? 16}%, var(--hairline))`;
}
