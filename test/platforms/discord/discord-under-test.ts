import { messageId, type TurnRef, userId } from '../../../shared/domain/index.ts';
import {
  listCdnOrigins,
  createDiscordPlatform,
  createDiscordMessenger,
  createGuildFinder,
  toWorkspaceId,
  toThread,
} from '../../../shared/platforms/discord/index.ts';
import { readId, readList, readString } from '../../../shared/platforms/discord/api/json-path.ts';
import { ADA, type DiscordSimulator, type Fault, GENERAL, GUILD } from '../../simulators/discord/index.ts';
import { film } from '../contract/contract.ts';
import type { RequestKind, PlatformUnderTest, RequestFault } from '../contract/platform-under-test.ts';
import { clock } from './clock.ts';
import { callSimulated } from './call-simulated.ts';

const ROUTES: Readonly<Record<RequestKind, string>> = {
  post: 'POST /channels/{channel_id}/messages',
  change: 'PATCH /channels/{channel_id}/messages/{message_id}',
  remove: 'DELETE /channels/{channel_id}/messages/{message_id}',
};
const FAULTS: Readonly<Record<RequestFault, Fault>> = {
  'lose-reply': { kind: 'lose-reply' },
  cut: { kind: 'cut' },
  busy: { kind: 'busy', retryAfter: 1 },
  status: { kind: 'status', status: 502 },
  'too-long': { kind: 'refuse', code: 50_035 },
};

/** The platform on a simulated Discord, with a clock that only waiting advances. */
export function discordUnderTest({
  core,
  apiUrl,
  applicationId,
  botToken,
  faults,
  calls,
}: DiscordSimulator): PlatformUnderTest {
  let requestCount = 0;
  const call = callSimulated({ apiUrl, applicationId, botToken });
  const deps = {
    call,
    time: clock,
    applicationId,
    guild: createGuildFinder({ call, time: clock }),
    findInteractionToken: async () => undefined,
    cdnOrigins: listCdnOrigins(apiUrl),
  };
  const platform = createDiscordPlatform(deps);
  return {
    platform,
    ask: async (text) => turnOf(core.say('ada', `@parley ${text}`)),
    askWithFile: async (name, content) => {
      const id = core.say('ada', '@parley read this', {
        files: [{ name, content, contentType: 'text/plain' }],
      });
      const message = core.messages(GENERAL).find((one) => one['id'] === id);
      return { turn: turnOf(id), id: readString(readList(message, 'attachments')[0], 'url') ?? '' };
    },
    upload: ({ thread }, name) => createDiscordMessenger(deps).upload(thread, film(name), name),
    say: async ({ thread: { root } }, text) => {
      if (!core.state.channels.has(root)) core.thread('ada', root, 'A thread');
      core.say('ada', text, { channel: root });
    },
    denyReading: async () =>
      faults.add({ kind: 'refuse', code: 50_001, route: 'GET /channels/{channel_id}/messages', times: 99 }),
    visibleMessages: async (turn) =>
      core
        .messages(turn.thread.root)
        .filter((one) => readId(one, 'author', 'id') === applicationId)
        .map((one) => ({ id: readId(one, 'id') ?? '', text: readString(one, 'content') ?? '' })),
    ephemeralTexts: async () => [],
    injectFault: (deed, what, times = 1) => void faults.add({ ...FAULTS[what], route: ROUTES[deed], times }),
    requests: () => {
      const fresh = calls.slice(requestCount);
      requestCount = calls.length;
      return fresh.map(({ route, json }) => ({ what: route, body: JSON.stringify(json) }));
    },
  };
}

function turnOf(id: string): TurnRef {
  return {
    thread: toThread(GUILD, GENERAL, id),
    message: messageId(id),
    asker: userId(ADA),
    askerWorkspace: toWorkspaceId(GUILD),
  };
}
