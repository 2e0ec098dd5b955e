// Starts the Search Data Service over HTTP, and describes it. Both load what they need when they are called.
import type { OpenApiDocument } from './openapi.ts';
import type { RunningServer, ServerOptions } from './server-options.ts';

/**
 * Resolves when the server listens. Rejects with the system's error if it cannot (EADDRINUSE, EACCES), and with Error
 * for an invalid proxy rule.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { listen } = await import('./routes.ts');
  return await listen(options);
}

/** The OpenAPI 3.1 document of the service; the same object at every call. */
export async function loadOpenApiDocument(): Promise<OpenApiDocument> {
  return (await import('./openapi.ts')).openApiDocument();
}
