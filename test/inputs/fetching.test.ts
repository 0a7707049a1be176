import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { createVideoFetcher } from '../../functions/composition/video/fetch-video.ts';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import { createDiscordPlatform } from '../../shared/platforms/discord/index.ts';
import { createSlackPlatform } from '../../shared/platforms/slack/index.ts';
import { createFileHosts } from '../../shared/platforms/slack/files/file-hosts.ts';
import { resumeUrl } from '../../shared/platforms/discord/gateway/sessions/resume-address.ts';
import { createResponseUrlClient } from '../../shared/platforms/slack/posts/response-url.ts';
import { createUploader } from '../../shared/platforms/slack/files/upload.ts';
import { type LookupAll, isPublic, createPublicLookup } from '../../shared/runtime/public-address.ts';
import { createUpstream } from '../../shared/upstream/index.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { memoryPostedMessages } from '../fakes/posted-messages.ts';
import { fakeTime } from '../platforms/slack/fake-slack.ts';
import { TestTime } from '../upstream/time.ts';
import { addresses, INSIDE_NAMES } from './addresses.ts';
import { type Connection, watchConnections } from './connections.ts';

/** Ten thousand URLs that lead, or seem to lead, outside of the allow-list. */
const CORPUS = addresses(createSeededRandom(19), 10_000);
const SLACK = createFileHosts('https://slack.com/api/');
const TOKEN = 'xoxb-secret';
const turn = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
} as const;
const wanted = { id: 'F1', name: 'a.png', mimetype: 'image/png', bytes: 5 };

/**
 * Names that resolve to internal addresses, one of them only at the second lookup. All others resolve to public ones.
 */
function zone(): LookupAll {
  let lookups = 0;
  return (name, _, callback) => {
    lookups += 1;
    const inside =
      name === 'rebinding.example.net' ? lookups % 2 === 0 : INSIDE_NAMES.some((one) => one === name);
    const outside = { address: '93.184.216.34', family: 4 };
    callback(null, inside ? [outside, { address: '169.254.169.254', family: 4 }] : [outside]);
  };
}

const slackFile = (address: string, hosts = SLACK) =>
  createSlackPlatform({
    call: async () => ({ ok: true, file: { url_private: address } }),
    time: fakeTime(),
    files: { token: async () => TOKEN, hosts },
  }).downloadFile(turn, wanted, 1_000);

const discordFile = (id: string, cdnOrigins?: readonly string[]) =>
  createDiscordPlatform({
    call: () => Promise.reject(new Error('nobody is asked')),
    time: fakeTime(),
    applicationId: '9',
    findInteractionToken: async () => undefined,
    guild: () => Promise.reject(new Error('nobody is asked')),
    ...(cdnOrigins && { cdnOrigins: [...cdnOrigins] }),
  }).downloadFile(turn, { ...wanted, id }, 1_000);

const { vision } = createUpstream({
  baseUrl: 'https://models.example.com',
  visionUrl: 'https://vision.example.com',
  apiKey: async () => 'sk-secret',
  time: new TestTime(),
  random: () => 0.5,
});
const handle = (address: string) => ({
  requestId: 'r',
  status: '',
  statusUrl: address,
  responseUrl: address,
  cancelUrl: address,
});
const upload = (address: string) =>
  createUploader({
    call: async () => ({ ok: true, upload_url: address, file_id: 'F1' }),
    time: fakeTime(),
    origins: SLACK.own,
    posts: memoryPostedMessages(),
  }).keep([{ name: 'a.csv', mimetype: 'text/csv', content: Buffer.from('a') }]);

const own = new Set(SLACK.own.map((origin) => new URL(origin).hostname));
const isSlack = ({ host }: Connection): boolean => own.has(host) || host.endsWith('.slack-edge.com');
const CDN = ['cdn.discordapp.com', 'media.discordapp.net'];

type Place = readonly [
  name: string,
  fetch: (address: string) => Promise<unknown>,
  allowed: (to: Connection) => boolean,
];
const video = createVideoFetcher('https://vision.example.com', createPublicLookup(zone()));
const PLACES: readonly Place[] = [
  ['files of Slack', slackFile, isSlack],
  ['files of Discord', discordFile, ({ host }) => CDN.includes(host)],
  [
    'finished videos',
    video,
    ({ host, addresses: to }) =>
      host === 'vision.example.com' ||
      (to.length > 0 && to.every((address) => isPublic({ address, family: 4 }))),
  ],
  [
    'answers to calls',
    (address) => createResponseUrlClient('https://slack.com/api/')(address, { text: 'x' }),
    ({ host }) => host === 'hooks.slack.com',
  ],
  ['files for Slack', upload, ({ host }) => own.has(host)],
  [
    'the links of a job',
    (address) => vision.status(handle(address)),
    ({ host }) => host === 'vision.example.com',
  ],
];

let watched: ReturnType<typeof watchConnections>;
const ports: number[] = [];
beforeAll(() => {
  watched = watchConnections(() => ports);
});
afterAll(() => watched.end());
beforeEach(() => void watched.connections.splice(0));

describe('of ten thousand URLs none leads to a host outside of the allow-list', () => {
  test.each(PLACES)('%s', async (_, fetch, allowed) => {
    for (const address of CORPUS) await fetch(address).catch(() => undefined);
    const { connections } = watched;
    expect(connections.filter((to) => to.port !== 443 || !allowed(to)).slice(0, 5)).toEqual([]);
    // Allowed URLs are requested, which shows that the recorder sees connections.
    expect(connections.length).toBeGreaterThan(10);
  });
});

describe('the resume URL of a gateway session', () => {
  const GATEWAY = 'wss://gateway.discord.gg';
  test.each([
    ['wss://gateway-us-east1-b.discord.gg', GATEWAY, true],
    ['wss://gateway.discord.gg/?v=10', GATEWAY, true],
    ['wss://evil.example.org', GATEWAY, false],
    ['wss://discord.gg.evil.example.org', GATEWAY, false],
    ['wss://evildiscord.gg', GATEWAY, false],
    ['ws://gateway.discord.gg', GATEWAY, false],
    ['wss://gateway.discord.gg:8443', GATEWAY, false],
    ['ws://127.0.0.1:4000/gateway', 'ws://127.0.0.1:4000', true],
    ['ws://127.0.0.1:4001', 'ws://127.0.0.1:4000', false],
    ['wss://gateway.discord.gg', 'ws://127.0.0.1:4000', false],
  ])('%s, from the gateway %s, is accepted: %s', (url, configured, isAllowed) => {
    expect(resumeUrl(url, configured)).toBe(isAllowed ? url : configured);
  });

  test('is never one of the ten thousand', () => {
    const websocketUrls = CORPUS.map((address) => address.replace(/^https?:/iu, 'wss:'));
    expect(websocketUrls.filter((address) => resumeUrl(address, GATEWAY) !== GATEWAY)).toEqual([]);
  });
});

describe('after a redirect', () => {
  /** The requests to a server, and where it redirects them. */
  const servers: Server[] = [];
  const tokens: (string | undefined)[][] = [];
  let to = '';
  const start = async (): Promise<string> => {
    const values: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      values.push(request.headers.authorization);
      if (request.url === '/a') response.writeHead(302, { location: encodeURI(to.toWellFormed()) });
      response.end('hello');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = server.address();
    const port = typeof at === 'object' && at !== null ? at.port : 0;
    servers.push(server);
    tokens.push(values);
    ports.push(port);
    return `http://127.0.0.1:${port}`;
  };
  let [slack, signed, stranger] = ['', '', ''];
  beforeAll(async () => {
    [slack, signed, stranger] = [await start(), await start(), await start()];
  });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  test('no file is requested from a host outside of the allow-list, and the token is sent to its own host only', async () => {
    const hosts = { own: [slack, ...SLACK.own], presigned: [signed, ...SLACK.presigned] };
    for (to of CORPUS.slice(0, 2_000)) await slackFile(`${slack}/a`, hosts).catch(() => undefined);
    expect(watched.connections.filter((one) => one.port !== 443 || !isSlack(one)).slice(0, 5)).toEqual([]);
    for (to of [`${signed}/x`, `${stranger}/x`, `${signed}/a`])
      await slackFile(`${slack}/a`, hosts).catch(() => undefined);
    expect(new Set(tokens[0])).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(new Set(tokens[1])).toEqual(new Set([undefined]));
    expect(tokens[2]).toEqual([]);
  });

  test('no Discord file and no video is requested from another host', async () => {
    const fetchVideo = createVideoFetcher(slack);
    for (to of [...CORPUS.slice(0, 500), `${stranger}/x`]) {
      await discordFile(`${slack}/a`, [slack]).catch(() => undefined);
      await fetchVideo(`${slack}/a`).catch(() => undefined);
    }
    expect(watched.connections).toEqual([]);
    expect(tokens[2]).toEqual([]);
  });
});

describe('the address', () => {
  test.each(['93.184.216.34', '8.8.8.8', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => {
      expect(isPublic({ address, family: address.includes(':') ? 6 : 4 })).toBe(true);
    },
  );
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fd00:ec2::254',
    'fe80::1',
    '::ffff:93.184.216.34',
    '64:ff9b::808:808',
    '2002:808:808::',
    '2001:0:808:808::',
    'ff02::1',
    'nonsense',
  ])('%s is not public', (address) => {
    expect(isPublic({ address, family: address.includes('.') && !address.includes(':') ? 4 : 6 })).toBe(
      false,
    );
  });
});
