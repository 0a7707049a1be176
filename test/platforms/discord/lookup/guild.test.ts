import { expect, test } from '@jest/globals';
import { DiscordRateLimitError, DiscordApiError } from '../../../../shared/platforms/discord/api/call.ts';
import { createGuildFinder, toWorkspaceId } from '../../../../shared/platforms/discord/index.ts';

function harness() {
  let now = 0;
  const lookups: string[] = [];
  const answers: unknown[] = [];
  const guild = createGuildFinder({
    time: { now: () => now, sleep: async () => undefined },
    call: async ({ path }) => {
      lookups.push(path);
      const answer = answers.shift() ?? {
        preferred_locale: 'fr',
        premium_tier: 2,
        owner_id: '43',
        roles: [
          { id: '61', permissions: '32' },
          { id: '62', permissions: '1024' },
        ],
      };
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { guild, lookups, answers, pass };
}
const roles = new Map([
  ['61', 32n],
  ['62', 1_024n],
]);
const FRENCH = { locale: 'fr', tier: 2, owner: '43', managers: new Set(['61']), roles };
const UNKNOWN = { tier: 0 };

test('a guild is requested once in five minutes', async () => {
  const { guild, lookups, pass } = harness();
  expect(await Promise.all([guild(toWorkspaceId('21')), guild(toWorkspaceId('21'))])).toEqual([
    FRENCH,
    FRENCH,
  ]);
  expect(lookups).toEqual(['/guilds/21']);
  pass(299_999);
  await guild(toWorkspaceId('21'));
  expect(lookups).toHaveLength(1);
  pass(1);
  await guild(toWorkspaceId('21'));
  expect(lookups).toHaveLength(2);
});

test('a guild without the bot is unknown, and not requested again', async () => {
  const { guild, lookups, answers } = harness();
  answers.push(new DiscordApiError(403, 50001));
  expect([await guild(toWorkspaceId('21')), await guild(toWorkspaceId('21'))]).toEqual([UNKNOWN, UNKNOWN]);
  expect(await guild(toWorkspaceId(undefined))).toEqual(UNKNOWN);
  expect(lookups).toHaveLength(1);
});

test('a guild whose request failed is requested again', async () => {
  const { guild, answers } = harness();
  answers.push(new DiscordRateLimitError(1_000));
  expect([await guild(toWorkspaceId('21')), await guild(toWorkspaceId('21'))]).toEqual([UNKNOWN, FRENCH]);
});
