// Of a page about one thing: the parameters that name it. Links to other pages leave them out.

export const ownParameters: Readonly<Record<string, readonly string[]>> = {
  keyword: ['id', 'seen', 'lines'],
  serp: ['keyword', 'country', 'language', 'device', 'location', 'date', 'against', 'whole'],
};
