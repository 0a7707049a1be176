import { expect, test } from '@jest/globals';
import {
  type InteractionPayload,
  messageId,
  NO_GUILD,
  type InteractionToken,
  type TurnRef,
  userId,
} from '../../../../shared/domain/index.ts';
import type { DiscordDeps } from '../../../../shared/platforms/discord/deps.ts';
import { createLocaleFinder } from '../../../../shared/platforms/discord/lookup/locale.ts';
import {
  createDiscordMessenger,
  toWorkspaceId,
  toThread,
} from '../../../../shared/platforms/discord/index.ts';
import { fakeInteraction } from '../../../commands/command-harness.ts';

const [ADA, GRACE] = [userId('1'), userId('2')];
const inGuild = (guild: string): TurnRef => ({
  thread: toThread(guild === NO_GUILD ? undefined : guild, '30', '40'),
  message: messageId('40'),
  asker: ADA,
  askerWorkspace: toWorkspaceId(guild),
});
const createToken = (locale: string): InteractionToken => ({
  token: 't',
  id: messageId('40'),
  expiresAtMs: 9,
  locale,
});

const finder = (
  findInteractionToken: DiscordDeps['findInteractionToken'],
  userLocales?: DiscordDeps['userLocales'],
) =>
  createLocaleFinder({
    call: () => Promise.reject(new Error('nothing is asked')),
    time: { now: () => 0, sleep: () => Promise.resolve() },
    applicationId: '900',
    findInteractionToken,
    ...(userLocales && { userLocales }),
    guild: async (workspace) => ({ tier: 0, locale: String(workspace) === '10' ? 'fr' : undefined }),
  });

test('the locale of an interaction precedes that of the guild', async () => {
  const find = finder(async (_, to) => createToken(to === GRACE ? 'ja' : 'de'));
  expect(await find(inGuild('10'), ADA)).toBe('de');
  expect(await find(inGuild('10'), GRACE)).toBe('ja');
});

test('the author of a direct message has the locale of their last interaction', async () => {
  const cache = new Map<unknown, string>();
  const userLocales = {
    save: async (user: unknown, locale: string) => void cache.set(user, locale),
    find: async (user: unknown) => cache.get(user),
  };
  const direct = { ...inGuild(NO_GUILD), thread: toThread(undefined, '40', '40') };
  await finder(async () => createToken('ja'), userLocales)(inGuild('10'), ADA);
  const later = finder(async () => undefined, userLocales);
  expect(await later(direct, ADA)).toBe('ja');
  expect(await later(direct, GRACE)).toBeUndefined();
  expect(await later(inGuild('10'), ADA)).toBe('fr');
});

test('the response to a command stores the locale of the person, that to a button does not', async () => {
  const saved: unknown[][] = [];
  const messenger = createDiscordMessenger({
    call: async () => ({ id: '50' }),
    time: { now: () => 0, sleep: () => Promise.resolve() },
    applicationId: '900',
    findInteractionToken: async () => undefined,
    guild: async () => ({ tier: 0, locale: undefined }),
    userLocales: {
      save: async (...entry) => {
        saved.push(entry);
        throw new Error('the table is not available');
      },
      find: async () => undefined,
    },
  });
  const by = { user: ADA, workspace: toWorkspaceId(NO_GUILD), locale: 'zh-CN', roles: [] };
  const place = { platform: 'discord', by, tokenExpiresAtMs: 9 } as const;
  const payloads: InteractionPayload[] = [
    { kind: 'action', action: { name: 'forget.me', args: [] }, chosen: [] },
    { kind: 'command', name: 'help', options: {}, attachments: [] },
  ];
  for (const payload of payloads) await messenger.respond(fakeInteraction(payload, place), { parts: [] });
  expect(saved).toEqual([[ADA, 'zh-CN']]);
});

test('the author of a message in a guild has the locale of the guild, or none', async () => {
  expect(await finder(async () => undefined)(inGuild('10'), ADA)).toBe('fr');
  expect(await finder(async () => undefined)(inGuild(NO_GUILD), ADA)).toBeUndefined();
  const failing = finder(() => Promise.reject(new Error('out of reach')));
  expect(await failing(inGuild('10'), ADA)).toBe('fr');
});
