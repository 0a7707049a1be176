import { intakeWithin } from '../../../shared/intake/within-worker.ts';
import { describe, expect, test } from '@jest/globals';
import { type Card, channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { renderCard } from '../../../shared/platforms/slack/blocks/card-blocks.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { checkBlocks } from '../../simulators/slack/blocks.ts';
import * as v from 'valibot';
import { jsonObject } from '../../simulators/json-schema.ts';
import { DEFAULTS } from '../../../shared/ports/index.ts';
import { acceptQuestion } from '../../../shared/intake/index.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { fakePlatform } from '../../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { ADMIN, MEMBER, settingsHarness } from '../settings-harness.ts';

describe('settings', () => {
  test('a person sets their own settings, sees the origin of each, and removes them', async () => {
    const { type } = settingsHarness();
    expect(await type('settings footer yes')).toContain('(footer)","value":"Yes (mine)"');
    expect(await type('settings')).toContain('Yes (mine)');
    expect(await type('settings footer reset')).not.toContain('Yes (mine)');
    expect(await type('settings temperature 3')).toContain('not a value of `temperature`');
    expect(await type('settings nonsense 3')).toContain('no such setting');
  });

  test('only admins change a channel’s settings; the refusal is ephemeral and says who can', async () => {
    const { type, stage } = settingsHarness();
    expect(await type('settings voice automatic for:channel')).toContain('an owner or an admin');
    expect(stage.answers.every(({ openly }) => !openly)).toBe(true);
    expect(await type('settings voice automatic for:channel', ADMIN)).toContain(
      'utomatically (this channel)',
    );
  });

  test('a locked setting is refused with the reason', async () => {
    const { type } = settingsHarness();
    await type('settings model usual for:workspace lock:"it is paid for"', ADMIN);
    expect(await type('model big')).toContain('locked by the workspace: it is paid for');
    expect(await type('settings')).toContain('🔒 it is paid for');
  });

  test('a concurrent change is shown to the second admin', async () => {
    const { type, press } = settingsHarness();
    await type('settings for:workspace', ADMIN);
    const other = { ...ADMIN, user: userId('U8') };
    await press('settings.set', ['workspace', 'video', '0'], ['off'], other);
    const card = await press('settings.set', ['workspace', 'video', '0'], ['all'], ADMIN);
    expect(card).toContain('Someone changed this a moment ago');
    expect(card).toContain('Nobody (the workspace)');
    expect(await press('settings.set', ['workspace', 'video', '1'], ['all'], ADMIN)).toContain(
      'Everybody (the workspace)',
    );
  });

  test.each([
    ['settings.set', ['workspace', 'video', '0']],
    ['settings.set', ['channel', 'denied', '0']],
    ['settings.set', ['workspace', 'constructor', '0']],
    ['settings.set', ['everything', 'model', 'NaN']],
    ['settings.wipe', ['workspace']],
    ['persona.use', ['pirate', 'channel']],
    ['model.use', ['workspace']],
    ['nothing.here', []],
  ])('a forged press of %s %j changes nothing, and that is said', async (name, args) => {
    const { press, context } = settingsHarness();
    expect(await press(name, args, ['off'])).toContain('"tone":"bad"');
    const { workspace, channel } = await context.settingsStore.layers({
      platform: 'slack',
      workspace: 'T1',
      channel: 'C1',
    });
    expect([workspace, channel?.values ?? {}]).toEqual([{ values: {} }, {}]);
  });

  test('texts use the deployment’s name of the slash command', async () => {
    const at = commandHarness({ settings: { ...DEFAULTS, slackCommand: '/bot' } });
    const typeAs = async (text: string) => {
      await at.call(fakeInteraction(typedCommand(text), { id: text, by: MEMBER }));
      return JSON.stringify(at.stage.answers.at(-1)?.card);
    };
    expect(await typeAs('settings')).toContain('`/bot settings name value`');
    expect(await typeAs('help')).toContain('`/bot why`');
    expect(await typeAs('settings lock:x lock')).not.toContain('/parley');
  });

  test('a thread’s settings are reached from the menu of a message and apply only there', async () => {
    const { call, press, stage, context } = settingsHarness();
    const thread = {
      platform: 'slack' as const,
      workspace: workspaceId('T1'),
      channel: channelId('C1'),
      root: messageId('1.1'),
    };
    const message = { thread, id: messageId('1.2'), author: userId('U2'), text: '', attachments: [] };
    await call(fakeInteraction({ kind: 'on-message', name: 'settings', message }, { by: MEMBER }));
    const card = JSON.stringify(stage.answers.at(-1)?.card);
    expect(card).toContain('Settings of this thread');
    expect(stage.answers.at(-1)?.interaction.thread).toEqual(thread);
    expect(card).toContain('"settings.set","args":["thread","effort","0"]');
    const action = { name: 'settings.set', args: ['thread', 'effort', '0'] };
    await call(
      fakeInteraction({ kind: 'action', action, chosen: ['high'] }, { id: 'set', by: MEMBER, thread }),
    );
    const place = { platform: 'slack' as const, workspace: 'T1', channel: 'C1', user: 'U2' };
    const there = { channel: 'C1', root: '1.1' };
    expect((await context.settingsStore.layers({ ...place, thread: there })).thread?.values.effort).toBe(
      'high',
    );
    const other = { channel: 'C1', root: '2.1' };
    expect(
      (await context.settingsStore.layers({ ...place, thread: other })).thread?.values.effort,
    ).toBeUndefined();
    expect(await press('model.show', [])).toContain('Used here: `usual`');
  });

  test('every change is listed with author and time, for people who may change the level', async () => {
    const { type, press, time } = settingsHarness();
    await type('settings video off for:workspace', ADMIN);
    time.advance(60_000);
    await type('settings video reset for:workspace', { ...ADMIN, user: userId('U8') });
    const log = await press('settings.log', ['workspace'], [], ADMIN);
    expect(log).toMatch(/<@U8> reset “Who may make videos”\..*<@U9> set “Who may make videos” to Nobody\./u);
    expect(await press('settings.log', ['workspace'])).toContain('an owner or an admin');
    expect(await press('settings.log', ['person'])).toContain('Nothing was changed yet');
    expect(await type('settings')).not.toContain('"settings.show","args":["workspace"]');
  });

  test('a setting that another level has locked is shown with the reason and has no menu', async () => {
    const { type } = settingsHarness();
    await type('settings reasoning lock:"it confuses people" for:workspace', ADMIN);
    const card = await type('settings');
    expect(card).toContain(
      '(reasoning)","value":"How long it took (the operator of this bot) 🔒 it confuses people (locked',
    );
    expect(card).not.toContain('"args":["person","reasoning"');
    expect(await type('settings for:workspace', ADMIN)).toContain('"args":["workspace","reasoning"');
  });

  test('an unknown model or persona is refused', async () => {
    const { type } = settingsHarness();
    expect(await type('settings model huge')).toContain('no model `huge`');
    expect(await type('settings standIns usual,huge')).toContain('no model `huge`');
    expect(await type('settings persona nobody')).toContain('no persona `nobody`');
    expect(await type('settings standIns usual,big')).toContain('usual, big (mine)');
  });

  test('the sections of App Home are shown one by one', async () => {
    const { press } = settingsHarness();
    expect(await press('home.show', ['usage'])).toContain('parts');
    expect(await press('home.show', ['jobs'])).toContain('parts');
    expect(await press('home.show', ['spent'])).toContain('parts');
    expect(await press('home.show', ['secrets'])).toContain('out of date');
  });

  test('App Home starts with the features; cards that replace it lead back', async () => {
    const { call, stage, context } = settingsHarness();
    const { channel: _, ...home } = fakeInteraction({ kind: 'home' }, { by: MEMBER });
    await call(home);
    const parts = stage.answers[0]?.card.parts ?? [];
    expect(JSON.stringify(parts[0])).toContain('What I can do, and how');
    expect(JSON.stringify(parts[1])).toMatch(/Mention me in a channel.*Summarise thread/u);
    expect(JSON.stringify(parts[1])).not.toContain('/parley animate');
    expect(context.videos.enabled).toBe(false);
    const press = async (name: string, ...args: string[]) => {
      await call({
        ...home,
        id: `${name}-${args.join('-')}`,
        payload: { kind: 'action', action: { name, args }, chosen: [] },
      });
      return JSON.stringify(stage.answers.at(-1)?.card);
    };
    expect(await press('menu.run', '/parley', 'help')).toMatch(/\/parley why.*"label":"Back"/u);
    expect(await press('model.show')).toContain('"label":"Back"');
    expect(await press('home.show', 'usage')).toContain('"label":"Back"');
    expect(await press('home.show', 'home')).toContain('Mention me in a channel');
  });

  test('App Home shows the person’s settings, and to admins the way to the workspace’s', async () => {
    const { call, stage } = settingsHarness();
    const { channel: _, ...home } = fakeInteraction({ kind: 'home' }, { by: MEMBER });
    await call(home);
    expect(JSON.stringify(stage.answers[0]?.card)).toContain('My settings');
    expect(JSON.stringify(stage.answers[0]?.card)).not.toContain('"workspace"');
    await call({ ...home, by: ADMIN });
    expect(JSON.stringify(stage.answers[1]?.card)).toContain('"settings.show","args":["workspace"]');
  });

  test('an invalid language is refused: every later task would fail with it', async () => {
    const { type } = settingsHarness();
    expect(await type('settings language en-aa-bb')).toContain('not a value');
    expect(await type('settings')).toContain('My settings');
  });

  test('a person who may not use the bot gets an ephemeral refusal', async () => {
    const { type, call, stage } = settingsHarness();
    await type('settings allowed <@U5> for:workspace', ADMIN);
    expect(await type('ask Why?')).toContain('Only some people may use me here');
    await type('settings channels <#C2|lab> for:workspace', ADMIN);
    await call(
      fakeInteraction(typedCommand('help'), {
        by: { ...MEMBER, user: userId('U5') },
        channel: channelId('C1'),
      }),
    );
    expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('may not be used in this channel');
  });
});

const people = async () => ({ locale: 'de' });
const standing = async (_: unknown, user: string) => ({
  admin: user === 'U9',
  roles: user === 'U3' ? ['S1'] : [],
});

describe('a question by a person who may not use the bot', () => {
  test('is refused ephemerally; an admin may ask anyway', async () => {
    const whispers: string[] = [];
    const at = commandHarness({
      userProfile: people,
      memberRoles: standing,
      platform: {
        ...fakePlatform(),
        getLocale: async () => 'de-DE',
        postEphemeral: async (_, to, text) => whispers.push(`${to}: ${text}`) > 0,
      },
    });
    await at.call(
      fakeInteraction(typedCommand('settings denied <@U1> <@U9> <!subteam^S1|@sales> for:workspace'), {
        by: ADMIN,
      }),
    );
    const ask = async (author: string) => {
      const root = messageId(`1.${author.slice(1)}`);
      const thread = {
        platform: 'slack' as const,
        workspace: workspaceId('T1'),
        channel: channelId('C1'),
        root,
      };
      const post = { thread, id: root, author: userId(author), authorWorkspace: workspaceId('T1') };
      await acceptQuestion(
        { ...post, text: 'Why?', attachments: [], addressed: 'mention' },
        intakeWithin(at.context),
      );
      await dispatchTask(at.queue.sent.at(-1)?.body ?? '', at.context, {
        deadline: at.time.now() + 60_000,
        isRedelivery: false,
        isLast: false,
      });
    };
    await ask('U1');
    expect(whispers).toEqual([
      'U1: Du darfst mich hier nicht benutzen. Ein Admin kann das ändern. Was ich über dich gespeichert habe, kannst du weiterhin mit `export` abrufen und mit `forget me` löschen.',
    ]);
    await ask('U3');
    expect(whispers).toHaveLength(2);
    await ask('U9');
    const turns = at.dynamo.items('conversations').filter(({ sk }) => sk?.S?.startsWith('TURN#'));
    expect(turns.map(({ by }) => by?.S)).toEqual(['U9']);
  });
});

test.each(LOCALES)(
  'in %s, cards with the longest that people can write are within the limits of Slack',
  async (locale) => {
    const { type, stage } = settingsHarness();
    const by = { ...ADMIN, locale };
    await type(
      `settings standIns ${Array.from({ length: 5 }, (_, i) => `${'値'.repeat(148)}${i}`).join(',')} for:workspace lock:"${'値'.repeat(200)}"`,
      by,
    );
    await type(
      `settings denied ${Array.from({ length: 100 }, (_, i) => `${'W'.repeat(57)}${i}`)
        .join(' ')
        .slice(0, 990)} for:workspace`,
      by,
    );
    await type(`persona save ${'値'.repeat(40)} ${'値'.repeat(3_950)}`, by);
    for (const text of [
      'settings for:workspace',
      'settings',
      'model',
      'persona',
      'help',
      `persona show ${'値'.repeat(40)}`,
    ])
      await type(text, by);
    const cards: Card[] = stage.answers.map(({ card }) => card);
    expect(cards).toHaveLength(9);
    for (const place of ['message', 'home'] as const) {
      for (const card of cards) checkBlocks(v.parse(v.array(jsonObject), renderCard(card, place).blocks));
    }
  },
);
