// Every other field of the root object, the ranks over all of them, and the features.
import { describe, expect, it } from 'vitest';
import { desktopPage, mobilePage, mobileResult, plainPage, read, result } from './pages.ts';

const rows = result('https://a.example/', 'A');

describe('ads', () => {
  it('have the landing page and the click URL, above and below the results', () => {
    const before = `<div id="tads"><div data-text-ad="1"><a href="https://www.google.com/aclk?sa=L&amp;ai=1" data-pcu="https://shop.example/,https://x.example/" data-rw="/aclk?sa=L&amp;ai=1"><div role="heading">Shoes</div></a>
      <ul><li><a href="https://shop.example/sale"><h3>Sale</h3></a></li></ul></div></div>`;
    const after = `<div id="bottomads"><ol><li class="ads-ad"><h3><a style="display:none" href="/aclk?sa=l&amp;ai=2"></a><a href="http://old.example/land">Old ad</a></h3></li></ol></div>`;
    const { serp, features } = read(desktopPage(rows, { before, after }));
    expect(serp.top_ads).toEqual([
      {
        rank: 1,
        title: 'Shoes',
        link: 'https://shop.example/',
        referral_link: 'https://www.google.com/aclk?sa=L&ai=1',
      },
    ]);
    expect(serp.bottom_ads).toEqual([
      {
        rank: 1,
        title: 'Old ad',
        link: 'http://old.example/land',
        referral_link: 'https://www.google.com/aclk?sa=l&ai=2',
      },
    ]);
    expect(features).toContainEqual({ type: 'paid', links: ['https://shop.example/', 'http://old.example/land'] });
  });

  it('within the column are positioned by the results around them', () => {
    const ad = (name: string): string =>
      `<div data-text-ad="1"><a href="https://${name}.example/"><h3>${name}</h3></a></div>`;
    const { serp } = read(desktopPage(ad('first') + rows + ad('last')));
    expect([serp.top_ads?.[0]?.title, serp.bottom_ads?.[0]?.title]).toEqual(['first', 'last']);
    expect(serp.organic?.[0]?.global_rank).toBe(2);
  });

  it('for products are a feature and not text ads', () => {
    const product = (name: string): string =>
      `<div data-pla="1"><g-inner-card><a href="https://${name}.example/p"><h4 role="heading">${name}</h4></a></g-inner-card></div>`;
    const { serp, features } = read(
      desktopPage(rows, { before: `<div id="atvcap">${product('x')}${product('y')}</div>` }),
    );
    expect(serp.top_ads).toBeUndefined();
    expect(features).toEqual([{ type: 'shopping', links: ['https://x.example/p', 'https://y.example/p'] }]);
  });
});

describe('people also ask', () => {
  it('keeps questions without an answer on the page, and the available answers', () => {
    const questions = `<div><div class="related-question-pair" data-q="Why blue?"><div role="button"><span>Why blue?</span></div><div></div></div>
      <div class="related-question-pair"><div role="tab"><div>How to start?</div></div><div role="tabpanel" style="display:none"><div>To start, follow the steps:</div><ol><li>Name it</li><li>File it</li></ol>
      <div><a href="https://answer.example/x"><h3>Answer</h3></a></div></div></div></div>`;
    const { serp, features } = read(desktopPage(questions + rows));
    expect(serp.people_also_ask).toEqual([
      { rank: 1, global_rank: 1, question: 'Why blue?' },
      {
        rank: 2,
        global_rank: 2,
        question: 'How to start?',
        answer_source: 'https://answer.example/x',
        answers: [
          { rank: 1, type: 'answer', value: { text: 'To start, follow the steps:' } },
          { rank: 2, type: 'ordered_list', value: { text: 'Name it\nFile it' } },
        ],
      },
    ]);
    expect(features).toEqual([{ type: 'people_also_ask', links: ['https://answer.example/x'] }]);
  });

  it('names a video by its page, not by its length', () => {
    const question = `<div class="related-question-pair" data-q="How?"><div><div>5:32</div></div><a href="https://v.example/"><h3>The video</h3></a></div>`;
    expect(read(desktopPage(question + rows)).serp.people_also_ask?.[0]?.answers).toEqual([
      { rank: 1, type: 'video', value: { text: 'The video' } },
    ]);
  });

  it('is recognised on pages without scripts by the link that searches for the question', () => {
    const card = `<div><div><span><div>Is it healthy?</div></span><div><div>Moderate use can be part of a healthy diet, it is said.</div><a href="/url?q=https://h.example/&amp;sa=U"><span>Source</span></a></div>
      <div><a href="https://www.google.com/search?q=Is+it+healthy%3F">More results</a></div></div></div>`;
    const plain = '<div><a href="/url?q=https://a.example/"><h3>A</h3></a></div>';
    expect(read(plainPage(card + plain)).serp.people_also_ask).toEqual([
      {
        rank: 1,
        global_rank: 1,
        question: 'Is it healthy?',
        answer_source: 'https://h.example/',
        answers: [
          { rank: 1, type: 'answer', value: { text: 'Moderate use can be part of a healthy diet, it is said.' } },
        ],
      },
    ]);
  });
});

describe('related searches and tabs', () => {
  it('are the searches below the results that name their query', () => {
    const after = `<div id="botstuff"><a href="/search?q=red+shoes&amp;sa=X"><div>red <b>shoes</b></div></a><a href="/search?q=running+shoes">running shoes</a>
      <a href="/search?q=place&amp;start=10">place</a><a href="/search?q=blue+shoes">See more</a><a href="/search?q=red+shoes">red shoes</a></div>`;
    const { serp, features } = read(desktopPage(rows, { before: '<a href="/search?q=early">early</a>', after }));
    expect(serp.related).toEqual([
      { rank: 1, global_rank: 2, text: 'red shoes', link: 'https://www.google.com/search?q=red+shoes&sa=X' },
    ]);
    expect(features).toEqual([{ type: 'related_searches', links: [] }]);
  });

  it('are one tab for each type of search; tools are not tabs', () => {
    const guests = '<a href="https://www.google.com/travel/search?q=hotels" role="menuitem">1 guest</a>';
    const script = '<noscript><a href="/search?q=x&amp;udm=9">here</a></noscript>';
    expect(read(desktopPage(guests + rows, { before: script })).serp.navigation).toEqual([
      { title: 'Images', href: 'https://www.google.com/search?q=x&tbm=isch&source=lnms' },
      { title: 'Videos', href: 'https://www.google.com/search?q=x&udm=7' },
    ]);
  });
});

describe('the knowledge panel', () => {
  const panel = `<div data-attrid="title" role="heading">Donald Duck</div><div data-attrid="subtitle">Cartoon character</div>
    <div data-attrid="description"><h3>Description</h3><div><span>Donald Duck is a cartoon character.</span><span role="button">… More</span> <a href="https://en.wikipedia.org/wiki/Donald_Duck">Wikipedia</a></div></div>
    <div data-attrid="kc:/people/person:born"><span><span>Born: </span></span><span>June 9, 1934</span></div>
    <div data-attrid="hw:/collection/x:nephews"><span>Nephews: </span><span><a href="/search?q=h">Huey</a>, <a href="/search?q=d">Dewey</a>, <a href="/search?q=m">MORE</a></span></div>
    <div data-attrid="kc:/x:hours">Opens 12:30</div><div data-attrid="lab/fact/Age"><div>Age</div><div>91 years</div></div>`;

  it('has name, subtitle, description with its source, and facts', () => {
    const form =
      '<div data-maindata=\'[null,"/m/0image","Images"]\'></div><div data-maindata=\'[0,"/m/0abc","Donald Duck","x"]\'></div>';
    const { serp, features } = read(desktopPage(rows, { aside: panel + form }));
    expect(serp.knowledge).toEqual({
      name: 'Donald Duck',
      subtitle: 'Cartoon character',
      description: 'Donald Duck is a cartoon character.',
      description_source: 'Wikipedia',
      facts: [
        { key: 'Born', value: [{ text: 'June 9, 1934' }] },
        { key: 'Nephews', value: [{ text: 'Huey' }, { text: 'Dewey' }] },
        { key: 'Age', value: [{ text: '91 years' }] },
      ],
    });
    expect(serp.overview).toEqual({ kgmid: '/m/0abc', title: 'Donald Duck' });
    expect(features).toEqual([{ type: 'knowledge_graph', links: ['https://en.wikipedia.org/wiki/Donald_Duck'] }]);
  });

  it('links to its website, profiles, actions and the buttons of a business, not to pictures, ads and other answers', () => {
    const link = (to: string, more = '') => `<a ${more} href="https://${to}.example/">${to}</a>`;
    const part = (id: string, content: string) => `<div data-attrid="${id}">${content}</div>`;
    const aside =
      `<h2 data-attrid="title">Acme</h2>${link('button', 'class="ab_button"')}${link('site', 'data-attrid="visit_official_site"')}` +
      part('kc:/common/topic:social media presence', link('profile')) +
      part('action:watch_film', `${link('watch')}<a href="https://www.google.com/travel/">Rooms</a>`) +
      part('hw:/collection/x:price', '<a href="/aclk?sa=l&amp;adurl=https://ad.example/">Ad</a>') +
      part('images universal', link('picture')) +
      part('kc:/x:menu', `<div style="display:none">${link('closed')}</div>`) +
      link('other');
    const before = part('kc:/people/person:age', link('answer'));
    const { features } = read(desktopPage(before + rows, { aside: aside + part('subtitle', 'Maker of shoes') }));
    expect(features).toEqual([
      {
        type: 'knowledge_graph',
        links: ['button', 'site', 'profile', 'watch'].map((host) => `https://${host}.example/`),
      },
    ]);
  });

  it('is read by the class names of older pages, and its id from the share link', () => {
    const aside = `<div class="xpdopen"><div class="kno-ecr-pt">Homer</div><div class="kno-rdesc"><span>Homer is a character of a series.</span></div><a href="/search?kgmid=/m/0h&amp;hl=en">share</a></div>`;
    const { serp } = read(desktopPage(rows, { aside }));
    expect(serp.knowledge).toEqual({ name: 'Homer', description: 'Homer is a character of a series.' });
    expect(serp.overview).toEqual({ kgmid: '/m/0h', title: 'Homer' });
  });

  it('is absent if there is a name and nothing else', () => {
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

  it('is not the one within an answer, nor an empty frame', () => {
    const within = `<div class="related-question-pair" data-q="Why?">${overview}</div>`;
    const frame = '<div data-mcpr=""><h1>AI Overview</h1><div data-rl="en"></div></div>';
    expect(read(desktopPage(frame + within + rows)).serp.ai_overview).toBeUndefined();
  });
});

describe('images', () => {
  it('name their page, their title and a URL if the page contains one', () => {
    const images = `<div data-lpage="https://p.example/1"><img alt="First" src="data:image/gif;base64,R0"></div><a href="/imgres?imgurl=https://p.example/2.jpg&amp;imgrefurl=https://p.example/2"><img alt="Second"></a>`;
    const { serp, features } = read(desktopPage(`<div>${images}</div>${rows}`));
    expect(serp.images).toEqual([
      { rank: 1, title: 'First', link: 'https://p.example/1' },
      { rank: 2, title: 'Second', link: 'https://p.example/2', image: 'https://p.example/2.jpg' },
    ]);
    expect(serp.organic?.[0]?.global_rank).toBe(3);
    expect(features).toEqual([{ type: 'images', links: ['https://p.example/1', 'https://p.example/2'] }]);
  });
});

describe('images of 2025', () => {
  it('are cards that a link without text covers; a card with text is not an image', () => {
    const card = (mark: string, site: string, text = '') =>
      `<div ${mark}><a aria-labelledby="x" href="https://${site}.example/">${text}</a><div><div><img alt="Shoes of ${site}" data-src="https://tbn.example/${site}"></div></div></div>`;
    const images =
      card('data-docid="x"', 'one') + card('data-sv-cpt="4"', 'two') + card('data-docid="y"', 'three', 'Read');
    const { serp, features } = read(desktopPage(`<div>${images}</div>${rows}`));
    expect(serp.images).toEqual([
      { rank: 1, title: 'Shoes of one', link: 'https://one.example/', image: 'https://tbn.example/one' },
      { rank: 2, title: 'Shoes of two', link: 'https://two.example/', image: 'https://tbn.example/two' },
    ]);
    expect(features).toContainEqual({ type: 'images', links: ['https://one.example/', 'https://two.example/'] });
  });
});

describe('features made of links', () => {
  const item = (link: string, rest = ''): string =>
    `<div role="listitem"><a href="${link}"><div role="heading" aria-level="3">T</div>${rest}</a></div>`;

  it('distinguish posts with author and site from stories', () => {
    const posts = `<g-section-with-header><div role="heading" aria-level="2">What people are saying</div><div role="list">
      ${item('https://www.reddit.com/r/x/1', '<div><span>20+ comments</span></div><div><div>r/x</div><div>Reddit · 1 day ago</div></div>')}
      ${item('https://www.facebook.com/y', '<div>Jane · Facebook</div>')}</div></g-section-with-header>`;
    const stories = `<g-section-with-header><div role="heading" aria-level="2">Top stories</div>
      <a href="https://n.example/1"><div role="heading">N1</div></a><a href="https://n.example/2"><div role="heading">N2</div></a></g-section-with-header>`;
    const { serp, features } = read(desktopPage(posts + stories + rows));
    expect(serp.perspectives).toEqual([
      { title: 'T', author: 'r/x', source: 'Reddit' },
      { title: 'T', author: 'Jane', source: 'Facebook' },
    ]);
    expect(features).toEqual([
      { type: 'top_stories', links: ['https://n.example/1', 'https://n.example/2'] },
      { type: 'perspectives', links: ['https://www.reddit.com/r/x/1', 'https://www.facebook.com/y'] },
    ]);
  });

  it('recognise products of many shops without a URL if their viewer contains any', () => {
    const types = (html: string) => read(html).features.map(({ type }) => type);
    const viewer = (inner: string) => `<product-viewer-group>${inner}</product-viewer-group>`;
    expect(types(desktopPage(rows + viewer('<div>Shoes, $10</div>')))).toContain('popular_products');
    expect(types(desktopPage(rows + viewer('')))).not.toContain('popular_products');
  });

  it('recognise the tweets below a profile, and paid offers in a row', () => {
    const tweet = (id: number) =>
      `<g-inner-card><a href="https://twitter.com/shoes/status/${id}?ref_src=twsrc%5Egoogle%7Ctwcamp%5Eserp"><div>Words</div></a></g-inner-card>`;
    const tweets = `<g-section-with-header><a href="https://twitter.com/shoes?ref_src=twsrc%5Egoogle%7Ctwcamp%5Eserp"><h3>Shoes</h3></a></g-section-with-header><g-scrolling-carousel>${tweet(1)}${tweet(2)}</g-scrolling-carousel>`;
    const card = (site: string) =>
      `<g-inner-card><a href="https://${site}.example/" data-arwt="/aclk?sa=l&amp;ai=${site}"><div>A tour</div></a></g-inner-card>`;
    const before = `<div id="tads"><g-scrolling-carousel>${card('one')}${card('two')}</g-scrolling-carousel></div>`;
    const { serp, features } = read(desktopPage(tweets + rows, { before }));
    expect(serp.organic?.map(({ link }) => link)).toEqual(['https://a.example/']);
    expect(features).toContainEqual({ type: 'paid', links: ['https://one.example/', 'https://two.example/'] });
    const ended = '?ref_src=twsrc%5Egoogle%7Ctwcamp%5Eserp';
    expect(features).toContainEqual({
      type: 'twitter',
      links: ['', '/status/1', '/status/2'].map((path) => `https://twitter.com/shoes${path}${ended}`),
    });
  });

  it('recognise discussions, places and the featured snippet', () => {
    const discussion = (n: number): string =>
      `<div><a href="https://www.quora.com/q${n}"><div role="heading" aria-level="3">Q${n}</div></a></div>`;
    const html = desktopPage(
      `<div class="xpdopen"><div data-attrid="wa:/description">Because.</div><a href="https://snippet.example/"><h3>S</h3></a></div>${rows}
       <div><div><div role="heading" aria-level="2">Discussions and forums</div></div>${discussion(1)}${discussion(2)}</div>
       <div><a class="rllt__link" data-cid="16988437091993954230">Place</a><a href="https://place.example/">Website</a><a class="rllt__link" data-cid="26988437091993954230">Other</a></div>`,
    );
    expect(read(html).features).toEqual([
      { type: 'featured_snippet', links: ['https://snippet.example/'] },
      { type: 'local_pack', links: ['https://place.example/'] },
      { type: 'discussions_and_forums', links: ['https://www.quora.com/q1', 'https://www.quora.com/q2'] },
    ]);
  });
});

describe('a list of hotels', () => {
  const hotel = (n: number): string => `<div style="display:none"><a href="/travel/search?q=${n}">Hotel ${n}</a></div>`;
  const types = (before: string): string[] =>
    read(desktopPage(rows, { before })).features.map((feature) => feature.type);

  it('is recognised by its links to the room search, of which a single one is a tab', () => {
    expect(types(`<div>${hotel(1)}${hotel(2)}${hotel(3)}</div>`)).toEqual(['hotels_pack']);
    expect(types(`<div>${hotel(1)}</div>`)).toEqual([]);
    expect(types(`<div id="rhs">${hotel(1)}${hotel(2)}${hotel(3)}</div>`)).toEqual([]);
    expect(types(`<div>${hotel(1)}${hotel(2)}<a href="https://a.example/travel/search">x</a></div>`)).toEqual([]);
  });
});

describe('a page with results and nothing else', () => {
  it('has no other field', () => {
    expect(Object.keys(read(mobilePage(mobileResult('https://a.example/', 'A'))).serp)).toEqual(['organic']);
  });
});
