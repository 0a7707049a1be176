import type { APIGatewayProxyEventV2 } from 'aws-lambda';

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

/** The parts of API Gateway's event that are looked at; whoever can call the function may send anything else. */
export type GatewayEvent = Partial<Pick<APIGatewayProxyEventV2, 'headers' | 'body' | 'isBase64Encoded'>>;

/**
 * Reads an event of API Gateway (payload 2.0). Header names count in any case. Never throws: what is missing or of an
 * odd type is absent.
 */
export function readRequest(event: unknown): HttpRequest {
  const { headers, body, isBase64Encoded } = fields(event);
  const text = typeof body === 'string' ? body : '';
  return {
    body: Buffer.from(text, isBase64Encoded === true ? 'base64' : 'utf8'),
    header: (name) => single(fields(headers), name),
  };
}

/** The largest body that an event may carry, known before it is decoded: at most this many bytes. */
export function bodyBound(event: unknown): number {
  const { body, isBase64Encoded } = fields(event);
  if (typeof body !== 'string') return 0;
  return isBase64Encoded === true ? Math.ceil((body.length * 3) / 4) : Buffer.byteLength(body);
}

/** An answer whose body is JSON. */
export function json(statusCode: number, content: unknown): HttpAnswer {
  return { statusCode, headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
}

/** An answer without a body. */
export function empty(statusCode: number): HttpAnswer {
  return { statusCode, body: '' };
}

function single(headers: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const values = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  const [first] = values;
  // API Gateway joins the values of a repeated header by commas; no header asked for here has one of its own.
  if (values.length !== 1 || typeof first?.[1] !== 'string' || first[1].includes(',')) return undefined;
  return first[1];
}

function fields(of: unknown): Readonly<Record<string, unknown>> {
  return typeof of === 'object' && of !== null ? { ...of } : {};
}
