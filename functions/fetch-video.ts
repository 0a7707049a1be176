import { isIP } from 'node:net';
import { type Videos, VideoUnreachable } from '../shared/flows/index.ts';
import { streamHttp } from '../shared/runtime/http-stream.ts';

const DEADLINE_MS = 120_000;

/**
 * Opens the presigned addresses that results hold: by https, at a host with a name and the usual port, or where the
 * service itself is. No key goes along, and no redirect is followed.
 */
export function videoFetcher(serviceOrigin: string): Videos['fetch'] {
  return async (address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (!url || !mayOpen(url, serviceOrigin))
      throw new VideoUnreachable('an address that is not opened', true);
    const answer = await streamHttp({ method: 'GET', url, deadlineMs: DEADLINE_MS }).catch(
      (error: unknown) => {
        throw new VideoUnreachable(error instanceof Error ? error.name : 'no answer', false);
      },
    );
    const { status, bytes, content } = answer;
    if (status === 200) return { bytes, mimetype: content.headers['content-type'] ?? '', content };
    content.destroy();
    throw new VideoUnreachable(
      `status ${status}`,
      status >= 300 && status < 500 && status !== 403 && status !== 429,
    );
  };
}

function mayOpen(url: URL, serviceOrigin: string): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.origin === serviceOrigin) return true;
  const { protocol, hostname, port } = url;
  const named =
    isIP(hostname.replaceAll(/[[\]]/gu, '')) === 0 && hostname.includes('.') && !hostname.endsWith('.local');
  return protocol === 'https:' && port === '' && named;
}
