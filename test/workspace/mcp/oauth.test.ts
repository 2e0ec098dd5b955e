// Access tokens of an authorization server on this machine, and what an assistant sees with them.
import { Client, discoverOAuthServerInfo, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HistoryReader } from '../../../src/read/contract.ts';
import { startMcpHttp } from '../../../src/workspace/mcp/http.ts';
import { openOAuth } from '../../../src/workspace/mcp/oauth.ts';
import type { ReaderScope } from '../../../src/workspace/scoped-reader.ts';
import { authorizationServer } from '../../helpers/authorization-server.ts';
import { closeLater } from '../../helpers/closing.ts';
import { doorOptions, tokenDoor } from '../../helpers/door.ts';

const resource = 'http://127.0.0.1:9/mcp';
const own = await generateKeyPair('RS256');
const foreign = await generateKeyPair('RS256');
const publicKey = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };

let issuer: string;
let url: string;
const errors: unknown[] = [];

beforeAll(async () => {
  const authorization = closeLater(await authorizationServer([publicKey]));
  issuer = authorization.url;
  const readerOf = (scope: ReaderScope | null) =>
    ({ projects: () => (scope === null ? ['acme', 'globex'] : [scope.project]) }) as unknown as HistoryReader;
  const onError = (error: unknown) => errors.push(error);
  const server = await startMcpHttp({
    ...{ ...doorOptions, door: tokenDoor, host: '127.0.0.1', port: 0, onError, readerFor: readerOf },
    oauth: await openOAuth({ issuer, resource, onError }),
  });
  closeLater(server);
  url = server.url;
});

interface Token {
  readonly claims?: JWTPayload;
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
  readonly expires?: string;
}

/** A token as the authorization server writes it, but for what is named. */
function token({ claims = {}, key = own.privateKey, alg = 'RS256', expires = '5m' }: Token = {}): Promise<string> {
  return new SignJWT({ scope: 'openid rankledger:read', client_id: 'assistant', ...claims })
    .setProtectedHeader({ alg, kid: 'one' })
    .setIssuer(claims.iss ?? issuer)
    .setAudience(claims.aud ?? resource)
    .setSubject('ann')
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key);
}

function ask(bearer?: string): Promise<Response> {
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_projects' } });
  return fetch(url, { method: 'POST', headers, body });
}

async function projectsWith(bearer: string, protocol: 'legacy' | { pin: string } = 'legacy'): Promise<unknown> {
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: protocol } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { content } = await client.callTool({ name: 'list_projects', arguments: {} });
  await client.close();
  return JSON.parse((content as { text: string }[])[0]?.text ?? '').projects;
}

describe('an assistant that others host', () => {
  it('finds the authorization server from the refusal of a request without a token', async () => {
    const refused = await ask();
    expect(refused.status).toBe(401);
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(metadata).toBe('http://127.0.0.1:9/.well-known/oauth-protected-resource/mcp');
    const described = await (await fetch(new URL(new URL(metadata).pathname, url))).json();
    expect(described).toMatchObject({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ['rankledger:read'],
    });
    const found = await discoverOAuthServerInfo(url, { resourceMetadataUrl: new URL(new URL(metadata).pathname, url) });
    expect(found.authorizationServerMetadata?.token_endpoint).toBe(`${issuer}/token`);
  });

  it.each(['legacy' as const, { pin: '2026-07-28' }])(
    'reads by the protocol %o with an access token',
    async (protocol) => {
      expect(await projectsWith(await token(), protocol)).toEqual(['acme', 'globex']);
    },
  );

  it('reads one project with the scope of that project', async () => {
    expect(await projectsWith(await token({ claims: { scope: 'rankledger:read:acme' } }))).toEqual(['acme']);
    expect(await projectsWith(await token({ claims: { scope: undefined, scp: ['rankledger:read:acme'] } }))).toEqual([
      'acme',
    ]);
  });

  it.each<[string, number, () => Promise<string>]>([
    ['of another issuer', 401, () => token({ claims: { iss: 'https://other.example' } })],
    ['for another server', 401, () => token({ claims: { aud: 'https://other.example/mcp' } })],
    ['that has ended', 401, () => token({ expires: '-2m' })],
    ['signed with another key', 401, () => token({ key: foreign.privateKey })],
    [
      'signed with the public key as a secret',
      401,
      () => token({ alg: 'HS256', key: new TextEncoder().encode(JSON.stringify(publicKey)) }),
    ],
    [
      'without a signature',
      401,
      async () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await token()).split('.')[1]}.x`,
    ],
    ['without a scope of this server', 403, () => token({ claims: { scope: 'openid profile' } })],
    ['with a scope that only begins like one', 403, () => token({ claims: { scope: 'rankledger:reader' } })],
    ['of two projects', 403, () => token({ claims: { scope: 'rankledger:read:acme rankledger:read:globex' } })],
  ])('reads nothing with a token %s', async (_, status, write) => {
    const refused = await ask(await write());
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      status,
      expect.stringContaining('resource_metadata='),
    ]);
    expect(await refused.text()).not.toContain('acme');
    expect(errors).toEqual([]);
  });

  it('reads with the token of a reader as before, and not with a wrong one', async () => {
    expect(await projectsWith('good')).toEqual(['acme', 'globex']);
    expect((await ask('wrong')).status).toBe(401);
  });
});

it.each([
  ['describes another issuer', () => `${issuer}/`],
  ['does not describe itself', () => `${issuer}/realm`],
  ['does not answer', () => 'http://127.0.0.1:9'],
])('an authorization server that %s is refused at the start', async (_, address) => {
  await expect(openOAuth({ issuer: address(), resource, onError: () => {} })).rejects.toThrow('authorization server');
});
