import { type ChatOptions } from '../../../shared/ports/index.ts';
import { streamsOnly } from '../../fakes/streams-only.ts';
import { describe, expect, test } from '@jest/globals';
import { endEvent } from '../../chat/completion-harness.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../command-harness.ts';
import { ADMIN, MEMBER, settingsHarness } from '../settings-harness.ts';

describe('model', () => {
  test('lists models with inputs and cost; a selected one answers from then on', async () => {
    const { type, press, context } = settingsHarness();
    const card = await type('model');
    expect(card).toContain('Used here: `usual`');
    expect(card).toContain('`usual` 128K · $0.42 · text');
    expect(card).toContain('`big` text, image · ⏳');
    expect(await press('model.use', ['person'], ['big'])).toContain('Used here: `big`');
    expect(await type('model reset')).toContain('Used here: `usual`');
    expect(await type('model tiny')).toContain('no model `tiny`');
    const seeing = await type('model takes:image');
    expect([seeing.includes('`big`'), seeing.includes('`usual` 128K')]).toEqual([true, false]);
    expect(await type('model below:0.5')).toContain('`usual` 128K');
    expect(await type('model below:0.4')).toContain('No model can do all of that');
    const place = { platform: 'slack' as const, workspace: 'T1', user: 'U1' };
    expect((await context.settingsStore.read(place, 'person')).log).toHaveLength(2);
  });
});

test('a locked model answers, and the reason is shown', async () => {
  const { call, type, stage } = settingsHarness();
  await type('model usual for:workspace', ADMIN);
  await type('settings model usual for:workspace lock:"it is paid for"', ADMIN);
  expect(await type('model')).toContain('`usual` (the workspace) 🔒 it is paid for');
  await call(fakeInteraction(typedCommand('ask private:yes model:big Why?'), { id: 'held', by: MEMBER }));
  expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('locked by the workspace: it is paid for');
});

test('the card offers no other model to people to whom the lock applies', async () => {
  const { type, press } = settingsHarness();
  await type('settings name:model value:usual for:channel lock:"it is paid for"', ADMIN);
  // One’s own counts elsewhere, and may be chosen.
  expect(await type('model')).toContain('"model.use","args":["person"]');
  await type('settings name:model value:usual for:workspace lock:"it is paid for"', ADMIN);
  for (const by of [MEMBER, ADMIN]) {
    const card = await type('model', by);
    expect(card).toContain('`usual` 128K');
    expect(card).not.toMatch(/`big`|model\.use/u);
    expect(await type('settings', by)).not.toContain('"label":"Model","value":"model"');
  }
  expect(await press('model.use', ['person'], ['big'])).toContain('locked by the workspace');
  await type('settings name:model for:workspace lock:no', ADMIN);
  await type('settings name:model for:channel lock:no', ADMIN);
  expect(await type('model')).toContain('`big`');
});

test('requests contain the sampling settings', async () => {
  const requests: ChatOptions[] = [];
  const at = commandHarness({
    chat: {
      ...streamsOnly,
      async *stream(_, options) {
        requests.push(options);
        yield endEvent('Yes.');
      },
    },
  });
  const set = { temperature: 0.5, topK: 40, minP: 0.1, repetitionPenalty: 1.2, topP: 0.9 };
  for (const [name, value] of Object.entries(set))
    await at.call(fakeInteraction(typedCommand(`settings ${name} ${value}`), { id: name, by: MEMBER }));
  await at.call(fakeInteraction(typedCommand('settings topK 0'), { id: 'none', by: MEMBER }));
  expect(JSON.stringify(at.stage.answers.at(-1)?.card)).toContain('not a value of `topK`');
  await at.call(fakeInteraction(typedCommand('ask private:yes Why?'), { id: 'ask', by: MEMBER }));
  expect(requests[0]?.sampling).toMatchObject(set);
});
