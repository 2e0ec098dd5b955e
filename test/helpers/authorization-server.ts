// An authorization server on this machine: its description, and the keys of its tokens.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function authorizationServer(keys: readonly object[] = []) {
  const server = createServer((request, response) => {
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': {
        ...{ issuer: url, jwks_uri: `${url}/keys`, response_types_supported: ['code'] },
        ...{ authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
        ...{ subject_types_supported: ['public'], id_token_signing_alg_values_supported: ['RS256'] },
      },
      '/keys': { keys },
    };
    const found = answers[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
