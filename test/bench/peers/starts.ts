import { spawn } from 'node:child_process';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { bundle } from '../../../infra/cdk/bundle.ts';
import { median } from '../bare-node.ts';
import { bundlePeer } from './install.ts';

/** A front: its bundle, and what it was measured at. */
export type FrontStart = {
  readonly name: string;
  readonly platform: 'Slack' | 'Discord';
  readonly kilobytes: number;
  /** From the start of the process to the acknowledgement of its first request, less the start of bare Node (ms). */
  readonly startMs: readonly number[];
};

const SECRET = 'bench-signing-secret';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
/** The raw key is in the last 32 bytes of its DER form. */
const PUBLIC_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

const FRONTS = [
  { name: 'Parley', platform: 'Slack', ours: 'slack-events' },
  { name: 'Chat SDK', platform: 'Slack', bot: 'chat-sdk-front' },
  { name: 'Bolt', platform: 'Slack', bot: 'bolt-front' },
  { name: 'Parley', platform: 'Discord', ours: 'discord-interactions' },
  { name: 'Chat SDK', platform: 'Discord', bot: 'chat-sdk-discord-front' },
  { name: 'discord.js', platform: 'Discord', bot: 'discord-js' },
] as const;

/** Starts each front `runs` times in turn, each in a new process that gets one signed request and ends after its 200. */
export async function measureStarts(folder: string, runs: number): Promise<FrontStart[]> {
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
  const aws = await startAws();
  try {
    const env = environment(aws);
    const files: string[] = [];
    for (const front of FRONTS) {
      const own = join(folder, `${'ours' in front ? front.ours : ''}.js`);
      if ('ours' in front) bundle(front.ours, own);
      files.push('ours' in front ? own : await bundlePeer(front.bot, folder, 'cjs'));
    }
    const times: number[][] = FRONTS.map(() => []);
    const bare: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      bare.push(await untilEnd('', env));
      for (const [n, { platform }] of FRONTS.entries()) {
        const event = platform === 'Slack' ? slackEvent(run) : discordPing();
        times[n]?.push(await untilEnd(acknowledge(files[n] ?? '', event), env));
      }
    }
    const nodeMs = median(bare);
    return FRONTS.map(({ name, platform }, n) => ({
      name,
      platform,
      kilobytes: statSync(files[n] ?? '').size / 1024,
      startMs: (times[n] ?? []).map((ms) => ms - nodeMs),
    }));
  } finally {
    aws.close();
  }
}

const acknowledge = (file: string, event: object): string =>
  `require(${JSON.stringify(file)}).handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 3000 })` +
  `.then((r) => { if (r.statusCode !== 200) { console.error(r); process.exit(1); } process.kill(process.pid, 'SIGKILL'); });`;

/** The time until a new process has run this and killed itself (ms). */
async function untilEnd(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const begin = performance.now();
  const end = script === '' ? "process.kill(process.pid, 'SIGKILL')" : script;
  const child = spawn(process.execPath, ['-e', end], { env, stdio: 'ignore' });
  await once(child, 'exit');
  if (child.signalCode !== 'SIGKILL')
    throw new Error(`A front did not acknowledge its first request: ${script.slice(0, 200)}`);
  return performance.now() - begin;
}

function slackEvent(n: number): object {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const ts = `${timestamp}.${String(n).padStart(6, '0')}`;
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: 'T0BENCH000',
    api_app_id: 'A0BENCH000',
    event_id: `Ev${timestamp}${n}`,
    event_time: Number(timestamp),
    authorizations: [{ enterprise_id: null, team_id: 'T0BENCH000', user_id: 'U0BOT', is_bot: true }],
    event: {
      type: 'app_mention',
      user: 'U0ADA',
      text: '<@U0BOT> Hello',
      ts,
      event_ts: ts,
      channel: 'C0GENERAL',
    },
  });
  const signature = createHmac('sha256', SECRET).update(`v0:${timestamp}:${body}`).digest('hex');
  return request('/slack/events', body, {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
  });
}

function discordPing(): object {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const body = JSON.stringify({ id: '1', application_id: '2', type: 1, token: 'token', version: 1 });
  const signature = sign(null, Buffer.from(timestamp + body), privateKey).toString('hex');
  return request('/discord/interactions', body, {
    'x-signature-timestamp': timestamp,
    'x-signature-ed25519': signature,
  });
}

/** A request as API Gateway hands it to a function. */
const request = (path: string, body: string, headers: Readonly<Record<string, string>>): object => ({
  version: '2.0',
  routeKey: `POST ${path}`,
  rawPath: path,
  rawQueryString: '',
  headers: { 'content-type': 'application/json', ...headers },
  requestContext: {
    http: { method: 'POST', path, sourceIp: '127.0.0.1' },
    requestId: 'r',
    routeKey: `POST ${path}`,
    stage: '$default',
  },
  body,
  isBase64Encoded: false,
});

/** What `auth.test` returns, which Bolt and the Chat SDK call. */
const SLACK_IDENTITY = {
  ok: true,
  user_id: 'U0BOT',
  bot_id: 'B0BOT',
  team_id: 'T0BENCH000',
  user: 'parley',
  team: 'Bench',
};

/** Responds to each request of the fronts at once: to AWS and Slack. */
async function startAws(): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    void respond(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const target = String(incoming.headers['x-amz-target']);
  await text(incoming);
  const secret = {
    SecretString: JSON.stringify({ current: SECRET, botToken: 'xoxb-bench', botUserId: 'U0BOT' }),
  };
  const message = { MessageId: 'm', SequenceNumber: '1' };
  const other = target.includes('SendMessage') ? message : SLACK_IDENTITY;
  const answer = target.includes('GetSecretValue') ? secret : other;
  outgoing.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}

function environment(aws: Server): NodeJS.ProcessEnv {
  const address = aws.address();
  if (address === null || typeof address === 'string') throw new Error('The simulated AWS does not listen');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    NODE_ENV: 'production',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_ENDPOINT_URL: url,
    CONVERSATIONS_TABLE: 'conversations',
    TASK_QUEUE_URL: `${url}/1/tasks.fifo`,
    VOICE_QUEUE_URL: `${url}/1/voice`,
    SLACK_SIGNING_SECRET_ID: 'signing',
    SLACK_BOT_SECRET_ID: 'bot',
    SEAL_KEY_ID: 'seal',
    DISCORD_PUBLIC_KEY: PUBLIC_KEY,
    DISCORD_APPLICATION_ID: '2',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_API_URL: `${url}/api/`,
    DISCORD_BOT_TOKEN: 'bench',
    DISCORD_API_URL: `${url}/discord`,
    OPENAI_API_KEY: 'bench',
  };
}
