import { describe, expect, it } from 'vitest';
import type { PageRequest, SerpSource, SourceContext } from '../../../src/service/model/source.ts';
import { sandboxOptions } from '../../../src/service/sources/sandbox/options.ts';
import { createSandboxSource } from '../../../src/service/sources/sandbox.ts';

const morning = Date.UTC(2026, 2, 14, 6);
const request: PageRequest = { keyword: 'running shoes', country: 'US', language: 'en', mobile: false, page: 1 };

function contextAt(at: number, signal = new AbortController().signal): SourceContext {
  return { at, signal };
}

async function textOf(serp: SerpSource, asked: PageRequest, at: number): Promise<string> {
  return (await serp.fetchPage(asked, contextAt(at))).body.text;
}

describe('the sandbox source', () => {
  it('gives the same bytes for a seed, a UTC day and a request', async () => {
    const first = await textOf((await createSandboxSource({ seed: 5 })).serp, request, morning);
    const { serp } = await createSandboxSource({ seed: 5 });
    await textOf(serp, { ...request, keyword: 'something else' }, morning + 86_400_000);
    expect(await textOf(serp, request, morning + 17 * 3_600_000)).toBe(first);
    expect(await textOf((await createSandboxSource({ seed: 6 })).serp, request, morning)).not.toBe(first);
    expect(await textOf(serp, { ...request, mobile: true }, morning)).not.toBe(first);
    expect(await textOf(serp, { ...request, country: 'GB' }, morning)).not.toBe(first);
    expect(await textOf(serp, request, morning + 20 * 86_400_000)).not.toBe(first);
  });

  it('gives the time of the page as the requested moment', async () => {
    expect((await (await createSandboxSource({})).serp.fetchPage(request, contextAt(morning))).observedAt).toBe(
      morning,
    );
  });

  it('gives bodies that keep their text as JSON, in which workers send them over Redis', async () => {
    const { serp } = await createSandboxSource({});
    const { body } = await serp.fetchPage(request, contextAt(morning));
    const sent = JSON.parse(JSON.stringify(body));
    expect(sent).toEqual({ contentType: 'text/html', text: await textOf(serp, request, morning) });
  });

  it('has pages up to some hundred results, and then the page without results', async () => {
    const { serp } = await createSandboxSource({});
    const links: string[] = [];
    let pages = 0;
    for (let page = 1; page <= 30; page++) {
      const asked = { ...request, page };
      const { body } = await serp.fetchPage(asked, contextAt(morning));
      const { organic } = serp.readPage(body, asked).serp;
      if (organic === undefined) break;
      pages = page;
      links.push(...organic.map((each) => each.link));
    }
    expect(pages).toBeGreaterThanOrEqual(7);
    expect(pages).toBeLessThan(20);
    expect(new Set(links).size).toBe(links.length);
    expect(links.length).toBeGreaterThan(60);
  });

  it('answers nonsense with the page without results, and with no metrics', async () => {
    const { serp, metrics } = await createSandboxSource({});
    for (const mobile of [false, true]) {
      const asked = { ...request, keyword: 'zzqxvrt', mobile };
      const { body } = await serp.fetchPage(asked, contextAt(morning));
      expect(serp.readPage(body, asked).serp.organic).toBeUndefined();
    }
    expect(
      await metrics.fetchMetrics({ keyword: 'zzqxvrt', country: 'US', language: 'en', limit: 10 }, contextAt(morning)),
    ).toEqual([]);
  });

  it('contains the sites that its options name', async () => {
    const { serp } = await createSandboxSource({ sites: ['shop.my-brand.example'] });
    let found = 0;
    for (const keyword of ['left handed banjo', 'wool blanket', 'oak table', 'garden hose', 'desk lamp']) {
      for (let page = 1; page <= 6; page++) {
        const asked = { ...request, keyword, page };
        const { organic = [] } = serp.readPage((await serp.fetchPage(asked, contextAt(morning))).body, asked).serp;
        if (organic.some((each) => each.link.startsWith('https://shop.my-brand.example/'))) found++;
      }
    }
    expect(found).toBeGreaterThanOrEqual(3);
  });

  it('blocks the configured share of pages, the same ones all day and others on the next', async () => {
    const { serp } = await createSandboxSource({ blockedShare: 0.25 });
    const blockedOn = async (at: number) => {
      const blocked: string[] = [];
      for (let i = 0; i < 400; i++) {
        const asked = { ...request, keyword: `word ${i}` };
        if ((await textOf(serp, asked, at)).includes('captcha-form')) blocked.push(asked.keyword);
      }
      return blocked;
    };
    const first = await blockedOn(morning);
    expect(first.length).toBeGreaterThan(70);
    expect(first.length).toBeLessThan(130);
    expect(await blockedOn(morning + 3_600_000)).toEqual(first);
    const next = await blockedOn(morning + 86_400_000);
    expect(first.filter((keyword) => !next.includes(keyword)).length).toBeGreaterThan(40);
    const asked = { ...request, keyword: first[0]! };
    const { body } = await serp.fetchPage(asked, contextAt(morning));
    expect(() => serp.readPage(body, asked)).toThrow(
      expect.objectContaining({ code: 'SERP_FAILED', reason: 'blocked' }),
    );
  });

  it('refuses to read the page of another query', async () => {
    const { serp } = await createSandboxSource({});
    const { body } = await serp.fetchPage(request, contextAt(morning));
    expect(() => serp.readPage(body, { ...request, keyword: 'trail shoes' })).toThrow(
      expect.objectContaining({ reason: 'wrong_query' }),
    );
  });

  it('charges nothing for a cancelled request', async () => {
    const { serp, metrics } = await createSandboxSource({});
    const context = contextAt(morning, AbortSignal.abort());
    const refusal = expect.objectContaining({ code: 'ABORTED', charged: 'no' });
    await expect(serp.fetchPage(request, context)).rejects.toEqual(refusal);
    await expect(metrics.fetchMetrics({ ...request, limit: 5 }, context)).rejects.toEqual(refusal);
  });

  it('keeps metrics through a month', async () => {
    const { metrics } = await createSandboxSource({});
    const at = (date: number) =>
      metrics.fetchMetrics({ keyword: 'trail shoes', country: 'US', language: 'en', limit: 40 }, contextAt(date));
    expect(await at(Date.UTC(2026, 2, 31, 23))).toEqual(await at(Date.UTC(2026, 2, 1)));
    expect(await at(Date.UTC(2026, 8, 1))).not.toEqual(await at(Date.UTC(2026, 2, 1)));
  });

  it('refuses unknown options', () => {
    for (const options of [
      { seed: -1 },
      { seed: 1.5 },
      { blockedShare: 2 },
      { sites: ['https://a.com/'] },
      { sed: 1 },
    ]) {
      expect(sandboxOptions.safeParse(options).success, JSON.stringify(options)).toBe(false);
    }
    expect(sandboxOptions.parse({})).toEqual({ seed: 1, sites: [], blockedShare: 0 });
  });
});
