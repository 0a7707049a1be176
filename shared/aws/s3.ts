import aws4 from 'aws4';
import type { AwsAccess } from '../runtime/config/config.ts';
import { type StreamAnswer, streamHttp, type StreamRequest } from '../runtime/http-stream.ts';

/** Files of the deployment's own, private to all but the bearer of an address. */
export interface ObjectStore {
  /**
   * An address that opens the file without credentials for `seconds` from `at` (ms since 1970): the same arguments
   * give the same address. Never log it.
   */
  address(key: string, seconds: number, at: number): string;
  /** Stores a file, replacing what was there. Rejects with ObjectStoreError. */
  put(key: string, file: StoredObject): Promise<void>;
  /** A file, or undefined if there is none. Rejects with ObjectStoreError. */
  get(key: string): Promise<StoredObject | undefined>;
  /** Safe to repeat. Rejects with ObjectStoreError. */
  remove(key: string): Promise<void>;
}

/** `content` is read once, and never held whole. */
export type StoredObject = {
  readonly bytes: number;
  readonly mimetype: string;
  readonly content: AsyncIterable<Uint8Array>;
};

/** S3 refused (its status) or did not answer (0). Names neither key nor content. */
export class ObjectStoreError extends Error {
  override readonly name = 'BucketFailed';
  readonly status: number;
  constructor(operation: string, status: number, options?: ErrorOptions) {
    super(`S3 ${operation}: ${status}`, options);
    this.status = status;
  }
}

const DEADLINE_MS = 10_000;
/** For the body of a file: 200 MB at 2 MB/s. */
const TRANSFER_MS = 100_000;
/** For an address that is used at once. */
const NOW_SECONDS = 300;

/**
 * The bucket `name` in S3, by presigned addresses throughout: one way to sign, bodies stream, and the AWS client's S3
 * stays out of the bundle.
 */
export function s3ObjectStore(name: string, access: AwsAccess, now: () => number): ObjectStore {
  const sign = (method: string, key: string, seconds: number, at: number): string =>
    presigned({ bucket: name, access, method, key, seconds, at });
  const send = async (
    method: StreamRequest['method'],
    key: string,
    more: Pick<StreamRequest, 'headers' | 'body'> = {},
  ): Promise<StreamAnswer> => {
    const url = new URL(sign(method, key, NOW_SECONDS, now()));
    const deadlineMs = method === 'PUT' || method === 'GET' ? TRANSFER_MS : DEADLINE_MS;
    return streamHttp({ method, url, deadlineMs, ...more }).catch((error: unknown) => {
      throw new ObjectStoreError(method, 0, { cause: error });
    });
  };
  return {
    address: (key, seconds, at) => sign('GET', key, seconds, at),
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

type Signed = {
  readonly bucket: string;
  readonly access: AwsAccess;
  readonly method: string;
  readonly key: string;
  readonly seconds: number;
  readonly at: number;
};

function presigned({ bucket, access, method, key, seconds, at }: Signed): string {
  const { region, credentials, endpoints } = access;
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const base = new URL(endpoints.s3 ?? `https://${bucket}.s3.${region}.${domain}`);
  const path = endpoints.s3 === undefined ? `/${key}` : `/${bucket}/${key}`;
  const date = new Date(at).toISOString().replaceAll(/[:-]|\.\d{3}/gu, '');
  const query = `X-Amz-Expires=${seconds}&X-Amz-Date=${date}`;
  const request = { service: 's3', region, host: base.host, method, path: `${path}?${query}` };
  return `${base.protocol}//${base.host}${aws4.sign({ ...request, signQuery: true }, credentials).path}`;
}
