import { readBoundedBody } from '../../index.ts';
import { getFileAccess, type FileHosts } from './file-hosts.ts';

export type Download = {
  readonly token: string;
  /** The allowed hosts of the file, and which of them get the token. */
  readonly hosts: FileHosts;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** The size of the file in bytes, as in Slack's metadata. */
  readonly bytes: number | undefined;
  /** Whether the file is HTML, or Slack serves it as HTML, such as a canvas. */
  readonly isPage: boolean;
};

export type DownloadResult =
  | { readonly kind: 'content'; readonly bytes: Uint8Array }
  /** Slack sent its login page, or a redirect to it: the token has no access to the file. */
  | { readonly kind: 'login' }
  | { readonly kind: 'too-large' | 'empty' | 'gone' | 'elsewhere' | 'no-answer' };

const MAX_REDIRECTS = 3;
const REDIRECT = new Set([301, 302, 303, 307, 308]);
const LOGIN_HOST = /(?:^|\.)slack(?:-gov)?\.com$/;

/**
 * Downloads a file. Follows up to three redirects, to allowed hosts only. Each request has the token only if its host may get it. Reads
 * at most `maxBytes`. Never throws.
 */
export async function download(address: string, options: Download): Promise<DownloadResult> {
  const { hosts, token } = options;
  const signal = AbortSignal.timeout(options.timeoutMs);
  let url = address;
  try {
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const access = getFileAccess(url, hosts);
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
      if (!REDIRECT.has(answer.status)) return await read(answer, options);
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

/** Without access to a file, Slack redirects to the login page of the workspace. */
const leadsToLogin = (url: string, hops: number): boolean =>
  hops > 0 && LOGIN_HOST.test(URL.parse(url)?.hostname ?? '');

async function read(answer: Response, options: Download): Promise<DownloadResult> {
  const kind = getRefusalKind(answer);
  if (kind) {
    await answer.body?.cancel();
    return { kind };
  }
  const bytes = await readBoundedBody(answer, options.maxBytes);
  if (!bytes) return { kind: 'too-large' };
  if (bytes.byteLength === 0) return { kind: 'empty' };
  const isHtmlPage = isHtml(answer.headers.get('content-type') ?? '', bytes);
  const isRequestedFile = bytes.byteLength === options.bytes || (options.isPage && !isSlacksOwn(bytes));
  return isHtmlPage && !isRequestedFile ? { kind: 'login' } : { kind: 'content', bytes };
}

function getRefusalKind({
  status,
  headers,
}: Response): Exclude<DownloadResult['kind'], 'content'> | undefined {
  if (status === 401 || status === 403) return 'login';
  if (status === 404 || status === 410) return 'gone';
  const encoding = headers.get('content-encoding') ?? 'identity';
  return status !== 200 || encoding !== 'identity' ? 'no-answer' : undefined;
}

/** Whether a page is one of Slack itself. Canvases are served as HTML without a known size; Slack's own pages have its name in the title. */
const isSlacksOwn = (bytes: Uint8Array): boolean =>
  /<title[^>]*>(?:[^<]*[|–-]\s*)?Slack\s*<\/title>/i.test(readStart(bytes, 8_192));

const readStart = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.subarray(0, length)).toString('utf8');

/** Whether a response is HTML. Without access to the file, Slack responds with its login page and status 200. */
function isHtml(contentType: string, bytes: Uint8Array): boolean {
  // `\s` matches a byte order mark too.
  const head = readStart(bytes, 512);
  return /^\s*text\/html\b/i.test(contentType) || /^\s*<(?:!doctype\s+html|html[\s>])/i.test(head);
}
