// SQL over a list of keywords: one search lookup per keyword; a join would read all rows of the target.

/**
 * FROM clause: each keyword `w` of the JSON array `@keywords`, its search `s` in one market, and the target `t`. `LEFT
 * JOIN` keeps keywords without a search. Parameters: `@keywords`, `@target`, `@service`, `@country`, `@language`,
 * `@device`, `@location`.
 */
export const searchesAmong = (join: 'JOIN' | 'LEFT JOIN'): string => `FROM json_each(@keywords) w
  ${join} targets t ON t.identity = @target
  ${join} keywords k ON k.text = w.value
  ${join} searches s ON s.keyword_id = k.id AND s.market_id = (
    SELECT id FROM markets WHERE service = @service AND country = @country AND language = @language AND device = @device AND location = @location)`;
