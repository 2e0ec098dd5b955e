// The packages that ours includes may be used and redistributed, and all of them are named.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtIn, dependencies, writeThirdParty } from './third-party.ts';

/** Licences that only require that their text is passed on. */
const permissive = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0', // data of browsers, in the public domain
  'ISC',
  'MIT',
  'MIT-0',
  'OFL-1.1', // a font: it may be embedded and passed on, but not sold alone
  'Unlicense',
];

const shipped = dependencies();

it('the list names every dependency of package.json, and nothing that only a checkout needs', () => {
  const { dependencies: needed, optionalDependencies: optional } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const versions = new Map(shipped.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries({ ...needed, ...optional }))
    expect([name, versions.get(name)]).toEqual([name, version]);
  expect(versions.has('vitest')).toBe(false);
  expect(versions.has('node')).toBe(false);
});

it('every package has a licence that allows ours to be used and redistributed', () => {
  const others = [...shipped, ...builtIn('dist')].filter(
    ({ licence }) => !licence.split(' OR ').some((each) => permissive.includes(each.replace(/[()]/g, ''))),
  );
  expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
});

it('a replaced package has the name of its replacement', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { name?: string }> };
  for (const { folder, name } of shipped) {
    const asked = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    expect([folder, name]).toEqual([folder, lock.packages[folder]?.name ?? asked]);
  }
});

/** What is built into the pages of a package: react into all of them, a font into those of `view` alone. */
function pagesIn(folder: string): void {
  const built = (name: string) => ({ name, version: '19.3.1', identifier: 'MIT', text: `Licence text of ${name}` });
  for (const [pages, names] of Object.entries({ web: ['react', 'a-font'], report: ['react'] })) {
    mkdirSync(join(folder, pages));
    writeFileSync(join(folder, pages, 'licences.json'), JSON.stringify(names.map(built)));
  }
}

interface Bill {
  readonly components: readonly { readonly name: string; readonly version: string; readonly purl: string }[];
  readonly compositions: readonly { readonly aggregate: string }[];
}

it('the SBOM and the licences list the packages that npm installs or that pages contain, and none that only a checkout has', async () => {
  const home = mkdtempSync(join(tmpdir(), 'rankledger-registry-'));
  const manifests = [
    {
      name: 'sdk',
      version: '1.0.0',
      dependencies: { web: '^5.0.0' },
      optionalDependencies: { '@scope/fast': '1.0.0' },
    },
    { name: 'web', version: '5.0.0' },
    { name: 'web', version: '5.1.0', dependencies: { parser: '1.x' } },
    { name: 'parser', version: '1.2.3' },
    { name: '@scope/fast', version: '1.0.0', os: ['none'] },
    { name: 'stub', version: '2.8.1' },
    { name: 'tool', version: '9.0.0' },
  ].map((each) => ({ ...each, license: 'MIT' }));
  const packed = new Map<string, { readonly manifest: (typeof manifests)[number]; readonly bytes: Buffer }>();
  for (const manifest of manifests) {
    const folder = join(home, 'package');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(folder, 'LICENSE'), `Licence text of ${manifest.name} ${manifest.version}`);
    const bytes = execFileSync('tar', ['-czf', '-', '-C', home, 'package']);
    packed.set(`/tgz/${encodeURIComponent(manifest.name)}-${manifest.version}.tgz`, { manifest, bytes });
  }
  const registry = createServer(({ url = '', headers }, response) => {
    const tarball = packed.get(url);
    if (tarball !== undefined) return void response.end(tarball.bytes);
    const name = decodeURIComponent(url.slice(1));
    const found = [...packed].filter(([, { manifest }]) => manifest.name === name);
    if (found.length === 0) return void response.writeHead(404).end('{}');
    const versions = found.map(([path, { manifest, bytes }]) => {
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      return [manifest.version, { ...manifest, dist: { tarball: `http://${headers.host}${path}`, integrity } }];
    });
    const latest = found.at(-1)?.[1].manifest.version;
    response.end(JSON.stringify({ name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) }));
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  try {
    const manifest = {
      name: 'ours',
      version: '1.0.0',
      scripts: { prepack: 'exit 1', prepare: 'exit 1' },
      dependencies: { sdk: '1.0.0' },
      devDependencies: { tool: '9.0.0' },
      overrides: { sdk: { web: 'npm:stub@2.8.1' } },
    };
    writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
    pagesIn(home);
    await writeThirdParty(home, join(home, 'package.json'), url);
    const bill = JSON.parse(readFileSync(join(home, 'sbom.cdx.json'), 'utf8')) as Bill;
    expect(bill.components.map(({ purl }) => purl).sort()).toEqual([
      'pkg:npm/%40scope/fast@1.0.0',
      'pkg:npm/a-font@19.3.1',
      'pkg:npm/parser@1.2.3',
      'pkg:npm/react@19.3.1',
      'pkg:npm/sdk@1.0.0',
      'pkg:npm/web@5.1.0',
    ]);
    expect(bill.compositions).toMatchObject([{ aggregate: 'complete' }]);
    const licences = readFileSync(join(home, 'THIRD_PARTY_LICENCES.txt'), 'utf8');
    for (const name of ['sdk 1.0.0', 'web 5.1.0', 'parser 1.2.3', 'react', 'a-font'])
      expect(licences).toContain(`Licence text of ${name}`);
    expect(licences).not.toMatch(/stub|tool/);
  } finally {
    registry.close();
    registry.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  }
});

it.each(['dependencies', 'optionalDependencies'])(
  'the SBOM says that it is incomplete where npm cannot install %s',
  async (kind) => {
    const home = mkdtempSync(join(tmpdir(), 'rankledger-registry-'));
    try {
      writeFileSync(
        join(home, 'package.json'),
        JSON.stringify({ name: 'ours', version: '1.0.0', [kind]: { sdk: '1' } }),
      );
      pagesIn(home);
      await writeThirdParty(home, join(home, 'package.json'), 'http://127.0.0.1:9/');
      const bill = JSON.parse(readFileSync(join(home, 'sbom.cdx.json'), 'utf8')) as Bill;
      expect(bill.compositions).toMatchObject([{ aggregate: 'incomplete' }]);
      const checkout = new Set(shipped.map(({ name, version }) => `${name}@${version}`));
      for (const name of ['react', 'a-font']) checkout.add(`${name}@19.3.1`);
      expect(new Set(bill.components.map(({ name, version }) => `${name}@${version}`))).toEqual(checkout);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);
