// The sentences with which a page begins: numbered findings.
import type { ReactNode } from 'react';

/** Those that are not true of the data are left out: false, null. */
export function FindingList({ sentences }: { readonly sentences: readonly ReactNode[] }): ReactNode {
  return (
    <ol className="findings">
      {sentences.filter(Boolean).map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sentences have no other name
        <li key={index}>{sentence}</li>
      ))}
    </ol>
  );
}
