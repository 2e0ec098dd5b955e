// Parses all of a Bing page except its organic results: ads, related searches, questions, panel, tabs, pictures.
import type { ImageResult, KnowledgePanel, NavigationTab } from '../../model/results/serp.ts';
import { type PlacedAd, type PlacedQuestion, type PlacedRelated, ranked, withoutEmpty } from '../page/assemble.ts';
import { isHidden, textOf } from '../page/text.ts';
import {
  type Element,
  findAll,
  findFirst,
  hasClass,
  isInsideAny,
  isLink,
  type Tree,
  withClass,
  withId,
} from '../page/tree.ts';
import { namedLink } from './results.ts';
import { absolute, readLink } from './urls.ts';

/** Text ads of the results column and beside it, in reading order; ads below the results are marked. */
export function findAds(tree: Tree): PlacedAd[] {
  const blocks = findAll(tree, tree.root, (element) => element.tag === 'li' && hasClass(element, 'b_ad'));
  const isBeside = isInsideAny(tree, withId('b_context'));
  return blocks.flatMap((block) => {
    const isTop = !hasClass(block, 'b_adBottom') && !isBeside(block);
    return findAll(tree, block, withClass('sb_add')).flatMap((unit) => {
      const named = namedLink(tree, unit);
      const title = named === undefined ? '' : textOf(named.heading);
      if (named === undefined || title === '') return [];
      const click = absolute(named.anchor.get('href') ?? '');
      const link = readLink(named.anchor.get('href') ?? '').destination ?? shownAddress(tree, unit) ?? click;
      return [
        { order: named.heading.order, isTop, ad: { title, link, ...(click !== link && { referral_link: click }) } },
      ];
    });
  });
}

/** The advertiser's address as the ad shows it. */
function shownAddress(tree: Tree, unit: Element): string | undefined {
  const cite = findFirst(tree, unit, (element) => element.tag === 'cite');
  const shown = cite === undefined ? '' : textOf(cite);
  const address = /^https?:\/\//.test(shown) ? shown : `https://${shown}`;
  return /^https?:\/\/[^\s/.]+\.[^\s]+$/.test(address) && URL.canParse(address) ? address : undefined;
}

/** Related searches below the results, each once. */
export function findRelated(tree: Tree): PlacedRelated[] {
  const seen = new Set<string>();
  const lists = findAll(tree, tree.root, withClass('b_rs', 'richrsrailsugwrapper', 'b_rrsr'));
  return lists.flatMap((list) =>
    findAll(tree, list, isLink).flatMap((anchor) => {
      const link = absolute(anchor.get('href') ?? '');
      const text = textOf(anchor);
      if (text === '' || seen.has(text) || !/\/search\?/.test(link)) return [];
      seen.add(text);
      return [{ order: anchor.order, related: { text, link } }];
    }),
  );
}

/**
 * Questions that open on a click, whose answer and source are hidden in the page; or cards in a row, each a link to its
 * source.
 */
export function findQuestions(tree: Tree): PlacedQuestion[] {
  return findAll(tree, tree.root, withClass('df_alsoAsk', 'df_alsoAskCard')).flatMap((block) => {
    const heading = findFirst(tree, block, withClass('b_expansion_text', 'df_qntext'));
    const question = heading === undefined ? '' : textOf(heading);
    if (heading === undefined || question === '') return [];
    const content = findFirst(tree, block, withClass('df_alsocon', 'b_expandable_inline_container')) ?? block;
    const isCard = hasClass(block, 'df_alsoAskCard');
    const answer = findFirst(tree, content, withClass('rwrl', 'df_da')) ?? (isCard ? content : undefined);
    const text =
      answer === undefined ? '' : textOf(answer, { hidden: true, without: withClass('rwrl_cred', 'df_rq', 'b_algo') });
    const source = [...linksAround(block), ...findAll(tree, content, (element) => element.tag === 'a')]
      .map((anchor) => readLink(anchor.get('href') ?? '').destination)
      .find((destination) => destination !== undefined);
    return [
      {
        order: heading.order,
        question: withoutEmpty({
          question,
          answer_source: source,
          answers: text === '' ? [] : [{ rank: 1, type: 'answer' as const, value: { text } }],
        }),
      },
    ];
  });
}

/** The link that contains an element. */
function linksAround(element: Element): Element[] {
  return element.parent?.tag === 'a' ? [element.parent] : [];
}

/** The panel beside the results. */
export function readPanel(tree: Tree): { panel?: KnowledgePanel; links: string[] } | undefined {
  const block = findFirst(tree, tree.root, withClass('b_entityTP', 'lite-entcard-main'));
  if (block === undefined) return undefined;
  const text = (...names: readonly string[]): string => {
    const found = findFirst(tree, block, withClass(...names));
    return found === undefined ? '' : textOf(found, { without: withClass('sml', 'b_hide') });
  };
  const name = text('b_entityTitle', 'pb_ttl', 'l_ecrd_hero_ttl');
  const subtitle = text('b_entitySubTitle', 'l_ecrd_hero_subttl');
  const description = text('b_snippet');
  const facts = [...rowFacts(tree, block), ...cardFacts(tree, block)];
  const panel: KnowledgePanel = withoutEmpty({ name, subtitle, description, facts });
  const links = linksIn(tree, block);
  if (Object.keys(panel).length > 0) return { panel, links };
  // "More about": the head of the card is outside of it.
  return hasClass(block, 'lite-entcard-main') && links.length > 0 ? { links } : undefined;
}

type Facts = NonNullable<KnowledgePanel['facts']>;

/** Rows with a name and a value. */
function rowFacts(tree: Tree, block: Element): Facts {
  return findAll(tree, block, withClass('pst_row')).flatMap((row) => {
    const [label, details] = ['pst_lbl', 'pst_dtls'].map((part) => findFirst(tree, row, withClass(part)));
    const [key, value] = [label, details].map((part) => (part === undefined ? '' : textOf(part)));
    return fact(key, value);
  });
}

/** Rows since 2024: the name is a link to a search, and the value is what follows it. */
function cardFacts(tree: Tree, block: Element): Facts {
  return findAll(tree, block, withClass('lc_expfact')).flatMap((row) => {
    const label = findFirst(tree, row, withClass('lc_expfact_title'));
    return label === undefined ? [] : fact(textOf(label), textOf(row, { without: (element) => element === label }));
  });
}

function fact(key: string | undefined, value: string | undefined): Facts {
  if (key === undefined || value === undefined || key === '' || value === '') return [];
  return [{ key: key.replace(/ ?:$/, ''), value: [{ text: value }] }];
}

/** Destinations outside of the engine, each once. */
export function linksIn(tree: Tree, block: Element): string[] {
  const links = findAll(tree, block, isLink).flatMap((anchor) => readLink(anchor.get('href') ?? '').destination ?? []);
  return [...new Set(links)];
}

/** Tabs above the results: images, videos, news. */
export function findTabs(tree: Tree): NavigationTab[] {
  const bar = findFirst(tree, tree.root, withClass('b_scopebar'));
  if (bar === undefined) return [];
  return findAll(tree, bar, (element) => element.tag === 'a' && /^(?:https?:)?\//.test(element.get('href') ?? ''))
    .map((anchor) => ({ title: textOf(anchor), href: absolute(anchor.get('href') ?? '') }))
    .filter(({ title }) => title !== '');
}

/** Maximum length of a picture's description, in characters. */
const jsonCharactersMax = 4_000;

/** Pictures that name their page. */
export function findImages(tree: Tree): ImageResult[] {
  const anchors = findAll(tree, tree.root, (element) => element.tag === 'a' && hasClass(element, 'iusc'));
  const images = anchors.flatMap((anchor) => {
    const facts = factsIn(anchor.get('m') ?? '');
    const link = facts.get('purl');
    if (link === undefined || isHidden(anchor)) return [];
    return [withoutEmpty({ title: facts.get('t') ?? textOf(anchor), link, image: facts.get('murl') })];
  });
  return ranked(
    images.filter(({ title }) => title),
    (image) => image,
  );
}

function factsIn(json: string): ReadonlyMap<string, string> {
  if (json.length > jsonCharactersMax || !json.startsWith('{')) return new Map();
  try {
    const facts: unknown = JSON.parse(json);
    const entries = Object.entries(facts as object).filter(([, value]) => typeof value === 'string' && value !== '');
    return new Map(entries as [string, string][]);
  } catch {
    return new Map();
  }
}
