import aws4 from 'aws4';
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import type { BucketResource } from '../template/resource-types.ts';
import { listen, closeServer } from '../listen.ts';
import { LOCAL_SECRET, REGION } from '../template/resource-names.ts';
import { isAllowed, type Permissions } from '../template/permissions.ts';
import type { Cleanup } from '../cleanup.ts';

/** The stored metadata of an object. */
const metadataSchema = v.object({ key: v.string(), mimetype: v.string() });

export type S3Options = {
  readonly directory: string;
  readonly buckets: readonly BucketResource[];
  readonly accessKeyId: string;
  /** Permissions by role; a role's session token is its name. Requests without a session token may do everything. */
  readonly rights: Permissions;
  readonly now: () => number;
};

const HOUR_MS = 3_600_000;

/** Starts S3, and deletes expired objects now and every hour. Resolves with its URL. */
export async function startS3(
  { directory, buckets, accessKeyId, rights }: Omit<S3Options, 'now'>,
  undo: Cleanup,
): Promise<string> {
  const options = { directory, buckets, accessKeyId, rights, now: Date.now };
  const server = createS3Server(options);
  const port = await listen(server, '127.0.0.1', 0);
  await deleteExpired(options);
  const timer = setInterval(() => void deleteExpired(options).catch(() => undefined), HOUR_MS);
  undo.push(() => {
    clearInterval(timer);
    return closeServer(server, 100);
  });
  return `http://127.0.0.1:${port}`;
}

/** A rejected request; `code` is S3's error code. */
class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * Emulates the used part of S3 on disk: put, get, head and delete of single objects by presigned URL. Checks signature,
 * expiry and the permissions of the role like S3. Rejects everything else.
 */
export function createS3Server(options: S3Options): Server {
  for (const { name } of options.buckets)
    mkdirSync(join(options.directory, name), { recursive: true, mode: 0o700 });
  return createServer((request, response) => {
    handleRequest(request, response, options).catch((error: unknown) => sendError(response, error));
  });
}

/** The permission for each method. */
const ACTIONS = new Map([
  ['GET', 's3:GetObject'],
  ['HEAD', 's3:GetObject'],
  ['PUT', 's3:PutObject'],
  ['DELETE', 's3:DeleteObject'],
]);

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: S3Options,
): Promise<void> {
  const { method = 'GET' } = request;
  const url = new URL(request.url ?? '/', 'http://s3');
  const [, bucket = '', key = ''] = /^\/([^/]+)\/(.+)$/u.exec(decodeURIComponent(url.pathname)) ?? [];
  // Read before the check, which removes the signature.
  const role = url.searchParams.get('X-Amz-Security-Token');
  checkSignature(request, url, options);
  if (role !== null && options.rights[role] === undefined) throw new S3Error(400, 'InvalidToken');
  const isPermitted = (action: string, resource: string): boolean =>
    role === null || isAllowed(options.rights[role] ?? [], action, `arn:aws:s3:::${resource}`);
  if (!options.buckets.some(({ name }) => name === bucket)) throw new S3Error(404, 'NoSuchBucket');
  const action = ACTIONS.get(method);
  if (action === undefined) throw new S3Error(405, 'MethodNotAllowed');
  if (!isPermitted(action, `${bucket}/${key}`)) throw new S3Error(403, 'AccessDenied');
  const file = join(options.directory, bucket, Buffer.from(key).toString('base64url'));
  if (method === 'PUT') return putObject(request, response, file, key);
  if (method === 'DELETE') {
    await Promise.all([rm(file, { force: true }), rm(`${file}.json`, { force: true })]);
    return void response.writeHead(204).end();
  }
  const stats = await stat(file).catch(() => undefined);
  // Without list permission, S3 does not reveal whether an object exists (S3 API reference, GetObject, "Permissions").
  if (!stats && !isPermitted('s3:ListBucket', bucket)) throw new S3Error(403, 'AccessDenied');
  if (!stats) throw new S3Error(404, 'NoSuchKey');
  const { mimetype } = v.parse(metadataSchema, JSON.parse(await readFile(`${file}.json`, 'utf8')));
  const disposition = url.searchParams.get('response-content-disposition');
  response.writeHead(200, {
    'content-type': mimetype,
    'content-length': stats.size,
    ...(disposition !== null && { 'content-disposition': disposition }),
  });
  if (method === 'HEAD') return void response.end();
  await pipeline(createReadStream(file), response);
}

/** Writes atomically: an object exists completely or not at all, as in S3. */
async function putObject(
  request: IncomingMessage,
  response: ServerResponse,
  file: string,
  key: string,
): Promise<void> {
  if (request.headers['content-length'] === undefined) throw new S3Error(411, 'MissingContentLength');
  const mimetype = request.headers['content-type'] ?? 'binary/octet-stream';
  const draft = `${file}.${randomUUID()}.part`;
  try {
    await pipeline(request, createWriteStream(draft, { mode: 0o600 }));
    await writeFile(`${file}.json`, JSON.stringify({ key, mimetype }));
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
  response.writeHead(200, { etag: `"${randomUUID()}"` }).end();
}

/** Throws unless the URL was signed for this request with the system's key and has not expired. */
function checkSignature(request: IncomingMessage, url: URL, { accessKeyId, now }: S3Options): void {
  const { searchParams: query } = url;
  const requestSignature = query.get('X-Amz-Signature');
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(query.get('X-Amz-Date') ?? '');
  const isOwn = query.get('X-Amz-Credential')?.startsWith(`${accessKeyId}/`) === true;
  if (requestSignature === null || !date || !isOwn) throw new S3Error(403, 'AccessDenied');
  const [, year, month, day, hour, minute, second] = date.map(Number);
  const from = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  const seconds = Number(query.get('X-Amz-Expires'));
  if (!(seconds > 0 && seconds <= 604_800) || now() > from + seconds * 1_000)
    throw new S3Error(403, 'AccessDenied');
  query.delete('X-Amz-Signature');
  const expected = aws4.sign(
    {
      service: 's3',
      region: REGION,
      host: request.headers.host ?? '',
      method: request.method ?? 'GET',
      path: `${url.pathname}?${query.toString()}`,
      signQuery: true,
    },
    { accessKeyId, secretAccessKey: LOCAL_SECRET },
  );
  const signature = new URL(expected.path, 'http://s3').searchParams.get('X-Amz-Signature') ?? '';
  const [mine, theirs] = [Buffer.from(signature), Buffer.from(requestSignature)];
  if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs))
    throw new S3Error(403, 'SignatureDoesNotMatch');
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, code } = error instanceof S3Error ? error : { status: 500, code: 'InternalError' };
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}

/** Deletes objects that their bucket's lifecycle rules expire. */
export async function deleteExpired({
  directory,
  buckets,
  now,
}: Pick<S3Options, 'directory' | 'buckets' | 'now'>): Promise<void> {
  for (const { name, rules } of buckets) {
    const folder = join(directory, name);
    for (const file of (await readdir(folder)).filter((one) => !/\.(?:json|part)$/u.test(one))) {
      const path = join(folder, file);
      const key = Buffer.from(file, 'base64url').toString();
      const age = now() - (await stat(path)).mtimeMs;
      const isExpired = rules.some(({ prefix, days }) => key.startsWith(prefix) && age >= days * 86_400_000);
      if (isExpired) await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
    }
  }
}
