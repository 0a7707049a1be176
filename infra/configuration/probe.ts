/** What came of asking a service something. */
export type ProbeAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      /** The body, if it is JSON. */
      readonly json: unknown;
      /** Whether the body is a web page. */
      readonly html: boolean;
    }
  /** `reason` ends a sentence, such as: "the connection was refused". */
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Asks once. Never rejects, and never follows a redirect with a credential in its headers. */
export type Probe = (
  url: string,
  request?: { readonly method?: 'GET' | 'POST'; readonly headers?: Readonly<Record<string, string>> },
) => Promise<ProbeAnswer>;

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** A probe whose calls, all together, take no longer than `timeoutMs`. */
export function probeWithin(timeoutMs: number): Probe {
  const signal = AbortSignal.timeout(timeoutMs);
  return async (url, { method = 'GET', headers = {} } = {}) => {
    try {
      const response = await fetch(url, { method, headers, redirect: 'manual', signal });
      const text = await textOf(response);
      const html = /^\s*<(?:!doctype|html)/i.test(text);
      return {
        kind: 'answered',
        status: response.status,
        headers: response.headers,
        json: parsed(text),
        html,
      };
    } catch (error) {
      return { kind: 'unreachable', reason: reasonOf(error, timeoutMs) };
    }
  };
}

/** The body, or as much of it as may be read. */
async function textOf({ body }: Response): Promise<string> {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `there was no answer within ${timeoutMs / 1_000} s`;
  const code = codeOf(error);
  if (code === undefined) return 'the connection failed';
  return REASONS[code] ?? (/CERT|SSL|TLS/.test(code) ? `its certificate is not trusted (${code})` : code);
}

/** The code of the error below the one that `fetch` throws; of several attempts (IPv6, IPv4) that of the first. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return codeOf(error.cause);
}
