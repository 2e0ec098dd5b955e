// Rules about services, the queue, reports and the budget.
import { sourceKindOf, sourceNames } from '../src/service/index.ts';
import { ctrCurveNames } from '../src/tracker/visibility.ts';
import { type Finding, nearestWord } from './issues.ts';
import { eachService, type RuleInput, servicesOf, soundProjects } from './rule.ts';

export function* secretsFromEnvironment({ draft, fillingOf }: RuleInput): Generator<Finding> {
  const message = 'is a literal secret; secrets come from the environment only';
  for (const [name, service] of eachService(draft)) {
    const secrets = service.mode === 'remote' ? [['password']] : secretsIn(service, []);
    for (const secret of secrets) {
      const path = ['services', name, ...secret];
      const filling = fillingOf(path);
      const key = secret.findLast((step) => typeof step === 'string');
      if (filling !== 'whole' && filling !== 'missing')
        yield { path, message, hint: `write ${key}: \${NAME} and set NAME in the environment` };
    }
    if (service.mode === 'remote' && holdsPassword(service.baseUrl)) {
      yield {
        path: ['services', name, 'baseUrl'],
        message: 'holds a user or password',
        hint: 'use the keys user and password',
      };
    }
  }
  const { redisUrl } = draft.written.queue;
  if (redisUrl !== undefined && holdsPassword(redisUrl) && fillingOf(['queue', 'redisUrl']) === undefined) {
    yield {
      path: ['queue', 'redisUrl'],
      message,
      hint: `write redisUrl: \${REDIS_URL} and set REDIS_URL in the environment`,
    };
  }
}

/**
 * Where the secrets of a source stand among its options: a key may be a list of keys, and a source may have others behind it. `around` is what the value
 * stands in: an alias may make a list hold itself.
 */
function* secretsIn(
  value: unknown,
  path: readonly (string | number)[],
  around: readonly unknown[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value !== 'object' || value === null) {
    if (isSecretOption(String(path.findLast((step) => typeof step === 'string') ?? ''))) yield path;
  } else if (!around.includes(value)) {
    const steps: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
    for (const [step, item] of steps) yield* secretsIn(item, [...path, step], [...around, value]);
  }
}

function isSecretOption(key: string): boolean {
  return /password|secret|token|api_?-?key/i.test(key);
}

function holdsPassword(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (parsed.password !== '' || (parsed.username !== '' && parsed.protocol.startsWith('http')));
}

export function* serviceAddress({ draft }: RuleInput): Generator<Finding> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'remote') continue;
    const path = ['services', name, 'baseUrl'];
    const url = URL.parse(service.baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol))
      yield { path, message: 'is no http or https URL', hint: 'such as https://api.example.com' };
    else if (url.search !== '' || url.hash !== '')
      yield { path, message: 'must end with the path; leave out what follows ? or #' };
    else if (/\/v1\/?$/.test(url.pathname))
      yield { path, message: 'ends with /v1, which rankledger adds by itself', hint: 'leave /v1 out' };
  }
}

export function* sourceIsKnown({ draft }: RuleInput): Generator<Finding> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'embedded' || sourceNames.includes(service.source)) continue;
    const meant = nearestWord(service.source, sourceNames);
    yield {
      path: ['services', name, 'source'],
      message: `there is no source "${service.source}"`,
      hint: meant === undefined ? `known: ${sourceNames.join(', ')}` : `did you mean ${meant}?`,
    };
  }
}

export function* optionsAreNoTypos({ draft }: RuleInput): Generator<Finding> {
  for (const [name, service] of eachService(draft)) {
    if (service.mode !== 'embedded') continue;
    for (const key of Object.keys(service)) {
      if (['mode', 'source', 'account', 'sources'].includes(key)) continue;
      const meant = nearestWord(key, ['account', 'source']);
      if (meant !== undefined)
        yield { path: ['services', name, key], message: 'unknown key', hint: `did you mean ${meant}?` };
      const value: unknown = service[key];
      if (key === 'dir' && (typeof value !== 'string' || value === ''))
        yield { path: ['services', name, key], message: 'expected the path of a folder' };
    }
  }
}

export function* queueFitsDriver({ draft }: RuleInput): Generator<Finding> {
  if (draft.damaged.has('queue')) return;
  const { driver, redisUrl } = draft.written.queue;
  const path = ['queue', 'redisUrl'];
  if (driver === 'bullmq' && redisUrl === undefined)
    yield { path, message: 'is missing: bullmq needs Redis', hint: `write redisUrl: \${REDIS_URL}` };
  if (driver === 'embedded' && redisUrl !== undefined)
    yield { path, message: 'is of no use to the embedded driver', hint: 'write driver: bullmq, or leave it out' };
  if (redisUrl !== undefined && driver === 'bullmq' && !/^rediss?:$/.test(URL.parse(redisUrl)?.protocol ?? '')) {
    yield { path, message: 'is no redis:// or rediss:// URL' };
  }
}

export function* curveIsKnown({ draft }: RuleInput): Generator<Finding> {
  const { ctrCurve } = draft.written.reports;
  if (draft.damaged.has('reports') || ctrCurveNames.includes(ctrCurve)) return;
  const meant = nearestWord(ctrCurve, ctrCurveNames);
  yield {
    path: ['reports', 'ctrCurve'],
    message: `there is no click-through curve "${ctrCurve}"`,
    hint: meant === undefined ? `known: ${ctrCurveNames.join(', ')}` : `did you mean ${meant}?`,
  };
}

export function* passwordsTravelEncrypted({ draft }: RuleInput): Generator<Finding> {
  for (const [name, service] of eachService(draft)) {
    const url = service.mode === 'remote' ? URL.parse(service.baseUrl) : null;
    if (url?.protocol !== 'http:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) continue;
    yield {
      path: ['services', name, 'baseUrl'],
      message: 'is not encrypted: user and password can be read on the way',
      hint: 'use https',
    };
  }
}

export function* capsAreOrdered({ draft }: RuleInput): Generator<Finding> {
  for (const unit of ['serpCredits', 'keywordDataUsd'] as const) {
    const caps = draft.written.budget?.[unit];
    const windows = ['perRun', 'perDay', 'perMonth'] as const;
    for (const [at, shorter] of windows.entries()) {
      const longer = windows.slice(at + 1).find((window) => (caps?.[window] ?? Infinity) < (caps?.[shorter] ?? 0));
      if (longer === undefined) continue;
      yield {
        path: ['budget', unit, shorter],
        message: `is more than ${longer} allows (${caps?.[longer]}), and is never reached`,
      };
    }
  }
}

export function* spendingIsCapped({ draft }: RuleInput): Generator<Finding> {
  if (draft.damaged.has('budget')) return;
  const services = servicesOf(draft);
  const paid = (name: string): boolean => {
    const service = services.get(name);
    if (service === undefined || service === null) return false;
    return service.mode === 'remote' || sourceKindOf(service.source) === 'live';
  };
  const { budget } = draft.written;
  const capped = (unit: 'serpCredits' | 'keywordDataUsd'): boolean =>
    Object.values(budget?.[unit] ?? {}).some((cap) => cap !== undefined);
  const paying = soundProjects(draft, 'service').filter(({ written }) => paid(written.service));
  const [first] = paying;
  if (first !== undefined && !capped('serpCredits')) {
    yield {
      path: budget === undefined ? ['projects', first.index, 'service'] : ['budget'],
      message: `the service "${first.written.service}" may cost money, and budget.serpCredits caps nothing`,
      hint: 'such as serpCredits: { perDay: 1000 }',
    };
  }
  const metrics = paying.find(({ written }) => written.volumes !== undefined);
  if (metrics !== undefined && !capped('keywordDataUsd')) {
    yield {
      path: budget === undefined ? ['projects', metrics.index, 'volumes'] : ['budget'],
      message: `the service "${metrics.written.service}" may cost money, and budget.keywordDataUsd caps nothing`,
      hint: 'such as keywordDataUsd: { perMonth: 10.00 }',
    };
  }
}
