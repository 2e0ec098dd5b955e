// Messages in Slack's blocks: escaped texts, within Slack's limits.

/** Slack rejects sections above 3,000 characters. */
export const sectionCharactersMax = 2_900;

/** `text` is for messengers without support for blocks. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

/** `sections` and `context` are escaped; a section has at most `sectionCharactersMax` characters. */
export function slackBlocks(title: string, sections: readonly string[], context: readonly string[]): readonly object[] {
  const marked = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });
  return [
    { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
    ...sections.map((text) => ({ type: 'section', text: marked(text) })),
    ...(context.length === 0 ? [] : [{ type: 'context', elements: context.map(marked) }]),
  ];
}

/** Slack reads `<...>` as links and mentions. Its documentation asks to escape exactly these three characters. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function slackLink(url: string, text: string): string {
  return `<${escapeSlack(url).replaceAll('|', '%7C')}|${text}>`;
}
