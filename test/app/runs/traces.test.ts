// Traces of runs, received as a collector of OpenTelemetry receives them.
import { expect, test } from 'vitest';
import { invoke } from '../../cli/fake-host.ts';
import { projectFolder } from '../../cli/project-folder.ts';
import { startWebhook } from '../../helpers/webhook.ts';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

const attributesOf = ({ attributes }: SentSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const config = `projects:
  - { id: acme, targets: [acme.com], depth: 2, paging: full, keywords: [shoes, boots], volumes: { schedule: "0 4 2 * *" } }
`;

test('a run sends its checks and purchases as one trace, with the times of the ledger', async () => {
  const collector = await startWebhook();
  const folder = projectFolder(config);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { exitCode, err } = await invoke(['run', '--all'], { cwd: folder.path, env });
  await collector.close();
  expect([exitCode, err]).toEqual([0, '']);
  expect(new Set(collector.posts.map(({ path }) => path.replace(/^.*(?=\/v1)/, '')))).toEqual(new Set(['/v1/traces']));
  const spans = collector.posts.flatMap(({ body }) =>
    (body as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap((scope) => scope.spans),
    ),
  );
  expect(JSON.stringify(collector.posts[0]?.body)).toContain('"service.name"');
  const named = (name: string) => spans.filter((span) => span.name === name);
  const ranks = named('run').find((span) => attributesOf(span)['rankledger.run.kind'] === 'ranks')!;
  const checks = named('check');
  expect(checks.map((span) => [attributesOf(span)['rankledger.keyword'], span.parentSpanId])).toEqual([
    ['shoes', ranks.spanId],
    ['boots', ranks.spanId],
  ]);
  const pages = named('purchase').filter((span) => 'rankledger.page' in attributesOf(span));
  for (const check of checks) {
    const own = pages.filter(({ parentSpanId }) => parentSpanId === check.spanId);
    expect(own.map((span) => attributesOf(span))).toEqual([
      expect.objectContaining({ 'rankledger.page': 1, 'rankledger.outcome': 'paid', 'rankledger.simulated': true }),
      expect.objectContaining({ 'rankledger.page': 2, 'rankledger.outcome': 'paid', 'rankledger.simulated': true }),
    ]);
  }
  expect(pages).toHaveLength(4);
  expect(new Set([...checks, ...pages].map(({ traceId }) => traceId))).toEqual(new Set([ranks.traceId]));
  for (const { startTimeUnixNano, endTimeUnixNano } of spans)
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
});

test('a collector that refuses changes nothing but the log', async () => {
  const collector = await startWebhook();
  collector.answers.push(400, 400);
  const folder = projectFolder(config);
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const { exitCode, err } = await invoke(['run', '--all', '--verbose'], { cwd: folder.path, env });
  await collector.close();
  expect(exitCode).toBe(0);
  expect(err).toContain('trace could not be sent');
});

test.each(['nonsense', 'ftp://127.0.0.1/'])('%s is refused as the address of a collector', async (endpoint) => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
  const { exitCode, err } = await invoke(['run', '--all'], { cwd: projectFolder(config).path, env });
  expect([exitCode, err]).toEqual([2, expect.stringContaining(`not the URL of a collector: ${endpoint}`)]);
});
