import type { SimRequest } from './exchange.ts';
import { RefusedError } from './error-responses.ts';

export type Key = {
  readonly key: string;
  /** The account's user: the scope of idempotency keys. Limits are counted by key. */
  readonly user: string;
  readonly status: 'active' | 'revoked';
  /** Ids that the key may use; without it, all. */
  readonly models?: readonly string[] | undefined;
};

/** Where a credential may be. `key-first`: either, and `X-Api-Key` alone suffices. */
export type Credential = 'bearer' | 'api-key' | 'either';

/** The key of a request. Throws 401 for one that is missing, unknown or revoked. */
export function authenticate(request: SimRequest, where: Credential, keys: ReadonlyMap<string, Key>): Key {
  const bearer = bearerOf(request);
  const apiKey = request.headers['x-api-key'];
  const secret = where === 'bearer' ? bearer : where === 'api-key' ? apiKey : (apiKey ?? bearer);
  const key = secret === undefined ? undefined : keys.get(secret);
  if (key?.status === 'active') return key;
  const message = secret === undefined ? 'No API key was given.' : 'The API key is not valid or was revoked.';
  throw new RefusedError({
    status: 401,
    message,
    code: secret === undefined ? 'missing_api_key' : 'invalid_api_key',
  });
}

export function bearerOf({ headers }: SimRequest): string | undefined {
  return /^Bearer\s+(\S+)\s*$/iu.exec(headers['authorization'] ?? '')?.[1];
}
