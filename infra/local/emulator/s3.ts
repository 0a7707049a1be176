import aws4 from 'aws4';
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod/mini';
import type { BucketPlace } from '../template/template-resources.ts';
import { listen, closeServer } from '../listen.ts';
import { LOCAL_SECRET, REGION } from '../template/data-paths.ts';
import { type S3Rights, mayDo } from './s3-rights.ts';
import type { Cleanup } from '../cleanup.ts';

/** What the files of a bucket are kept with. */
const about = z.object({ key: z.string(), mimetype: z.string() });

export type S3Options = {
  readonly directory: string;
  readonly buckets: readonly BucketPlace[];
  readonly accessKeyId: string;
  /** What each role may do; a role's session token is its name. Who signs without a token may do everything. */
  readonly rights: S3Rights;
  readonly now: () => number;
};

const HOUR_MS = 3_600_000;

/** Starts the buckets, and removes now and every hour what they let live no longer. Resolves with their address. */
export async function startS3(
  { directory, buckets, accessKeyId, rights }: Omit<S3Options, 'now'>,
  undo: Cleanup,
): Promise<string> {
  const options = { directory, buckets, accessKeyId, rights, now: Date.now };
  const server = s3Server(options);
  const port = await listen(server, '127.0.0.1', 0);
  await expire(options);
  const timer = setInterval(() => void expire(options).catch(() => undefined), HOUR_MS);
  undo.push(() => {
    clearInterval(timer);
    return closeServer(server, 100);
  });
  return `http://127.0.0.1:${port}`;
}

/** A request was refused; `code` as S3 names it. */
class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

/**
 * The part of S3 that this system uses, on disk: put, get, head and delete of single objects by presigned addresses,
 * whose signature and time are checked as S3 does, and the rights of the role that signed. Nothing else is answered.
 */
export function s3Server(options: S3Options): Server {
  for (const { name } of options.buckets)
    mkdirSync(join(options.directory, name), { recursive: true, mode: 0o700 });
  return createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => refuse(response, error));
  });
}

/** The right that each method takes. */
const ACTIONS = new Map([
  ['GET', 's3:GetObject'],
  ['HEAD', 's3:GetObject'],
  ['PUT', 's3:PutObject'],
  ['DELETE', 's3:DeleteObject'],
]);

async function answer(request: IncomingMessage, response: ServerResponse, options: S3Options): Promise<void> {
  const { method = 'GET' } = request;
  const url = new URL(request.url ?? '/', 'http://s3');
  const [, bucket = '', key = ''] = /^\/([^/]+)\/(.+)$/u.exec(decodeURIComponent(url.pathname)) ?? [];
  // Read first: checking takes the signature out.
  const role = url.searchParams.get('X-Amz-Security-Token');
  check(request, url, options);
  if (role !== null && options.rights[role] === undefined) throw new Refused(400, 'InvalidToken');
  const may = (action: string, resource: string): boolean =>
    role === null || mayDo(options.rights[role] ?? [], action, `arn:aws:s3:::${resource}`);
  if (!options.buckets.some(({ name }) => name === bucket)) throw new Refused(404, 'NoSuchBucket');
  const action = ACTIONS.get(method);
  if (action === undefined) throw new Refused(405, 'MethodNotAllowed');
  if (!may(action, `${bucket}/${key}`)) throw new Refused(403, 'AccessDenied');
  const file = join(options.directory, bucket, Buffer.from(key).toString('base64url'));
  if (method === 'PUT') return put(request, response, file, key);
  if (method === 'DELETE') {
    await Promise.all([rm(file, { force: true }), rm(`${file}.json`, { force: true })]);
    return void response.writeHead(204).end();
  }
  const found = await stat(file).catch(() => undefined);
  // Who may not list a bucket is not told whether a file is there (S3 API reference, GetObject, "Permissions").
  if (!found && !may('s3:ListBucket', bucket)) throw new Refused(403, 'AccessDenied');
  if (!found) throw new Refused(404, 'NoSuchKey');
  const { mimetype } = about.parse(JSON.parse(await readFile(`${file}.json`, 'utf8')));
  response.writeHead(200, { 'content-type': mimetype, 'content-length': found.size });
  if (method === 'HEAD') return void response.end();
  await pipeline(createReadStream(file), response);
}

/** An object is there whole or not at all, as in S3. */
async function put(
  request: IncomingMessage,
  response: ServerResponse,
  file: string,
  key: string,
): Promise<void> {
  if (request.headers['content-length'] === undefined) throw new Refused(411, 'MissingContentLength');
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

/** Throws unless the address was signed for this request by the system's own key, and its time is not over. */
function check(request: IncomingMessage, url: URL, { accessKeyId, now }: S3Options): void {
  const { searchParams: query } = url;
  const given = query.get('X-Amz-Signature');
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(query.get('X-Amz-Date') ?? '');
  const own = query.get('X-Amz-Credential')?.startsWith(`${accessKeyId}/`) === true;
  if (given === null || !date || !own) throw new Refused(403, 'AccessDenied');
  const [, year, month, day, hour, minute, second] = date.map(Number);
  const from = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  const seconds = Number(query.get('X-Amz-Expires'));
  if (!(seconds > 0 && seconds <= 604_800) || now() > from + seconds * 1_000)
    throw new Refused(403, 'AccessDenied');
  query.delete('X-Amz-Signature');
  const wanted = aws4.sign(
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
  const signature = new URL(wanted.path, 'http://s3').searchParams.get('X-Amz-Signature') ?? '';
  const [mine, theirs] = [Buffer.from(signature), Buffer.from(given)];
  if (mine.length !== theirs.length || !timingSafeEqual(mine, theirs))
    throw new Refused(403, 'SignatureDoesNotMatch');
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, code } = error instanceof Refused ? error : { status: 500, code: 'InternalError' };
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}

/** Removes what the rules of its bucket let live no longer. */
export async function expire({
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
      const over = rules.some(({ prefix, days }) => key.startsWith(prefix) && age >= days * 86_400_000);
      if (over) await Promise.all([rm(path, { force: true }), rm(`${path}.json`, { force: true })]);
    }
  }
}
