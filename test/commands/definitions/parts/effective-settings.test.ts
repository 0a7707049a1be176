import { describe, expect, test } from '@jest/globals';
import { channelId, messageId, userId, workspaceId } from '../../../../shared/domain/index.ts';
import { DEFAULTS } from '../../../../shared/ports/index.ts';
import { streamsOnly } from '../../../fakes/streams-only.ts';
import { endEvent } from '../../../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../../command-harness.ts';
import { ADMIN, MEMBER } from '../../settings-harness.ts';

const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;

/** A deployment that says a few things itself. */
function harness() {
  const at = commandHarness({
    settings: { ...DEFAULTS, standIns: ['spare'], reasoning: 'full', followUpModel: 'small', keptDays: 30 },
    chat: {
      ...streamsOnly,
      model: 'usual',
      async *stream() {
        yield endEvent('Yes.');
      },
      listModels: async () =>
        ['usual', 'big'].map((id) => ({
          id,
          inputModalities: [],
          capabilities: [],
          ready: true,
          pricePerThousand: () => 1,
        })),
    },
  });
  let calls = 0;
  /** The fields of the last card, by the names of settings. */
  const fields = async (text: string, by = MEMBER, thread?: typeof THREAD) => {
    calls += 1;
    await at.call(
      fakeInteraction(typedCommand(text), { id: `call-${calls}`, by, ...(thread && { thread }) }),
    );
    const parts = at.stage.answers.at(-1)?.card.parts ?? [];
    const all = parts.flatMap((part) => (part.kind === 'fields' ? part.fields : []));
    const rows = all.map(({ name, value }) => [/\((\w+)\)$/u.exec(name)?.[1] ?? name, value] as const);
    return Object.fromEntries(rows);
  };
  const card = () => JSON.stringify(at.stage.answers.at(-1)?.card);
  return { ...at, fields, card };
}

describe('settings show the effective value and its origin', () => {
  test('without settings: the deployment’s configuration, or the default', async () => {
    const { fields, card } = harness();
    expect(await fields('settings for:workspace', ADMIN)).toMatchObject({
      model: 'usual (the operator of this bot)',
      standIns: 'spare (the operator of this bot)',
      reasoning: 'How long, and its end (the operator of this bot)',
      suggestions: 'Yes (the operator of this bot)',
      retentionDays: '30 (the operator of this bot)',
      language: 'That of the question (by default)',
      footer: 'No (by default)',
      mentions: 'Not in threads I am in (by default)',
      voice: 'On request (by default)',
      video: 'Everybody (by default)',
    });
    expect(card()).toContain('Left to the model: `effort`, `temperature`');
  });

  test('the strongest level with a value', async () => {
    const { fields } = harness();
    await fields('settings model big for:workspace', ADMIN);
    expect(await fields('settings')).toMatchObject({ model: 'big (the workspace)' });
    await fields('settings model usual');
    expect(await fields('settings')).toMatchObject({ model: 'usual (mine)' });
    await fields('settings model big for:channel', ADMIN);
    expect(await fields('settings')).toMatchObject({ model: 'big (this channel)' });
    await fields('settings model usual for:thread', MEMBER, THREAD);
    expect(await fields('settings', MEMBER, THREAD)).toMatchObject({ model: 'usual (this thread)' });
    expect(await fields('settings')).toMatchObject({ model: 'big (this channel)' });
  });

  test('the lock with its level, author and reason', async () => {
    const { fields, card } = harness();
    await fields('settings name:model value:big for:workspace lock:"it is paid for"', ADMIN);
    const { model } = await fields('settings');
    expect(model).toBe('big (the workspace) 🔒 it is paid for (locked: the workspace, <@U9>)');
    expect(card()).toContain('"people":["U9"]');
    await fields('settings name:reasoning for:channel lock:yes', ADMIN);
    const { reasoning } = await fields('settings');
    expect(reasoning).toBe('How long, and its end (the operator of this bot) 🔒 locked: this channel, <@U9>');
    await fields('settings name:temperature for:workspace lock:yes', ADMIN);
    expect((await fields('settings'))['temperature']).toBe('– 🔒 locked: the workspace, <@U9>');
  });

  test('instructions of several levels add up, and long ones are shortened', async () => {
    const { fields } = harness();
    await fields(`settings instructions ${'Be kind. '.repeat(100)} for:workspace`, ADMIN);
    await fields('settings instructions Be brief. for:channel', ADMIN);
    const { instructions } = await fields('settings for:channel', ADMIN);
    expect(instructions).toMatch(/^“Be kind\. .*…” \(the workspace\); “Be brief\.” \(this channel\)$/u);
    expect(instructions?.length).toBeLessThan(300);
  });

  test('the reset option of a menu shows the value of the other levels', async () => {
    const { fields, card } = harness();
    await fields('settings reasoning off for:workspace', ADMIN);
    await fields('settings reasoning brief');
    expect(card()).toContain('"label":"Inherited: Not at all","value":"reset"');
    await fields('settings for:workspace', ADMIN);
    expect(card()).toContain('"label":"Inherited: How long, and its end","value":"reset"');
  });

  test('an erased person is not named as the author of a lock', async () => {
    const { fields, context } = harness();
    const place = { platform: 'slack', workspace: 'T1', user: 'U9' } as const;
    await context.settingsStore.change(place, 'workspace', {
      change: { level: 'workspace', setting: 'model', kind: 'lock', lock: { reason: '' } },
      edit: (layer) => ({ ...layer, locks: { model: { reason: '' } } }),
      by: '',
    });
    expect((await fields('settings'))['model']).toBe(
      'usual (the operator of this bot) 🔒 locked: the workspace',
    );
  });

  test('a person sees the settings that exist at their level, and those that other levels set', async () => {
    const { fields } = harness();
    const mine = Object.keys(await fields('settings'));
    expect(mine).toContain('language');
    expect(mine).not.toContain('mentions');
    await fields(`settings mentions only for:channel`, { ...ADMIN, user: userId('U8') });
    expect(await fields('settings')).toMatchObject({ mentions: 'Always (this channel)' });
  });
});
