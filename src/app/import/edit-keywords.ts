// Plans edits of lines of a project's keyword file: tags, pauses, removals. Writes nothing.
import type { KeywordEntry } from '../../../config/keyword-files/keyword-file.ts';
import { editKeywordLines, type LineChange } from '../../../config/keyword-files/keyword-lines.ts';
import { KeywordList } from '../../../config/keyword-files/keyword-list.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { tagComplaint } from '../../../config/schema/complaints.ts';
import type { Project } from '../../tracker/project.ts';
import { foldKeyword } from '../../tracker/searches.ts';
import type { EditedKeyword, KeywordChange } from '../../workspace/editing/editor.ts';
import { UsageError } from '../opening/failures.ts';
import { geoTargets } from '../opening/place-names.ts';
import { keywordLines, keywordSourceOf, readKeywordText, trackedKeywords } from './add-keywords.ts';

/** `config`: loaded without keyword files. Throws UsageError. */
export function planKeywordEdit(
  config: ResolvedConfig,
  project: Project,
  wanted: readonly EditedKeyword[],
  change: KeywordChange,
) {
  const complaint = change.addTags.map(tagComplaint).find((found) => found !== undefined);
  if (complaint !== undefined) throw new UsageError(complaint);
  const source = keywordSourceOf(config, project);
  const { file } = source;
  const places = geoTargets(config);
  const text = readKeywordText(file) ?? '';
  const lines = new Map(keywordLines(file, text).map(({ line, entry }) => [line, entry]));
  const list = new KeywordList(source.defaults, places.resolve.bind(places));
  for (const [line, entry] of lines) list.add({ ...entry, paused: false }, line);

  const keys = new Set(wanted.map(wantedKey));
  const found = new Set<string>();
  const changes = new Map<number, LineChange>();
  for (const [index, { keyword, country, language, location, devices }] of list.finish().entries()) {
    const searches = devices.map((device) => wantedKey({ keyword, search: { country, language, location, device } }));
    const named = [wantedKey({ keyword }), ...searches].filter((key) => keys.has(key));
    if (named.length === 0) continue;
    for (const key of named) found.add(key);
    const line = list.locationOf(index);
    const entry = lines.get(line);
    const changed = entry === undefined ? undefined : changedLine(entry, change);
    if (changed !== undefined) changes.set(line, changed);
  }
  const edits = editKeywordLines(text, changes);
  const content = edits.map(({ after }) => after ?? '').join('');
  if (changes.size > 0 && changes.size === lines.size && change.state === 'removed')
    throw new UsageError('a keyword file needs a keyword: pause the last ones, or remove the file from the config');
  return {
    file,
    text,
    edits,
    content,
    /** Lines of the file that change. */
    lines: changes.size,
    /** Keywords that the config itself names, or that are gone from it. */
    notInFile: [...new Set(wanted.filter((each) => !found.has(wantedKey(each))).map(({ keyword }) => keyword))],
    before: { ...project, keywords: trackedKeywords(project, source, text, places) },
    after: { ...project, keywords: trackedKeywords(project, source, content, places) },
  };
}

/** The paused keywords of a keyword file, each once. */
export function pausedKeywords(file: string): string[] {
  const paused = keywordLines(file, readKeywordText(file)).filter(({ entry }) => entry.paused === true);
  return [...new Set(paused.map(({ entry }) => entry.keyword))];
}

/** Undefined: the line stays as it is. */
function changedLine(entry: KeywordEntry, { addTags, removeTags, state }: KeywordChange): LineChange | undefined {
  if (state === 'removed') return null;
  const { tags: before = [], paused: wasPaused = false } = entry;
  const tags = [
    ...before.filter((tag) => !removeTags.includes(tag)),
    ...addTags.filter((tag) => !before.includes(tag)),
  ];
  const isPaused = state === undefined ? wasPaused : state === 'paused';
  const changed = {
    ...(tags.join('|') === before.join('|') ? {} : { tags }),
    ...(isPaused === wasPaused ? {} : { paused: isPaused }),
  };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function wantedKey({ keyword, search }: EditedKeyword): string {
  if (search === undefined) return foldKeyword(keyword);
  const { country, language, location = '', device } = search;
  return [foldKeyword(keyword), country, language, location, device].join('\n');
}
