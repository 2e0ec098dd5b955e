// What moved between two stored results pages.

import { describe, expect, it } from 'vitest';
import type { SerpResult } from '../../../src/read/records.ts';
import {
  featureMoves,
  ownFeatureMoves,
  rivalry,
  serpMoves,
  targetMoves,
} from '../../../src/workspace/web/serp-moves.ts';

const result = (rank: number | null, url: string, target: string | null = null): SerpResult => ({
  rank,
  url,
  page: 1,
  target,
  isOwn: target === 'ours',
});

describe('two stored pages', () => {
  it('say which results moved, entered and left', () => {
    const { moves, left } = serpMoves(
      [result(1, 'a'), result(2, 'b'), result(3, 'c')],
      [result(1, 'b'), result(2, 'a'), result(3, 'd')],
    );
    expect(moves.map(({ after, kind, change }) => [after.url, kind, change])).toEqual([
      ['b', 'moved', 1],
      ['a', 'moved', -1],
      ['d', 'entered', null],
    ]);
    expect(left.map(({ url }) => url)).toEqual(['c']);
  });

  it('never call a result new or gone beyond what the other page reaches', () => {
    const deeper = [result(1, 'a'), result(2, 'b'), result(3, 'c')];
    const shallow = [result(1, 'a')];
    expect(serpMoves(shallow, deeper).moves.map(({ kind }) => kind)).toEqual(['moved', 'unknown', 'unknown']);
    expect(serpMoves(deeper, shallow).left).toEqual([]);
    expect(serpMoves([result(1, 'a')], [result(null, 'a')]).moves[0]).toMatchObject({ kind: 'unknown', change: null });
  });

  it('compare the features of pages that both read', () => {
    const feature = (page: number, type: string, isOwn = false) => ({ page, type, urls: [], targets: [], isOwn });
    const before = { pages: 1, features: [feature(1, 'video'), feature(1, 'paid'), feature(1, 'news', true)] };
    const after = {
      pages: 2,
      features: [feature(1, 'paid', true), feature(1, 'images', true), feature(1, 'news'), feature(2, 'local_pack')],
    };
    expect(featureMoves(before, after)).toEqual({ gained: ['images'], lost: ['video'] });
    expect(ownFeatureMoves(before, after)).toEqual({ won: ['paid'], lost: ['news'] });
  });

  it('say who took a rank from us and who gave us one', () => {
    const moves = serpMoves(
      [result(1, 'https://a.example/'), result(2, 'https://us.example/', 'ours'), result(3, 'https://b.example/1')],
      [
        result(1, 'https://b.example/2'),
        result(2, 'https://new.example/'),
        result(3, 'https://us.example/', 'ours'),
        result(4, 'https://a.example/'),
      ],
    );
    const urls = (of: readonly { readonly after: SerpResult }[]) => of.map(({ after }) => after.url);
    const { entered, passed, overtaken } = rivalry(moves);
    expect(urls(entered)).toEqual(['https://new.example/']);
    expect(urls(passed), 'with another page').toEqual(['https://b.example/2']);
    expect(urls(overtaken)).toEqual(['https://a.example/']);
  });

  it('know no rivalry without a result of ours on both', () => {
    const moves = serpMoves([result(1, 'a')], [result(1, 'b'), result(2, 'us', 'ours')]);
    expect(rivalry(moves)).toEqual({ entered: [], passed: [], overtaken: [] });
  });

  it('tell what each target did by its best results, ours first', () => {
    const moves = serpMoves(
      [result(1, 'x/1', 'x'), result(2, 'us', 'ours'), result(3, 'y', 'y'), result(4, 'z')],
      [result(1, 'x/2', 'x'), result(2, 'z'), result(3, 'us', 'ours'), result(4, 'q', 'q'), result(5, 'deep', 'deep')],
    );
    const short = targetMoves(moves).map(({ target, before, after }) => [target, before?.rank, after?.rank]);
    expect(short).toEqual([
      ['ours', 2, 3],
      ['x', 1, 1],
      ['q', undefined, 4],
      ['y', 3, undefined],
    ]);
  });
});
