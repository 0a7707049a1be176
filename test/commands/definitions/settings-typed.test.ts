import { expect, test } from '@jest/globals';
import { settingsHarness } from '../settings-harness.ts';

test('the card after a typed change says that it was made, and begins with it', async () => {
  const { type } = settingsHarness();
  const first =
    /"title":"My settings",(?:"tone":"good",)?"parts":\[\{"kind":"fields","fields":\[\{"name":"([^"]+)","value":"([^"]+)"/u;
  const readFirstField = async (text: string) => {
    const card = await type(text);
    return [card.includes('"tone":"good"'), ...(first.exec(card)?.slice(1) ?? [])];
  };
  expect(await readFirstField('settings footer yes')).toEqual([
    true,
    'Model and cost under answers (footer)',
    'Yes (mine)',
  ]);
  expect(await readFirstField('persona save pirate Arr')).toEqual([false]);
  expect(await readFirstField('persona use pirate')).toEqual([true, 'Persona (persona)', 'pirate (mine)']);
  for (const text of ['settings', 'settings footer'])
    expect((await readFirstField(text)).slice(0, 2)).toEqual([false, 'Model (model)']);
});

test('a whole number may have separators of thousands; where a thousand is too great, three digits are decimals', async () => {
  const { type } = settingsHarness();
  for (const text of ['32,000', '32.000', '32 000', '32000'])
    expect(await type(`settings maxTokens ${text}`)).toMatch(/maxTokens\)","value":"32,?000 \(mine/u);
  for (const [text, value] of Object.entries({
    '0,5': '0.5',
    '1,000': '1',
    '1.125': '1.125',
    '1,125': '1.125',
  }))
    expect(await type(`settings temperature ${text}`)).toContain(`temperature)","value":"${value} (mine`);
});

test('in Slack, whose commands know no thread, says where the settings of a thread are', async () => {
  const { type } = settingsHarness();
  for (const text of ['settings footer yes for:thread', 'settings for:thread', 'model big for:thread'])
    expect(await type(text)).toContain('Choose _More actions › Thread settings_ in the menu');
});
