// Access tokens of an authorization server for assistants that others host: who they are for, and what they show.
import {
  type AuthMetadataOptions,
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokenVerifier,
  oauthMetadataResponse,
  verifyBearerToken,
} from '@modelcontextprotocol/server';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ReaderScope } from '../scoped-reader.ts';

export interface OAuthOptions {
  /** The address of the authorization server, as its tokens name it. */
  readonly issuer: string;
  /** The public address of the MCP server, which tokens must name as their audience. */
  readonly resource: string;
  readonly onError: (error: unknown) => void;
}

/** Judges requests of hosted assistants. */
export interface OAuthDoor {
  /** Whether this door judges the token of a request, or its lack of one. A reader's token is no JWT. */
  judges(authorization: string | undefined): boolean;
  /** The scope null: everything. Or the refusal to answer with. */
  admit(
    authorization: string | undefined,
  ): Promise<Response | { readonly scope: ReaderScope | null; readonly client: string }>;
  /** The documents by which an assistant finds the authorization server; undefined: another address. */
  metadata(request: Request): Response | undefined;
}

/** The authorization server cannot be used as it is. */
class AuthorizationServerError extends Error {
  override readonly name = 'AuthorizationServerError';
  readonly hint = 'Give --oauth the issuer as the server itself writes it, and check that this machine reaches it.';
}

/** Shows all projects. */
const readScope = 'rankledger:read';
/** `rankledger:read:acme` shows one. */
const projectScope = `${readScope}:`;
/** Signatures with a key that only the authorization server has. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const fetchTimeoutMs = 10_000;
/** Between the clocks of the two servers, for tokens that begin in a moment. */
const skewSeconds = 60;

const metadataForm = z.looseObject({
  issuer: z.url(),
  jwks_uri: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  response_types_supported: z.array(z.string()),
});

/** Rejects with AuthorizationServerError where the authorization server does not describe itself. */
export async function openOAuth({ issuer, resource, onError }: OAuthOptions): Promise<OAuthDoor> {
  const oauthMetadata = await discover(issuer);
  const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri), { timeoutDuration: fetchTimeoutMs });
  const resourceServerUrl = new URL(resource);
  const described: AuthMetadataOptions = {
    ...{ oauthMetadata, resourceServerUrl, resourceName: 'rankledger', scopesSupported: [readScope] },
  };
  buildOAuthProtectedResourceMetadata(described);
  const challenge = {
    requiredScopes: [readScope],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
  };
  const verifier: OAuthTokenVerifier = {
    async verifyAccessToken(token) {
      const demands = { issuer: oauthMetadata.issuer, audience: resource, algorithms, requiredClaims: ['exp'] };
      const { payload } = await jwtVerify(token, keys, { ...demands, clockTolerance: skewSeconds }).catch(
        (error: unknown) => {
          throw isWrongToken(error) ? new OAuthError(OAuthErrorCode.InvalidToken, error.message) : error;
        },
      );
      const { client_id: client, sub = '', exp: expiresAt = 0 } = payload;
      return { token, clientId: `${String(client ?? '')} ${sub}`, scopes: scopesOf(payload), expiresAt };
    },
  };
  return {
    judges: (authorization) => authorization === undefined || /^Bearer [^.\s]+\.[^.\s]+\.[^.\s]+$/i.test(authorization),
    async admit(authorization) {
      try {
        const { scopes, clientId } = await verifyBearerToken(authorization, { verifier });
        return { scope: scopeOf(scopes), client: `oauth ${clientId}` };
      } catch (error) {
        if (!(error instanceof OAuthError)) onError(error);
        return bearerAuthChallengeResponse(error, challenge);
      }
    },
    metadata: (request) => oauthMetadataResponse(request, described),
  };
}

/** A token that was forged, ended or is for others; not a failure to fetch keys. */
function isWrongToken(error: unknown): error is errors.JOSEError {
  const isFailure = error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid;
  return error instanceof errors.JOSEError && !isFailure && error.code !== 'ERR_JOSE_GENERIC';
}

/** `scope` is a list with spaces; some servers write `scp`, as a list or with spaces. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): string[] {
  return [scope, scp].flat().flatMap((each) => (typeof each === 'string' ? each.split(' ') : []));
}

/** A token without a scope of ours shows nothing; one for several projects would show more than each. */
function scopeOf(scopes: readonly string[]): ReaderScope | null {
  if (scopes.includes(readScope)) return null;
  const [project, ...others] = scopes.flatMap((scope) =>
    scope.startsWith(projectScope) ? [scope.slice(projectScope.length)] : [],
  );
  if (project === undefined || others.length > 0)
    throw new OAuthError(
      OAuthErrorCode.InsufficientScope,
      `The token needs the scope ${readScope}, or ${projectScope}PROJECT of one project.`,
    );
  return { project };
}

/** By RFC 8414, else OpenID Connect. */
async function discover(issuer: string) {
  const base = new URL(issuer);
  const path = base.pathname.replace(/\/$/, '');
  const addresses = [
    new URL(`/.well-known/oauth-authorization-server${path}`, base),
    new URL(`${path}/.well-known/openid-configuration`, base),
  ];
  const problems: string[] = [];
  for (const address of addresses) {
    const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) }).catch(
      (error: unknown) => {
        throw new AuthorizationServerError(`The authorization server does not answer at ${address.href}`, {
          cause: error,
        });
      },
    );
    const described = answer.ok ? metadataForm.safeParse(await answer.json().catch(() => null)) : undefined;
    // another issuer in its own description: tokens of someone else would be taken for those of this one
    if (described?.success && described.data.issuer === issuer) return described.data;
    problems.push(
      `${address.href}: ${described === undefined ? answer.status : described.success ? `names ${described.data.issuer}` : 'lacks keys or endpoints'}`,
    );
  }
  throw new AuthorizationServerError(
    `${issuer} does not describe itself as an authorization server (${problems.join('; ')})`,
  );
}
