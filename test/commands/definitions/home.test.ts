import { expect, test } from '@jest/globals';
import { COMMANDS } from '../../../shared/commands/command-list.ts';
import { HOME_COMMANDS } from '../../../shared/commands/definitions/parts/abilities.ts';
import { ATTO_PER_DOLLAR } from '../../../shared/billing/budgets/index.ts';
import { channelId, type Interaction } from '../../../shared/domain/index.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { DEFAULTS } from '../../../shared/ports/index.ts';
import type { SettingValues } from '../../../shared/settings/rules/index.ts';
import { VideoHarness } from '../../video/video-harness.ts';
import { spendingIn } from '../../fakes/spending.ts';
import { TestTime } from '../../upstream/time.ts';
import { commandHarness, fakeInteraction, typedCommand } from '../command-harness.ts';
import { ADMIN, MEMBER } from '../settings-harness.ts';

/** A workspace on the first of January, where a question costs a dollar. */
function harness(values: SettingValues = {}) {
  const time = new TestTime();
  const budgets = spendingIn(time);
  const { videos } = new VideoHarness().context();
  const settings = { ...DEFAULTS, layers: { deployment: { values } } };
  const at = commandHarness({ budgets, videos, settings }, time);
  const { channel, ...home } = fakeInteraction({ kind: 'home' });
  const place = { platform: home.platform, workspace: home.workspace, channel: channel ?? channelId('C1') };
  const open = async (by: Interaction['by']) => {
    await at.call({ ...home, id: `home-${at.stage.answers.length}`, by });
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const type = async (text: string, by: Interaction['by'], platform: Interaction['platform'] = 'slack') => {
    const id = `typed-${at.stage.answers.length}`;
    const payload =
      platform === 'slack'
        ? typedCommand(text)
        : { kind: 'command' as const, name: text, options: {}, attachments: [] };
    await at.call({ ...home, platform, channel: place.channel, id, by, payload });
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const ask = async (id: string, tokens: number) => {
    const plan = { id, person: MEMBER.user, model: 'm', prompt: [], maxTokens: tokens };
    const reservation = await budgets.reserve({ ...plan, thread: place });
    const usage = { promptTokens: tokens, completionTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
    await reservation.settle('m', usage, 'So.', { isQuestion: true });
  };
  return { ...at, budgets, place, open, type, ask };
}

test('App Home shows what the person used this month, what is left of their budgets, and when they begin again', async () => {
  const at = harness();
  const rule = { scope: 'person', period: 'week', atto: 5n * ATTO_PER_DOLLAR, requests: 12 } as const;
  await at.budgets.changePolicy(at.place, (policy) => ({ ...policy, rules: [rule] }));
  expect(await at.open(MEMBER)).not.toContain('This month');
  await at.ask('first', 1_000);
  at.time.advance(9 * 86_400_000);
  await at.ask('second', 500);
  const card = await at.open(MEMBER);
  // More than the seven days of the chart.
  expect(card).toContain('This month: 2 questions, 1,502 tokens, $2.00');
  expect(card).toMatch(
    /20% · \$1\.00 \/ \$5\.00 · 1 \/ 12 requests\\nLeft: \$4\.00 · 11 requests\. It begins again on Mon,? 12 Jan, 00:00 UTC\./u,
  );
  // Nobody else sees it there.
  expect(await at.open({ ...MEMBER, user: ADMIN.user })).not.toContain('This month');
  at.time.advance(30 * 86_400_000);
  expect(await at.open(MEMBER)).not.toContain('This month');
});

test('the same is in `usage`, on Discord too', async () => {
  const at = harness();
  await at.ask('first', 1_000);
  expect(await at.type('usage', MEMBER)).toContain('This month: 1 question, 1,001 tokens, $1.00');
  // The accounts of this test are those of Slack.
  expect(await at.type('usage', MEMBER, 'discord')).toContain('Nothing was spent in this time.');
});

test('an overdrawn budget has nothing left', async () => {
  const at = harness();
  await at.ask('first', 1);
  await at.ask('second', 1);
  const rule = { scope: 'person', period: 'month', atto: ATTO_PER_DOLLAR } as const;
  await at.budgets.changePolicy(at.place, (policy) => ({ ...policy, rules: [rule] }));
  at.time.advance(60_000);
  await at.ask('third', 1).catch(() => undefined);
  expect(await at.open(MEMBER)).toMatch(/Left: \$\d\.\d\d\. It begins again on Sun,? 1 Feb, 00:00 UTC\./u);
});

test('App Home lists the commands and features that are on for the person', async () => {
  const member = await harness().open(MEMBER);
  expect(member).toMatch(/Commands: `\/parley` `ask` · .*`imagine` · `animate`/u);
  expect(member).not.toMatch(/`(?:quota|feedback|weekly|key)`/u);
  expect(member).toMatch(/I make pictures from words: `\/parley imagine`/u);
  expect(await harness().open(ADMIN)).toMatch(/`quota` · `feedback` · `weekly` · `key`/u);
});

test.each<[string, SettingValues, RegExp, RegExp]>([
  [
    'videos are off',
    { video: 'off' },
    /transcribe and translate/u,
    /`(?:imagine|animate)`|\/parley imagine|Animate/u,
  ],
  ['videos are for admins', { video: 'admins' }, /transcribe and translate/u, /`(?:imagine|animate)`/u],
  ['recordings are off', { voice: 'off' }, /`imagine`/u, /transcribe and translate|Transcribe_/u],
  [
    'recordings are transcribed by themselves',
    { voice: 'automatic' },
    /I transcribe voice messages here by themselves/u,
    /never/u,
  ],
  ['the bot is silent', { mentions: 'off' }, /I do not answer here/u, /Mention me in a channel/u],
])('App Home shows it where %s', async (_, values, present, absent) => {
  const card = await harness(values).open(MEMBER);
  expect(card).toMatch(present);
  expect(card).not.toMatch(absent);
});

test('`help` lists only what is on for the person, on both platforms', async () => {
  const at = harness({ video: 'admins' });
  for (const platform of ['slack', 'discord'] as const) {
    const member = await at.type('help', MEMBER, platform);
    expect(member).toMatch(/usage/u);
    expect(member).not.toMatch(/integrations|quota|schedule|weekly|imagine/u);
    const admin = await at.type('help', ADMIN, platform);
    expect(admin).toMatch(/imagine.*integrations.*quota.*weekly/u);
    expect(admin).not.toMatch(/schedule/u);
  }
  const scheduling = harness({ schedules: 'admins' });
  expect(await scheduling.type('help', MEMBER, 'slack')).not.toMatch(/schedule/u);
  expect(await scheduling.type('help', ADMIN, 'slack')).toMatch(/schedule/u);
});

test.each(LOCALES.filter((locale) => locale !== 'en'))('App Home is in %s', async (locale) => {
  const at = harness();
  await at.ask('first', 1);
  expect(await at.open({ ...MEMBER, locale })).not.toMatch(/This month|Commands:|I make pictures/u);
});

test('App Home lists commands that exist', () => {
  expect(COMMANDS.map(({ name }) => name)).toEqual(expect.arrayContaining([...HOME_COMMANDS]));
});
