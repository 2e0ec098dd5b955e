// Prompts in the config: what they resolve to, and what is wrong with them.
import { expect, test } from 'vitest';
import { load, problemsOf, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const prompts = (text: string) => `prompts: { engines: [chatgpt], texts: [${text}] }`;

test('prompts have the market of their project, and each stands once', async () => {
  const config = await load({
    [name]: projectWith(
      'market: { country: gb, language: en }',
      prompts('best  shoes, best shoes, { prompt: gute Schuhe, country: de, language: de }'),
    ),
  });
  expect(config.projects[0]?.prompts).toEqual({
    engines: ['chatgpt'],
    samples: 5,
    every: 'week',
    list: [
      { prompt: 'best shoes', country: 'GB', language: 'en' },
      { prompt: 'gute Schuhe', country: 'DE', language: 'de' },
    ],
  });
});

test('an engine without a source is a problem with its place', async () => {
  const [problem] = await problemsOf({ [name]: projectWith('prompts: { engines: [eliza], texts: [shoes] }') });
  expect(problem).toMatchObject({ line: 5 });
  expect(problem?.message).toContain('ai-mode');
});

test('a service without AI answers cannot be asked', async () => {
  const vendor = `services: { default: { mode: embedded, source: serper, apiKey: "\${KEY}" } }\n`;
  const config = { [name]: vendor + projectWith(prompts('shoes')) };
  const [problem] = await problemsOf(config, { KEY: 'abcdefgh' });
  expect(problem?.message).toContain('"default" has no AI answers');
});

test('invented answers do not stand beside real pages', async () => {
  const vendor = `services: { default: { mode: embedded, source: serper, apiKey: "\${KEY}", answers: { source: sandbox } } }\n`;
  const [problem] = await problemsOf({ [name]: vendor + projectWith(prompts('shoes')) }, { KEY: 'abcdefgh' });
  expect(problem?.message).toContain('simulated answers');
});

test('an unknown source of answers, and an option that it does not have, are problems', async () => {
  const service = (answers: string) =>
    `services: { default: { mode: embedded, source: sandbox, answers: ${answers} } }\n`;
  const of = async (answers: string) =>
    (await problemsOf({ [name]: service(answers) + projectWith(prompts('shoes')) })).map(({ message }) => message);
  expect(await of('{ source: sandboks }')).toEqual(['there is no source "sandboks" of AI answers']);
  expect((await of('{ source: sandbox, sed: 2 }')).join()).toContain('unknown key');
});

test('a project may track prompts only, and not nothing', async () => {
  const of = (keys: string) => `projects:\n  - { id: acme, targets: [acme.com]${keys} }\n`;
  const config = await load({ [name]: of(`, ${prompts('shoes')}`) });
  expect(config.projects[0]).toMatchObject({ keywords: [], prompts: { samples: 5 } });
  const [problem] = await problemsOf({ [name]: of('') });
  expect(problem).toMatchObject({ message: 'tracks no keywords', hint: expect.stringContaining('prompts:') });
});

test('a service that charges an account has no AI answers, which accounts are not charged for', async () => {
  const metered = 'services: { default: { mode: embedded, source: sandbox, account: crawler } }\n';
  const [problem] = await problemsOf({ [name]: metered + projectWith(prompts('shoes')) });
  expect(problem?.message).toContain('charges the account "crawler", and AI answers are not charged to accounts');
});
