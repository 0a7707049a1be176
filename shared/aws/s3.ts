import aws4 from 'aws4';
import { type AwsAccess, type StreamResponse, streamHttp, type StreamRequest } from '../runtime/index.ts';

/** Files of the deployment. Private, except to the holder of a presigned URL. */
export interface ObjectStore {
  /**
   * Returns a URL that grants access to the file for `seconds` from `at` (ms since 1970). The same arguments
   * give the same URL. Never log it. `fileName`: under which a browser stores the file; default: the last part of the key.
   */
  presignedUrl(key: string, seconds: number, at: number, fileName?: string): string;
  /** Stores a file and replaces an existing one. Rejects with ObjectStoreError. */
  put(key: string, file: StoredObject): Promise<void>;
  /** Returns a file, or undefined if there is none. Rejects with ObjectStoreError. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Deletes a file. Idempotent. Rejects with ObjectStoreError. */
  remove(key: string): Promise<void>;
}

/** `content` can be read once, and is never held in memory as a whole. */
export type StoredObject = {
  readonly bytes: number;
  readonly mimetype: string;
  readonly content: AsyncIterable<Uint8Array>;
};

/** S3 rejected the request (its status) or did not respond (0). Contains neither key nor content. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError';
  readonly status: number;
  constructor(operation: string, status: number, options?: ErrorOptions) {
    super(`S3 ${operation}: ${status}`, options);
    this.status = status;
  }
}

const REQUEST_TIMEOUT_MS = 10_000;
/** For the body of a file: 200 MB at 2 MB/s. */
const TRANSFER_TIMEOUT_MS = 100_000;
/** For a presigned URL that is used immediately. */
const IMMEDIATE_USE_SECONDS = 300;

/**
 * Creates the store for the S3 bucket `name`. All requests use presigned URLs: there is one way to sign, bodies
 * are streamed, and the bundle does not need the SDK's S3 client.
 */
export function createS3ObjectStore(name: string, access: AwsAccess, now: () => number): ObjectStore {
  const sign = (method: string, key: string, seconds: number, at: number, fileName?: string): string =>
    presign({ bucket: name, access, method, key, seconds, at, fileName });
  const send = async (
    method: StreamRequest['method'],
    key: string,
    more: Pick<StreamRequest, 'headers' | 'body'> = {},
  ): Promise<StreamResponse> => {
    const url = new URL(sign(method, key, IMMEDIATE_USE_SECONDS, now()));
    const deadlineMs = method === 'PUT' || method === 'GET' ? TRANSFER_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
    return streamHttp({ method, url, deadlineMs, ...more }).catch((error: unknown) => {
      throw new ObjectStoreError(method, 0, { cause: error });
    });
  };
  return {
    presignedUrl: (key, seconds, at, fileName) => sign('GET', key, seconds, at, fileName),
    put: async (key, { bytes, mimetype, content }) => {
      const headers = { 'content-length': String(bytes), 'content-type': mimetype };
      const answer = await send('PUT', key, { headers, body: content });
      answer.content.resume();
      if (answer.status !== 200) throw new ObjectStoreError('PUT', answer.status);
    },
    get: async (key) => {
      const { status, bytes, content } = await send('GET', key);
      if (status === 200 && bytes !== undefined)
        return { bytes, mimetype: content.headers['content-type'] ?? 'application/octet-stream', content };
      content.resume();
      if (status === 404) return undefined;
      throw new ObjectStoreError('GET', status);
    },
    remove: async (key) => {
      const { status, content } = await send('DELETE', key);
      content.resume();
      if (status !== 204 && status !== 404) throw new ObjectStoreError('DELETE', status);
    },
  };
}

type PresignRequest = {
  readonly bucket: string;
  readonly access: AwsAccess;
  readonly method: string;
  readonly key: string;
  readonly seconds: number;
  readonly at: number;
  readonly fileName: string | undefined;
};

function presign({ bucket, access, method, key, seconds, at, fileName }: PresignRequest): string {
  const { region, credentials, endpoints } = access;
  const base = new URL(endpoints.s3 ?? `https://${bucket}.s3.${region}.amazonaws.com`);
  const path = endpoints.s3 === undefined ? `/${key}` : `/${bucket}/${key}`;
  const date = new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/gu, '');
  // S3 sends this header with the file (S3 API reference, GetObject, `response-content-disposition`).
  const disposition =
    fileName === undefined
      ? ''
      : `&response-content-disposition=${encodeURIComponent(`inline; filename="${fileName}"`)}`;
  const query = `X-Amz-Expires=${seconds}&X-Amz-Date=${date}${disposition}`;
  const request = { service: 's3', region, host: base.host, method, path: `${path}?${query}` };
  return `${base.protocol}//${base.host}${aws4.sign({ ...request, signQuery: true }, credentials).path}`;
}
