// AI answers of a project: shares of citations by engine, certain changes, cited pages; and one prompt with its texts.

import { certainChanges, citedPages, engineName, enginesOf, newestRows, overviews } from '../answers.js';
import { isFile, useDocument } from '../api.js';
import { apiPath, takes } from '../api-path.js';
import { html } from '../html.js';
import { CitedPages, PromptShares, ShareChart, TargetShares } from '../parts/answer-shares.js';
import { PromptAnswers } from '../parts/answer-texts.js';
import { CsvLink } from '../parts/download-link.js';
import { Answer, DataWarning } from '../parts/state.js';
import { ViewTitle } from '../parts/view-title.js';
import { day } from '../words.js';

/** @typedef {import('../answers.js').AnswerRecord} AnswerRecord */
/** @typedef {import('../address.js').Address & { project: string }} Address */

/** @param {Address & { projects: any }} address */
export function Answers(address) {
  const { project } = address;
  return html`
    <${ViewTitle}>AI answers of <bdi>${project}</bdi></${ViewTitle}>
    <${DataWarning} projects=${address.projects} project=${project} />
    <${AnswerSections} address=${address} />
  `;
}

/** The same in the workspace and in a report. @param {{ address: Address }} props */
export function AnswerSections({ address }) {
  const { project, query } = address;
  const answers = useDocument(apiPath(project, 'answers', query, takes.period, { limit: '10000' }));
  const [engine, prompt] = [query.get('engine'), query.get('prompt')];
  return html`<${Answer} answer=${answers} what="the AI answers" show=${(
    /** @type {{ data: AnswerRecord[] }} */ { data },
  ) => {
    if (data.length === 0)
      return html`<p>There are no AI answers yet. Track <code>prompts</code> in the config; AI overviews come with the checks of keywords whose pages show them.</p>`;
    if (engine !== null && prompt !== null)
      return html`<${PromptAnswers} address=${address} rows=${data} engine=${engine} prompt=${prompt} market=${query.get('in') ?? ''} />`;
    return html`<${AllPrompts} address=${address} rows=${data} />`;
  }} />`;
}

/** @param {{ address: Address, rows: readonly AnswerRecord[] }} props */
function AllPrompts({ address, rows }) {
  const engines = enginesOf(rows);
  const newest = engines.flatMap((engine) => newestRows(rows.filter((row) => row.engine === engine)));
  const changes = certainChanges(newest);
  const compared = newest.find(({ previousPeriod }) => previousPeriod !== null);
  return html`
    ${engines.map((engine) => {
      const all = rows.filter((row) => row.engine === engine && row.prompt === null);
      const what = engine === overviews ? 'AI overviews' : `answers of ${engineName(engine)}`;
      return html`<section class="panel" key=${engine}><h2>${engineName(engine)}</h2>
        <${ShareChart} rows=${all} what=${what} />
        <${TargetShares} rows=${newestRows(all)} address=${address} name="sort7" />
      </section>`;
    })}
    <section class="panel"><h2>New and lost citations</h2>
      ${
        compared === undefined
          ? html`<p>There is no earlier period of the same source to compare with.</p>`
          : changes.length === 0
            ? html`<p>No share differs from that of ${day(compared.previousPeriod)} by more than chance explains: all intervals overlap.</p>`
            : html`<${PromptShares} rows=${changes} address=${address} name="sort8" caption="Shares whose interval does not overlap that of the period before" />`
      }
    </section>
    <section class="panel"><h2>Prompts</h2>
      <${PromptShares} rows=${newest.filter(({ prompt }) => prompt !== null)} address=${address} name="sort9" caption="Each prompt, engine and target in the newest period; keywords of AI overviews among them" />
      ${
        isFile()
          ? html`<p>All periods are in <a href="answers.csv">answers.csv</a>.</p>`
          : html`<${CsvLink} address=${address} resource="answers" names=${takes.period} />`
      }
    </section>
    <section class="panel"><h2>Cited pages</h2><${CitedPages} pages=${citedPages(newest)} address=${address} name="sort10" /></section>
  `;
}
