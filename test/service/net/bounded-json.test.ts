// Hostile JSON within the byte limit is refused by its text, before any value is created.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../src/service/index.ts';
import { boundedJson, ShapeError } from '../../../src/service/net/fields.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import { setUpRemote } from '../../helpers/remote.ts';

const { answerDepthMax, answerItemsMax, answerStringCharsMax, answerValuesMax, responseBytesMax } = limits;

afterEach(async () => {
  vi.restoreAllMocks();
});

const listOf = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join(',')}]`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const lists = Math.ceil(answerValuesMax / answerItemsMax);

describe('external JSON', () => {
  it.each([
    ['at the depth that is allowed', nested(answerDepthMax)],
    ['with a list as long as is allowed', listOf(answerItemsMax, '1')],
    ['with a string as long as is allowed', JSON.stringify('x'.repeat(answerStringCharsMax))],
    ['with brackets, commas and quotes in its strings', JSON.stringify({ '[{"': `\\"${'[,'.repeat(50_000)}\\` })],
    ['with escapes at the ends of its strings', '["a\\\\", "\\"", "\\\\\\"[", {"b\\\\": "]"}]'],
    ['of one value', ' 17 '],
  ])('%s is read', (_, text) => {
    expect(boundedJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['nested too deep', nested(answerDepthMax + 1), /nested deeper than 64 levels/],
    ['nested as deep as bytes allow', '[{"a":'.repeat(responseBytesMax / 8), /nested deeper/],
    ['with a list that is too long', listOf(answerItemsMax + 1, '1'), /more than 10000 items/],
    ['with a million tiny results', `{"organic":${listOf(1_000_000, '{}')}}`, /more than 10000 items/],
    ['with a million fields', `{${listOf(1_000_000, '"a":1').slice(1, -1)}}`, /more than 10000 items/],
    ['with too many values in short lists', listOf(lists + 1, listOf(answerItemsMax, '{}')), /more than 500000 values/],
    ['with a string that is too long', JSON.stringify({ a: 'x'.repeat(answerStringCharsMax + 1) }), /a string of more/],
    ['with a name that is too long', `{"${'x'.repeat(answerStringCharsMax + 1)}":1}`, /a string of more/],
    ['with a string that never ends', `["${'\\"'.repeat(answerStringCharsMax)}`, /a string of more/],
  ])('%s is refused without parsing any of it', (_, text, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(() => boundedJson(text)).toThrow(ShapeError);
    expect(() => boundedJson(text)).toThrow(message);
    expect(parse).not.toHaveBeenCalled();
  });
});

describe('a client', () => {
  const hostile = [
    ['a million tiny results', `{"organic":${listOf(1_000_000, '{}')}}`],
    ['deep nesting', `{"organic":${nested(100_000)}}`],
    ['a very long title', JSON.stringify({ organic: [{ link: 'https://a.example/', title: 'x'.repeat(1_000_000) }] })],
    ['a million related keywords', `{"success":true,"data":[{"related_keywords":${listOf(1_000_000, '""')}}]}`],
  ] as const;

  it.each(hostile)('refuses an answer of %s, and keeps its body', async (_, answer) => {
    const { client, provider } = await setUpRemote();
    for (const call of [() => client.serp({ keyword: 'shoes' }), () => client.keywordData({ keyword: 'shoes' })]) {
      provider.next({ answer });
      const failure = await failureOf(call());
      expect(failure).toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown' });
      expect(failure.body?.text).toBe(answer);
    }
  });

  it.each(hostile)('takes no message from a refusal with %s', async (_, answer) => {
    const { client, provider } = await setUpRemote();
    provider.next({ status: 400, body: answer } as never);
    expect(await failureOf(client.serp({ keyword: 'shoes' }))).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('reads raw pages that are longer than any string of a JSON page', async () => {
    const { client, provider } = await setUpRemote();
    const page = `<html>${'x'.repeat(2 * answerStringCharsMax)}</html>`;
    provider.next({ answer: JSON.stringify([page, page]) });
    const { pages } = await client.serp({ keyword: 'shoes', format: 'raw', end_page: 2 });
    expect(pages.map(({ body }) => body.text)).toEqual([page, page]);
  });
});
