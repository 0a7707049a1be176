import { parseJson } from '../../shared/utils/index.ts';
/** The result of a request to a service. */
export type ProbeResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      /** The body, if it is JSON. */
      readonly json: unknown;
      /** Whether the body is a web page. */
      readonly html: boolean;
      /** When the response arrived, in ms since 1970 by the clock of this machine. */
      readonly receivedAt: number;
    }
  /** `reason` completes a sentence: "the connection was refused". */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Sends one request. Never rejects, and never follows redirects, so that credentials stay with the host. */
export type Probe = (
  url: string,
  request?: {
    readonly method?: 'GET' | 'POST' | 'PATCH';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
) => Promise<ProbeResult>;

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Creates a probe with one time limit for all its requests. `now` is the clock of this machine, in ms. */
export function createProbe(timeoutMs: number, now: () => number = Date.now): Probe {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (url, { method = 'GET', headers = {}, body } = {}) => {
    try {
      const request = { method, headers, redirect: 'manual', signal } as const;
      const response = await fetch(url, body === undefined ? request : { ...request, body });
      const receivedAt = now();
      const text = await readBody(response);
      const isHtml = /^\s*<(?:!doctype|html)/i.test(text);
      return {
        kind: 'answered',
        status: response.status,
        headers: response.headers,
        json: parseJson(text),
        html: isHtml,
        receivedAt,
      };
    } catch (error) {
      return { kind: 'unreachable', reason: explainError(error, timeoutMs) };
    }
  };
}

/** Reads the body up to the size limit. */
async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    if (!(chunk instanceof Uint8Array)) continue;
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no host of this name is known',
  EAI_AGAIN: 'names of hosts cannot be looked up: is there a network?',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken off',
  ENETUNREACH: 'there is no network',
  EHOSTUNREACH: 'there is no way to this host',
  UND_ERR_SOCKET: 'the connection was broken off',
};

function explainError(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `there was no answer within ${timeoutMs / 1_000} s`;
  const code = getErrorCode(error);
  if (code === undefined) return 'the connection failed';
  return REASONS[code] ?? (/CERT|SSL|TLS/.test(code) ? `its certificate is not trusted (${code})` : code);
}

/** Returns the error code below the error of `fetch`; of several attempts (IPv6, IPv4) that of the first. */
function getErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return getErrorCode(error.errors[0]);
  return getErrorCode(error.cause);
}
