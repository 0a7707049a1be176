import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { bundleFile } from '../../../../infra/cdk/bundle.ts';
import { withoutUnusedUndici } from '../../../../infra/cdk/bundling/without-unused-undici.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-undici-'));
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
});
afterAll(() => rm(folder, { recursive: true }));

const Address = v.object({ port: v.number() });

/** A server that sends each request's body back. */
async function echoServer() {
  const server = createServer((request, response) => {
    void text(request).then((body) => response.writeHead(201).end(`${request.method}: ${body}`));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${v.parse(Address, server.address()).port}/` };
}

test('the bundled transport sends a request, is at most 320 KB, and leaves the process its own fetch dispatcher', async () => {
  const bundle = join(folder, 'transport.js');
  bundleFile('shared/upstream/http/transport.ts', bundle);
  expect((await stat(bundle)).size).toBeLessThanOrEqual(320 * 1_024);
  const { server, url } = await echoServer();
  const child = join(import.meta.dirname, 'transport-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child, bundle, url]);
  server.close();
  expect(JSON.parse(stdout)).toEqual({ status: 201, body: 'POST: a question', hasGlobalDispatcher: false });
});

test('a part of undici that is missing in the bundle throws an error that names the plugin when it is called', async () => {
  const outfile = join(folder, 'fetch.js');
  await build({
    stdin: { contents: "export { setGlobalDispatcher } from 'undici';", resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    plugins: [withoutUnusedUndici],
    outfile,
  });
  const Bundle = v.object({
    setGlobalDispatcher: v.custom<() => void>((value) => typeof value === 'function'),
  });
  const { setGlobalDispatcher } = v.parse(Bundle, createRequire(import.meta.url)(outfile));
  expect(setGlobalDispatcher).toThrow('infra/cdk/bundling/without-unused-undici.ts');
});
