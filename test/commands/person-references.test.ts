import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { type InteractionPayload, userId, workspaceId } from '../../shared/domain/index.ts';
import { COMMANDS } from '../../shared/commands/command-list.ts';
import { getListKind } from '../../shared/commands/arguments/format-mentions.ts';
import { parseReference } from '../../shared/commands/arguments/references.ts';
import { readTypedText } from '../../shared/platforms/slack/inbound/plain-text.ts';
import { createSlackDirectory } from '../../shared/platforms/slack/index.ts';
import { SETTINGS } from '../../shared/settings/rules/index.ts';
import { LOCALES } from '../../shared/i18n/index.ts';
import { spendingIn } from '../fakes/spending.ts';
import { createDirectClient } from '../simulators/slack/direct-client.ts';
import { createWorkspace } from '../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../simulators/slack/identity.ts';
import { text as textOf } from '../simulators/slack/harness.ts';
import { TestTime } from '../upstream/time.ts';
import { fakeInteraction, commandHarness, typedCommand } from './command-harness.ts';

const ADA = 'U0ADA00000';
const GRACE = 'U0GRACE000';
const TEAM = workspaceId(DEFAULT_IDENTITY.teamId);
const groups = [{ id: 'S0SALES000', handle: 'sales', users: [ADA] }];

/** What Ada, who administers, types in a simulated Slack, and the card that she sees. */
function ada(locale = 'en') {
  const workspace = createWorkspace({ identity: { groups } });
  const time = new TestTime();
  const directory = createSlackDirectory({ call: createDirectClient(workspace), time });
  const at = commandHarness({ directory, budgets: spendingIn(time) }, time);
  const by = { user: userId(ADA), workspace: TEAM, roles: [], admin: true, locale };
  let calls = 0;
  const call = async (one: InteractionPayload) => {
    calls += 1;
    const answered = at.stage.answers.length;
    await at.call(fakeInteraction(one, { id: `call-${calls}`, workspace: TEAM, by }));
    expect(at.stage.answers).toHaveLength(answered + 1);
    return JSON.stringify(at.stage.answers.at(-1)?.card);
  };
  const place = { platform: 'slack' as const, workspace: TEAM, channel: 'C1', user: ADA };
  return {
    type: (text: string) => call(typedCommand(text)),
    /** As the simulated Slack sends it. */
    typeInSlack: (text: string) =>
      call(typedCommand(readTypedText(textOf(workspace.command(ADA, `/parley ${text}`, 'general')['text'])))),
    call,
    set: async () => (await at.context.settingsStore.layers(place)).workspace?.values,
    channel: workspace.channel,
  };
}

describe('a person', () => {
  test.each([
    'who:@grace',
    'who:grace',
    `who:${GRACE}`,
    `who:<@${GRACE}>`,
    'who:"Grace Hopper"',
    'who:@Grace',
    '@grace',
  ])('is found as %s', async (who) => {
    const { typeInSlack, type } = ada();
    for (const way of [typeInSlack, type]) {
      const card = await way(`quota block ${who}`);
      expect(card).toContain(`May not ask: <@${GRACE}>`);
      expect(card).toContain(`"people":["${GRACE}"]`);
      expect(await way(`quota unblock ${who}`)).not.toContain('May not ask');
    }
  });

  test.each([
    ['nobody', 'who:@nobodyatall', '“@nobodyatall”'],
    ['nobody, by a name alone', 'who:nobodyatall', '“nobodyatall”'],
    ['nobody, by an id', 'who:U0NOBODY00', '“U0NOBODY00”'],
    ['a group', 'who:@sales', 'Name one person'],
    ['a channel', 'who:#general', 'Name one person'],
    ['everybody', 'who:@here', 'Name one person'],
  ])('%s is refused, with what is expected, and nothing is kept', async (_, who, expected) => {
    const { typeInSlack } = ada();
    for (const command of [
      'quota block',
      'quota set person $5/day',
      'quota grant person $2',
      'quota reset person',
      'usage',
    ]) {
      const card = await typeInSlack(`${command} ${who}`);
      expect(card).toContain('"tone":"bad"');
      expect(card).toContain(expected);
      expect(card).toContain('mention them as `@name`, or write their id');
    }
    expect(await typeInSlack('quota')).toContain('No budgets are set');
    expect(await typeInSlack('quota')).not.toContain('May not ask');
  });

  /** Of every command that takes a person, one that would be carried out. */
  const CALLS: Readonly<Record<string, string>> = {
    'quota who': 'quota block who:',
    'usage who': 'usage who:',
  };
  const options = COMMANDS.flatMap(({ name, options: all }) =>
    all.filter(({ kind }) => kind === 'user').map((option) => `${name} ${option.name}`),
  );
  test.each(options)('that there is not is told of for %s', async (option) => {
    expect(await ada().typeInSlack(`${CALLS[option] ?? ''}@nobodyatall`)).toContain(
      'I cannot find “@nobodyatall” here',
    );
  });
});

describe('a list', () => {
  const lists = Object.keys(SETTINGS).filter((name) => getListKind(name) !== undefined);

  test('of people, groups, bots or channels takes nothing else', async () => {
    expect(lists).toEqual(['bots', 'allowed', 'denied', 'channels', 'favoured']);
    for (const name of lists) {
      for (const entry of [
        '@nobodyatall',
        'nobodyatall',
        'U0NOBODY00 C0NONE0000',
        '@here',
        '<!here>',
        '{"a":1}',
      ]) {
        const { typeInSlack, set } = ada();
        const card = await typeInSlack(`settings ${name} ${entry} for:workspace`);
        expect([name, entry, card]).toEqual([name, entry, expect.stringContaining('"tone":"bad"')]);
        expect([name, entry, await set()]).toEqual([name, entry, {}]);
      }
    }
  });

  test('keeps the ids of whom it names, each once, however they are written', async () => {
    const { typeInSlack, type, set, channel } = ada();
    await typeInSlack('settings denied @grace, @sales、grace  Ada for:workspace');
    expect((await set())?.denied).toEqual([GRACE, 'S0SALES000', ADA]);
    await typeInSlack('settings favoured @grace*2 sales*0.5 for:workspace');
    expect((await set())?.favoured).toEqual([`${GRACE}*2`, 'S0SALES000*0.5']);
    await typeInSlack('settings channels #general for:workspace');
    expect((await set())?.channels).toEqual([channel]);
    await typeInSlack('settings bots @parley B0NEWS0000 for:workspace');
    expect((await set())?.bots).toEqual([DEFAULT_IDENTITY.botUserId, 'B0NEWS0000']);
    await type(`settings denied <@${GRACE}|grace hopper> <!subteam^S0SALES000|@sales> for:workspace`);
    expect((await set())?.denied).toEqual([GRACE, 'S0SALES000']);
  });

  test('is read the same in a form, where nothing is a mention, and where the command is not escaped', async () => {
    const { call, set } = ada();
    const write = (setting: string, value: string) =>
      call({
        kind: 'form',
        action: { name: 'settings.write', args: ['workspace', setting] },
        values: { value },
      });
    expect(await write('denied', '@grace, sales')).not.toContain('"tone":"bad"');
    expect((await set())?.denied).toEqual([GRACE, 'S0SALES000']);
    expect(await write('denied', '@nobodyatall')).toContain('I cannot find');
    expect(await write('channels', '#general')).toContain('mention them as `#channel`');
    expect((await set())?.denied).toEqual([GRACE, 'S0SALES000']);
  });

  test('is not looked up for who may not set it', async () => {
    const { call } = ada();
    const harness = commandHarness({ directory: { find: () => Promise.reject(new Error('asked')) } });
    await harness.call(fakeInteraction(typedCommand('settings denied @grace for:workspace')));
    expect(JSON.stringify(harness.stage.answers.at(-1)?.card)).toContain('an owner or an admin');
    expect(await call(typedCommand('settings denied @grace for:workspace'))).not.toContain('"tone":"bad"');
  });
});

test.each(LOCALES)('in %s, who is refused is told what is expected', async (locale) => {
  const { typeInSlack } = ada(locale);
  for (const text of ['quota block who:@nobodyatall', 'settings channels #nowhere for:workspace']) {
    const card = await typeInSlack(text);
    expect(card).toContain('"tone":"bad"');
    expect(card).toMatch(/`[@#][^`]+`/u);
  }
});

test('whatever is written, it is read as a reference or as none, and never throws', () => {
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '<@U1>',
      '<@U1',
      '<@>',
      '<#|x>',
      '<!subteam^>',
      '@',
      '#',
      '&',
      '＠ada',
      '<@&1>',
      '１２',
      '*2',
      '__proto__',
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom('slack' as const, 'discord' as const), odd, (platform, word) => {
      for (const one of parseReference(platform, word, ['person', 'group', 'channel'])) {
        expect(one.value).not.toBe('');
        expect(one.kinds.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 10_000 },
  );
});
