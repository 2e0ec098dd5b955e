// `mcp` as an assistant starts it: a real process, with the SDK's client on its standard streams.
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const launcher = resolve(import.meta.dirname, '../../../src/cli/rankledger.mjs');

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder();
});
afterEach(() => folder.remove());

test('an assistant reads projects over standard input and output', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [launcher, 'mcp', '--config', join(folder.path, 'rankledger.yaml')],
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '' },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  try {
    expect(client.getInstructions()).toContain('Null means missing');
    const { content } = await client.callTool({ name: 'list_projects', arguments: {} });
    const [{ text }] = content as [{ text: string }];
    expect(JSON.parse(text).projects).toMatchObject([{ project: 'acme' }]);
  } finally {
    await client.close();
  }
});

test('an address that is reachable from other machines needs a reader', async () => {
  const argv = ['mcp', '--http', '--host', '0.0.0.0', '--port', '0'];
  const { exitCode, err } = await invoke(argv, { cwd: folder.path, openApp });
  expect(exitCode).toBe(2);
  expect(err).toContain('rankledger reader add');
});
