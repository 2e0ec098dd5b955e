// Chooses one of several views of the same, in the address.
import type { ReactNode } from 'react';
import { changed, pathTo, useAddress } from '../address.ts';

interface Props<Value extends string> {
  /** Parameter of the address. */
  readonly name: string;
  readonly label: string;
  /** The first is meant where the address has none. */
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  /** Parameters that end with the choice. */
  readonly clears?: readonly string[];
}

export function Switch<Value extends string>({ name, label, options, clears = [] }: Props<Value>): ReactNode {
  const { project, page, query } = useAddress();
  const chosen = useChoice(name, options);
  const cleared = Object.fromEntries(clears.map((of) => [of, null]));
  return (
    <nav className="screen-only switch" aria-label={label}>
      {options.map(({ value, label: text }, index) => (
        <a
          key={value}
          href={pathTo(project, page, changed(query, { ...cleared, [name]: index === 0 ? null : value }))}
          aria-current={value === chosen || undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

/** What is chosen; the first option unless the address has another. */
export function useChoice<Value extends string>(
  name: string,
  options: readonly { readonly value: Value; readonly label: string }[],
): Value | undefined {
  const written = useAddress().query.get(name);
  return (options.find(({ value }) => value === written) ?? options[0])?.value;
}
