// Fields of the root object that few recorded pages show. The others are in the recorded pages: test/corpus.
import { describe, expect, it } from 'vitest';
import { desktopPage, mobilePage, mobileResult, read, result } from './pages.ts';

const rows = result('https://a.example/', 'A');

describe('an element of a page', () => {
  it('that is an ad within the column is positioned by the results around them', () => {
    const ad = (name: string): string =>
      `<div data-text-ad="1"><a href="https://${name}.example/"><h3>${name}</h3></a></div>`;
    const { serp } = read(desktopPage(ad('first') + rows + ad('last')));
    expect([serp.top_ads?.[0]?.title, serp.bottom_ads?.[0]?.title]).toEqual(['first', 'last']);
    expect(serp.organic?.[0]?.global_rank).toBe(2);
  });

  it('that answers with a video is named by its page, not by its length', () => {
    const question = `<div class="related-question-pair" data-q="How?"><div><div>5:32</div></div><a href="https://v.example/"><h3>The video</h3></a></div>`;
    expect(read(desktopPage(question + rows)).serp.people_also_ask?.[0]?.answers).toEqual([
      { rank: 1, type: 'video', value: { text: 'The video' } },
    ]);
  });

  it('that is a panel is absent if there is a name and nothing else', () => {
    const { serp } = read(desktopPage(rows, { aside: '<div data-attrid="title">Bare</div>' }));
    expect([serp.knowledge, serp.overview]).toEqual([undefined, undefined]);
  });
});

describe('the AI overview', () => {
  const citation = `<li><div><a href="https://source.example/x#:~:text=blue" aria-label="Why blue? - Source. Opens in new tab."></a><div><div>Why blue? - Source</div><span><div>Short waves scatter most.</div></span><div><div>Source</div></div></div></div></li>`;
  const overview = `<div data-mcpr=""><h1>AI Overview</h1><span style="display:none">An AI Overview is not available</span><div data-rl="en"><div>
    <div>The sky is blue <mark>due to</mark> <a href="/search?q=s">scattering</a>.<button>links</button></div><div><strong>Why?</strong></div>
    <ul><li><b>Short</b>: waves scatter</li><li>Long ones <ul><li>do not</li></ul></li></ul><div role="heading" aria-level="3">Code</div><pre>let x = 1;</pre></div></div>
    <ul>${citation}</ul><a href="https://support.google.com/websearch?p=ai_overviews">Learn more</a></div>`;

  it('is read as paragraphs, titles, lists and code, with the pages it cites', () => {
    const { serp, features } = read(desktopPage(rows, { before: overview }));
    expect(serp.ai_overview).toEqual({
      texts: [
        { type: 'paragraph', snippet: 'The sky is blue due to scattering.' },
        { type: 'title', snippet: 'Why?' },
        {
          type: 'list',
          list: [
            { type: 'paragraph', snippet: 'Short: waves scatter' },
            { type: 'list', title: 'Long ones', list: [{ type: 'paragraph', snippet: 'do not' }] },
          ],
        },
        { type: 'title', snippet: 'Code' },
        { type: 'code', snippet: 'let x = 1;' },
      ],
      references: [
        {
          index: 1,
          title: 'Why blue? - Source',
          href: 'https://source.example/x',
          source: 'Source',
          subtitle: 'Short waves scatter most.',
        },
      ],
    });
    expect(features).toEqual([{ type: 'ai_overview', links: ['https://source.example/x'] }]);
  });

  it('within the answer to a question makes the sites that it cites owners of the question', () => {
    const source = '<a href="https://answer.example/"><h3>An answer</h3></a>';
    const question = (text: string, inner: string) =>
      `<div class="related-question-pair" data-q="${text}"><div>${text}</div>${inner}</div>`;
    const { serp, features } = read(
      desktopPage(
        question('Why?', `<p>So.</p>${source}`) + question('How?', overview + source) + question('When?', '') + rows,
      ),
    );
    expect(serp.people_also_ask?.map(({ answer_source: from }) => from)).toEqual([
      'https://answer.example/',
      'https://answer.example/',
      undefined,
    ]);
    expect(features.find(({ type }) => type === 'people_also_ask')?.links).toEqual([
      'https://answer.example/',
      'https://source.example/x',
    ]);
  });

  it('is not the one within an answer, nor an empty frame', () => {
    const within = `<div class="related-question-pair" data-q="Why?">${overview}</div>`;
    const frame = '<div data-mcpr=""><h1>AI Overview</h1><div data-rl="en"></div></div>';
    expect(read(desktopPage(frame + within + rows)).serp.ai_overview).toBeUndefined();
  });
});

describe('a page with results and nothing else', () => {
  it('has no other field', () => {
    expect(Object.keys(read(mobilePage(mobileResult('https://a.example/', 'A'))).serp)).toEqual(['organic']);
  });
});
