import { describe, expect, test } from '@jest/globals';
import {
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { handleDeadLetter, dispatchTask } from '../../shared/worker/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { invocation, rig, typed } from '../commands/called.ts';
import { platform } from '../chat/rig.ts';

const BY = { user: userId('U9'), workspace: workspaceId('T1'), roles: [], admin: true };
const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;
const MESSAGE = { thread: THREAD, id: messageId('1.2'), author: BY.user, text: '', attachments: [] };

const COMMANDS = `
  help · nonsense · settings · settings nonsense 3 · settings temperature 9 · settings for:channel
  settings for:workspace · settings model huge · model · usage · usage of:workspace · persona
  persona show nobody · schema · quota · quota nonsense · voice · voice list · why · forget · forget me
  forget thread · export thread · video none · animate · key · ask
`
  .split(/\n|·/u)
  .map((text) => text.trim());
const OTHER_CALLS: readonly InteractionPayload[] = [
  { kind: 'home' },
  { kind: 'on-message', name: 'why', message: MESSAGE },
  { kind: 'on-message', name: 'settings', message: MESSAGE },
  { kind: 'on-message', name: 'transcribe', message: MESSAGE },
  { kind: 'on-message', name: 'animate', message: MESSAGE },
  { kind: 'action', action: { name: 'nothing.here', args: [] }, chosen: [] },
  { kind: 'action', action: { name: 'settings.log', args: ['workspace'] }, chosen: [] },
];
const CALLS: readonly InteractionPayload[] = [...COMMANDS.map((text) => typed(text)), ...OTHER_CALLS];

const nameOf = (made: InteractionPayload): string =>
  `${made.kind} ${'options' in made ? String(made.options['text']) : 'name' in made ? made.name : ''}`;

/** A workspace that is set to German, and somebody whose Slack is in `reads`. */
async function world(reads: string, language = 'de') {
  const told: string[] = [];
  const at = rig({
    userProfile: async () => ({ locale: reads, admin: true }),
    platform: {
      ...platform(),
      getLocale: async () => reads,
      postEphemeral: async (_, __, words) => told.push(words) > 0,
    },
  });
  let calls = 0;
  const call = async (made: InteractionPayload, more: Partial<Interaction> = {}) => {
    calls += 1;
    const before = at.stage.answers.length;
    await at.call(invocation(made, { id: `call-${calls}`, by: BY, ...more }));
    return JSON.stringify(at.stage.answers.slice(before).map(({ card }) => card));
  };
  await call(typed(`settings language ${language} for:workspace`));
  at.time.advance(30_001);
  return { ...at, call, told };
}

describe('the language that is set is that of everything a person reads', () => {
  test.each(CALLS.map((made) => [nameOf(made), made] as const))('of %s', async (_, made) => {
    const [english, german] = await Promise.all([world('en-US'), world('de-DE')]);
    expect(await english.call(made)).toBe(await german.call(made));
  });

  test('help speaks German to somebody whose Slack is in English', async () => {
    const { call } = await world('en-US');
    expect(await call(typed('help'))).toContain('Einstellungen ansehen und ändern');
  });

  test('where none is set, it is that of the platform; where the bot does not speak the one that is set, too', async () => {
    for (const language of ['auto', 'reset', 'it']) {
      const { call } = await world('de-DE', language);
      expect(await call(typed('help'))).toContain('Einstellungen ansehen');
    }
    const { call } = await world('it-IT', 'auto');
    expect(await call(typed('help'))).toContain('See and change settings');
  });

  test('a language is set by its name in any of the bot’s, and its change is answered in it', async () => {
    const { call, time } = await world('en-US', 'reset');
    for (const [name, told] of [
      ['German', 'Meine Einstellungen'],
      ['französisch', 'Mes réglages'],
      ['日本語', '自分の設定'],
      ['reset', 'My settings'],
      ['Dutch', 'My settings'],
    ] as const) {
      expect(await call(typed(`settings language ${name}`))).toContain(told);
      time.advance(30_001);
    }
    expect(await call(typed('settings'))).toContain('(language)","value":"Dutch (mine)');
    expect(await call(typed('settings language Nonsense'))).toContain('no value');
  });

  test('one’s own is before the workspace’s, a channel’s before one’s own', async () => {
    const { call, time } = await world('en-US');
    await call(typed('settings language fr'));
    time.advance(30_001);
    expect(await call(typed('help'))).toContain('Voir et changer les réglages');
    await call(typed('settings language es for:channel'));
    time.advance(30_001);
    expect(await call(typed('help'))).toContain('Ver y cambiar ajustes');
  });

  test('so is what is said later: that it is forgotten, that nothing came of a call', async () => {
    const at = await world('en-US');
    await at.call(typed('forget thread'));
    const wanted = invocation(typed('why'), { id: 'why', by: BY });
    const place = {
      v: 1,
      thread: THREAD,
      message: THREAD.root,
      asker: BY.user,
      askerWorkspace: BY.workspace,
    };
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
    const erase = { ...place, kind: 'erase', round: 0, of: { kind: 'thread' }, tell: wanted };
    const erasure = {
      page: async () => ({ erased: 0 }),
      threadPage: async () => ({ erased: 0 }),
      scans: async () => true,
    };
    await dispatchTask(JSON.stringify(erase), { ...at.context, erasure }, delivery);
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('vergessen');
    const recordings = new Recordings({
      dynamo: at.dynamo,
      table: 'conversations',
      days: 30,
      now: at.time.now,
    });
    await handleDeadLetter(JSON.stringify({ ...place, kind: 'invoked', invocation: wanted }), {
      ...at.context,
      recordings,
    });
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('nicht');
  });

  test('who presses a button is told in their own language, not in that of who asked', async () => {
    const at = await world('en-US', 'reset');
    await at.call(typed('settings language de'));
    at.time.advance(30_001);
    const redo = {
      v: 1,
      kind: 'redo',
      round: 0,
      thread: THREAD,
      message: THREAD.root,
      asker: BY.user,
      askerWorkspace: BY.workspace,
      key: 'press-1',
      by: userId('U2'),
      how: { kind: 'regenerate' },
    };
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
    await dispatchTask(JSON.stringify(redo), at.context, delivery);
    await dispatchTask(JSON.stringify({ ...redo, key: 'press-2', by: BY.user }), at.context, delivery);
    expect(at.told).toHaveLength(2);
    expect(at.told[0]).not.toBe(at.told[1]);
  });

  test('in Discord, commands are named as its menus show them to the person, whatever language is set', async () => {
    const at = await world('en-US');
    const by = { ...BY, locale: 'en-US' };
    const call: InteractionPayload = { kind: 'command', name: 'settings', options: {}, attachments: [] };
    const place = { platform: 'discord', workspace: workspaceId('T1') } as const;
    const set: InteractionPayload = { ...call, options: { name: 'language', value: 'de' } };
    await at.call(set, { ...place, by });
    at.time.advance(30_001);
    const card = await at.call(call, { ...place, by });
    expect(card).toContain('Meine Einstellungen');
    expect(card).toContain('/settings name value');
  });
});
