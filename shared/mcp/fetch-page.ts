import { isAscii, isUtf8 } from 'node:buffer';
import { decodeText } from '../documents/index.ts';
import { toVisibleLine, toVisibleText } from '../utils/index.ts';
import { Guard, GuardError, type HostRules } from './guarded-fetch.ts';
import { readHtml } from './html-text.ts';
import {
  MAX_PAGE_LENGTH,
  MAX_PAGE_PDF_BYTES,
  MAX_PAGE_TITLE_LENGTH,
  type ToolClientRequest,
  type ToolClientResponse,
  type ToolServerFailure,
} from './protocol.ts';

type PageRequest = Extract<ToolClientRequest, { kind: 'page' }>;
type FetchedPage = Extract<ToolClientResponse, { kind: 'page' | 'pdf' }>;

/** Most redirects, all within one host: to https, to a trailing slash, to a language. */
const MAX_REDIRECTS = 4;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/iu;
const PDF = /^application\/(?:x-)?pdf\b/iu;
/** Of a file whose type nobody told the server: S3 sends the second. */
const UNKNOWN = /^(?:application|binary)\/octet-stream\b/iu;
const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml)\b)/iu;

/**
 * Reads the text of a page of strangers, within the rules for their servers and 1 MB; fetches a PDF of up to 4 MB. Its text is empty if it is neither. Never
 * rejects, and ends within `timeoutMs`.
 */
export async function fetchPage(request: PageRequest, rules: HostRules): Promise<ToolClientResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  const guard = new Guard({ ...rules, signal });
  try {
    return await readPage(new URL(request.url), guard);
  } catch (error) {
    // A body that is cut off by the deadline looks like a broken connection.
    const reason = signal.aborted ? 'too-slow' : getFailureReason(error);
    return { kind: 'failed', reason, mayHaveRun: false };
  }
}

async function readPage(address: URL, guard: Guard): Promise<FetchedPage> {
  let url = address;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await guard.fetch(url, {
      headers: {
        accept: 'text/html, application/xhtml+xml, text/plain;q=0.9, application/pdf;q=0.9, */*;q=0.1',
      },
    });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return readResponse(url, response, guard);
    await response.body?.cancel();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next === undefined || getHost(next) !== getHost(address)) throw new GuardError('redirected');
    next.hash = '';
    url = next;
  }
  throw new GuardError('redirected');
}

const getHost = ({ host }: URL): string => host.replace(/^www\./u, '');

async function readResponse(url: URL, response: Response, guard: Guard): Promise<FetchedPage> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new GuardError(response.status === 401 ? 'unauthorized' : 'refused');
  }
  const type = response.headers.get('content-type') ?? 'text/html';
  if (PDF.test(type) || UNKNOWN.test(type)) {
    guard.allowBytes(MAX_PAGE_PDF_BYTES);
    const content = await readPdf(response, PDF.test(type));
    if (content) return { kind: 'pdf', url: url.href, content: content.toString('base64') };
    return { kind: 'page', url: url.href, title: '', text: '' };
  }
  if (!HTML.test(type) && !TEXT.test(type)) {
    await response.body?.cancel();
    return { kind: 'page', url: url.href, title: '', text: '' };
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const source = decodePage(bytes, type);
  const { title, text } = HTML.test(type) ? readHtml(source) : { title: '', text: source };
  return {
    kind: 'page',
    url: url.href,
    title: toVisibleLine(title, MAX_PAGE_TITLE_LENGTH),
    text: toVisibleText(text, MAX_PAGE_LENGTH),
  };
}

/** Reads a PDF. Of a body that is none, if its type does not say so, it reads the beginning only: undefined. */
async function readPdf(response: Response, isPdfType: boolean): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let isPdf = isPdfType;
  for await (const chunk of response.body ?? []) {
    const bytes = Buffer.from(chunk);
    isPdf ||= bytes.toString('latin1', 0, 5) === '%PDF-';
    if (!isPdf) return undefined;
    chunks.push(bytes);
  }
  return isPdf ? Buffer.concat(chunks) : undefined;
}

/** A page has at most 1 MB. */
const MAX_SOURCE_LENGTH = 1_000_000;
/** A page names its encoding within these bytes (HTML standard, 4.2.5.4). */
const META_BYTES = 1_024;

/**
 * Decodes a page. Bytes that are valid UTF-8 are UTF-8, whatever the server says; others are in the encoding that the server or the page names, if they
 * have a meaning in it.
 */
function decodePage(bytes: Uint8Array, type: string): string {
  const start = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1');
  const encoding =
    /charset\s*=\s*["']?([\w-]+)/iu.exec(type)?.[1] ??
    /<meta\s[^>]*charset\s*=\s*["']?([\w-]+)/iu.exec(start)?.[1];
  const decoded = encoding === undefined || isEncodedAsUtf8(bytes, encoding) ? '' : decodeAs(encoding, bytes);
  // Something else than text would have zeros.
  const isText = decoded !== '' && !decoded.includes('\0');
  if (isText && !isMostlyBroken(decoded)) return decoded;
  const guessed = decodeText(bytes, MAX_SOURCE_LENGTH)?.text;
  return guessed ?? (isText && countBroken(decoded) < MAX_BROKEN_SHARE * decoded.length ? decoded : '');
}

/** Of a text whose encoding nobody knows. */
const MAX_BROKEN_SHARE = 0.01;

/** ISO-2022-JP has ASCII bytes only: without its name, nobody could tell it from UTF-8. */
const isEncodedAsUtf8 = (bytes: Uint8Array, encoding: string): boolean =>
  isUtf8(bytes) && !(/^(?:cs)?iso-?2022-?jp$/iu.test(encoding) && isAscii(bytes));

/**
 * Whether a text is in another encoding than that in which it was decoded: of the characters that differ between encodings, half or more are broken.
 * In a page with a few broken bytes most of them are right; their share of the whole text would say little about a page in English.
 */
function isMostlyBroken(text: string): boolean {
  const brokenCount = countBroken(text);
  return brokenCount > 0 && brokenCount >= (text.match(/\P{ASCII}/gu)?.length ?? 0) / 2;
}

const countBroken = (text: string): number => text.split('\uFFFD').length - 1;

/** Empty for an encoding that the web does not know. */
function decodeAs(encoding: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return '';
  }
}

const getFailureReason = (error: unknown): ToolServerFailure =>
  error instanceof GuardError ? error.reason : 'unreachable';
