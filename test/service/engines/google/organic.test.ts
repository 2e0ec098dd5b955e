// Recognises organic results and reads their parts.
import { describe, expect, it } from 'vitest';
import { desktopPage, foot, links, marks, mobilePage, mobileResult, plainPage, read, result } from './pages.ts';

describe('organic results on desktop pages', () => {
  it('are the links that contain a heading and lead outside the engine, in order', () => {
    const html = desktopPage(
      result('https://a.example/1', 'A') +
        '<div><a href="/search?q=more"><h3>More places</h3></a></div>' +
        '<div><a href="https://no-heading.example/">plain</a></div>' +
        result('https://b.example/2', 'B'),
    );
    expect(links(html)).toEqual(['https://a.example/1', 'https://b.example/2']);
  });

  it('omit the titles of content that opens below them', () => {
    const inner =
      '<div>A description that is long enough to be one, and says something about it all.</div><div><div role="heading" aria-level="4">People also search for</div></div>';
    expect(read(desktopPage(result('https://a.example/', 'A', inner))).serp.organic?.[0]?.extensions).toBeUndefined();
  });

  it('have no "Read more" in their description, which leads to the quoted text since 2026', () => {
    const text = 'A description that is long enough to be one, and says something about it all.';
    const inner = `<div><span>${text}</span><a href="https://a.example/#:~:text=A%20description"><span>Read more</span></a></div>`;
    expect(read(desktopPage(result('https://a.example/', 'A', inner))).serp.organic?.[0]?.description).toBe(text);
  });

  it('include an indented result, which shows a URL, and no sitelink, which shows none', () => {
    const list = (item: string): string => `<ul><li>${item}</li></ul>`;
    const indented = list(
      '<div><a href="https://a.example/more"><h3>More</h3><cite>https://a.example</cite></a></div>',
    );
    const sitelink = list('<div><h3><a href="https://a.example/link">Link</a></h3></div>');
    expect(
      links(desktopPage(result('https://a.example/', 'A', indented) + result('https://b.example/', 'B'))),
    ).toHaveLength(3);
    expect(
      links(desktopPage(result('https://a.example/', 'A', sitelink) + result('https://b.example/', 'B'))),
    ).toHaveLength(2);
  });

  it('have no sitelinks if all results are in one list', () => {
    const row = (name: string, rest = ''): string =>
      `<li><div><h3><a href="https://${name}.example/">${name}</a></h3><cite>${name}.example</cite>${rest}</div></li>`;
    const table =
      '<table><tr><td><h3><a href="https://a.example/1">1</a></h3></td><td><h3><a href="https://a.example/2">2</a></h3></td></tr></table>';
    expect(links(desktopPage(`<ol>${row('a', table)}${row('b')}</ol>`))).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
    const video = (name: string): string =>
      `<li><table><tr><td><h3><a href="https://${name}.example/">${name}</a></h3></td></tr></table></li>`;
    expect(links(desktopPage(`<ol>${video('c')}${video('d')}</ol>`))).toHaveLength(2);
  });

  it('include a list below several results, which is not a list of sitelinks', () => {
    const list = '<ul><li><h3><a href="https://c.example/">C</a></h3></li></ul>';
    const html = desktopPage(
      `<div>${result('https://a.example/', 'A')}${result('https://b.example/', 'B')}${list}</div>`,
    );
    expect(links(html)).toEqual(['https://a.example/', 'https://b.example/', 'https://c.example/']);
  });

  it('are not links in questions, answers, panels, rows that scroll, sections, ads, dialogs or next to the column', () => {
    const link = (name: string): string => `<a href="https://${name}.example/"><h3>${name}</h3></a>`;
    const html = desktopPage(
      `<div class="related-question-pair" data-q="Why?">${link('question')}</div>
       <div data-q="How?" data-lk="x">${link('marked-question')}</div>
       <div data-attrid="lab/content/Best tools">${link('panel')}</div>
       <g-scrolling-carousel>${link('row')}</g-scrolling-carousel>
       <g-section-with-header>${link('section')}</g-section-with-header>
       <div class="xpdopen"><p>An answer.</p>${link('snippet')}</div><block-component>${link('component')}</block-component>
       <div id="tads"><div data-text-ad="1">${link('ad')}</div></div>
       <div data-mcpr="">${link('overview')}</div>
       <div role="complementary">${link('complementary')}</div>
       <div role="dialog">${link('dialog')}</div><div style="display:none">${link('hidden')}</div>
       <div><a href="https://video.example/"><div role="heading">Video</div></a></div>
       ${result('https://real.example/', 'Real')}`,
      { aside: link('beside') },
    );
    expect(links(html)).toEqual(['https://real.example/']);
  });

  it('are those of the open tab if several tabs contain some', () => {
    const tab = (name: string, open: string): string =>
      `<span role="tab" data-ti="${name}" aria-selected="${open}">${name}</span>`;
    const panel = (name: string): string =>
      `<div role="tabpanel" id="panel-${name}">${result(`https://${name}.example/`, name)}</div>`;
    const tabs = (open: string): string =>
      desktopPage(
        tab('one', String(open === 'one')) +
          tab('two', String(open === 'two')) +
          panel('one') +
          panel('two') +
          result('https://below.example/', 'Below'),
      );
    expect(links(tabs('two'))).toEqual(['https://two.example/', 'https://below.example/']);
    expect(links(tabs('one'))).toEqual(['https://one.example/', 'https://below.example/']);
    expect(links(tabs('none'))).toHaveLength(3);
  });

  it('may begin with a large one in the frame of an answer that is not an answer', () => {
    const large = (before: string): string =>
      `<div class="xpdopen"><div>${before}</div><h3><a href="https://large.example/">Large</a></h3><div><h3><a href="https://large.example/part">Part</a></h3></div></div>${result('https://a.example/', 'A')}`;
    expect(links(desktopPage(large('')))).toEqual(['https://large.example/', 'https://a.example/']);
    expect(links(desktopPage(large('► 2:19')))).toEqual(['https://large.example/', 'https://a.example/']);
    expect(read(desktopPage(large('► 2:19'))).features).toEqual([]);
    expect(links(desktopPage(large('Because it is so.')))).toEqual(['https://a.example/']);
    // Text behind the link, and questions that open below the result, are no answer before it.
    const questions =
      '<g-accordion-expander><div role="tab">Why?</div><div role="tabpanel">So.</div></g-accordion-expander>';
    const followed = large('')
      .replace('</a></h3>', '</a></h3> Translate this page')
      .replace('</div></div>', `</div>${questions}</div>`);
    expect(links(desktopPage(followed))).toEqual(['https://large.example/', 'https://a.example/']);
  });

  it("can be the engine's own sites, but not its own results pages", () => {
    const inside = (link: string, title: string) => `<div><a href="${link}"><h3>${title}</h3></a></div>`;
    const html = desktopPage(
      result('https://cloud.google.com/use-cases', 'Cloud') +
        result('https://www.google.com/', 'Google') +
        inside('https://www.google.com/search?q=x', 'Search') +
        inside('https://www.google.com/localservices/prolist', 'Local'),
    );
    expect(links(html)).toEqual(['https://cloud.google.com/use-cases', 'https://www.google.com/']);
  });

  it('are not the profile above a row of tweets, which is a feature; a profile can be a result', () => {
    const html = desktopPage(
      result('https://twitter.com/acme?ref_src=twsrc%5Egoogle%7Ctwcamp%5Eserp%7Ctwgr%5Eauthor', 'Acme (@acme)') +
        result('https://x.com/acme', 'Acme'),
    );
    expect(links(html)).toEqual(['https://x.com/acme']);
    expect(read(html).features.map((feature) => feature.type)).toEqual(['twitter']);
  });

  it('are found in a page reduced to its results', () => {
    expect(
      links(
        `${marks}<div id="rso">${result('https://a.example/', 'A')}<a href="https://b.example/"><div role="heading">B</div></a></div>${foot}`,
      ),
    ).toEqual(['https://a.example/']);
  });

  it('keep their order if the engine hides the destination: they use the named or shown URL', () => {
    const named = result('/goto?url=CAESgwEB', 'Named', '<div data-id="atritem-https://named.example/page"></div>');
    const shown = result('https://www.google.com/goto?url=CAESgwEB', 'Shown');
    const unknown = '<div><a href="/goto?url=CAESxyz"><h3>Unknown</h3></a></div>';
    const unwrapped = result('/goto?url=https%3A%2F%2Fplain.example%2Fx', 'Plain');
    expect(links(desktopPage(named + shown + unknown + unwrapped))).toEqual([
      'https://named.example/page',
      'https://shown.example/',
      'https://www.google.com/goto?url=CAESxyz',
      'https://plain.example/x',
    ]);
  });
});

describe('organic results on mobile pages', () => {
  it('are named by headings with a role', () => {
    const html = mobilePage(
      mobileResult(
        'https://m.a.example/',
        'A',
        '<div><span>What is written about A in one full sentence.</span></div>',
      ) + mobileResult('https://m.b.example/', 'B'),
    );
    expect(read(html).serp.organic).toEqual([
      {
        rank: 1,
        global_rank: 1,
        title: 'A',
        description: 'What is written about A in one full sentence.',
        link: 'https://m.a.example/',
        display_link: 'Shown › path',
        source: 'Shown',
      },
      {
        rank: 2,
        global_rank: 2,
        title: 'B',
        link: 'https://m.b.example/',
        display_link: 'Shown › path',
        source: 'Shown',
      },
    ]);
  });

  it('are not the items below their own title: videos, discussions', () => {
    const video = (name: string): string =>
      `<div><a href="https://www.youtube.com/watch?v=${name}"><div><div>3:54</div><div role="heading" aria-level="3">${name}</div></div></a></div>`;
    const menu = `<span><div role="button">About</div><div style="display:none">${'<p>Hidden</p>'.repeat(20)}</div></span>`;
    const group = `<div><div><div role="heading" aria-level="2">Videos</div>${menu}</div><div><div>${video('one')}${video('two')}</div>${video('three')}</div></div>`;
    const page = read(
      mobilePage(mobileResult('https://a.example/', 'A') + group + mobileResult('https://b.example/', 'B')),
    );
    expect(page.serp.organic?.map((each) => [each.link, each.global_rank])).toEqual([
      ['https://a.example/', 1],
      ['https://b.example/', 5],
    ]);
    expect(page.features).toEqual([
      { type: 'video', links: ['one', 'two', 'three'].map((name) => `https://www.youtube.com/watch?v=${name}`) },
    ]);
  });

  it('are results below titles, too, in panels that fill the page, if they show a URL above their name', () => {
    const titled = (title: string, rows: string): string =>
      `<div><div role="heading" aria-level="2">${title}</div><div>${rows}</div></div>`;
    const story = (name: string): string =>
      `<div><a href="https://${name}.example/"><div>News site</div><div role="heading" aria-level="4">${name}</div></a></div>`;
    // Pages of whole sites show only the site's name.
    const named = mobileResult('https://c.example/', 'C').replace('<span> › path</span>', '');
    const html = mobilePage(
      titled('Top stories', story('s1') + story('s2') + story('s3')) +
        titled('Top results', mobileResult('https://a.example/', 'A') + mobileResult('https://b.example/', 'B')) +
        titled('More results', named + mobileResult('https://d.example/', 'D')),
    );
    expect(links(html)).toEqual([
      'https://a.example/',
      'https://b.example/',
      'https://c.example/',
      'https://d.example/',
    ]);
  });

  it('are not stories and recipes in a card, nor a single item below a lower heading', () => {
    const bare = (name: string, level: number): string =>
      `<a href="https://${name}.example/"><div>Site</div><div role="heading" aria-level="${level}">${name}</div></a>`;
    const html = mobilePage(
      `<g-card><div>Recipes</div><div>${bare('recipe', 3)}</div></g-card><div><div>Top stories</div>${bare('story', 4)}</div><g-card>${mobileResult('https://a.example/', 'A')}</g-card><div>${bare('b', 3)}</div>`,
    );
    expect(links(html)).toEqual(['https://a.example/', 'https://b.example/']);
  });

  it('are not the source of an answer without a frame, which is a featured snippet', () => {
    const source = '<div><cite>a.example › x</cite><h3><a href="https://a.example/x">A</a></h3></div>';
    const answer = `<div><div role="heading" aria-level="3">The answer, as it stands on a page.</div>${source}</div>`;
    const page = read(
      mobilePage(
        `<div>${answer}</div>${mobileResult('https://a.example/x', 'A')}<div>${source.replaceAll('a.example/x', 'b.example/')}</div>`,
      ),
    );
    expect(page.serp.organic?.map((each) => each.link)).toEqual(['https://a.example/x', 'https://b.example/']);
    expect(page.features).toEqual([{ type: 'featured_snippet', links: ['https://a.example/x'] }]);
  });

  it('are not apps to install, but may open in an app', () => {
    const app =
      '<div><a data-packageid="com.a" href="https://play.google.com/store/apps/details?id=com.a"><span role="heading">Play</span></a></div>';
    const inApp = '<div><a data-packageid="com.b" href="https://b.example/"><span role="heading">B</span></a></div>';
    expect(links(mobilePage(mobileResult('https://a.example/', 'A') + app + inApp))).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
  });
});

describe('organic results on pages without scripts', () => {
  it('without headings are links that contain their name and their URL; stories contain a time', () => {
    const card = (link: string, line: string): string =>
      `<div><div><a href="/url?q=${link}&amp;sa=U"><div>T</div><div>${line}</div></a></div><div><div>About T.</div></div></div>`;
    const ad =
      '<div><a href="https://www.google.com/aclk?sa=l&amp;adurl=https://ad.example/"><div role="heading" aria-level="3">Ad</div><div><span>Ad</span><span>ad.example/</span></div></a></div>';
    const html = plainPage(
      ad +
        `<div><div>Top stories</div>${card('https://news.example/', 'News.example 3 hours ago')}</div>` +
        card('https://a.example/x', 'https://a.example › x') +
        card('https://b.example/', 'https://b.example') +
        '<a href="/url?q=https://c.example/"><div>C</div></a>',
    );
    const { serp } = read(html);
    expect(serp.organic?.map((each) => [each.title, each.link, each.display_link])).toEqual([
      ['T', 'https://a.example/x', 'https://a.example › x'],
      ['T', 'https://b.example/', 'https://b.example'],
    ]);
    expect(serp.top_ads?.map((each) => [each.title, each.link])).toEqual([['Ad', 'https://ad.example/']]);
  });

  it('are unwrapped from the redirect, with the URL and the date that the card shows', () => {
    const card = `<div><div><a href="/url?q=https://a.example/x%3Fy%3D1%23:~:text%3Dz&amp;sa=U&amp;ved=2"><div><h3><div>Coffee</div></h3></div><div><div>a.example › x</div></div></a></div>
      <div><div><div><span>Jan 11, 2022</span><span> · </span>Coffee contains caffeine, a stimulant that has been shown to work.</div></div></div></div>`;
    expect(read(plainPage(card)).serp.organic).toEqual([
      {
        rank: 1,
        global_rank: 1,
        title: 'Coffee',
        description: 'Coffee contains caffeine, a stimulant that has been shown to work.',
        link: 'https://a.example/x?y=1',
        display_link: 'a.example › x',
        extensions: [{ type: 'date', text: 'Jan 11, 2022', rank: 1 }],
      },
    ]);
  });
});
