// `intent`: the class of a keyword with its reasons, without config or network.
import { describe, expect, test } from 'vitest';
import { invoke } from '../fake-host.ts';

describe('intent', () => {
  test('prints the intent, the confidence and the reasons', async () => {
    const { exitCode, out } = await invoke(['intent', 'laufschuhe kaufen', '--language', 'de']);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^transactional \(confidence 0\.\d\d\)/);
    expect(out).toMatch(/words +kaufen +transactional +3/);
  });

  test('uses brands and features, and prints JSON', async () => {
    const given = ['--brand', 'acme', '--feature', 'featured_snippet', '--feature', 'paid', '--json'];
    const { out } = await invoke(['intent', 'acme', ...given]);
    expect(JSON.parse(out)).toMatchObject({
      keyword: 'acme',
      intent: 'navigational',
      secondary: null,
      signals: [{ rule: 'brand' }, { rule: 'feature' }, { rule: 'feature' }],
    });
  });

  test('says so if there is no evidence', async () => {
    expect((await invoke(['intent', 'xyzzy'])).out).toContain('no rule indicates an intent');
    expect((await invoke(['intent', 'buy', '--language', 'ja'])).out).toContain(
      'Choose a language with word lists: --language de, en,',
    );
    expect((await invoke(['intent', 'xyzzy', '--language', 'de-AT'])).out).not.toContain('Words are known');
    const { out } = await invoke(['intent', 'xyzzy', '--json']);
    expect(JSON.parse(out)).toMatchObject({ intent: null, confidence: null, signals: [] });
  });
});
