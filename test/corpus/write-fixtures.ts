// `npx node test/corpus/write-fixtures.ts` regenerates `fixtures` from ../shared/corpus, with the parsed results.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { loadAnonymiser, loadEngine } from '../../src/service/engines/registry.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import { engineOf, fixtures, nameOf, outcomeJson } from './fixtures.ts';
import { corpus, recordedRows } from './recorded-pages.ts';

const { anonymisePage, outcomeOf } = await loadAnonymiser();
mkdirSync(fixtures, { recursive: true });
for (const row of recordedRows()) {
  const { html } = anonymisePage(decodeText(readFileSync(new URL(row.file, corpus))));
  const outcome = outcomeOf(await loadEngine(engineOf(row)), html, { mobile: row.device === 'mobile' });
  writeFileSync(new URL(`${nameOf(row)}.html.gz`, fixtures), gzipSync(html, { level: 9 }));
  writeFileSync(new URL(`${nameOf(row)}.json`, fixtures), outcomeJson(outcome));
}
