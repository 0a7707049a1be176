import { createHash, createHmac } from 'node:crypto';
import type { AwsAccess } from '../runtime/config/config.ts';

/** A POST to a service of AWS. Names of headers are in small letters. */
export type Unsigned = {
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** Without a query, and of characters that need no escape. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const ALGORITHM = 'AWS4-HMAC-SHA256';
/** One for each service, and as many again from before. */
const MAX_KEYS = 16;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const keys = new Map<string, Buffer>();

/** A key serves for a day and a service: made anew for each request, it would be the most part of what signing takes. */
function keyFor(scope: readonly string[], secret: string): Buffer {
  const name = secret + scope.join();
  const key = keys.get(name) ?? scope.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
  // Those of yesterday, and of credentials that were renewed since.
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(name, key);
  return key;
}

/**
 * The headers of a request with its signature, version 4 (docs: IAM, "Create a signed AWS API request"). By hand, because this is the
 * one kind of request that the fronts make, and a library for all kinds is half of what they would load.
 */
export function signedHeaders(
  { service, region, host, path, headers, body }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: AwsAccess['credentials'],
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/gu, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = {
    ...headers,
    host,
    'content-length': String(Buffer.byteLength(body)),
    'x-amz-date': time,
    ...(sessionToken ? { 'x-amz-security-token': sessionToken } : {}),
  };
  const names = Object.keys(all).toSorted();
  const listed = names.map((name) => `${name}:${all[name]?.trim()}\n`).join('');
  const request = ['POST', path, '', listed, names.join(';'), sha256(body)].join('\n');
  const scope = [day, region, service, 'aws4_request'];
  const signature = hmac(
    keyFor(scope, secretAccessKey),
    [ALGORITHM, time, scope.join('/'), sha256(request)].join('\n'),
  ).toString('hex');
  const credential = `${accessKeyId}/${scope.join('/')}`;
  return {
    ...all,
    authorization: `${ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}
