import { expect, test } from '@jest/globals';
import { ADMIN, settingsHarness } from '../settings-harness.ts';

test.each(['me', 'channel', 'workspace'])(
  'no menu for:%s has more than the 25 options of Discord',
  async (level) => {
    const { type, stage } = settingsHarness();
    await type(`settings for:${level}`, ADMIN);
    const parts = stage.answers.at(-1)?.card.parts ?? [];
    const menus = parts.flatMap((part) =>
      part.kind === 'controls' ? part.controls.flatMap((one) => (one.kind === 'choice' ? [one] : [])) : [],
    );
    expect(menus.map(({ label }) => label)).toContain('Another setting');
    expect(menus.filter(({ options }) => options.length > 25)).toEqual([]);
  },
);
