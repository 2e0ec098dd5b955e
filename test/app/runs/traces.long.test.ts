// A collector of traces that takes them and never answers.
import { expect, test } from 'vitest';
import { invoke } from '../../cli/fake-host.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { listenOnLoopback } from '../../helpers/loopback.ts';

test('a collector that never answers holds up the end of a command for one trace, however many runs it made', async () => {
  let posts = 0;
  const collector = await listenOnLoopback(() => {
    posts += 1;
  });
  const slots = ['0 6', '0 7', '0 8', '0 9'];
  const projects = slots.map(
    (slot, at) => `  - { id: p${at}, targets: [acme.com], depth: 1, schedule: "${slot} * * *", keywords: [shoes] }`,
  );
  const folder = projectFolder(`projects:\n${projects.join('\n')}\n`);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { exitCode, err } = await invoke(['run', '--verbose'], { cwd: folder.path, env });
  expect([exitCode, err]).toEqual([0, expect.stringContaining('traces were dropped: the collector is too slow')]);
  expect(posts).toBeLessThan(slots.length);
}, 60_000);
