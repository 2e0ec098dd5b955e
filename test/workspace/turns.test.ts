// Turns of clients: one piece of each before the next of any, and nothing for one who has gone.
import { expect, it } from 'vitest';
import { FairAnswers } from '../../src/workspace/heavy.ts';
import { Turns } from '../../src/workspace/turns.ts';

it('a client with one question is answered before the second of one with many', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const take = (client: string, name: string) => turns.take(client, () => void order.push(name));
  await Promise.all([
    take('a', 'a1'),
    take('a', 'a2'),
    take('a', 'a3'),
    take('b', 'b1'),
    take('c', 'c1'),
    take('b', 'b2'),
  ]);
  expect(order).toEqual(['a1', 'b1', 'a2', 'c1', 'b2', 'a3']);
});

it('a failure ends its own piece alone, and a client that has gone gets none', async () => {
  const turns = new Turns();
  const gone = new AbortController();
  const answers = [
    turns.take('a', () => {
      throw new Error('broken');
    }),
    turns.take('a', () => 'never', gone.signal),
    turns.take('a', () => 'after'),
  ];
  gone.abort();
  const settled = await Promise.allSettled(answers);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});

it('slow answers are made aside while others ask, and here where they were quick before or no other client asks', async () => {
  const asked: string[] = [];
  const answers = new FairAnswers<string, string>(async (question) => {
    asked.push(question);
    return 'aside';
  });
  const signal = new AbortController().signal;
  const ask = (client: string, name: string, isHeavy: boolean, make = () => 'here') =>
    answers.answer(client, { name, isHeavy, question: name, signal }, make);
  const slow = () => {
    const before = process.threadCpuUsage().user;
    while (process.threadCpuUsage().user - before < 50_000);
    return 'here';
  };
  expect(await ask('a', 'alone', true, slow)).toBe('here');
  expect(await ask('a', 'quick', true)).toBe('here');
  expect(await ask('b', 'light', false)).toBe('here');
  expect(await ask('b', 'quick', true)).toBe('here');
  expect(await ask('b', 'alone', true)).toBe('aside');
  expect(await ask('a', 'new', true)).toBe('aside');
  const many = await Promise.all(Array.from({ length: 40 }, (_, at) => ask('a', `light ${at}`, false)));
  expect([many[0], many.at(-1)]).toEqual(['here', 'aside']);
  expect(asked.slice(0, 2)).toEqual(['alone', 'new']);
});
