// Entry point of the report's script: reads the data, draws the charts, starts the table.
import { drawPaperCharts, startCharts } from './charts.js';
import { startDetails } from './details.js';
import { element } from './elements.js';
import { startKeywordTable } from './keyword-table.js';
import { startTheme } from './theme.js';

/** @import { PageData } from '../page-data.ts' */

function start() {
  /** @type {PageData} */
  const data = JSON.parse(element('report-data', HTMLScriptElement).textContent ?? '{}');
  startKeywordTable(data, startDetails(data));
  const drawCharts = startCharts(data);
  startTheme(drawCharts);
  drawPaperCharts(data);
  document.documentElement.dataset['ready'] = '';
}

start();
