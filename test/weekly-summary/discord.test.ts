import { expect, test } from '@jest/globals';
import { formatWeeklyCommand } from '../../shared/commands/index.ts';
import { channelId, userId } from '../../shared/domain/index.ts';
import {
  createDiscordMessenger,
  createGuildFinder,
  toWorkspaceId,
} from '../../shared/platforms/discord/index.ts';
import { ERROR_CODES } from '../../shared/platforms/discord/api/error-codes.ts';
import { readId } from '../../shared/platforms/discord/api/json-path.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import type { ScheduledRun } from '../../shared/schedules/index.ts';
import { deliverWeeklySummary } from '../../shared/weekly-summary/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { clock } from '../platforms/discord/clock.ts';
import { discord, onDiscord } from '../platforms/discord/on-discord.ts';
import { ADA, GENERAL, GUILD } from '../simulators/discord/index.ts';
import { callSimulated } from '../platforms/discord/call-simulated.ts';

// The summary on a simulated Discord, with the real messenger: cards, nonces and refusals are those of Discord.
onDiscord();

const POST = 'POST /channels/{channel_id}/messages';
const MONDAY = Date.parse('2026-11-30T09:00:00Z');

/** Runs the schedule of Ada's summary. */
function deliver(channel: string | undefined, more: Partial<ScheduledRun> = {}) {
  const { apiUrl, applicationId, botToken } = discord;
  const call = callSimulated({ apiUrl, applicationId, botToken });
  const guild = createGuildFinder({ call, time: clock });
  const messenger = createDiscordMessenger({
    call,
    time: clock,
    applicationId,
    guild,
    findInteractionToken: async () => undefined,
    cdnOrigins: [],
  });
  const run: ScheduledRun = {
    schedule: {
      platform: 'discord',
      workspace: toWorkspaceId(GUILD),
      id: `weekly-${ADA}`,
      content: { kind: 'weekly-summary' },
      by: userId(ADA),
      channel: channel === undefined ? undefined : channelId(channel),
      recurrence: { weekdays: ['monday'], minuteOfDay: 540, zone: 'UTC' },
      locale: 'en-US',
      dueMs: MONDAY,
      failures: 0,
    },
    key: `weekly-${ADA}#${MONDAY}`,
    missed: [],
    nextMs: MONDAY + 7 * 86_400_000,
    endsIfUndeliverable: false,
    maybePostedSince: undefined,
    ...more,
  };
  const context = {
    budgets: spendingIn(),
    ratings: { list: async () => [] },
    messenger,
    memberRoles: async () => ({ admin: true, roles: [] }),
    settings: DEFAULTS,
    log: () => undefined,
  };
  return deliverWeeklySummary(run, context, formatWeeklyCommand);
}

/** What the bot wrote in a channel; in direct messages with Ada without one. */
const messagesIn = (channel?: string): string[] =>
  discord.core
    .messages(channel ?? discord.core.dm('ada'), 'ada')
    .filter((one) => readId(one, 'author', 'id') === discord.applicationId)
    .map((one) => JSON.stringify(one));

test('comes as a direct message, once, also if its run is repeated', async () => {
  expect(await deliver(undefined)).toBe('done');
  expect(await deliver(undefined)).toBe('done');
  expect(messagesIn()).toHaveLength(1);
  expect(messagesIn()[0]).toMatch(/The week 23.*29 November/u);
  // Its command, as Discord has it: with options in place of words.
  expect(messagesIn()[0]).toContain('/weekly');
  expect(messagesIn(GENERAL)).toEqual([]);
});

test('is a message of its own in a channel, once, and mentions nobody', async () => {
  expect(await deliver(GENERAL)).toBe('done');
  expect(await deliver(GENERAL)).toBe('done');
  expect(messagesIn(GENERAL)).toHaveLength(1);
  expect(messagesIn()).toEqual([]);
  const posted = discord.calls.filter(({ route }) => route === POST);
  expect(posted[0]?.json).toMatchObject({ allowed_mentions: { parse: [] } });
});

test('where the bot may not write, the administrator is told once by direct message', async () => {
  discord.faults.add({ kind: 'refuse', code: ERROR_CODES.MissingAccess, route: POST, times: 1 });
  expect(await deliver(GENERAL)).toBe('undeliverable');
  expect(messagesIn(GENERAL)).toEqual([]);
  expect(messagesIn()).toEqual([expect.stringMatching(/could not post the weekly summary in <#\d+>/u)]);
});

test('a person who accepts no direct messages gets none, and the schedule learns of it', async () => {
  const code = ERROR_CODES.CannotSendMessagesToThisUser;
  discord.faults.add({ kind: 'refuse', code, route: POST, times: 1 });
  expect(await deliver(undefined)).toBe('undeliverable');
  expect(messagesIn()).toEqual([]);
});

test('a lost response and a 429 delay it, and it is there once', async () => {
  discord.faults.add({ kind: 'lose-reply', route: POST, times: 1 });
  discord.faults.add({ kind: 'busy', retryAfter: 1, route: POST, times: 1 });
  expect(await deliver(undefined)).toBe('done');
  expect(messagesIn()).toHaveLength(1);
});

test('weeks in which nothing ran are reported in place of the summary', async () => {
  expect(await deliver(undefined, { missed: [MONDAY] })).toBe('done');
  expect(messagesIn()[0]).toMatch(
    /of Mon,? 30 Nov, 09:00 UTC was not sent.*comes on Mon,? 7 Dec, 09:00 UTC/u,
  );
});
