import { expect, test } from '@jest/globals';
import { FILES } from '../../shared/commands/command-list.ts';
import {
  channelId,
  type InteractionPayload,
  messageId,
  parseTask,
  type Thread,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { TestTime } from '../upstream/time.ts';
import { commandHarness, fakeInteraction, typedCommand } from './command-harness.ts';

const WORKSPACE = { platform: 'slack', workspace: workspaceId('T1') } as const;
/** Of somebody else. */
const THREAD: Thread = { ...WORKSPACE, channel: channelId('C1'), root: messageId('1.1') };
const THREAD_PLACE = { ...WORKSPACE, channel: 'C1', thread: THREAD, user: 'U1' };
const ADMIN = { user: userId('U9'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
const MEMBER = { ...ADMIN, user: userId('U1'), admin: false };
const GUILD_MEMBER = { ...MEMBER, user: userId('300000000000000001'), locale: 'de' };

const RESTRICTIONS = [
  'settings denied <@U1> for:workspace',
  'settings allowed <@U2> for:workspace',
  'settings channels <#C2> for:workspace',
  'quota block who:<@U1>',
] as const;

/** Sends what U1 does after an administrator has restricted the bot. */
async function restricted(restriction: string) {
  const time = new TestTime();
  const at = commandHarness({ budgets: spendingIn(time) }, time);
  let calls = 0;
  const call = async (payload: InteractionPayload, by = MEMBER, thread?: Thread) => {
    calls += 1;
    const where = thread && { thread };
    await at.call(fakeInteraction(payload, { id: `call-${calls}`, by, ...where }));
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  await call(typedCommand(restriction), ADMIN);
  at.time.advance(30_001);
  const press = (name: string, args: string[] = []) =>
    call({ kind: 'action', action: { name, args }, chosen: [] });
  const { layers } = at.context.settingsStore;
  const settings = async () =>
    (await layers.call(at.context.settingsStore, { ...WORKSPACE, user: 'U1' })).person?.values;
  const tasks = () => at.queue.sent.map(({ body }) => parseTask(body));
  const inThread = async () => (await layers.call(at.context.settingsStore, THREAD_PLACE)).thread?.values;
  return { ...at, call, press, settings, inThread, tasks };
}

const REFUSED = /An admin can/u;

test.each(RESTRICTIONS)(
  'with %s, a person who may not use the bot still has their own data',
  async (restriction) => {
    const { call, press, settings, tasks } = await restricted(restriction);
    expect(await call(typedCommand('export'))).not.toMatch(REFUSED);
    expect(await call(typedCommand('forget me'))).toContain('"forget.me"');
    expect(await press('forget.me')).not.toMatch(REFUSED);
    expect(await call(typedCommand('voice optout'))).not.toMatch(REFUSED);
    expect(tasks()).toMatchObject([
      { kind: 'export', scope: 'person' },
      { kind: 'erase', scope: { kind: 'person', user: 'U1' } },
    ]);
    expect(await settings()).toEqual({ voiceOptOut: true });
  },
);

test('the refusal names the commands for their own data as the person sees them', async () => {
  const inSlack = await restricted('settings denied <@U1> for:workspace');
  expect(await inSlack.call(typedCommand('help'))).toMatch(/with `export`, and erase it with `forget me`/u);
  const at = commandHarness();
  const call = (id: string, name: string, options: Record<string, string>, by = GUILD_MEMBER) =>
    at.call(
      fakeInteraction({ kind: 'command', name, options, attachments: [] }, { id, platform: 'discord', by }),
    );
  await call('1', 'settings', { name: 'denied', value: `<@${GUILD_MEMBER.user}>`, for: 'workspace' }, ADMIN);
  at.time.advance(30_001);
  await call('2', 'help', {});
  const card = JSON.stringify(at.stage.answers.at(-1)?.card);
  expect(card).toMatch(/mit `\/exportieren` abrufen und mit `\/vergessen was:mich` löschen/u);
});

test.each(RESTRICTIONS)('with %s, everything else stays refused', async (restriction) => {
  const { call, press, settings, inThread, tasks, context } = await restricted(restriction);
  for (const text of [
    '',
    'help',
    'usage',
    'export thread',
    'forget thread',
    'forget message',
    'voice',
    'voice on',
    'voice optin',
    'voice language de',
    'settings language de',
    'settings voiceOptOut on',
    'forget nobody',
    'persona save evil Always lie.',
    'knowledge add https://example.com/x',
  ])
    expect([text, await call(typedCommand(text))]).toEqual([text, expect.stringMatching(REFUSED)]);
  for (const action of ['forget.thread', 'forget.message', 'forget.me.too', 'voice.stop', 'export.me'])
    expect([action, await press(action, ['C1', '1.1'])]).toEqual([action, expect.stringMatching(REFUSED)]);
  for (const text of [
    'settings mentions off for:thread',
    'settings model model-x for:thread',
    'persona use evil for:thread',
  ])
    expect([text, await call(typedCommand(text), MEMBER, THREAD)]).toEqual([
      text,
      expect.stringMatching(REFUSED),
    ]);
  expect(tasks()).toEqual([]);
  expect([await settings(), await inThread()]).toEqual([undefined, undefined]);
  expect(await context.presets.list(WORKSPACE, 'persona')).toEqual([]);
});

test('an administrator who is blocked still lifts the block, and a person who is not blocked any more may do everything', async () => {
  const { call, time } = await restricted('quota block who:<@U1>');
  expect(await call(typedCommand('usage'))).toMatch(REFUSED);
  await call(typedCommand('quota block who:<@U9>'), ADMIN);
  expect(await call(typedCommand('quota unblock who:<@U9>'), ADMIN)).not.toMatch(REFUSED);
  await call(typedCommand('quota unblock who:<@U1>'), ADMIN);
  time.advance(30_001);
  expect(await call(typedCommand('usage'))).not.toMatch(REFUSED);
});

test('a person who has used up their budget still sees their usage and changes their settings', async () => {
  const { call, press, settings, time } = await restricted('quota set person 1/day who:<@U1>');
  time.advance(30_001);
  expect(await call(typedCommand('ask private:yes Why?'))).toContain('An answer.');
  expect(await call(typedCommand('ask private:yes Why?'))).toContain('used up');
  expect(await call(typedCommand('usage'))).not.toMatch(REFUSED);
  expect(await call(typedCommand('settings language de'))).not.toMatch(REFUSED);
  expect(await settings()).toEqual({ language: 'de' });
  expect(await press('voice.stop')).not.toMatch(REFUSED);
});

test('only these commands and buttons are open to people who may not use the bot', () => {
  const open = FILES.filter(({ ownData }) => ownData).map(({ spec }) => spec?.name);
  expect(open).toEqual(['export', 'forget', 'memory', 'voice']);
  expect(FILES.flatMap(({ ownData }) => ownData?.actions ?? [])).toEqual([
    'forget.me',
    'memory.list',
    'memory.off',
    'memory.delete',
    'memory.clear',
  ]);
});

const ON_DISCORD = (name: 'export' | 'forget', what: string): InteractionPayload => ({
  kind: 'command',
  name,
  options: { what },
  attachments: [],
});

test.each(['export', 'forget'] as const)(
  'in Discord, %s of a person says that it concerns this place only; in Slack there is one place',
  async (name) => {
    const at = commandHarness();
    const call = async (payload: InteractionPayload, platform: 'slack' | 'discord', id: string) => {
      await at.call(fakeInteraction(payload, { id, by: MEMBER, platform }));
      return JSON.stringify(at.stage.answers.at(-1)?.card);
    };
    const place = 'only the place where you are: this server, or your direct messages with me';
    expect(await call(ON_DISCORD(name, 'me'), 'discord', 'one')).toContain(place);
    expect(await call(ON_DISCORD(name, 'thread'), 'discord', 'two')).not.toContain(place);
    expect(await call(typedCommand(`${name} me`), 'slack', 'three')).not.toContain(place);
  },
);
