import { type Random } from '../faults/seeded-random.ts';
import type { Json } from './json.ts';
import { bodyFrom, chance, mutated, oddText, oddValue, pick, upTo } from './mutate.ts';

export type Headers = Readonly<Record<string, string>>;
/** Signature headers for these bytes, as their sender creates them. */
export type Sign = (bytes: Buffer) => Headers;

/** A request to a function. */
export type Sent = {
  /** An API Gateway event (payload 2.0), or a malformed one. */
  readonly event: unknown;
  /** Whether the signature is valid; undefined if it may have survived a change of the event. */
  readonly signed: boolean | undefined;
};

/** How a body is signed: `good` as the platform does, the others as a stranger does. */
export type Signatures = { readonly good: Sign; readonly bad: readonly [Sign, ...Sign[]] };

const eventOf = (random: Random, bytes: Buffer, headers: Headers): Record<string, Json> => {
  const isBase64Encoded = chance(random, 0.5) || bytes.toString('utf8') !== bytes.toString('latin1');
  return {
    version: '2.0',
    routeKey: 'POST /',
    rawPath: '/',
    rawQueryString: '',
    headers: { ...headers },
    requestContext: {
      domainName: 'api.example.com',
      http: { method: 'POST', path: '/', sourceIp: '1.2.3.4' },
    },
    body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  };
};

const cases = [
  (name: string) => name.toUpperCase(),
  (name: string) => name.replaceAll(/\b\w/gu, (one) => one.toUpperCase()),
] as const;

/**
 * Headers as a client or proxy may change them: repeated, joined, in another case, missing, empty, of another type.
 */
function oddHeaders(random: Random, headers: Headers): Json {
  const names = Object.keys(headers);
  const name = names[upTo(random, names.length - 1)] ?? '';
  const value = headers[name] ?? '';
  switch (upTo(random, 6)) {
    case 0:
      return { ...headers, [name.toUpperCase()]: value };
    case 1:
      return { ...headers, [name]: `${value},${value}` };
    case 2:
      return { ...headers, [name]: [value, value] };
    case 3:
      return Object.fromEntries(names.filter((one) => one !== name).map((one) => [one, headers[one] ?? '']));
    case 4:
      return { ...headers, [name]: oddText(random, value) };
    case 5:
      return { ...headers, [name]: oddValue(random, value) };
    default:
      return Object.fromEntries(names.map((one) => [pick(random, cases)(one), headers[one] ?? '']));
  }
}

/**
 * A request with a body derived from this sample. Most are signed correctly, so that the code behind the signature is
 * reached; the others are signed wrongly, or arrive in a malformed event.
 */
export function requestFrom(
  random: Random,
  sample: Json,
  type: string,
  by: Signatures,
  body = bodyFrom,
): Sent {
  const bytes = body(random, sample);
  const how = random();
  if (how < 0.62) {
    return { event: eventOf(random, bytes, { 'content-type': type, ...by.good(bytes) }), signed: true };
  }
  if (how < 0.8) {
    const headers = { 'content-type': type, ...pick(random, by.bad)(bytes) };
    return { event: eventOf(random, bytes, headers), signed: false };
  }
  if (how < 0.84) return { event: eventOf(random, bytes, {}), signed: false };
  const headers = { 'content-type': type, ...by.good(bytes) };
  const event = eventOf(random, bytes, headers);
  if (how < 0.92) return { event: { ...event, headers: oddHeaders(random, headers) }, signed: undefined };
  if (how < 0.94) {
    // A body with the signature of another one.
    const other = Buffer.concat([bytes, Buffer.from(' ')]);
    return { event: eventOf(random, other, headers), signed: false };
  }
  if (how < 0.999) return { event: mutated(random, event), signed: undefined };
  const huge = 'x'.repeat(1024 * 1024 + upTo(random, 3));
  return { event: { ...event, body: huge, isBase64Encoded: chance(random, 0.5) }, signed: false };
}
