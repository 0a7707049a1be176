import { describe, expect, test } from '@jest/globals';
import type { InteractionPayload } from '../../../shared/domain/index.ts';
import { FILES } from '../../../shared/commands/command-list.ts';
import { isOnPlatform } from '../../../shared/commands/framework/command-spec.ts';
import { renderCard } from '../../../shared/platforms/slack/blocks/card-blocks.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';
import { checkBlocks } from '../../simulators/slack/blocks.ts';
import * as v from 'valibot';
import { jsonObject } from '../../simulators/json-schema.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { MEMBER, settingsHarness } from '../settings-harness.ts';

/** What a command of Discord's is answered with. */
async function onDiscord(name: string, options: Record<string, string>, locale = 'en-US') {
  const at = commandHarness();
  const call: InteractionPayload = { kind: 'command', name, options, attachments: [] };
  await at.call(fakeInteraction(call, { platform: 'discord', by: { ...MEMBER, locale } }));
  return JSON.stringify(at.stage.answers.at(-1)?.card);
}

describe('help', () => {
  test('explains a command: usage, options and their values', async () => {
    const { type } = settingsHarness();
    const card = await type('help model');
    expect(card).toContain('/parley model [model] [for] [takes] [below]');
    expect(card).toContain('See and choose the model');
    expect(card).toContain('`me`, `thread` (this thread)');
    expect(card).toContain('a number from 0 to 10,000');
    expect(card).toContain('name:value');
    expect(card).not.toContain('/parley why');
  });

  test('finds a command by its name in any language, and by its label in a message’s menu', async () => {
    const { type } = settingsHarness();
    for (const name of ['MODEL', 'modell', '/parley model', '/model', 'モデル'])
      expect(await type(`help ${name}`)).toContain('/parley model [model]');
    expect(await type('help Transcribe')).toContain('In the menu of a message: Transcribe');
    expect(await type('help forget')).toMatch(
      /`what` \(required\).*In the menu of a message: More actions › Forget this/u,
    );
  });

  test('in Slack names the other commands of a message as people find them: below the fifth, in a modal in their language', async () => {
    const { call, stage } = settingsHarness();
    await call(fakeInteraction(typedCommand('help forget'), { by: { ...MEMBER, locale: 'de' } }));
    expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('More actions › Das vergessen');
  });

  test.each([
    ['transcribe', 'In the menu of a message: Transcribe'],
    ['Translate recording', 'In the menu of a message: More actions › Translate recording'],
  ])('%j, which is only in the menu of a message: says so', async (text, expected) => {
    const { type, stage } = settingsHarness();
    expect(await type(`help ${text}`)).toContain(expected);
    const [word = ''] = text.toLowerCase().split(' ');
    expect(await type(word)).toContain(expected);
    expect(stage.answers).toHaveLength(2);
  });

  test('reports an unknown command and lists all', async () => {
    const { type, stage } = settingsHarness();
    await type('help nonsense');
    const text = JSON.stringify(stage.answers.map(({ card }) => card));
    expect(text).toContain('There is no command “nonsense”');
    expect(text).toContain('/parley why');
  });

  test.each([
    ['modle', '/parley model'],
    ['help sumarise', '/parley summarise'],
    ['einstellungen', '/parley settings'],
  ])('%j: of what is nearly a command, or one in another language, says which', async (text, meant) => {
    const { type, stage } = settingsHarness();
    await type(text);
    expect(JSON.stringify(stage.answers.map(({ card }) => card))).toContain(`Did you mean \`${meant}\`?`);
  });

  test('lists all commands, and how to get help on one', async () => {
    const { type } = settingsHarness();
    expect(await type('help')).toContain('`/parley help command`');
  });

  test('in Discord uses the localized names of its menus', async () => {
    const card = await onDiscord('help', { command: 'modell' }, 'de');
    expect(card).toContain('/modell [modell] [für]');
    expect(card).toContain('Einer der Werte: mich, diesen Thread');
    expect(card).not.toContain('name:wert');
  });

  test.each(LOCALES)('in %s every explanation fits into a message of Slack', async (locale) => {
    const { call, stage } = settingsHarness();
    for (const { spec } of FILES) {
      if (!spec || !isOnPlatform(spec, 'slack')) continue;
      await call(
        fakeInteraction(typedCommand(`help ${spec.name}`), { id: spec.name, by: { ...MEMBER, locale } }),
      );
      const card = stage.answers.at(-1)?.card;
      expect(JSON.stringify(card)).toContain(`/parley ${spec.name}`);
      const blocks = v.parse(v.array(jsonObject), card && renderCard(card, 'message').blocks);
      expect(() => checkBlocks(blocks)).not.toThrow();
    }
  });
});

/** Every option that takes certain values alone, with what is told of them. */
const WITH_VALUES = FILES.flatMap(({ spec }) =>
  (spec?.options ?? []).flatMap((option) => {
    const choices = option.kind === 'text' ? option.choices?.map((choice) => `\`${choice}\``) : undefined;
    const listedValues = option.kind === 'number' ? ['number'] : choices;
    return spec && listedValues ? [[spec.name, option.name, listedValues] as const] : [];
  }),
);

describe('a command without a required option', () => {
  test('explains the option and its values', async () => {
    const { type } = settingsHarness();
    const card = await type('forget');
    expect(card).toMatch(/what: missing/u);
    // In English the value is the label: once is enough.
    expect(card).toContain('One of: `me`, `thread` (this thread)');
    expect(card).toContain('Usage: `/parley forget what`');
    expect(await type('video')).toContain('id: missing');
  });

  test.each(WITH_VALUES)(
    '%s %s: another value is answered with those that there are',
    async (name, option, choices) => {
      const { type } = settingsHarness();
      const card = await type(`${name} ${option}:nonsense`);
      for (const value of choices) expect(card).toContain(value);
    },
  );

  test('words that belong to no option are answered with all options and their values', async () => {
    const { type } = settingsHarness();
    const card = await type('summarise since:yesterday');
    expect(card).toContain('This command does not take “since:yesterday”.');
    expect(card).toContain('Usage: `/parley summarise [period]`');
    expect(card).toMatch(/- `period` .*`yesterday`/u);
  });

  test('lists the existing values', async () => {
    const { type } = settingsHarness();
    await type('persona save pirate You are a pirate.');
    await type('schema save bug {"type":"object","properties":{"title":{"type":"string"}}}');
    for (const text of ['persona use', 'persona show nobody', 'settings persona nobody'])
      expect(await type(text)).toContain('One of: `pirate`');
    expect(await type('schema remove')).toContain('One of: `bug`');
    expect(await type('ask schema:nothing Why?')).toContain('One of: `bug`');
    expect(await type('model huge')).toContain('no model `huge`. One of: `usual`, `big`');
  });

  test.each([
    ['nonsense 3', 'One of: `model`, `standIns`'],
    ['reasoning loud', 'One of: `off` (Not at all), `brief` (How long it took)'],
    ['temperature 3', 'Allowed: a number from 0 to 2.'],
    ['maxTokens 1.5', 'Allowed: a whole number from 16 to 131,072.'],
    ['footer perhaps', 'Allowed: yes or no.'],
    ['language Klingonish', '`German`, `de`'],
  ])('settings %s is answered with the values that there are', async (text, expected) => {
    const { type } = settingsHarness();
    expect(await type(`settings ${text}`)).toContain(expected);
  });
});
