import { describe, expect, test } from '@jest/globals';
import { userId } from '../../../shared/domain/index.ts';
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
