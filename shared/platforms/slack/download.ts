import { bodyOf } from '../fetching.ts';

export type Download = {
  readonly token: string;
  /** Who gets the token: schemes, hosts and ports that must match exactly. */
  readonly origins: readonly string[];
  readonly timeoutMs: number;
  readonly mostBytes: number;
  /** The file's bytes, as Slack tells them. */
  readonly bytes: number | undefined;
  /** Whether the file is known to be a page of HTML, or to be handed out as one. */
  readonly page: boolean;
};

export type Downloaded =
  | { readonly kind: 'content'; readonly bytes: Uint8Array }
  /** Slack sent its login page, or the way to it: the token may not read files. */
  | { readonly kind: 'login' }
  | { readonly kind: 'too-large' | 'empty' | 'gone' | 'elsewhere' | 'no-answer' };

const REDIRECTS = 2;
const REDIRECT = new Set([301, 302, 303, 307, 308]);
const LOGIN_HOST = /(?:^|\.)slack(?:-gov)?\.com$/;

/**
 * Fetches a file. The token goes with the first request alone, and only to one of the origins; redirects are followed
 * only within the origins, twice, and without it. Nothing beyond `mostBytes` is read. Never throws.
 */
export async function download(address: string, wanted: Download): Promise<Downloaded> {
  const signal = AbortSignal.timeout(wanted.timeoutMs);
  let url = allowed(address, wanted.origins);
  let headers: Record<string, string> = { authorization: `Bearer ${wanted.token}` };
  try {
    for (let hops = 0; url && hops <= REDIRECTS; hops += 1) {
      const answer: Response = await fetch(url, {
        headers: { ...headers, accept: '*/*', 'accept-encoding': 'identity' },
        redirect: 'manual',
        credentials: 'omit',
        signal,
      });
      if (!REDIRECT.has(answer.status)) return await read(answer, wanted);
      await answer.body?.cancel();
      const to = resolved(answer.headers.get('location'), url);
      if (to && LOGIN_HOST.test(to.hostname) && !wanted.origins.includes(to.origin)) return { kind: 'login' };
      url = to && allowed(to.href, wanted.origins);
      headers = {};
    }
    return { kind: 'elsewhere' };
  } catch {
    return { kind: 'no-answer' };
  }
}

function allowed(address: string, origins: readonly string[]): URL | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  const named = url.username !== '' || url.password !== '';
  return !named && origins.includes(url.origin) ? url : undefined;
}

function resolved(location: string | null, base: URL): URL | undefined {
  return location !== null && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}

async function read(answer: Response, wanted: Download): Promise<Downloaded> {
  const kind = refusal(answer);
  if (kind) {
    await answer.body?.cancel();
    return { kind };
  }
  const bytes = await bodyOf(answer, wanted.mostBytes);
  if (!bytes) return { kind: 'too-large' };
  if (bytes.byteLength === 0) return { kind: 'empty' };
  const html = isHtml(answer.headers.get('content-type') ?? '', bytes);
  const own = bytes.byteLength === wanted.bytes || (wanted.page && !isSlacksOwn(bytes));
  return html && !own ? { kind: 'login' } : { kind: 'content', bytes };
}

function refusal({ status, headers }: Response): Exclude<Downloaded['kind'], 'content'> | undefined {
  if (status === 401 || status === 403) return 'login';
  if (status === 404 || status === 410) return 'gone';
  const encoding = headers.get('content-encoding') ?? 'identity';
  return status !== 200 || encoding !== 'identity' ? 'no-answer' : undefined;
}

/** Canvases are handed out as pages whose length nobody tells; those of Slack itself are told by their title. */
const isSlacksOwn = (bytes: Uint8Array): boolean =>
  /<title[^>]*>(?:[^<]*[|–-]\s*)?Slack\s*<\/title>/i.test(headOf(bytes, 8_192));

const headOf = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.subarray(0, length)).toString('utf8');

/** Without the right to the file, Slack answers with its login page, as if all were well. */
function isHtml(contentType: string, bytes: Uint8Array): boolean {
  // A mark of the order of bytes counts as white space here.
  const head = headOf(bytes, 512);
  return /^\s*text\/html\b/i.test(contentType) || /^\s*<(?:!doctype\s+html|html[\s>])/i.test(head);
}
