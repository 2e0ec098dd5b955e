// Shared descriptions of URL columns: one wording for every table.

export const urlDescription =
  'Page of the target that ranks; its site alone, without a scheme, where the engine hid the page';

export const destinationDescription =
  'What the URL is: exact, host_only (the engine hid the page: a site alone) or hidden (a redirect of the engine); empty where there is none';
