import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { AwsAccess } from '../runtime/index.ts';

/** A POST request to AWS. Header names are in lower case. */
export type UnsignedRequest = {
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** Without a query string, and without characters that need escaping. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** One key per service, and as many older ones. */
const MAX_KEYS = 16;

const sha256 = (text: string): string => hash('sha256', text);
const hmac = (key: KeyObject | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Key objects, because a buffer is converted to one for each signature, which takes longer than the signature. */
const keyCache = new Map<string, KeyObject>();

/**
 * Returns the signing key of a day and service. Cached, because deriving it takes most of the time of signing.
 */
function signingKey(scope: readonly string[], secret: string): KeyObject {
  const name = secret + scope.join();
  const key = keyCache.get(name) ?? createSecretKey(scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`)));
  // Keys of yesterday, and of credentials that were renewed.
  if (keyCache.size >= MAX_KEYS) keyCache.clear();
  keyCache.set(name, key);
  return key;
}

/**
 * Returns the headers with a version 4 signature (docs: IAM, "Create a signed AWS API request"). Our own code,
 * because the fronts send only this kind of request, and a library for all kinds would be half of their bundle.
 */
export function signHeaders(
  { service, region, host, path, headers, body }: UnsignedRequest,
  { accessKeyId, secretAccessKey, sessionToken }: AwsAccess['credentials'],
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/gu, '');
  const day = time.slice(0, 8);
  const allHeaders: Record<string, string> = {
    ...headers,
    host,
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-date': time,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const names = Object.keys(allHeaders).toSorted();
  const canonicalHeaders = names.map((name) => `${name}:${allHeaders[name]?.trim()}\n`).join('');
  const canonicalRequest = ['POST', path, '', canonicalHeaders, names.join(';'), sha256(body)].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const signature = hmac(
    signingKey(scope, secretAccessKey),
    [ALGORITHM, time, scope.join('/'), sha256(canonicalRequest)].join('\n'),
  ).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...allHeaders,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
