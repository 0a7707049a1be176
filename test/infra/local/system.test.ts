import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listen } from '../../../infra/local/listen.ts';
import { startLocal } from '../../../infra/local/system.ts';
import type { LocalOptions, LocalSystem } from '../../../infra/local/system.ts';
import { builtFrom, scratch, SAMPLE_TEMPLATE } from './sample-template.ts';

/** Queues the body with a plain SQS request; responds with the notes of the worker. */
const FRONT = `const notes = []; exports.handler = async (event) => {
  const url = new URL(process.env.TASK_QUEUE_URL);
  const headers = { 'x-amz-target': 'AmazonSQS.SendMessage', authorization: 'AWS4-HMAC-SHA256 Credential=' + process.env.AWS_ACCESS_KEY_ID + '/x' };
  const secret = await fetch(process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER, { method: 'POST',
    headers: { ...headers, 'x-amz-target': 'secretsmanager.GetSecretValue' }, body: JSON.stringify({ SecretId: process.env.SECRET_ID }) });
  const { SecretString } = await secret.json();
  const id = event.requestContext.requestId;
  await fetch(url, { method: 'POST', headers, body: JSON.stringify({ QueueUrl: url.href, MessageBody: event.body, MessageGroupId: 'g', MessageDeduplicationId: id }) });
  return { statusCode: 200, body: SecretString };
};`;
/** Logs what it received. */
const WORKER = `exports.handler = async ({ Records }) => {
  for (const { body } of Records) {
    const { ms } = JSON.parse(body);
    if (ms) await new Promise((done) => setTimeout(done, ms));
    console.log('done ' + body);
  }
  return { batchItemFailures: [] };
};`;

let folder: ReturnType<typeof scratch>;
let systems: LocalSystem[] = [];
beforeEach(() => {
  folder = scratch();
});
afterEach(async () => {
  await Promise.all(systems.splice(0).map((system) => system.close()));
  folder.remove();
});

/** Starts the toy system; `said` are the log lines of its functions. */
async function start(more: Partial<LocalOptions> = {}) {
  const lines: string[] = [];
  const watchers = new Set<() => void>();
  const built = async () => builtFrom(folder.directory, { Front: FRONT, Worker: WORKER });
  const system = await startLocal({
    data: join(folder.directory, 'data'),
    port: 0,
    build: built,
    echo: (line) => {
      lines.push(line);
      for (const watch of watchers) watch();
    },
    ...more,
  });
  systems.push(system);
  const untilLogged = (line: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (lines.some((one) => one.includes(line))) resolve();
      };
      watchers.add(look);
      look();
    });
  return { system, local: system.local, lines, untilLogged };
}

const post = async (api: string, body: unknown) =>
  await fetch(`${api}/slack/events`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

describe('the local system', () => {
  test('serves route, queue, secret and function of the template together', async () => {
    const { local, untilLogged } = await start();
    const answer = await post(local.api, { n: 1 });
    expect(await answer.json()).toEqual({ current: local.slack.signingSecret });
    await untilLogged('Worker | done {"n":1}');
  });

  test('writes its URLs and credentials for this user only, and they stay the same', async () => {
    const { system, local } = await start({ variables: { TIME_ZONE: 'Europe/Berlin' } });
    const file = join(folder.directory, 'data', 'local.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(local);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(local).toEqual({
      api: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      page: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      slack: expect.objectContaining({
        apiUrl: expect.stringMatching(/\/api\/$/),
        users: [expect.anything(), expect.anything()],
      }),
      discord: expect.objectContaining({
        apiUrl: expect.stringMatching(/\/api\/v10$/),
        gatewayUrl: expect.stringMatching(/^ws:/),
        users: expect.arrayContaining([expect.objectContaining({ name: 'ada' })]),
      }),
      upstream: { baseUrl: expect.any(String), visionUrl: expect.any(String), apiKey: expect.any(String) },
      dynamodb: { endpoint: expect.stringMatching(/^http:/) },
      aws: expect.objectContaining({
        accessKeyId: expect.stringMatching(/^LOCAL/),
        logLevel: 'info',
        timeZone: 'Europe/Berlin',
      }),
    });
    await system.close();
    expect(existsSync(file)).toBe(false);
    const again = await start();
    expect(again.local.slack).toEqual(local.slack);
    expect(again.local.page).toBe(local.page);
    expect(again.local.upstream.apiKey).toBe(local.upstream.apiKey);
  });

  test('runs twice side by side, but not twice on the same folder', async () => {
    const one = await start();
    const two = await start({ data: join(folder.directory, 'other') });
    expect(two.local.api).not.toBe(one.local.api);
    await expect(start()).rejects.toThrow('is running on the data folder');
    expect((await post(one.local.api, {})).status).toBe(200);
  });

  test('on another address of this machine is reached there, by itself and by the simulated platforms', async () => {
    const { system, local, untilLogged } = await start({ host: '127.0.0.2' });
    expect(local.api).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
    await system.slack.simulator?.say('ada', 'hello');
    await untilLogged('Worker | done ');
  });

  test('reports a port in use in one sentence', async () => {
    const { local } = await start();
    const port = Number(new URL(local.api).port);
    await expect(start({ port, data: join(folder.directory, 'other') })).rejects.toThrow(
      `Port ${port} is in use.`,
    );
  });

  test('finishes running work at the stop, and continues waiting work after the next start', async () => {
    const first = await start();
    await post(first.local.api, { ms: 300 });
    await post(first.local.api, { waiting: true });
    await first.system.close();
    expect(first.lines).toEqual([expect.stringContaining('done {"ms":300}')]);
    const second = await start();
    await second.untilLogged('done {"waiting":true}');
    expect(second.lines.filter((line) => line.includes('"ms"'))).toEqual([]);
  });

  test('releases everything when it cannot start', async () => {
    const template = {
      ...SAMPLE_TEMPLATE,
      Resources: { ...SAMPLE_TEMPLATE.Resources, Bus: { Type: 'AWS::Events::EventBus' } },
    };
    const unknown = async () => builtFrom(folder.directory, { Front: FRONT, Worker: WORKER }, template);
    await expect(start({ build: unknown })).rejects.toThrow('AWS::Events::EventBus (resource Bus)');
    const { local } = await start();
    expect((await post(local.api, {})).status).toBe(200);
  });

  test('reports a function that cannot be loaded before the first event', async () => {
    const bundles = { Front: FRONT, Worker: 'throw new Error("no setting X")' };
    const { system } = await start({ build: async () => builtFrom(folder.directory, bundles) });
    await expect(system.emulator.warm()).rejects.toThrow(
      /^Worker cannot be loaded, so Parley stops: Error: no setting X\.\nWhat it wrote is in .*logs\/Worker\.log\./u,
    );
  });

  test('accepts events of another Slack with its credentials, also if that Slack does not say who the bot is', async () => {
    const requests: string[] = [];
    const slack = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('{}');
    });
    const apiUrl = `http://127.0.0.1:${await listen(slack, '127.0.0.1', 0)}/api/`;
    const variables = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'theirs',
      SLACK_BOT_USER_ID: 'U1',
      SLACK_API_URL: apiUrl,
    };
    const { local, system } = await start({ variables });
    expect(local).toMatchObject({
      page: null,
      slack: { apiUrl, signingSecret: 'theirs', botToken: 'xoxb-1', botUserId: 'U1', channel: null },
    });
    expect(await (await post(local.api, {})).json()).toEqual({ current: 'theirs' });
    expect(requests).toEqual(['/api/auth.test']);
    await system.close();
    slack.close();
  });

  test('asks Slack who the bot is before it opens a socket, and reports a refusal', async () => {
    const slack = createServer((request, response) => {
      const good = request.headers.authorization === 'Bearer xoxb-good';
      const isTest = request.url === '/api/auth.test';
      response.end(
        JSON.stringify(
          good && isTest ? { ok: true, user_id: 'U7', team_id: 'T7' } : { ok: false, error: 'invalid_auth' },
        ),
      );
    });
    const SLACK_API_URL = `http://127.0.0.1:${await listen(slack, '127.0.0.1', 0)}/api/`;
    const variables = { SLACK_APP_TOKEN: 'xapp-1', SLACK_API_URL };
    await expect(start({ variables: { ...variables, SLACK_BOT_TOKEN: 'xoxb-bad' } })).rejects.toThrow(
      'SLACK_BOT_TOKEN: Slack refuses it (invalid_auth)',
    );
    await expect(start({ variables: { ...variables, SLACK_BOT_TOKEN: 'xoxb-good' } })).rejects.toThrow(
      'SLACK_APP_TOKEN: Slack does not open socket mode with it (invalid_auth)',
    );
    slack.close();
    slack.closeAllConnections();
    const lines: string[] = [];
    const { system } = await start({
      variables: { ...variables, SLACK_BOT_TOKEN: 'xoxb-good' },
      say: (line) => lines.push(line),
    });
    expect(system.reached.slack).toBe(false);
    expect(lines.join('\n')).toMatch(/WARN  Slack: .* could not be reached: /);
  });
});

const run = async (args: readonly string[], env: NodeJS.Dict<string> = {}) => {
  const script = join(import.meta.dirname, '../../../infra/local/start.js');
  const child = spawn(process.execPath, [script, '--data', join(folder.directory, 'data'), ...args], {
    cwd: folder.directory,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, out, errors };
};

describe('npm start', () => {
  test.each<[string, string[], NodeJS.Dict<string>, string]>([
    [
      'incomplete configuration',
      [],
      { SLACK_BOT_TOKEN: 'xoxb-1', UPSTREAM_BASE_URL: 'http://x' },
      'UPSTREAM_API_KEY: is missing',
    ],
    ['an unknown option', ['--prot', '1'], {}, "Unknown option '--prot'"],
    ['a folder without a name', ['--data='], {}, '--data has no value'],
    ['an address without a name', ['--host', ''], {}, '--host has no value'],
    ['a file that does not exist', ['--env', '/nowhere/other.env'], {}, 'no such file or directory'],
    ['an invalid port', ['--port', '70000'], {}, '--port takes a number from 0 to 65535, not 70000'],
  ])('%s: one message, no stack, exit 1', async (_, args, env, message) => {
    const { code, out, errors } = await run(args, env);
    expect([code, out]).toEqual([1, '']);
    expect(errors).toContain(message);
    expect(errors).not.toMatch(/^\s+at /m);
  });

  test('takes the settings from the file that it was given', async () => {
    const file = join(folder.directory, 'other.env');
    writeFileSync(file, 'UPSTREAM_BASE_URL=http://x\n');
    const { errors } = await run(['--env', file]);
    expect(errors).toContain('UPSTREAM_API_KEY: is missing');
  });

  test('--help prints the options', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    for (const option of ['--port', '--data', '--host', '--env', '--verbose']) expect(out).toContain(option);
  });
});
