// The workspace of `view`, started in the browser.
import '@fontsource-variable/inter/wght.css';
import './tokens.css';
import './style.css';
import './controls.css';
import './tables.css';
import './charts.css';
import './serp.css';
import './pages.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { followLinks } from './address.ts';
import { queries, takeToken } from './api.ts';
import { App } from './app.tsx';
import { startTheme } from './theme.ts';

takeToken();
// a share link in a tab that shows the same page changes only what follows `#`
addEventListener('hashchange', () => {
  if (takeToken()) queries.resetQueries();
});
startTheme();
document.addEventListener('click', followLinks);
const place = document.getElementById('app');
if (place !== null)
  createRoot(place).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
