// What happens when the report is opened: its data is read, the charts drawn, the table set to work. Everything else stands in the file as it is.
import { startCharts } from './charts.js';
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
  // paper is light, whatever the screen is: the style sheet changes by itself, what is drawn has to be drawn again
  addEventListener('beforeprint', drawCharts);
  addEventListener('afterprint', drawCharts);
  document.documentElement.dataset['ready'] = '';
}

start();
