// Elements of Bing pages from 2024 to 2026 other than titles and links, in the structure of the recorded ones.
import { describe, expect, it } from 'vitest';
import { bingEngine } from '../../../../src/service/engines/bing/index.ts';
import { bingPage, bingResult } from './pages.ts';

const read = (html: string) => bingEngine.parse(html, { keyword: 'running shoes', mobile: false });

const item = (inner: string) =>
  `<li class="b_algo"><div class="b_tpcn"><a href="https://a.example/"><div class="tptt">A</div><cite>https://a.example</cite></a></div>${inner}</li>`;
const heading = '<h2><a href="https://a.example/">A</a></h2>';
const described = (inner: string) => read(bingPage(item(inner))).serp.organic?.[0]?.description;

describe('the text of a Bing result', () => {
  it('is found before an empty caption and next to a picture', () => {
    expect(
      described(
        `<div class="x"><div class="inner"><a href="/images/search?q=x"><div></div></a></div>${heading}<p><span class="news_dt">May 27, 2024</span> · All about shoes</p></div><div class="b_caption"></div>`,
      ),
    ).toBe('All about shoes');
  });

  it('is the first line of a caption with tabs, or of a list', () => {
    const tabs =
      '<div><ul role="tablist"><li>A label of some length</li></ul><div role="tabpanel"><ul><li><div>A shoe is an item of footwear.</div></li></ul><a href="https://a.example/">See more on a.example</a></div></div>';
    expect(described(`${heading}<div class="b_caption">${tabs}</div>`)).toBe('A shoe is an item of footwear.');
  });

  it('is absent if there are only links', () => {
    const cards = '<div><a href="https://a.example/x"><div>Cards that lead to other pages</div></a></div>';
    expect(described(`${heading}<div class="b_caption">${cards}</div>`)).toBeUndefined();
  });
});

describe('a Bing page with answers', () => {
  it('has questions as cards, each in the link to its source', () => {
    const card =
      '<a href="https://q.example/x"><div class="df_alsoAskCard"><div class="df_qntext">Are shoes good?</div><span class="df_alsocon">They <strong>are</strong>.</span><div class="b_algo"><h2>Shoes</h2></div></div></a>';
    const { serp, features } = read(bingPage(`<li class="b_ans">${card}</li>${bingResult('https://a.example/', 'A')}`));
    expect(serp.people_also_ask).toEqual([
      {
        rank: 1,
        global_rank: 1,
        question: 'Are shoes good?',
        answer_source: 'https://q.example/x',
        answers: [{ rank: 1, type: 'answer', value: { text: 'They are.' } }],
      },
    ]);
    expect(features).toEqual([{ type: 'people_also_ask', links: ['https://q.example/x'] }]);
    expect(serp.organic).toHaveLength(1);
  });

  it('has questions whose answers cite several pages', () => {
    const cited = ['x', 'y'].map((name) => `<a href="https://${name}.example/">${name}</a>`).join('');
    const question = `<div class="df_alsoAsk"><div class="df_qntext">Are shoes good?</div><div class="df_alsocon"><div class="rwrl">They are.</div>${cited}</div></div>`;
    const { serp, features } = read(
      bingPage(`<li class="b_ans">${question}</li>${bingResult('https://a.example/', 'A')}`),
    );
    expect(serp.people_also_ask).toMatchObject([{ answer_source: 'https://x.example/' }]);
    expect(features).toEqual([{ type: 'people_also_ask', links: ['https://x.example/', 'https://y.example/'] }]);
  });

  it('has a panel with facts, or one without a name', () => {
    const panel = (inner: string) =>
      `${bingPage(bingResult('https://a.example/', 'A')).replace('</body>', `<ol id="b_context"><li><div class="lite-entcard-main">${inner}<a href="https://w.example/">W</a></div></li></ol></body>`)}`;
    const fact =
      '<div class="lc_expfact"><div><a class="lc_expfact_title" href="/search?q=c">Capital:</a> <a href="/search?q=a">Astana</a></div></div>';
    const full = read(
      panel(
        `<div class="l_ecrd_hero_ttl"><h2>Kazakhstan</h2></div><div class="l_ecrd_hero_subttl">Country</div>${fact}`,
      ),
    );
    expect(full.serp.knowledge).toEqual({
      name: 'Kazakhstan',
      subtitle: 'Country',
      facts: [{ key: 'Capital', value: [{ text: 'Astana' }] }],
    });
    const nameless = read(panel('<h3>More about shoes</h3>'));
    expect(nameless.serp.knowledge).toBeUndefined();
    expect(nameless.features).toEqual([{ type: 'knowledge_graph', links: ['https://w.example/'] }]);
  });

  it('has an overview above the results, whose sources are not results', () => {
    const overview =
      '<ol id="b_topw"><li class="b_ans"><div id="copans_container"><h2><a href="https://w.example/">W</a></h2></div></li></ol>';
    const { serp, features } = read(
      bingPage(bingResult('https://a.example/', 'A')).replace('<ol id="b_results">', `${overview}<ol id="b_results">`),
    );
    expect(serp.organic?.map(({ link }) => link)).toEqual(['https://a.example/']);
    expect(features).toEqual([{ type: 'ai_overview', links: ['https://w.example/'] }]);
  });

  it('has a featured snippet in its own frame, and not in a result with a large layout', () => {
    const large = item(`${heading}<div class="b_rc_gb_sub"><p>Shoes of all kinds</p></div>`);
    expect(read(bingPage(large)).features).toEqual([]);
    const snippet = '<li class="b_ans b_top"><div class="qna-mf"><a href="https://a.example/x">Shoes</a></div></li>';
    expect(read(bingPage(snippet + large)).features).toEqual([
      { type: 'featured_snippet', links: ['https://a.example/x'] },
    ]);
  });

  it('is refused if one of its results cannot be read: the others would move up', () => {
    const unread = '<li class="b_algo"><div><a href="https://b.example/">B</a></div><p>Text of B</p></li>';
    const strange = bingResult('https://b.example/', 'B').replace('b_algo', 'b_new');
    for (const one of [unread, strange])
      expect(() => read(bingPage(one + bingResult('https://a.example/', 'A')))).toThrow(
        expect.objectContaining({ reason: 'unparseable' }),
      );
    const menu = '<li class="b_fabHide"><h2>More</h2><a href="/search?q=x">Filter</a></li>';
    expect(read(bingPage(menu + bingResult('https://a.example/', 'A'))).serp.organic).toHaveLength(1);
  });
});
