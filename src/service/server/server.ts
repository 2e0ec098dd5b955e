// Starts and stops the Search Data Service over HTTP. routes.ts is loaded with Fastify at the first start.
import type { RunningServer, ServerOptions } from './server-options.ts';

/**
 * Listens, and resolves when it does. Rejects with the system's error where it cannot (EADDRINUSE, EACCES), and with
 * Error for a proxy rule that is none.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { listen } = await import('./routes.ts');
  return await listen(options);
}
