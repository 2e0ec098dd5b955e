// Searches that were recorded twice, and what a person sees between both pages. Read off the rendered pages.

interface Recording {
  /** When the engine answered, by the page itself (`kEI`). */
  readonly seenAt: string;
  /** Relative to the corpus. */
  readonly file: string;
}

interface SeenChange {
  /** Null: not on the page. */
  readonly ranks: readonly [previous: number | null, now: number | null];
  /** Of the change; a site that is not on a page counts as the rank after its last one. */
  readonly places: number;
  /** Other sites that changed sides, in any order; a feature that shows the page of one that is gone. */
  readonly around: readonly string[];
  /** What the site's own result shows otherwise, on the same page of the site. */
  readonly own?: readonly string[];
  /** A feature that still shows its page, though it is no result any more. */
  readonly shownIn?: string;
}

export interface PagePair {
  readonly keyword: string;
  readonly recordings: readonly [Recording, Recording];
  /** Features that came or went between the pages; all others are on both. */
  readonly features: readonly string[];
  readonly sites: Readonly<Record<string, SeenChange>>;
}

export const pagePairs: readonly PagePair[] = [
  // 1 nasa, 2 ucr, 3 reddit, 4 nationalgeographic, 5 noaa, 6 youtube, 7 facebook, 8 instagram, 9 britannica
  // 1 nasa, 2 reddit, 3 nationalgeographic, 4 facebook, 5 noaa, 6 ucr, 7 britannica
  // On both: AI overview, questions, "What people are saying". On the second: rows of videos and of images.
  {
    keyword: 'why is the sky blue?',
    recordings: [
      { seenAt: '2026-01-20T06:32:00Z', file: 'google/2026-01-20_desktop_en_why-is-the-sky-blue_704940.html' },
      { seenAt: '2026-02-05T21:40:50Z', file: 'google/2026-02-05_desktop_en_why-is-the-sky-blue_aa594f.html' },
    ],
    features: ['appeared images', 'appeared video'],
    sites: {
      'nasa.gov': { ranks: [1, 1], places: 0, around: [] },
      'ucr.edu': {
        ranks: [2, 6],
        places: -4,
        around: [
          'passed reddit.com 3 2',
          'passed nationalgeographic.com 4 3',
          'passed facebook.com 7 4',
          'passed noaa.gov 5 5',
        ],
      },
      // the second of the two discussions below the result is another one
      'reddit.com': { ranks: [3, 2], places: 1, around: ['overtaken ucr.edu 2 6'], own: ['own_sitelinks'] },
      'nationalgeographic.com': { ranks: [4, 3], places: 1, around: ['overtaken ucr.edu 2 6'] },
      // "Why Is the Sky Blue? | NESDIS", then "Why Is the Sky Blue? - NESDIS - NOAA", above the same text
      'noaa.gov': {
        ranks: [5, 5],
        places: 0,
        around: ['overtaken ucr.edu 2 6', 'passed facebook.com 7 4'],
        own: ['own_title'],
      },
      'youtube.com': {
        ranks: [6, null],
        places: -2,
        around: ['passed facebook.com 7 4', 'passed britannica.com 9 7'],
        shownIn: 'video',
      },
      'facebook.com': {
        ranks: [7, 4],
        places: 3,
        around: ['left youtube.com 6 - video', 'overtaken ucr.edu 2 6', 'overtaken noaa.gov 5 5'],
      },
      // the second page ends at 7: it may be at 8 still, so that nothing is said of its page, which is among the videos
      'instagram.com': {
        ranks: [8, null],
        places: 0,
        around: ['left youtube.com 6 - video', 'passed britannica.com 9 7'],
      },
      'britannica.com': {
        ranks: [9, 7],
        places: 2,
        around: ['left youtube.com 6 - video', 'overtaken instagram.com 8 - video'],
      },
    },
  },
  // 1 wikipedia, 2 whitehouse, 3 x, 4 archives, 5 facebook, 6 nbcnews, 7 whitehousehistory, 8 instagram
  // 1 wikipedia, 2 whitehouse, 3 archives, 4 truthsocial, 5 whitehousehistory, 6 cnn, 7 instagram
  // On both: panel, top stories (the same five, one of nbcnews), "What people are saying", "Latest posts". On the
  // second: a row of videos. The story of thedailybeast.com is "33 minutes ago" on the first, "55 minutes ago" then.
  {
    keyword: 'donald trump',
    recordings: [
      { seenAt: '2026-02-06T06:54:55Z', file: 'google/2026-02-06_desktop_en_donald-trump_7d76d3.html' },
      { seenAt: '2026-02-06T07:16:33Z', file: 'google/2026-02-06_desktop_en_donald-trump_305b53.html' },
    ],
    features: ['appeared video'],
    sites: {
      'wikipedia.org': { ranks: [1, 1], places: 0, around: [] },
      'whitehouse.gov': { ranks: [2, 2], places: 0, around: [] },
      'x.com': {
        ranks: [3, null],
        places: -5,
        around: [
          'passed archives.gov 4 3',
          'entered truthsocial.com - 4',
          'passed whitehousehistory.org 7 5',
          'entered cnn.com - 6',
          'passed instagram.com 8 7',
        ],
      },
      'archives.gov': { ranks: [4, 3], places: 1, around: ['left x.com 3 -'] },
      'facebook.com': {
        ranks: [5, null],
        places: -3,
        around: [
          'left x.com 3 -',
          'entered truthsocial.com - 4',
          'passed whitehousehistory.org 7 5',
          'entered cnn.com - 6',
          'passed instagram.com 8 7',
        ],
      },
      'nbcnews.com': {
        ranks: [6, null],
        places: -2,
        around: [
          'left x.com 3 -',
          'left facebook.com 5 -',
          'entered truthsocial.com - 4',
          'passed whitehousehistory.org 7 5',
          'entered cnn.com - 6',
          'passed instagram.com 8 7',
        ],
        shownIn: 'top_stories',
      },
      'whitehousehistory.org': {
        ranks: [7, 5],
        places: 2,
        around: [
          'left x.com 3 -',
          'left facebook.com 5 -',
          'left nbcnews.com 6 - top_stories',
          'entered truthsocial.com - 4',
        ],
      },
      'instagram.com': {
        ranks: [8, 7],
        places: 1,
        around: [
          'left x.com 3 -',
          'left facebook.com 5 -',
          'left nbcnews.com 6 - top_stories',
          'entered truthsocial.com - 4',
          'entered cnn.com - 6',
        ],
      },
      'truthsocial.com': {
        ranks: [null, 4],
        places: 5,
        around: [
          'left x.com 3 -',
          'left facebook.com 5 -',
          'left nbcnews.com 6 - top_stories',
          'overtaken whitehousehistory.org 7 5',
          'overtaken instagram.com 8 7',
        ],
      },
      'cnn.com': {
        ranks: [null, 6],
        places: 3,
        around: [
          'left x.com 3 -',
          'left facebook.com 5 -',
          'left nbcnews.com 6 - top_stories',
          'overtaken instagram.com 8 7',
          'entered truthsocial.com - 4',
        ],
      },
    },
  },
];

/** Pages of one query that are no pair: other years, markets, or forms of the page. Sums hold between them, too. */
export const farPairs: readonly Pick<PagePair, 'keyword' | 'recordings'>[] = [
  {
    keyword: 'van gogh paintings',
    recordings: [
      { seenAt: '2020-05-19T12:00:00Z', file: 'google/2020-05-19_desktop_pl_van-gogh-paintings_6a158e.html' },
      { seenAt: '2024-12-20T12:00:00Z', file: 'google/2024-12-20_desktop_en_van-gogh-paintings_7bc199.html' },
    ],
  },
  {
    keyword: 'abortion',
    recordings: [
      { seenAt: '2023-05-19T12:00:00Z', file: 'google/2023-05-19_desktop_es_abortion_ad1ec6.html' },
      { seenAt: '2023-05-23T12:00:00Z', file: 'google/2023-05-23_desktop_en_abortion_40bc53.html' },
    ],
  },
  {
    keyword: 'coffee',
    recordings: [
      { seenAt: '2020-10-09T12:00:00Z', file: 'google/2020-10-09_nojs_pt-pt_coffee_6d8655.html' },
      { seenAt: '2023-06-02T12:00:00Z', file: 'google/2023-06-02_nojs_en_coffee_058e75.html' },
    ],
  },
  // of 10 results and of 99, most of them of one site
  {
    keyword: 'google',
    recordings: [
      { seenAt: '2023-06-01T12:00:00Z', file: 'google/2023-06-02_nojs_en_google_e0c0af.html' },
      { seenAt: '2023-06-02T12:00:00Z', file: 'google/2023-06-02_nojs_en_google_9c3531.html' },
    ],
  },
];
