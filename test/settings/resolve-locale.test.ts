import { describe, expect, test } from '@jest/globals';
import {
  serializeTask,
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { handleDeadLetter, dispatchTask } from '../../shared/worker/index.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';
import { fakePlatform } from '../chat/completion-harness.ts';

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
const OTHER_PAYLOADS: readonly InteractionPayload[] = [
  { kind: 'home' },
  { kind: 'on-message', name: 'why', message: MESSAGE },
  { kind: 'on-message', name: 'settings', message: MESSAGE },
  { kind: 'on-message', name: 'transcribe', message: MESSAGE },
  { kind: 'on-message', name: 'animate', message: MESSAGE },
  { kind: 'action', action: { name: 'nothing.here', args: [] }, chosen: [] },
  { kind: 'action', action: { name: 'settings.log', args: ['workspace'] }, chosen: [] },
];
const PAYLOADS: readonly InteractionPayload[] = [
  ...COMMANDS.map((text) => typedCommand(text)),
  ...OTHER_PAYLOADS,
];

const getTitle = (payload: InteractionPayload): string =>
  `${payload.kind} ${'options' in payload ? String(payload.options['text']) : 'name' in payload ? payload.name : ''}`;

/** A workspace with the language setting `language`, and a person whose Slack locale is `userLocale`. */
async function createWorkspace(userLocale: string, language = 'de') {
  const notices: string[] = [];
  const at = commandHarness({
    userProfile: async () => ({ locale: userLocale, admin: true }),
    platform: {
      ...fakePlatform(),
      getLocale: async () => userLocale,
      postEphemeral: async (_, __, text) => notices.push(text) > 0,
    },
  });
  let count = 0;
  const call = async (payload: InteractionPayload, more: Partial<Interaction> = {}) => {
    count += 1;
    const before = at.stage.answers.length;
    await at.call(fakeInteraction(payload, { id: `call-${count}`, by: BY, ...more }));
    return JSON.stringify(at.stage.answers.slice(before).map(({ card }) => card));
  };
  await call(typedCommand(`settings language ${language} for:workspace`));
  at.time.advance(30_001);
  return { ...at, call, notices };
}

describe('the language setting applies to everything that a person reads', () => {
  test.each(PAYLOADS.map((payload) => [getTitle(payload), payload] as const))(
    'in the response to %s',
    async (_, payload) => {
      const [english, german] = await Promise.all([createWorkspace('en-US'), createWorkspace('de-DE')]);
      expect(await english.call(payload)).toBe(await german.call(payload));
    },
  );

  test('help is in German for a person whose Slack is in English', async () => {
    const { call } = await createWorkspace('en-US');
    expect(await call(typedCommand('help'))).toContain('Einstellungen ansehen und ändern');
  });

  test('without a setting, or with an unsupported one, the platform’s locale applies', async () => {
    for (const language of ['auto', 'reset', 'it']) {
      const { call } = await createWorkspace('de-DE', language);
      expect(await call(typedCommand('help'))).toContain('Einstellungen ansehen');
    }
    const { call } = await createWorkspace('it-IT', 'auto');
    expect(await call(typedCommand('help'))).toContain('See and change settings');
  });

  test('a language can be set by its name in any supported language; the response is in the new language', async () => {
    const { call, time } = await createWorkspace('en-US', 'reset');
    for (const [name, title] of [
      ['German', 'Meine Einstellungen'],
      ['französisch', 'Mes réglages'],
      ['日本語', '自分の設定'],
      ['reset', 'My settings'],
      ['Dutch', 'My settings'],
    ] as const) {
      expect(await call(typedCommand(`settings language ${name}`))).toContain(title);
      time.advance(30_001);
    }
    expect(await call(typedCommand('settings'))).toContain('(language)","value":"Dutch (mine)');
    expect(await call(typedCommand('settings language Nonsense'))).toContain('not a value');
  });

  test('a person’s setting overrides the workspace’s, and a channel’s overrides the person’s', async () => {
    const { call, time } = await createWorkspace('en-US');
    await call(typedCommand('settings language fr'));
    time.advance(30_001);
    expect(await call(typedCommand('help'))).toContain('Voir et modifier les réglages');
    await call(typedCommand('settings language es for:channel'));
    time.advance(30_001);
    expect(await call(typedCommand('help'))).toContain('Ver y cambiar ajustes');
  });

  test('it applies to later notices: after an erasure, and for a failed interaction', async () => {
    const at = await createWorkspace('en-US');
    await at.call(typedCommand('forget thread'));
    const interaction = fakeInteraction(typedCommand('why'), { id: 'why', by: BY });
    const place = {
      v: 1,
      thread: THREAD,
      message: THREAD.root,
      asker: BY.user,
      askerWorkspace: BY.workspace,
    };
    const delivery = { deadline: at.time.now() + 60_000, isRedelivery: false, isLast: false };
    const erase = { ...place, kind: 'erase', round: 0, scope: { kind: 'thread' }, interaction };
    const erasure = {
      page: async () => ({ erased: 0 }),
      threadPage: async () => ({ erased: 0 }),
      scans: async () => true,
      channelSettings: async () => undefined,
    };
    await dispatchTask(serializeTask(erase), { ...at.context, erasure }, delivery);
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('vergessen');
    const recordings = new Recordings({
      dynamo: at.dynamo,
      table: 'conversations',
      days: 30,
      now: at.time.now,
    });
    await handleDeadLetter(serializeTask({ ...place, kind: 'invoked', interaction }), {
      ...at.context,
      recordings,
    });
    expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('nicht');
  });

  test('a person who clicks a button is notified in their own language, not in the asker’s', async () => {
    const at = await createWorkspace('en-US', 'reset');
    await at.call(typedCommand('settings language de'));
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
    expect(at.notices).toHaveLength(2);
    expect(at.notices[0]).not.toBe(at.notices[1]);
  });

  test('in Discord, commands have the names that its menus show to the person, whatever language is set', async () => {
    const at = await createWorkspace('en-US');
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
