// Renames in the text of a config.
import { expect, test } from 'vitest';
import { type RenamedKind, renameIn } from '../../config/document/rename.ts';

const block = `# sites
services:
  default: # the first vendor
    mode: embedded # here
    source: sandbox
  second: { mode: embedded, source: sandbox, formerly: [first] }
notes:
  - { date: 2026-01-01, text: blog, project: blog }
reports:
  deliver: [{ every: daily, projects: [acme, blog] }]
projects:
  - id: 'blog' # our blog
    targets: [blog.example]
    alerts: [{ when: dropped, projects: [blog] }]
  - { id: acme, targets: [acme.com], service: second }
  - targets: [x.com]
    id: shop
    formerly:
      - store # long ago
      - kiosk
    service: default
`;

test.each<[string, RenamedKind, string, string, readonly (readonly [string, string])[]]>([
  [
    'a project, with all that names it',
    'project',
    'blog',
    'journal',
    [
      ["- id: 'blog' # our blog\n", "- id: 'journal' # our blog\n    formerly: [blog]\n"],
      ['project: blog }', 'project: journal }'],
      ['[acme, blog]', '[acme, journal]'],
      ['projects: [blog]', 'projects: [journal]'],
    ],
  ],
  [
    'a project in braces',
    'project',
    'acme',
    'zenith',
    [
      ['id: acme,', 'id: zenith, formerly: [acme],'],
      ['[acme, blog]', '[zenith, blog]'],
    ],
  ],
  [
    'a project with earlier names',
    'project',
    'shop',
    'market',
    [
      ['id: shop', 'id: market'],
      ['- kiosk\n', '- kiosk\n      - shop\n'],
    ],
  ],
  [
    'a project that the config has under its new name',
    'project',
    'weblog',
    'blog',
    [['# our blog\n', '# our blog\n    formerly: [weblog]\n']],
  ],
  [
    'a service, in projects that leave it out too',
    'service',
    'default',
    'main',
    [
      ['  default: # the first', '  main: # the first'],
      ['mode: embedded # here\n', 'mode: embedded # here\n    formerly: [default]\n'],
      ['# our blog\n', '# our blog\n    service: main\n'],
      ['service: default', 'service: main'],
    ],
  ],
  [
    'a service in braces',
    'service',
    'second',
    'third',
    [
      ['  second: {', '  third: {'],
      ['[first]', '[first, second]'],
      ['service: second', 'service: third'],
    ],
  ],
])('%s is renamed, and no other text changes', (_, kind, from, to, edits) => {
  const expected = edits.reduce((text, [before, after]) => text.replace(before, after), block);
  expect(renameIn(block, kind, from, to)).toBe(expected);
  const windows = block.replaceAll('\n', '\r\n');
  expect(renameIn(windows, kind, from, to).replaceAll('\r\n', '\n')).toBe(expected);
});

test.each<[RenamedKind, string, string, RegExp]>([
  ['project', 'none', 'other', /there is no project "none"/],
  ['project', 'blog', 'acme', /has both/],
  ['service', 'none', 'other', /there is no service "none"/],
  ['service', 'second', 'default', /has both/],
])('a rename of the %s %s to %s is refused', (kind, from, to, message) => {
  expect(() => renameIn(block, kind, from, to)).toThrow(message);
});

test('names that read like numbers are renamed as they are typed', () => {
  const text = 'services:\n  1.50: { mode: embedded }\nprojects:\n  - { id: 007, service: 1.50 }\n';
  expect(renameIn(text, 'project', '007', 'bond')).toContain('{ id: bond, formerly: [007], service: 1.50 }');
  expect(renameIn(text, 'service', '1.50', 'main')).toMatch(
    /main: \{ mode: embedded, formerly: \[1\.50\] \}[\s\S]*service: main/,
  );
});
