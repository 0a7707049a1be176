import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../ports/index.ts';
import { RetryTimeoutError } from '../api/retry.ts';

/** The timeout for sending the bytes, as part of that for the whole upload. */
const BYTES_TIMEOUT_MS = 100_000;

/** Sends a file to a URL at one of these origins. Rejects with RetryTimeoutError if it is not accepted. */
export type SendBytes = (
  address: string,
  file: Pick<Upload, 'bytes' | 'content'>,
  origins: readonly string[],
) => Promise<void>;

/** Streams the bytes without the token, since the URL is presigned. Redirects are not followed. */
export const sendBytes: SendBytes = async (address, file, origins) => {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !origins.includes(url.origin) || url.username !== '' || url.password !== '') {
    throw new RetryTimeoutError('Slack wants the file at an address that is not its own');
  }
  const send = url.protocol === 'http:' ? httpRequest : httpsRequest;
  const headers = { 'content-type': 'application/octet-stream', 'content-length': file.bytes };
  const signal = AbortSignal.timeout(BYTES_TIMEOUT_MS);
  const request = send(url, { method: 'POST', headers, signal, agent: false });
  const answered = new Promise<number>((resolve, reject) => {
    request.once('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('the connection was closed without an answer')));
  });
  const sent = pipeline(file.content, request);
  sent.catch(() => undefined);
  const status = await answered;
  if (status !== 200) throw new RetryTimeoutError(`the place for the file answered ${status}`);
  await sent;
};
