// report.html, started in the browser: the parts of the workspace over the data in the file.
import './tokens.css';
import './style.css';
import './controls.css';
import './tables.css';
import './charts.css';
import './serp.css';
import './pages.css';
import './report/report.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import type { PageData } from '../../report/html/data/page-data.ts';
import type { ReportFacts } from '../../report/html/data/page-facts.ts';
import { answerPath, filePath } from '../embedded/answer.ts';
import { PageReader } from '../embedded/page-reader.ts';
import { followLinks, keepInHash } from './address.ts';
import { queries, readFromPage } from './api.ts';
import { ReportDocument } from './report/document.tsx';
import { OverReport } from './report/over-report.tsx';
import { startTheme } from './theme.ts';

/** The text of an element of the file, which this program wrote. */
function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}

function start(data: PageData): void {
  const facts = JSON.parse(textOf('report-facts')) as ReportFacts;
  const reader = new PageReader(data);
  readFromPage({
    answer: (path) => answerPath(reader, path),
    file: (path) => filePath(reader, path),
    compare: data.project.compare,
  });
  keepInHash(data.project.name);
  startTheme();
  document.addEventListener('click', followLinks);
  const place = document.getElementById('app');
  if (place !== null)
    createRoot(place).render(
      <QueryClientProvider client={queries}>
        <OverReport>
          <ReportDocument facts={facts} data={data} />
        </OverReport>
      </QueryClientProvider>,
    );
}

const packed = Uint8Array.from(atob(textOf('report-data')), (byte) => byte.charCodeAt(0));
new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).json().then(start);
