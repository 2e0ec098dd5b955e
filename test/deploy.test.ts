// The files of config/deploy: commands, flags, files and signals in them exist, and their own tools accept them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, matchesGlob, resolve } from 'node:path';
import { Deployment, StatefulSet } from 'kubernetes-models/apps/v1';
import { Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { exportColumns } from '../src/report/formats/export-columns.ts';
import { limits } from '../src/service/index.ts';
import { scheduleProblem } from '../src/tracker/schedule/schedule.ts';
import { invoke } from './cli/fake-host.ts';
import { projectFolder } from './cli/project-folder.ts';

const read = (name: string): string => readFileSync(join('config/deploy', name), 'utf8');
/** Lines without comments. */
const lines = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

/** Fails if the command, or one of its flags, does not exist. */
async function expectKnown(command: string, flags: readonly string[]): Promise<void> {
  const { exitCode, out } = await invoke([command, '--help']);
  expect([command, exitCode]).toEqual([command, 0]);
  for (const flag of flags) expect(out).toContain(flag);
}

describe.each(['rankledger.service', 'rankledger-serve.service'])('the systemd unit %s', (name) => {
  const unit = read(name);
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts an existing command, and is not restarted if that would not help', async () => {
    const [program, command = '', ...flags] = value('ExecStart').split(' ');
    expect(program).toBe('/usr/local/bin/rankledger');
    await expectKnown(
      command,
      flags.filter((flag) => flag.startsWith('--')),
    );
    expect(value('Restart')).toBe('always');
    expect(value('RestartPreventExitStatus')).toBe('2 78');
    if (command === 'schedule') expect(value('ExecReload')).toContain('-HUP');
  });

  it('leaves more time to stop than the shutdown deadline', () => {
    const graceMs = Number(/graceMs = (\d+)/.exec(readFileSync('src/app/opening/queue.ts', 'utf8'))?.[1]);
    expect(Number(value('TimeoutStopSec')) * 1000).toBeGreaterThan(2 * graceMs);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).error !== undefined)('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rankledger-unit-'));
    const file = join(folder, name);
    writeFileSync(file, unit.replace('/usr/local/bin/rankledger', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    // a container without a running systemd still reads the unit; only messages about our file count
    expect([`${stdout}${stderr}`.split('\n').filter((line) => line.includes(name)), status]).toEqual([[], 0]);
  });
});

describe('the TLS proxy', () => {
  it('forwards to the address of the service unit, and names the health check and the body limit of the server', () => {
    const proxy = read('Caddyfile');
    const unit = read('rankledger-serve.service');
    const [, host, port] = /--host (\S+) --port (\d+)/.exec(unit) ?? [];
    expect(proxy).toContain(`reverse_proxy ${host}:${port} {`);
    expect(unit).toContain(`--trusted-proxy ${host}`);
    expect(proxy).toContain('health_uri /healthz');
    expect(proxy).toContain(`max_size ${limits.requestBodyBytesMax / 1024}KB`);
  });
});

describe('the crontab', () => {
  it('calls an existing command, at valid times', async () => {
    const jobs = lines(read('crontab')).filter((line) => !/^[A-Z_]+=/.test(line));
    expect(jobs).toHaveLength(1);
    const [, schedule = '', user, job = ''] = /^((?:\S+ ){5})(\S+) (.*)$/.exec(jobs[0] ?? '') ?? [];
    expect([scheduleProblem(schedule.trim(), 'UTC'), user]).toEqual([null, 'rankledger']);
    const commands = [...job.matchAll(/; rankledger ([a-z]+)/g)].map(([, command]) => command ?? '');
    expect(commands).toEqual(['run']);
    for (const command of commands) await expectKnown(command, []);
    expect(job).not.toContain('%'); // cron reads it as the end of the command
  });

  it.each([['SERVICE_API_PASSWORD=from-the-file\n'], [null]])(
    'runs as cron would run it, its secrets being %j',
    (secrets) => {
      const folder = mkdtempSync(join(tmpdir(), 'rankledger-cron-'));
      writeFileSync(
        join(folder, 'rankledger'),
        `#!/bin/sh\necho "$*: \${SERVICE_API_PASSWORD-none}, $RANKLEDGER_CONFIG"\n`,
        {
          mode: 0o755,
        },
      );
      if (secrets !== null) writeFileSync(join(folder, 'environment'), secrets);
      const all = lines(read('crontab'));
      const env = Object.fromEntries(all.flatMap((line) => [/^([A-Z_]+)=(.*)$/.exec(line)?.slice(1) ?? []]));
      const job =
        all
          .at(-1)
          ?.replace(/^(\S+ ){6}/, '')
          .replaceAll(/\/etc\/rankledger|\/var\/lib\/rankledger/g, folder) ?? '';
      const { status, stderr } = spawnSync('/bin/sh', ['-c', job], {
        env: { ...env, PATH: `${folder}:${env['PATH']}` },
        encoding: 'utf8',
      });
      const log = readFileSync(join(folder, 'run.log'), 'utf8');
      rmSync(folder, { recursive: true });
      const expectedLog = `run: ${secrets === null ? 'none' : 'from-the-file'}, /etc/rankledger/rankledger.yaml\n`;
      expect([status, stderr, log]).toEqual([0, '', expectedLog]);
    },
  );
});

describe('the Dockerfile', () => {
  const file = read('Dockerfile');

  it('is built in two stages on the runtime that the package needs, and runs as an unprivileged user', () => {
    const major = /"node": ">=(\d+)"/.exec(readFileSync('package.json', 'utf8'))?.[1];
    expect([...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)).toEqual([
      `node:${major}-slim`,
      `node:${major}-slim`,
    ]);
    // the image has no Python, which an npm without allowScripts would need for SQLite
    expect(file).toMatch(/npm ci --ignore-scripts$[\s\S]*FROM[\s\S]*^USER node$/m);
  });

  it('starts the program of the package, and reads the config from the mounted folder', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { rankledger: string } };
    const value = (instruction: string): string =>
      file
        .match(new RegExp(`^${instruction} (.*)$`, 'gm'))
        ?.at(-1)
        ?.split(' ')[1] ?? '';
    expect(file).toContain(`COPY --from=build /build/package-files ./node_modules/rankledger\n`);
    expect(file).toContain(`ln -s /app/node_modules/rankledger/${bin.rankledger} /usr/local/bin/rankledger`);
    expect([value('WORKDIR'), value('VOLUME')]).toEqual(['/data', '/data']);
    expect(file).toContain(' RANKLEDGER_CONFIG=/data/rankledger.yaml\n');
  });

  it('starts an existing command', async () => {
    const [command = '', ...flags] = JSON.parse(/^CMD (.*)$/m.exec(file)?.[1] ?? '[]') as string[];
    await expectKnown(command, flags);
    expect(file).toMatch(/^ENTRYPOINT \["rankledger"\]$/m);
  });

  /** The files of the checkout that Docker gets. */
  const given = lines(read('Dockerfile.dockerignore')).filter((line) => line.startsWith('!'));
  const isGiven = (path: string): boolean =>
    given.some((line) => matchesGlob(path, line.slice(1)) || path.startsWith(`${line.slice(1)}/`));

  it('gets every file of the package', () => {
    expect(lines(read('Dockerfile.dockerignore'))[0]).toBe('*');
    expect(given.filter((line) => !line.includes('*') && !existsSync(line.slice(1)))).toEqual([]);
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { include: string[] };
    const sources = include.flatMap((path) =>
      path.endsWith('.ts')
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8' })
            .filter((name) => name.endsWith('.ts'))
            .map((name) => `${path}/${name}`),
    );
    expect(sources.length).toBeGreaterThan(300);
    const copied = [...file.matchAll(/^COPY (?!--from)(.*) \.\/?$/gm)].flatMap(([, names = '']) => names.split(' '));
    const wanted = [...files.filter((name) => name !== 'dist'), ...sources, ...copied.filter((name) => name !== '.')];
    expect([...wanted, 'tsconfig.json', 'tsconfig.build.json'].filter((name) => !isGiven(name))).toEqual([]);
  });

  it.each([
    '.env',
    '.git/config',
    '.npmrc',
    'node_modules/x/y.js',
    'data/rankledger.sqlite',
    'config/rankledger.yaml',
    'config/environment',
    'config/data/rankledger.sqlite',
    'config/reports/acme/latest/manifest.json',
  ])('does not get %s, which may be private', (path) => {
    expect(isGiven(path)).toBe(false);
  });
});

interface Mount {
  readonly source: string;
  readonly target: string;
  readonly read_only?: boolean;
  readonly bind: { readonly create_host_path: boolean };
}

interface ComposeService {
  readonly stop_grace_period: string;
  readonly command: readonly string[];
  readonly image: string;
  readonly volumes: readonly (string | Mount)[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly mem_limit: string;
  readonly pids_limit: number;
}

describe('the Compose file', () => {
  const password = `\${REDIS_PASSWORD:?a password for Redis}`;
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Readonly<Record<string, ComposeService>>;
  };

  it('has one scheduler, workers and a Redis that neither forgets nor evicts', async () => {
    expect(Object.keys(services)).toEqual(['scheduler', 'worker', 'redis']);
    for (const name of ['scheduler', 'worker']) {
      const [command = '', ...flags] = services[name]?.command ?? [];
      await expectKnown(command, flags);
    }
    expect(services['redis']?.command.join(' ')).toBe(
      `redis-server --appendonly yes --appendfsync always --maxmemory-policy noeviction --requirepass ${password}`,
    );
    expect(services['redis']?.environment?.['REDISCLI_AUTH']).toBe(password);
    for (const name of ['scheduler', 'worker']) {
      expect(services[name]?.environment).toEqual({
        REDIS_URL: `redis://:${password}@redis:6379`,
        QUEUE_SIGNING_KEY: `\${QUEUE_SIGNING_KEY:?signs what goes through Redis}`,
      });
    }
  });

  it('checks the health of the scheduler and of Redis', async () => {
    expect(services['redis']?.healthcheck?.test.join(' ')).toContain('redis-cli ping');
    const [, program, command = '', ...flags] = services['scheduler']?.healthcheck?.test ?? [];
    expect(program).toBe('rankledger');
    await expectKnown(command, flags);
  });

  it('limits the memory and the processes of each service', () => {
    for (const { mem_limit, pids_limit } of Object.values(services)) {
      expect(mem_limit).toMatch(/^\d+g$/);
      expect(pids_limit).toBeGreaterThan(0);
    }
  });

  it('builds the image from the checkout', () => {
    const { context = '', dockerfile = '' } = services['scheduler']?.build ?? {};
    expect(existsSync(join('config/deploy', context, dockerfile))).toBe(true);
    expect(services['worker']?.build).toEqual(services['scheduler']?.build);
  });

  it('lets workers read the config, and no database', () => {
    const folder = `\${RANKLEDGER_DIR:?names the folder of rankledger.yaml}`;
    const bind = { create_host_path: false };
    expect(services['scheduler']?.volumes).toEqual([{ type: 'bind', source: folder, target: '/data', bind }]);
    expect(services['worker']?.volumes).toEqual([
      { type: 'bind', source: `${folder}/rankledger.yaml`, target: '/data/rankledger.yaml', read_only: true, bind },
    ]);
  });

  it('leaves more time to stop than the shutdown deadline', () => {
    const graceMs = Number(/graceMs = (\d+)/.exec(readFileSync('src/app/opening/queue.ts', 'utf8'))?.[1]);
    for (const service of Object.values(services)) {
      const seconds = /^(\d+)s$/.exec(service.stop_grace_period)?.[1];
      expect(Number(seconds) * 1000).toBeGreaterThan(2 * graceMs);
    }
  });

  const compose = spawnSync('docker', ['compose', 'version']);
  it.skipIf(compose.error !== undefined || compose.status !== 0)('is accepted by docker compose', () => {
    const { status, stderr } = spawnSync(
      'docker',
      ['compose', '-f', 'config/deploy/compose.yaml', 'config', '--quiet'],
      {
        encoding: 'utf8',
        env: { ...process.env, RANKLEDGER_DIR: tmpdir(), REDIS_PASSWORD: 'p', QUEUE_SIGNING_KEY: 'k' },
      },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('the Kubernetes file', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml')).map(
    (document) => document.toJS() as StatefulSet | Deployment,
  );
  const named = (kind: string, name: string) =>
    documents.find((document) => document.kind === kind && document.metadata?.name === name)?.spec?.template.spec;
  const pods = {
    coordinator: named('StatefulSet', 'rankledger'),
    worker: named('Deployment', 'rankledger-worker'),
    redis: named('StatefulSet', 'rankledger-redis'),
  };

  it('is valid by the schemas of the API', () => {
    const models = { StatefulSet, Deployment, Service };
    for (const document of documents) new models[document.kind as keyof typeof models](document as never).validate();
    expect(documents.map(({ kind }) => kind)).toEqual([
      'Service',
      'StatefulSet',
      'Deployment',
      'Service',
      'StatefulSet',
    ]);
    for (const { spec, metadata } of documents) {
      if (!('template' in (spec ?? {}))) continue;
      expect(spec?.template.metadata?.labels).toEqual(spec?.selector.matchLabels);
      expect(metadata?.labels).toEqual(spec?.selector.matchLabels);
    }
  });

  it('starts existing commands, whose metrics the probes and Prometheus read', async () => {
    for (const pod of [pods.coordinator, pods.worker]) {
      const [container] = pod?.containers ?? [];
      const [command = '', ...flags] = container?.args ?? [];
      await expectKnown(
        command,
        flags.filter((flag) => flag.startsWith('--')),
      );
      expect(flags.at(-1)).toBe(`0.0.0.0:${container?.ports?.[0]?.containerPort}`);
      const [, checks = '', ...checkFlags] = container?.readinessProbe?.exec?.command ?? [];
      if (container?.readinessProbe !== undefined) await expectKnown(checks, checkFlags);
    }
  });

  it('gives each pod its own config, which the program accepts', async () => {
    const [container] = pods.coordinator?.containers ?? [];
    const values = Object.fromEntries((container?.env ?? []).map(({ name, value = '' }) => [name, value]));
    expect(values['RANKLEDGER_CONFIG']).toBe('/config/$(POD_NAME).yaml');
    const written = read('kubernetes.yaml').match(/(?<=`)(database|reports|queue): .*?(?=`)/g) ?? [];
    expect(written).toHaveLength(3);
    const folder = projectFolder(
      `${written.join('\n')}\nprojects: [{ id: acme, targets: [acme.example], keywords: [shoes] }]\n`.replaceAll(
        '/data',
        '.',
      ),
    );
    const env = {
      REDIS_URL: values['REDIS_URL']?.replace('$(REDIS_PASSWORD)', 'secret'),
      QUEUE_SIGNING_KEY: 'k'.repeat(64),
    };
    const { exitCode, err } = await invoke(['check'], { cwd: folder.path, env });
    expect([exitCode, err]).toEqual([0, '']);
  });

  it('has a Redis that neither forgets nor evicts, as the Compose file has', () => {
    const ofCompose = /^ {4}command:\n((?: {6}- .*\n)+)/m.exec(read('compose.yaml'))?.[1] ?? '';
    const flags = ofCompose.match(/(?<=- )"?[^"\n]+/g)?.map((flag) => flag.replace('"', '')) ?? [];
    expect(pods.redis?.containers[0]?.args?.slice(0, -1)).toEqual(flags.slice(0, -1));
  });

  it('leaves more time to stop than the shutdown deadline, and no privileges', () => {
    const graceMs = Number(/graceMs = (\d+)/.exec(readFileSync('src/app/opening/queue.ts', 'utf8'))?.[1]);
    for (const pod of Object.values(pods)) {
      expect(Number(pod?.terminationGracePeriodSeconds) * 1000).toBeGreaterThan(2 * graceMs);
      expect(pod?.securityContext?.runAsNonRoot).toBe(true);
      expect(pod?.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('lets workers read no database', () => {
    const mounts = pods.worker?.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath);
    expect(mounts).toEqual(['/config', '/tmp']);
  });
});

describe('the job of a workflow engine', () => {
  const hasPython = spawnSync('python3', ['--version']).error === undefined;

  it.runIf(hasPython)('retries, stops or goes on by the exit code, and returns the JSON of the command', () => {
    const folder = projectFolder(`budget: { serpCredits: { perRun: 1 } }
projects: [{ id: acme, targets: [acme.example], depth: 1, keywords: [shoes, boots] }]
`);
    const launcher = resolve('src/cli/rankledger.mjs');
    const script = `
import json, sys
sys.path.insert(0, ${JSON.stringify(resolve('config/deploy'))})
sys.dont_write_bytecode = True
from workflow_job import Again, Stop, rankledger
def outcome(*arguments):
    try:
        answer = rankledger(*arguments, program=(${JSON.stringify(process.execPath)}, ${JSON.stringify(launcher)}))
        return [answer["partial"], len(answer.get("runs", []))]
    except (Again, Stop) as failure:
        return [type(failure).__name__, str(failure)]
print(json.dumps([
    outcome("run", "--all"),
    outcome("status"),
    outcome("run", "--project", "none"),
    outcome("export", "--output", "rankledger.yaml/file.csv"),
]))`;
    const { stdout, stderr } = spawnSync('python3', ['-c', script], { cwd: folder.path, encoding: 'utf8' });
    expect([JSON.parse(stdout), stderr.includes('Traceback')]).toEqual([
      [
        [true, 1],
        [false, expect.any(Number)],
        ['Stop', expect.stringContaining('there is no project "none"')],
        ['Again', expect.stringContaining('a part of the path is a file')],
      ],
      false,
    ]);
  });

  it.runIf(hasPython)('is a DAG that Python reads, with existing commands and tables', async () => {
    const dag = read('airflow_dag.py');
    const { status, stderr } = spawnSync('python3', ['-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      input: dag,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    const calls = [...dag.matchAll(/called\((".*?)\)/g)].map(
      ([, words = '']) => words.match(/(?<=")[a-z-]+(?=")/g) ?? [],
    );
    expect(calls.map(([command]) => command)).toEqual(['run', 'export']);
    for (const [command = '', ...flags] of calls) await expectKnown(command, flags);
    const tables = /TABLES = \((.*)\)/.exec(dag)?.[1]?.match(/[a-z]+/g);
    expect(tables).toEqual(Object.keys(exportColumns).filter((table) => table !== 'ledger'));
  });
});

describe('the dashboard for Grafana', () => {
  it('shows every metric of --metrics, and no other; the manual lists them', () => {
    const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
      panels: { id: number; targets: { expr: string }[] }[];
    };
    const shown = dashboard.panels.flatMap(({ targets }) =>
      targets.flatMap(({ expr }) => expr.match(/\brankledger_[a-z_]+/g) ?? []),
    );
    const known = readFileSync('src/app/metrics.ts', 'utf8').match(/(?<=')rankledger_[a-z_]+/g) ?? [];
    expect(new Set(shown.map((name) => name.replace(/_bucket$/, '')))).toEqual(new Set(known));
    const manual = readFileSync('docs/operations.md', 'utf8').match(/(?<=^\| .*`)rankledger_[a-z_]+/gm) ?? [];
    expect(new Set(manual)).toEqual(new Set(known));
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
