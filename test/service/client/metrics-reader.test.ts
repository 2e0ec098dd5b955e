import { describe, expect, it } from 'vitest';
import { setUpRemote } from '../../helpers/remote.ts';

const request = { keyword: 'shoes', country: 'GB', language: 'en', limit: 10 };
const read = async (value: unknown) => {
  const { client, provider } = await setUpRemote();
  provider.next({ answer: value });
  return (await client.keywordData(request)).response;
};
const answer = (row: object) => ({ success: true, result_count: 1, cost: 0.01, data: [row] });

describe('keyword metrics of a provider', () => {
  it('are read by the table of the specification', async () => {
    const row = {
      keyword: 'shoes',
      search_volume: 1000,
      cpc: 1.25,
      competition: 40,
      competition_level: 'medium',
      country: 'gb',
      language: 'en',
      intent: 'commercial',
      related_keywords: ['boots'],
    };
    expect(await read({ ...answer(row), request_id: 7 })).toEqual(answer(row));
  });

  it('are unknown if they are null, missing, or a label that the specification does not have', async () => {
    const unknown = {
      keyword: 'shoes',
      search_volume: null,
      cpc: null,
      competition: null,
      competition_level: null,
      country: 'gb',
      language: 'en',
      intent: null,
      related_keywords: null,
    };
    expect((await read(answer({ keyword: 'shoes' }))).data).toEqual([unknown]);
    const odd = { ...unknown, intent: 'local', competition_level: 'UNSPECIFIED', country: 'GB', related_keywords: [] };
    expect((await read(answer(odd))).data).toEqual([unknown]);
  });

  it('may be an empty list', async () => {
    const none = { success: true, result_count: 0, cost: 0.01, data: [] };
    expect(await read(none)).toEqual(none);
  });

  it('of another country are refused, as its numbers are', async () => {
    await expect(read(answer({ keyword: 'shoes', country: 'de' }))).rejects.toThrow(
      'answer.data[0].country is not the requested one',
    );
    for (const country of ['gb', 'uk', 'United Kingdom', '', null]) {
      expect((await read(answer({ keyword: 'shoes', country }))).result_count).toBe(1);
    }
  });

  it('of another language are refused, as its numbers are', async () => {
    await expect(read(answer({ keyword: 'shoes', language: 'de' }))).rejects.toThrow(
      'answer.data[0].language is not the requested one',
    );
    for (const language of ['en', 'EN', 'en-GB', 'en_US', null])
      expect((await read(answer({ keyword: 'shoes', language }))).result_count).toBe(1);
  });

  it.each([
    [null],
    [{}],
    [{ ...answer({ keyword: 'a' }), success: false }],
    [{ ...answer({ keyword: 'a' }), success: 'true' }],
    [{ ...answer({ keyword: 'a' }), result_count: 2 }],
    [{ ...answer({ keyword: 'a' }), result_count: undefined }],
    [{ ...answer({ keyword: 'a' }), cost: '0.01' }],
    [{ ...answer({ keyword: 'a' }), cost: -1 }],
    [{ success: true, result_count: 0, cost: 0.01 }],
    [answer({ keyword: ' ' })],
    [answer({ search_volume: 1 })],
    [answer({ keyword: 'a', search_volume: -1 })],
    [answer({ keyword: 'a', search_volume: '1000' })],
    [answer({ keyword: 'a', competition: 101 })],
    [answer({ keyword: 'a', related_keywords: 'boots' })],
    [answer({ keyword: 'a', related_keywords: [1] })],
  ])('of another shape are refused: %j', async (value) => {
    await expect(read(value)).rejects.toMatchObject({ code: 'UNREADABLE_RESPONSE', charged: 'unknown' });
  });
});
