// Shared descriptions of URL columns: one wording for every table.

export const urlDescription = 'Ranking URL of the target; only its site, without a scheme, if the engine hid the page';

export const destinationDescription =
  'Precision of the URL: exact, host_only (the engine hid the page: only the site is known) or hidden (a redirect of the engine); empty without a URL';
