import { expect, test } from '@jest/globals';
import { messageId, channelId, type Thread, workspaceId } from '../../../../shared/domain/index.ts';
import {
  type DiscordCall,
  DiscordApiError,
  DiscordRateLimitError,
} from '../../../../shared/platforms/discord/api/call.ts';
import { createMessageSearch } from '../../../../shared/platforms/discord/lookup/message-search.ts';
import { createPermissionFinder } from '../../../../shared/platforms/discord/lookup/permissions.ts';
import { createGuildFinder } from '../../../../shared/platforms/discord/index.ts';
import { TestTime } from '../../../upstream/time.ts';

const [GUILD, BOT] = ['21', '91'];
const [VIEW, HISTORY, CONNECT] = [1n << 10n, 1n << 16n, 1n << 20n];
const NEVER = new AbortController().signal;

type Overwrite = readonly [id: string, allow: bigint, deny: bigint];
const channel = (id: string, overwrites: readonly Overwrite[] = [], type = 0) => ({
  id,
  type,
  name: `c${id}`,
  permission_overwrites: overwrites.map(([of, allow, deny]) => ({
    id: of,
    type: 0,
    allow: String(allow),
    deny: String(deny),
  })),
});
const CHANNELS = [
  channel('31'),
  channel('32', [[GUILD, 0n, VIEW]]),
  channel('33', [['61', 0n, VIEW]]),
  channel('34', [[GUILD, 0n, HISTORY]]),
  channel('35', [], 2),
  channel('36', [], 4),
];
const message = (id: string, of: string, more: object = {}) => ({
  id,
  type: 0,
  channel_id: of,
  content: `text ${id}`,
  author: { id: '41', username: 'ada', global_name: 'Ada' },
  ...more,
});

const notReady = (retry_after: number) => ({
  message: 'Index',
  code: 110000,
  documents_indexed: 0,
  retry_after,
});
const refuse: DiscordCall = () => Promise.reject(new DiscordApiError(404, 10004));

type Responses = readonly (object | Error)[];

function searcher(responses: Responses, { everyone = VIEW | HISTORY, in: place = '31', root = 'c41' } = {}) {
  const time = new TestTime();
  const paths: string[] = [];
  const left = [...responses];
  const call: DiscordCall = async ({ path }) => {
    paths.push(path);
    if (path === `/guilds/${GUILD}`) return { roles: [{ id: GUILD, permissions: String(everyone) }] };
    if (path === `/guilds/${GUILD}/channels`) return CHANNELS;
    if (path.startsWith(`/guilds/${GUILD}/members/`)) return { roles: [] };
    if (path.startsWith('/channels/')) return CHANNELS.find(({ id }) => path.endsWith(id));
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  const guild = createGuildFinder({ call, time });
  const deps = { call, guild, time, applicationId: BOT };
  const thread: Thread = {
    platform: 'discord',
    workspace: workspaceId(GUILD),
    channel: channelId(place),
    root: messageId(root),
  };
  const search = createMessageSearch({ ...deps, permissions: createPermissionFinder(deps) }, thread);
  const searched = () =>
    paths.filter((path) => path.includes('/search')).map((path) => new URL(path, 'https://x'));
  return { search: (query: string, signal = NEVER) => search(query, signal), time, paths, searched };
}

const resultsOf = (messages: readonly object[], threads: readonly object[] = []) => ({
  messages: messages.map((one) => [one]),
  threads,
  total_results: messages.length,
});

test('searches people’s messages in the channels that nobody is denied; the channels are read once per question', async () => {
  const at = searcher([resultsOf([message('1', '31')]), resultsOf([])]);
  expect(await at.search('door code')).toEqual([
    expect.objectContaining({
      id: '1',
      by: '41',
      author: 'Ada',
      channel: 'c31',
      text: 'text 1',
      link: 'https://discord.com/channels/21/31/1',
    }),
  ]);
  await at.search('again');
  const [first] = at.searched();
  expect(first?.searchParams.getAll('channel_id')).toEqual(['31']);
  expect(first?.searchParams.get('content')).toBe('door code');
  expect(first?.searchParams.get('author_type')).toBe('user');
  expect(at.paths.filter((path) => path.endsWith('/channels'))).toHaveLength(1);
});

test('a voice channel is open where everybody may connect', async () => {
  const at = searcher([resultsOf([])], { everyone: VIEW | HISTORY | CONNECT });
  await at.search('x');
  expect(at.searched()[0]?.searchParams.getAll('channel_id').toSorted()).toEqual(['31', '35']);
});

test('the channel of the question counts where all its readers may read its history, also a private one', async () => {
  // The bot may view it by an overwrite of its own.
  const own = channel('32', [
    [GUILD, 0n, VIEW],
    [BOT, VIEW, 0n],
  ]);
  CHANNELS[1] = own;
  const at = searcher([resultsOf([message('2', '32'), message('1', '31')])], { in: '32' });
  expect((await at.search('x')).map(({ channel: name }) => name)).toEqual(['c32', 'c31']);
  const closed = searcher([resultsOf([message('3', '34')])], { in: '34' });
  expect(await closed.search('x')).toEqual([]);
  expect(closed.searched()[0]?.searchParams.getAll('channel_id')).toEqual(['31']);
});

test('of threads, public ones of these channels and that of the question, with the name of their channel; nothing else, whatever Discord sends', async () => {
  const threads = [
    { id: '51', type: 11, parent_id: '31', name: 'public' },
    { id: '52', type: 12, parent_id: '31', name: 'private' },
    { id: '53', type: 12, parent_id: '31', name: 'own' },
    { id: '54', type: 11, parent_id: '32', name: 'public in private' },
  ];
  const ids = ['31', '32', '33', '51', '52', '53', '54', '77'];
  const at = searcher(
    [
      resultsOf(
        ids.map((id) => message(id, id)),
        threads,
      ),
    ],
    { root: '53' },
  );
  // The name of a thread is mostly the question of whoever opened it: words of somebody else, which are not kept with this question.
  expect((await at.search('x')).map(({ id, channel: name }) => [id, name])).toEqual([
    ['31', 'c31'],
    ['51', 'c31'],
    ['53', 'c31'],
  ]);
});

test('system messages and messages without text are left out', async () => {
  const odd = [message('1', '31', { type: 7 }), message('2', '31', { content: '' }), message('3', '31')];
  expect((await searcher([resultsOf(odd)]).search('x')).map(({ id }) => id)).toEqual(['3']);
});

test('while the index is prepared, it waits as long as Discord says, or a second', async () => {
  const at = searcher([notReady(2), notReady(0), resultsOf([message('1', '31')])]);
  expect(await at.search('x')).toHaveLength(1);
  expect(at.time.waits).toEqual([2_000, 1_000]);

  const never = searcher([notReady(2), notReady(20)]);
  await expect(never.search('x')).rejects.toMatchObject({ failure: 'indexing' });
  expect(never.time.waits).toEqual([2_000]);
});

test.each([
  [new DiscordRateLimitError(1_000), 'busy'],
  [new DiscordApiError(403, 50001), 'no-permission'],
  [new DiscordApiError(403, 50013), 'no-permission'],
  [new DiscordApiError(400, 50035), 'down'],
  [new Error('reset'), 'down'],
])('%s is %s', async (error, failure) => {
  await expect(searcher([error]).search('x')).rejects.toMatchObject({ name: 'MessageSearchError', failure });
});

test('where nobody may read anything, or the bot is no member, nothing is sent', async () => {
  const at = searcher([], { everyone: 0n, in: '33' });
  await expect(at.search('x')).rejects.toMatchObject({ failure: 'no-permission' });
  expect(at.searched()).toEqual([]);
  const time = new TestTime();
  const deps = { call: refuse, guild: createGuildFinder({ call: refuse, time }), time, applicationId: BOT };
  const search = createMessageSearch(
    { ...deps, permissions: createPermissionFinder(deps) },
    { platform: 'discord', workspace: workspaceId(GUILD), channel: channelId('31'), root: messageId('u41') },
  );
  await expect(search('x', NEVER)).rejects.toMatchObject({ failure: 'not-offered' });
});
