import { readBoundedBody } from '../../read-bounded-body.ts';
import { accessTo, type FileHosts } from './file-hosts.ts';

export type Download = {
  readonly token: string;
  /** Where the file may come from, and which of these hosts get the token. */
  readonly hosts: FileHosts;
  readonly timeoutMs: number;
  readonly mostBytes: number;
  /** The file's bytes, as Slack tells them. */
  readonly bytes: number | undefined;
  /** Whether the file is known to be a page of HTML, or to be handed out as one. */
  readonly page: boolean;
};

export type DownloadResult =
  | { readonly kind: 'content'; readonly bytes: Uint8Array }
  /** Slack sent its login page, or the way to it: this token does not get the file. */
  | { readonly kind: 'login' }
  | { readonly kind: 'too-large' | 'empty' | 'gone' | 'elsewhere' | 'no-answer' };

const MAX_REDIRECTS = 3;
const REDIRECT = new Set([301, 302, 303, 307, 308]);
const LOGIN_HOST = /(?:^|\.)slack(?:-gov)?\.com$/;

/**
 * Fetches a file. Redirects are followed three times, and only to the hosts that are allowed; each request carries the token
 * if its own host may have it. Nothing beyond `mostBytes` is read. Never throws.
 */
export async function download(address: string, wanted: Download): Promise<DownloadResult> {
  const { hosts, token } = wanted;
  const signal = AbortSignal.timeout(wanted.timeoutMs);
  let url = address;
  try {
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const access = accessTo(url, hosts);
      if (!access) return { kind: leadsToLogin(url, hops) ? 'login' : 'elsewhere' };
      const answer: Response = await fetch(url, {
        headers: {
          ...(access === 'token' && { authorization: `Bearer ${token}` }),
          accept: '*/*',
          'accept-encoding': 'identity',
        },
        redirect: 'manual',
        credentials: 'omit',
        signal,
      });
      if (!REDIRECT.has(answer.status)) return await read(answer, wanted);
      await answer.body?.cancel();
      const location = answer.headers.get('location');
      if (location === null) return { kind: 'no-answer' };
      url = URL.parse(location, url)?.href ?? '';
    }
    return { kind: 'no-answer' };
  } catch {
    return { kind: 'no-answer' };
  }
}

/** Slack sends whoever may not see a file to the page of the workspace where people sign in. */
const leadsToLogin = (url: string, hops: number): boolean =>
  hops > 0 && LOGIN_HOST.test(URL.parse(url)?.hostname ?? '');

async function read(answer: Response, wanted: Download): Promise<DownloadResult> {
  const kind = refusal(answer);
  if (kind) {
    await answer.body?.cancel();
    return { kind };
  }
  const bytes = await readBoundedBody(answer, wanted.mostBytes);
  if (!bytes) return { kind: 'too-large' };
  if (bytes.byteLength === 0) return { kind: 'empty' };
  const html = isHtml(answer.headers.get('content-type') ?? '', bytes);
  const own = bytes.byteLength === wanted.bytes || (wanted.page && !isSlacksOwn(bytes));
  return html && !own ? { kind: 'login' } : { kind: 'content', bytes };
}

function refusal({ status, headers }: Response): Exclude<DownloadResult['kind'], 'content'> | undefined {
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
