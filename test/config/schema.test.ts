import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { jsonSchema } from '../../config/schema/schema.ts';
import { durationMs } from '../../config/schema/schema-parts.ts';
import { starterFiles } from '../../config/starter.ts';
import { folderOf } from './folder.ts';

const root = resolve(import.meta.dirname, '../..');

test('the schema for editors is the generated one; vitest -u updates it', async () => {
  const made = `${JSON.stringify(jsonSchema(), null, 2)}\n`;
  await expect(made).toMatchFileSnapshot(join(root, 'config/rankledger.schema.json'));
});

/** Every key that an editor would offer, with its schema. */
function* keysOf(schema: unknown, path = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties, ...rest } = schema as { properties?: Record<string, Record<string, unknown>> };
  for (const [key, value] of Object.entries(properties ?? {})) {
    yield [`${path}${key}`, value];
    yield* keysOf(value, `${path}${key}.`);
  }
  for (const key of ['items', 'anyOf', 'oneOf', 'additionalProperties', 'propertyNames'] as const) {
    const inner: unknown = (rest as Record<string, unknown>)[key];
    for (const part of Array.isArray(inner) ? inner : [inner]) yield* keysOf(part, path);
  }
}

test('every key of the schema has a description, and unknown keys are refused', () => {
  const keys = [...keysOf(jsonSchema())];
  expect(keys.map(([path]) => path)).toContain('projects.volumes.limit');
  expect(keys.map(([path]) => path)).toContain('services.baseUrl');
  expect(keys.filter(([, schema]) => typeof schema['description'] !== 'string').map(([path]) => path)).toEqual([]);
  expect(jsonSchema()['additionalProperties']).toBe(false);
});

test('the starter files load without a problem or a warning, and run on the sandbox', async () => {
  const files = starterFiles();
  const cwd = folderOf(Object.fromEntries(files.map(({ path, content }) => [path, content])));
  const config = await loadConfig({ cwd, env: {} });
  expect(config.warnings).toEqual([]);
  expect(config.services.get('default')).toMatchObject({ mode: 'embedded', source: 'sandbox' });
  expect(config.projects[0]?.keywords).toHaveLength(6);
});

test('the commented options of the starter file are valid as written', async () => {
  const [config, ...others] = starterFiles();
  const switchedOn = (config?.content ?? '')
    .replace(/^( +)# (vendor:| {2}\w+: \S+$)/gm, '$1$2')
    .replace('# service: vendor', 'service: vendor')
    .replace('# deep:', 'deep:');
  expect(switchedOn).not.toBe(config?.content);
  const files = Object.fromEntries(others.map(({ path, content }) => [path, content]));
  const cwd = folderOf({ ...files, 'rankledger.yaml': switchedOn });
  const loaded = await loadConfig({ cwd, env: { SERVICE_API_USER: 'u', SERVICE_API_PASSWORD: 'p' } });
  expect(loaded.projects[0]?.service).toBe('vendor');
  expect(loaded.services.get('vendor')).toMatchObject({ mode: 'remote', timeoutMs: 60_000 });
  expect(loaded.warnings).toEqual([]);
});

test('durations are whole numbers of one unit', () => {
  expect(['90s', '30m', '12h', '7d', '2w', '0s'].map(durationMs)).toEqual([
    90_000, 1_800_000, 43_200_000, 604_800_000, 1_209_600_000, 0,
  ]);
  for (const written of ['', '12', 'h', '1.5h', '-1d', '1d12h', '1y', '1 d'])
    expect(() => durationMs(written)).toThrow(RangeError);
});
