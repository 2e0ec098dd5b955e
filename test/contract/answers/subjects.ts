// Every vendor of AI answers in the contract suite.
import type { AnswerSubject } from './subject.ts';

const cost = 0.004;

function envelope(result: unknown, status = 20_000, message = 'Ok.', charged = cost, data = {}) {
  const task = { id: '1', status_code: status, status_message: message, cost: charged, data, result };
  return { version: '0.1', status_code: 20_000, status_message: 'Ok.', cost: charged, tasks: [task] };
}

const dataForSeo: AnswerSubject = {
  source: 'dataforseo',
  options: (key, url) => ({ login: 'me@acme.example', password: key, baseUrl: url }),
  sells(engine, { text, cited, prompt }) {
    const keyword = prompt?.replaceAll('%', '%25').replaceAll('+', '%2B');
    if (engine === 'ai-mode') {
      const references = cited.map((each) => ({ type: 'ai_overview_reference', ...each }));
      return { body: envelope([{ keyword, items: [{ type: 'ai_overview', markdown: text, references, items: [] }] }]) };
    }
    if (engine === 'perplexity') {
      const annotations = cited.map(({ url, title }) => ({ url, title }));
      const sections = [{ type: 'text', text, annotations }];
      const result = [{ model_name: 'sonar', money_spent: 0.003, items: [{ type: 'message', sections }] }];
      return { body: envelope(result, 20_000, 'Ok.', cost, { user_prompt: prompt }) };
    }
    const searched = [{ type: 'chat_gpt_search_result', url: 'https://searched.example/', title: 'Only searched' }];
    const sources = cited.map((each) => ({ type: 'chat_gpt_source', ...each }));
    return { body: envelope([{ keyword: prompt, model: 'gpt-5', markdown: text, search_results: searched, sources }]) };
  },
  asked({ json, headers }) {
    const [task] = json as [{ keyword?: string; user_prompt?: string }];
    const basic = Buffer.from(String(headers.authorization).replace('Basic ', ''), 'base64').toString();
    const prompt = task.user_prompt ?? (task.keyword ?? '').replaceAll('%2B', '+').replaceAll('%25', '%');
    return { prompt, key: basic.replace('me@acme.example:', '') };
  },
  outOfCredits: { body: envelope(null, 40_210, 'Insufficient Funds.', 0) },
  badKey: {
    status: 401,
    body: { status_code: 40_100, status_message: 'You are not authorized.', cost: 0, tasks: null },
  },
  throttled: { headers: { 'retry-after': '7' }, body: envelope(null, 40_202, 'Rate Limit exceeded.', 0) },
  cost,
};

const brightData: AnswerSubject = {
  source: 'brightdata',
  options: (apiKey, baseUrl) => ({ apiKey, baseUrl }),
  sells(engine, { text, cited, prompt }) {
    const list = cited.map((each, index) => ({ ...each, position: index + 1 }));
    const searched = [{ url: 'https://searched.example/', title: 'Only searched' }];
    const pages = engine === 'copilot' ? { sources: list } : { citations: list, search_sources: searched };
    const texts = engine === 'copilot' ? { answer_text: text } : { answer_text: text, answer_text_markdown: text };
    return { body: [{ prompt, url: 'u', model: 'gpt-4o', ...texts, ...pages }] };
  },
  asked({ json, headers }) {
    const { input } = json as { input: [{ prompt: string }] };
    return { prompt: input[0].prompt, key: String(headers.authorization).replace('Bearer ', '') };
  },
  outOfCredits: { status: 402, body: { error: 'Insufficient balance' } },
  badKey: { status: 401, body: 'Invalid token' },
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests' } },
  cost: null,
};

const searchApi: AnswerSubject = {
  source: 'searchapi',
  options: (apiKey, baseUrl) => ({ apiKey, baseUrl }),
  sells: (_, { text, cited, prompt }) => ({
    body: {
      search_parameters: { q: prompt },
      search_metadata: { id: '1', status: 'Success' },
      text_blocks: [{ type: 'paragraph', answer: text }],
      markdown: text,
      reference_links: cited.map(({ url, title }, index) => ({ index: index + 1, title, link: url })),
      web_results: [{ link: 'https://searched.example/', title: 'Only searched' }],
    },
  }),
  asked: ({ query, headers }) => ({
    prompt: query.get('q') ?? '',
    key: String(headers.authorization).replace('Bearer ', ''),
  }),
  outOfCredits: { status: 429, body: { error: 'You have used all of the searches for the month.' } },
  badKey: { status: 401, body: { error: 'Invalid API key.' } },
  throttled: { status: 429, headers: { 'retry-after': '7' }, body: { error: 'Too many requests.' } },
  cost: null,
};

export const subjects: readonly AnswerSubject[] = [dataForSeo, brightData, searchApi];
