import { isIP } from 'node:net';
import { type Videos, VideoUnreachableError } from '../../../shared/ports/index.ts';
import { streamHttp, NotPublicAddressError, createPublicLookup } from '../../../shared/runtime/index.ts';
import { errorName, USER_AGENT } from '../../../shared/utils/index.ts';

const DEADLINE_MS = 120_000;

/**
 * Fetches the presigned URLs of results: https, a host name and the default port, or the host of the service itself. It sends
 * no key and follows no redirect. It does not connect to a name that DNS resolves to a private address at that moment.
 */
export function createVideoFetcher(serviceOrigin: string, lookup = createPublicLookup()): Videos['fetch'] {
  return async (address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || !mayOpen(url, serviceOrigin))
      throw new VideoUnreachableError('an address that is not opened', true);
    const isServiceOrigin = url.origin === serviceOrigin;
    const request = {
      method: 'GET',
      url,
      headers: { 'user-agent': USER_AGENT },
      deadlineMs: DEADLINE_MS,
      lookup: isServiceOrigin ? undefined : lookup,
    } as const;
    const answer = await streamHttp(request).catch((error: unknown) => {
      throw new VideoUnreachableError(errorName(error), error instanceof NotPublicAddressError);
    });
    const { status, bytes, content } = answer;
    if (status === 200) return { bytes, mimetype: content.headers['content-type'] ?? '', content };
    content.destroy();
    throw new VideoUnreachableError(
      `status ${status}`,
      status >= 300 && status < 500 && status !== 403 && status !== 429,
    );
  };
}

function mayOpen(url: URL, serviceOrigin: string): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.origin === serviceOrigin) return true;
  const { protocol, hostname, port } = url;
  const hasPublicName =
    isIP(hostname.replaceAll(/[[\]]/gu, '')) === 0 && hostname.includes('.') && !hostname.endsWith('.local');
  return protocol === 'https:' && port === '' && hasPublicName;
}
