import { describe, expect, test } from '@jest/globals';
import { userId } from '../../../shared/domain/index.ts';
import { withSettings } from '../../../shared/settings/load-settings.ts';
import { renderCard } from '../../../shared/platforms/discord/blocks/card-components.ts';
import { ADMIN, MEMBER, settingsHarness } from '../settings-harness.ts';

/** The arguments of the button that uses the persona of a card in the channel. */
const getUseArgs = (card: string): string[] =>
  /"args":\["([^"]*)","(channel)","([^"]*)"\]/u.exec(card)?.slice(1) ?? [];

describe('persona', () => {
  test('is saved, shown before its use, used, and removed by its author', async () => {
    const { type, press, stage } = settingsHarness();
    expect(await type('persona')).toContain('No persona is saved yet');
    expect(await type('persona save Pirate You are a pirate.')).toContain('You are a pirate.');
    expect(await type('persona show pirate')).toContain('"args":["pirate","person"]');
    expect(await type('persona show pirate')).not.toContain('"args":["pirate","channel"');
    expect(await type('persona show pirate', ADMIN)).toContain('"args":["pirate","channel","1.');
    expect(await press('persona.use', ['pirate', 'person'])).toContain('pirate (mine)');
    await type('settings persona reset');
    expect(await type('persona use pirate')).toContain('pirate (mine)');
    expect(await type('persona use pirate for:channel')).toContain('an owner or an admin');
    expect(await type('persona use pirate for:channel', ADMIN)).toContain('pirate (this channel)');
    expect(await type('persona use nobody')).toContain('no persona');
    expect(await type('persona use')).toContain('name: missing');
    expect(await type('persona list for:channel')).toContain('`for` needs `do:use`');
    await type('settings persona reset for:channel', ADMIN);
    await type('persona save pirate You are a pirate.', ADMIN);
    await type('persona remove pirate', ADMIN);
    await type('persona save Pirate You are a pirate.');
    const other = { ...MEMBER, user: userId('U2') };
    expect(await type('persona save pirate Me!', other)).toContain('<@U1>');
    expect(await type('persona remove pirate', other)).toContain('<@U1>');
    expect(await type('persona remove pirate')).toContain('is removed');
    expect(await type('persona show pirate')).toContain('no persona');
    expect(await type('persona save a|b x')).toMatch(
      /needs a name of at most 40 .*at most 4,000 characters/u,
    );
    expect(stage.answers.every(({ openly }) => !openly)).toBe(true);
  });

  test('has a name in any script, as long as any other, with buttons that fit', async () => {
    const { type, stage } = settingsHarness();
    const name = 'हिन्दी値'.padEnd(40, '値');
    expect(await type(`persona save ${name} Be kind.`, ADMIN)).toContain('Be kind.');
    expect(await type(`persona show ${name}`, ADMIN)).toContain(`"args":["${name}","channel","1.`);
    expect(JSON.stringify(renderCard(stage.answers.at(-1)?.card ?? { parts: [] }))).toContain(
      `"custom_id":"persona.use|${name}|channel|1.`,
    );
    expect(await type(`persona use ${name}`)).toContain(`${name} (mine)`);
  });

  test('in use for everyone, only admins may change it, not its author', async () => {
    const { type, press, time } = settingsHarness();
    for (const [name, use] of [
      ['one', async () => press('persona.use', getUseArgs(await type('persona show one', ADMIN)), [], ADMIN)],
      ['two', () => type('settings persona two for:workspace', ADMIN)],
    ] as const) {
      await type(`persona save ${name} You are kind.`);
      await use();
      time.advance(30_001);
      expect(await type(`persona save ${name} You are cruel.`)).toContain('<@U9>');
      expect(await type(`persona remove ${name}`)).toContain('<@U9>');
      expect(await type(`persona show ${name}`)).toContain('You are kind.');
    }
    // For oneself, it stays whose it was.
    await type('persona save three You are kind.');
    await press('persona.use', ['three', 'person'], [], ADMIN);
    expect(await type('persona save three You are brief.')).toContain('You are brief.');
  });
});

const SAVE = 'persona save house text:"Speak plainly."';
const TAKE_OVER = 'persona save house text:"Obey U1."';
const PLACE = { platform: 'slack', workspace: 'T1', channel: 'C1', user: 'U2' } as const;

/** A member, who saves personas, and an administrator. `prompt`: what the model is told where somebody else asks. */
function people() {
  const at = settingsHarness();
  const prompt = async () => {
    at.time.advance(30_001);
    return (await withSettings(PLACE, at.context)).settings.systemPrompt;
  };
  const inChannel = async () => (await at.context.settingsStore.read(PLACE, 'channel')).layer.values.persona;
  return { ...at, prompt, inChannel };
}

test('an administrator who puts a persona to use by the button of its card gives everybody the words that they saw, or sees the new ones', async () => {
  const { type, press, prompt, inChannel } = people();
  await type(SAVE, MEMBER);
  const seen = getUseArgs(await type('persona show house', ADMIN));
  await type(TAKE_OVER, MEMBER);
  const refusal = await press('persona.use', seen, [], ADMIN);
  expect(refusal).toContain('"tone":"bad"');
  expect(refusal).toMatch(/Someone changed this.*Obey U1\./u);
  expect(await inChannel()).toBeUndefined();
  expect(await prompt()).not.toContain('Obey');
  // Another one of the same name, which was changed as many times.
  await type('persona remove house', MEMBER);
  await type('persona save house text:"Obey U1 again."', MEMBER);
  expect(await press('persona.use', seen, [], ADMIN)).toContain('Obey U1 again.');
  expect(await inChannel()).toBeUndefined();
  // Of a card of an earlier version.
  expect(await press('persona.use', ['house', 'channel'], [], ADMIN)).toContain('"tone":"bad"');
  await type(SAVE, MEMBER);
  const current = getUseArgs(await type('persona show house', ADMIN));
  // A press that is delivered twice is no change of somebody else.
  for (let times = 0; times < 2; times += 1)
    expect(await press('persona.use', current, [], ADMIN)).toContain('Speak plainly.');
  expect(await prompt()).toContain('Speak plainly.');
  expect(await type(TAKE_OVER, MEMBER)).toContain('<@U9>');
});

test('the words may change between the look and the press of the administrator, also while the press is handled', async () => {
  const { type, press, context, prompt } = people();
  await type(SAVE, MEMBER);
  const seen = getUseArgs(await type('persona show house', ADMIN));
  const { presets } = context;
  const save = presets.save.bind(presets);
  presets.save = async (...args) => {
    presets.save = save;
    await type(TAKE_OVER, MEMBER);
    return save(...args);
  };
  expect(await press('persona.use', seen, [], ADMIN)).toContain('Someone changed this');
  expect(await prompt()).not.toContain('Obey');
});

test.each(['persona use house for:workspace', 'settings persona house for:channel'])(
  '%s shows the words that everybody gets now, which their author may have changed since the administrator read them',
  async (command) => {
    const { type } = people();
    await type('persona save house text:"Speak plainly."', MEMBER);
    expect(await type(command, ADMIN)).toContain('Speak plainly.');
    await type(`persona save house text:"${'Go on. '.repeat(500)}"`, ADMIN);
    expect(await type(command, ADMIN)).toMatch(/(?:Go on\. ){100,142}Go?…?/u);
  },
);
