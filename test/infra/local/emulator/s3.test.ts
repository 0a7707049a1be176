import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTemplate } from '../../../../infra/local/template/build.ts';
import { readTemplateResources } from '../../../../infra/local/template/template-resources.ts';
import { closeServer, listen } from '../../../../infra/local/listen.ts';
import { LOCAL_SECRET, createLookups, REGION } from '../../../../infra/local/template/resource-names.ts';
import { deleteExpired, createS3Server } from '../../../../infra/local/emulator/s3.ts';
import { getParameterValues, readTemplate } from '../../../../infra/local/template/template.ts';
import { ObjectStoreError, createS3ObjectStore, type StoredObject } from '../../../../shared/aws/s3.ts';

const START = 1_800_000_000_000;
const DAY = 86_400_000;
let now = START;
let directory: string;
let server: ReturnType<typeof createS3Server>;
let url: string;
const buckets = [
  {
    name: 'media',
    rules: [
      { prefix: 'inputs/', days: 1 },
      { prefix: 'results/', days: 30 },
    ],
  },
];
const READ = { actions: ['s3:GetObject'], resources: ['arn:aws:s3:::media/inputs/*'] };
const LIST = { actions: ['s3:ListBucket'], resources: ['arn:aws:s3:::media'] };
const rights = { 'a/reader+token==': [READ], 'a/lister+token==': [READ, LIST] };
const credentials = { accessKeyId: 'LOCAL1', secretAccessKey: LOCAL_SECRET };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'parley-s3-'));
  const { accessKeyId } = credentials;
  server = createS3Server({ directory, buckets, accessKeyId, rights, now: () => now });
  url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0)}`;
});
afterAll(async () => {
  await closeServer(server, 0);
  await rm(directory, { recursive: true });
});

const bucketOf = (name = 'media', keys: typeof credentials & { sessionToken?: string } = credentials) =>
  createS3ObjectStore(name, { region: REGION, credentials: keys, endpoints: { s3: url } }, () => now);

async function* pieces(...texts: string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

const small = (): StoredObject => ({ bytes: 1, mimetype: 'a/b', content: pieces('x') });

async function* broken(): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(Buffer.from('ne'));
  throw new Error('the source broke off');
}

async function textOf(stored: StoredObject | undefined): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stored?.content ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('the bucket, by presigned URLs', () => {
  test('stores an object with its type, and deletes it repeatedly', async () => {
    const bucket = bucketOf();
    await bucket.put('results/a b.mp4', {
      bytes: 10,
      mimetype: 'video/mp4',
      content: pieces('01234', '56789'),
    });
    const object = await bucket.get('results/a b.mp4');
    expect(object).toMatchObject({ bytes: 10, mimetype: 'video/mp4' });
    expect(await textOf(object)).toBe('0123456789');
    await bucket.remove('results/a b.mp4');
    await bucket.remove('results/a b.mp4');
    expect(await bucket.get('results/a b.mp4')).toBeUndefined();
  });

  test('keeps the old object when an upload breaks off', async () => {
    const bucket = bucketOf();
    await bucket.put('results/kept', { bytes: 3, mimetype: 'text/plain', content: pieces('old') });
    await expect(
      bucket.put('results/kept', { bytes: 3, mimetype: 'text/plain', content: broken() }),
    ).rejects.toThrow(ObjectStoreError);
    expect(await textOf(await bucket.get('results/kept'))).toBe('old');
  });

  test('accepts a URL for one object and a limited time; the same time gives the same URL', async () => {
    const bucket = bucketOf();
    await bucket.put('inputs/x', { bytes: 2, mimetype: 'image/png', content: pieces('hi') });
    const address = bucket.presignedUrl('inputs/x', 60, now);
    expect(bucket.presignedUrl('inputs/x', 60, now)).toBe(address);
    const answer = await fetch(address);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'image/png',
      'hi',
    ]);
    expect((await fetch(address, { method: 'PUT', body: 'ho' })).status).toBe(403);
    expect((await fetch(address.replace('inputs/x', 'inputs/y'))).status).toBe(403);
    expect((await fetch(address.replace('Expires=60', 'Expires=600'))).status).toBe(403);
    expect((await fetch(address.split('?')[0] ?? '')).status).toBe(403);
    now += 61_000;
    expect((await fetch(address)).status).toBe(403);
    expect((await fetch(bucket.presignedUrl('inputs/none', 60, now))).status).toBe(404);
  });

  test('sends the file under the name in the URL, which is signed', async () => {
    const bucket = bucketOf();
    await bucket.put('results/x.mp4', { bytes: 2, mimetype: 'video/webm', content: pieces('hi') });
    const address = bucket.presignedUrl('results/x.mp4', 60, now, 'video.webm');
    const { status, headers } = await fetch(address);
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'video/webm',
      'inline; filename="video.webm"',
    ]);
    expect((await fetch(address.replace('video.webm', 'video.mp4'))).status).toBe(403);
  });

  test('accepts only its own key, with or without a session token', async () => {
    const other = bucketOf('media', { ...credentials, secretAccessKey: 'another' });
    await expect(other.get('inputs/x')).rejects.toMatchObject({ name: 'ObjectStoreError', status: 403 });
    const session = bucketOf('media', { ...credentials, sessionToken: 'a/reader+token==' });
    expect(await textOf(await session.get('inputs/x'))).toBe('hi');
    await expect(
      bucketOf('other').put('a', { bytes: 1, mimetype: 'a/b', content: pieces('x') }),
    ).rejects.toThrow(ObjectStoreError);
  });

  test('applies the policy of a role, and reports a missing object only with permission to list', async () => {
    const [reader, lister, nobody] = ['a/reader+token==', 'a/lister+token==', 'unknown'].map((sessionToken) =>
      bucketOf('media', { ...credentials, sessionToken }),
    );
    await bucketOf().put('inputs/there', small());
    expect(await textOf(await reader?.get('inputs/there'))).toBe('x');
    await expect(reader?.get('inputs/missing')).rejects.toMatchObject({ status: 403 });
    expect(await lister?.get('inputs/missing')).toBeUndefined();
    for (const role of [reader, lister]) {
      await expect(role?.get('results/missing')).rejects.toMatchObject({ status: 403 });
      await expect(role?.put('inputs/new', small())).rejects.toMatchObject({ status: 403 });
      await expect(role?.remove('inputs/there')).rejects.toMatchObject({ status: 403 });
    }
    await expect(nobody?.get('inputs/there')).rejects.toMatchObject({ status: 400 });
  });

  test('lets the worker know that an expired video is missing, and gives other functions no access', async () => {
    const template = readTemplate((await buildTemplate()).template);
    const names = Object.fromEntries(Object.keys(template.Parameters).map((name) => [name, '1']));
    const places = { api: 'http://api', aws: 'http://aws' };
    const deployed = readTemplateResources(
      template,
      createLookups(template, getParameterValues(template, names), places),
    );
    const options = { directory, ...deployed, accessKeyId: credentials.accessKeyId, now: () => now };
    const own = createS3Server({ ...options, rights: deployed.permissions });
    const s3 = `http://127.0.0.1:${await listen(own, '127.0.0.1', 0)}`;
    const as = (name: string) => {
      const { role = '' } = deployed.functions.find(({ logicalId }) => logicalId.startsWith(name)) ?? {};
      const keys = { ...credentials, sessionToken: role };
      const access = { region: REGION, credentials: keys, endpoints: { s3 } };
      return createS3ObjectStore(deployed.buckets[0]?.name ?? '', access, () => now);
    };
    try {
      expect(await as('Worker').get('results/expired')).toBeUndefined();
      await expect(as('Worker').get('others/file')).rejects.toMatchObject({ status: 403 });
      await expect(as('Transcriber').get('results/expired')).rejects.toMatchObject({ status: 403 });
    } finally {
      await closeServer(own, 0);
    }
  });

  test('reports an unreachable server without object and key', async () => {
    const missingStore = createS3ObjectStore(
      'media',
      { region: REGION, credentials, endpoints: { s3: 'http://127.0.0.1:1' } },
      () => now,
    );
    const failure = await missingStore.get('inputs/secret-name').catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 0 });
    expect(String(failure)).not.toMatch(/secret-name|LOCAL1/u);
  });

  test('accepts URLs that the AWS SDK signs', async () => {
    const client = new S3Client({ region: REGION, credentials, endpoint: url, forcePathStyle: true });
    const signingDate = new Date(now);
    const input = { Bucket: 'media', Key: 'results/theirs' };
    const put = await getSignedUrl(client, new PutObjectCommand(input), { expiresIn: 60, signingDate });
    expect((await fetch(put, { method: 'PUT', body: 'theirs' })).status).toBe(200);
    const named = { ...input, ResponseContentDisposition: 'inline; filename="video.webm"' };
    const get = await getSignedUrl(client, new GetObjectCommand(named), { expiresIn: 60, signingDate });
    expect((await fetch(get)).headers.get('content-disposition')).toBe('inline; filename="video.webm"');
    expect(await (await fetch(get)).text()).toBe('theirs');
    expect(await textOf(await bucketOf().get('results/theirs'))).toBe('theirs');
  });

  test('at AWS has a host of its own', () => {
    const real = createS3ObjectStore(
      'media',
      { region: 'eu-central-1', credentials, endpoints: {} },
      () => START,
    );
    const address = new URL(real.presignedUrl('inputs/a', 60, START));
    expect(address.origin).toBe('https://media.s3.eu-central-1.amazonaws.com');
    expect(address.pathname).toBe('/inputs/a');
  });

  test('deletes objects whose folder lifetime has ended', async () => {
    const bucket = bucketOf();
    for (const key of ['inputs/old', 'inputs/new', 'results/old'])
      await bucket.put(key, { bytes: 1, mimetype: 'a/b', content: pieces('x') });
    const folder = join(directory, 'media');
    const at = (key: string): string => join(folder, Buffer.from(key).toString('base64url'));
    for (const key of ['inputs/old', 'results/old'])
      await utimes(at(key), (now - 2 * DAY) / 1000, (now - 2 * DAY) / 1000);
    await utimes(at('inputs/new'), now / 1000, now / 1000);
    await deleteExpired({ directory, buckets, now: () => now });
    const left = (await readdir(folder))
      .filter((name) => !name.endsWith('.json'))
      .map((name) => Buffer.from(name, 'base64url').toString());
    expect(left).toEqual(expect.arrayContaining(['inputs/new', 'results/old']));
    expect(left).not.toContain('inputs/old');
  });
});
