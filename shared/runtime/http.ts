/** An HTTP request to a function. */
export type HttpRequest = {
  /** The raw bytes, whatever encoding API Gateway used. */
  readonly body: Buffer;
  /** The value of a header; undefined if it is missing or was sent more than once. */
  readonly header: (name: string) => string | undefined;
};

/** The HTTP response of a function. */
export type HttpResponse = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

/** The platforms send much less. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Parses an API Gateway event (payload 2.0). Header names are case-insensitive. Undefined if the body is larger
 * than 1 MiB; this is checked before decoding. Never throws: missing or malformed fields are treated as absent.
 */
export function parseRequest(event: unknown): HttpRequest | undefined {
  const { headers, body, isBase64Encoded } = fields(event);
  const encoding = isBase64Encoded === true ? 'base64' : 'utf8';
  const text = typeof body === 'string' ? body : '';
  if (Buffer.byteLength(text, encoding) > MAX_BODY_BYTES) return undefined;
  return { body: Buffer.from(text, encoding), header: (name) => singleHeader(fields(headers), name) };
}

function singleHeader(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const named = ([key]: readonly [string, unknown]): boolean => key.toLowerCase() === name;
  const [first, ...others] = Object.entries(headers).filter(named);
  const value = first?.[1];
  // API Gateway joins repeated headers with commas; none of the headers read here contains a comma.
  return typeof value === 'string' && others.length === 0 && !value.includes(',') ? value : undefined;
}

function fields(of: unknown): Readonly<Record<string, unknown>> {
  return typeof of === 'object' && of !== null ? { ...of } : {};
}
