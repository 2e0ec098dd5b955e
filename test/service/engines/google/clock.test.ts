// Compares the timestamp of a page with the time of the request.
import { describe, expect, it } from 'vitest';
import { googleEngine } from '../../../../src/service/engines/google/index.ts';
import { eventId, linkToken } from '../../../helpers/page-clock.ts';
import { desktopPage, mobilePage, mobileResult, plainPage, result } from './pages.ts';

const requestedAt = Date.UTC(2026, 1, 5, 21, 40, 50);
const minute = 60_000;
const day = 24 * 60 * minute;

/** The reason of refusal for a page that was requested at that time, or `read`. */
function reasonOf(html: string, at: number | undefined = requestedAt): string {
  try {
    googleEngine.parse(html, { mobile: false, ...(at !== undefined && { requestedAt: at }) });
    return 'read';
  } catch (error) {
    return (error as { reason?: string }).reason ?? String(error);
  }
}

const script = (at: number) => `<script>(function(){var _g={kEI:'${eventId(at)}',kEXPI:'31'};})();</script>`;
const desktop = (at: number) => desktopPage(result('https://a.example/', 'A'), { before: script(at) });
const mobile = (at: number) => mobilePage(`${script(at)}${mobileResult('https://a.example/', 'A')}`);
const plain = (token: string) =>
  plainPage(`<div><a href="/url?q=https://a.example/&amp;sa=U&amp;${token}"><h3>A</h3><div>a.example</div></a></div>`);

describe('the timestamp of a page', () => {
  it.each([
    ['a desktop page', desktop],
    ['a phone page', mobile],
    ['a page without scripts, by its event ids', (at: number) => plain(`ei=${eventId(at)}`)],
    ['a page without scripts, by the tokens of its links', (at: number) => plain(`ved=${linkToken(at)}`)],
  ])('refuses %s that was created more than an hour before or after its request', (_, page) => {
    for (const off of [0, 59 * minute, -59 * minute]) expect(reasonOf(page(requestedAt + off))).toBe('read');
    for (const off of [61 * minute, -61 * minute, -800 * day, 30 * day])
      expect(reasonOf(page(requestedAt + off))).toBe('stale_page');
  });

  it('is not compared if the time of the request is unknown, and may be absent', () => {
    expect(reasonOf(desktop(0), undefined)).toBe('read');
    expect(reasonOf(plain('ved=0CAYQAA'))).toBe('read');
    expect(reasonOf(desktopPage(result('https://a.example/', 'A'), { before: "<script>kEI:'none'</script>" }))).toBe(
      'read',
    );
  });

  it('is that of the newest link, because others repeat the page before', () => {
    const html = plain(`ei=${eventId(requestedAt)}`).replace(
      'tbm=isch',
      `tbm=isch&amp;ei=${eventId(requestedAt - day)}`,
    );
    expect(reasonOf(html)).toBe('read');
  });

  it('appears in the refusal, next to the time of the request', () => {
    const parse = () => googleEngine.parse(desktop(requestedAt - day), { mobile: false, requestedAt });
    expect(parse).toThrow('made at 2026-02-04T21:40:50.000Z and requested at 2026-02-05T21:40:50.000Z');
  });
});
