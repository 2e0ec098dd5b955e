// The engine's door: HTML of a results page in, root object and features out. Every part is read by a file of its own.
import type { ReadPage, SerpPage } from '../../serp.ts';
import type { Engine, PageContext } from '../engine.ts';
import { columnOf, findOrganic } from './column.ts';
import { isShell, pageFailure, refuseInterstitial, refuseOtherQuery, saysNoResults } from './guards.ts';
import { readOrganic } from './organic.ts';
import { survey } from './survey.ts';
import { parseTree, type Tree, TreeLimitError } from './tree.ts';

export const googleEngine: Engine = { name: 'google', parse };

function parse(html: string, context: PageContext): ReadPage {
  const surveyed = survey(treeOf(html));
  refuseInterstitial(surveyed, html);
  refuseOtherQuery(surveyed, context, html);
  const found = findOrganic(surveyed);
  if (found.length === 0 && !saysNoResults(surveyed, columnOf(surveyed))) {
    throw pageFailure(isShell(surveyed) ? 'javascript_wall' : 'no_organic_results', html);
  }
  const organic = found.map((each, index) => ({
    rank: index + 1,
    global_rank: index + 1,
    ...readOrganic(each, surveyed.tree.elements),
  }));
  const serp: SerpPage = { ...(organic.length > 0 && { organic }) };
  return { serp, features: [] };
}

function treeOf(html: string): Tree {
  try {
    const tree = parseTree(html);
    if (tree.elements.length > 1) return tree;
  } catch (error) {
    if (!(error instanceof TreeLimitError)) throw error;
    throw pageFailure('unparseable', html, `${error.message}.`);
  }
  throw pageFailure('unparseable', html, 'It has no elements.');
}
