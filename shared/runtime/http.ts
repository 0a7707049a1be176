/** An HTTP request as a function sees it. */
export type HttpRequest = {
  /** The bytes as sent, whatever the gateway did to carry them. */
  readonly body: Buffer;
  /** The value of a header that was sent once; undefined if it is missing or was sent more than once. */
  readonly header: (name: string) => string | undefined;
};

/** What a function answers. */
export type HttpAnswer = {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
};

/** What the platforms send is far smaller. */
const MAX_BODY = 1024 * 1024;

/**
 * Reads an event of API Gateway (payload 2.0). Header names count in any case. Undefined if the body is larger than
 * 1 MiB, found before anything is decoded. Never throws: what is missing or of an odd type is absent.
 */
export function readRequest(event: unknown): HttpRequest | undefined {
  const { headers, body, isBase64Encoded } = fields(event);
  const encoding = isBase64Encoded === true ? 'base64' : 'utf8';
  const text = typeof body === 'string' ? body : '';
  if (Buffer.byteLength(text, encoding) > MAX_BODY) return undefined;
  return { body: Buffer.from(text, encoding), header: (name) => single(fields(headers), name) };
}

function single(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const named = ([key]: readonly [string, unknown]): boolean => key.toLowerCase() === name;
  const [first, ...others] = Object.entries(headers).filter(named);
  const value = first?.[1];
  // API Gateway joins the values of a repeated header by commas; no header asked for here has one of its own.
  return typeof value === 'string' && others.length === 0 && !value.includes(',') ? value : undefined;
}

function fields(of: unknown): Readonly<Record<string, unknown>> {
  return typeof of === 'object' && of !== null ? { ...of } : {};
}
