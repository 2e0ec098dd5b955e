// One prompt: its shares over time, and the answers with their texts and citations.
import { pathOf, withChanges } from '../address.js';
import { engineName, newestRows, overviews, promptKey } from '../answers.js';
import { useDocument } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { html } from '../html.js';
import { day } from '../words.js';
import { ShareChart, TargetShares } from './answer-shares.js';
import { CsvLink } from './download-link.js';
import { Answer, WebLink } from './state.js';

/** @typedef {import('../answers.js').AnswerRecord} AnswerRecord */
/** @typedef {import('../../../tracker/answers/answers.ts').AnswerSample} AnswerSample */
/** @typedef {import('../address.js').Address & { project: string }} Address */

/** Answers that are shown; the CSV file has all. */
const shownMax = 50;

/**
 * @param {{ address: Address, rows: readonly AnswerRecord[], prompt: string, engine: string, market: string }} props
 */
export function PromptAnswers({ address, rows, prompt, engine, market }) {
  const own = rows.filter(
    (row) =>
      row.engine === engine &&
      row.prompt === prompt &&
      [row.country, row.language, row.device, row.location].filter(Boolean).join(' ') === market,
  );
  const { project, view, query } = address;
  // in a file, a link without parameters keeps those of the page
  const back = pathOf(project, view, withChanges(query, { engine: 'all', prompt: null, in: null }));
  const [first] = own;
  return html`<section class="panel">
    <p><a href=${back}>All prompts</a></p>
    <h2><bdi>${prompt}</bdi></h2>
    <p class="soft">${engineName(engine)}${first !== undefined && `, ${promptKey({ ...first, prompt: '' })}`}</p>
    ${
      first === undefined
        ? html`<p>No answers to this prompt are held here.</p>`
        : html`<${ShareChart} rows=${own} what="answers" /><${TargetShares} rows=${newestRows(own)} address=${address} name="sort7" />`
    }
    ${first !== undefined && engine !== overviews && html`<${Texts} address=${address} row=${first} />`}
    ${first !== undefined && engine === overviews && html`<p>The pages that the overviews cite are in the results of the keyword.</p>`}
  </section>`;
}

/** @param {{ address: Address, row: AnswerRecord }} props */
function Texts({ address, row }) {
  const { engine, prompt, country, language } = row;
  const more = { engine, prompt: prompt ?? '', country: country ?? '', language: language ?? '' };
  const answers = useDocument(
    apiPath(address.project, 'answer-texts', address.query, takes.period, { ...more, limit: `${shownMax}` }),
  );
  return html`<${Answer} answer=${answers} what="the answers" show=${(
    /** @type {{ data: AnswerSample[], total: number }} */ { data, total },
  ) => html`
    <h3>${total > data.length ? `The newest ${data.length} of ${total} answers` : 'Answers'}</h3>
    ${data.length === 0 && html`<p>The texts of these answers are not held here.</p>`}
    ${data.map((sample) => html`<${Sample} key=${`${sample.period} ${sample.sample}`} sample=${sample} />`)}
    <${CsvLink} address=${address} resource="answer-texts" names=${takes.period} more=${more} name="answers" />`} />`;
}

/** @param {{ sample: AnswerSample }} props */
function Sample({ sample: { period, sample, observedAt, source, model, text, citations, mentions } }) {
  const own = citations.filter(({ isOwn }) => isOwn).length;
  return html`<details class="values">
    <summary>${day(period)}, answer ${sample}: ${citations.length} citations, ${own} of them ours${mentions.length > 0 && html`; names <bdi>${mentions.join(', ')}</bdi>`}</summary>
    <p class="soft">${observedAt.slice(0, 16).replace('T', ' ')} UTC, ${source}${model !== null && `, ${model}`}</p>
    <p class="prose">${text.split('\n').map((line) => html`${line}<br />`)}</p>
    <ol>${citations.map(
      ({ url, title, target, isOwn }) =>
        html`<li>${title !== null && html`<bdi>${title}</bdi> `}<${WebLink} url=${url} />${target !== null && html` <span class="mark">${isOwn ? 'ours' : target}</span>`}</li>`,
    )}</ol>
  </details>`;
}
