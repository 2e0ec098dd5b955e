import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { normalisedPassword, passwordRefusal } from '../../../../src/service/server/dashboard/password-rules.ts';

const listed = readFileSync('src/service/server/dashboard/files/common-passwords.txt', 'utf8').trimEnd().split('\n');

describe('a password', () => {
  it.each([
    'copper violin sandwich orbit',
    'waltz-nymph-quick-jabs-vex',
    'my neighbour feeds eleven hedgehogs',
    'Vq7#mT2!xLp9@Zd',
    'pfannkuchen mit ahornsirup',
    'эта фраза длинная',
    '🦊🐻🐼🦁🐯🐨🐸🐵🐔🐧🐦🦆🐤🐣🦉',
    'tr0ub4dor&3-kettle-moss',
  ])('%j can be chosen', (password) => {
    expect(passwordRefusal(password, 'acme')).toBeUndefined();
  });

  it.each([
    ['', /at least 15/],
    ['Vq7#mT2!xLp9@Z', /at least 15/],
    ['🦊🐻🐼🦁🐯🐨🐸🐵', /at least 15/],
    ['x'.repeat(40), /different characters/],
    ['abababababababab', /different characters/],
    ['aaaabbbbccccddddeeeeffff', /repeat characters/],
    ['1111112222223333344444455555', /different characters|repeat/],
    ['zzzzzzzzzzzzzzzzVq7#mT2', /repeat characters/],
    ['abcabcabcxyzxyzxyz', /repeat characters/],
    ['🦊🦊🦊🦊🐻🐻🐻🐻🐼🐼🐼🐼🦁🦁🐯🐯🐨🐨', /repeat characters/],
    ['correct horse battery staple', /common phrase/],
    ['CorrectHorseBatteryStaple2026!', /common phrase/],
    ['T0 be, or n0t to be: that', /common phrase/],
    ['the.quick.brown.fox', /common phrase/],
    ['maytheforcebewithyou', /common phrase/],
    ['Sein oder Nichtsein!', /common phrase/],
    ['1 l0v3 y0u v3ry much', /common phrase/],
    ['Vq7#mT2!Vq7#mT2!', /repeat/],
    ['abcdefghijklmnop', /row of keys/],
    ['qwertyuiop123456', /row of keys/],
    ['987654321poiuytrewq', /row of keys/],
    ['acme-acme-acme-5', /name of the account/],
    ['Acme26Acme!Acme', /name of the account/],
    ['password12345!!', /breached/],
    ['P@ssw0rd1234!!!', /breached/],
    ['5up3rm@n$un5h1n3', /breached/],
    ['dragonmonkey777', /breached/],
    ['letmein!superman', /breached/],
    ['Vq7#mT2!xLp9'.repeat(11), /at most 128/],
  ])('%j cannot be chosen', (password, why) => {
    expect(passwordRefusal(password, 'acme')).toMatch(why);
  });

  it('may have 15 to 128 characters, and no fewer or more', () => {
    const random = 'k9!Zr4@Wm7$Xc2^Lp5&Qd8*Hn3(Tb6)Yv1_Gf0+Js=Ua-Eo~Ri.Kq,Pz/Mw;Cx:Bn<Vl>Dh?'.repeat(2).slice(0, 128);
    expect(passwordRefusal(random, 'acme')).toBeUndefined();
    expect(passwordRefusal(random.slice(0, 15), 'acme')).toBeUndefined();
    expect(passwordRefusal(random.slice(0, 14), 'acme')).toMatch(/at least/);
    expect(passwordRefusal(`${random}!`, 'acme')).toMatch(/at most/);
  });

  it('may contain the letters of an account whose name is too short to be recognised', () => {
    expect(passwordRefusal('Vq7#mT2!xLp9@Zd', 'x')).toBeUndefined();
  });

  it('is the same from every keyboard, and differs from the list in any form', () => {
    expect(normalisedPassword('Caf\u0065\u0301')).toBe(normalisedPassword('Caf\u00e9'));
    expect(passwordRefusal('ｐａｓｓｗｏｒｄ１２３４５６７', 'acme')).toMatch(/breached/);
  });
});

describe('the list of breached passwords', () => {
  it('has 10,000 different ones, the most common first', () => {
    expect(listed).toHaveLength(10_000);
    expect(new Set(listed).size).toBe(10_000);
    expect(listed.slice(0, 3)).toEqual(['123456', 'password', '12345678']);
  });

  it('causes each of them to be refused, alone and extended with a year', () => {
    const accepted = listed.filter(
      (each) => each.length >= 6 && passwordRefusal(`${each}2026!${each}`.slice(0, 128), 'acme') === undefined,
    );
    expect(accepted).toEqual([]);
  });
});
