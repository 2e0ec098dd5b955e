// Pages without credentials, and the methods of each path of the server.
import { html, json } from '../client/answer-content.ts';
import type { OperationName } from '../model/ports.ts';
import { docsPage } from './docs-page.ts';
import { openApiDocument } from './openapi.ts';
import type { Headers } from './response-headers.ts';

export interface OpenPage {
  readonly type: string;
  readonly text: string;
  readonly headers?: Headers;
  /** Default: 200. */
  readonly status?: number;
}

export const operations: readonly OperationName[] = ['serp', 'keyword-data'];

/** By path. They take GET and HEAD. */
export function openPages(hasDashboard: boolean): ReadonlyMap<string, () => OpenPage> {
  return new Map([
    ['/', () => ({ type: html, text: '', headers: { location: '/docs' }, status: 302 })],
    ['/healthz', () => ({ type: json, text: '{"status":"ok"}' })],
    ['/openapi.json', () => ({ type: json, text: JSON.stringify(openApiDocument()) })],
    ['/docs', () => ({ type: html, ...docsPage(openApiDocument(), hasDashboard) })],
  ]);
}

/** In the form of the header `Allow`; undefined for an unknown path. The dashboard knows its own paths. */
export function allowedMethods(path: string): string | undefined {
  if (['/', '/healthz', '/openapi.json', '/docs', '/v1/usage', '/readyz'].includes(path)) return 'GET, HEAD';
  return operations.some((operation) => path === `/v1/${operation}`) ? 'POST' : undefined;
}
