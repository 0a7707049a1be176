import { describe, expect, test } from '@jest/globals';
import type { InteractionPayload, TargetMessage } from '../../../shared/domain/index.ts';
import { channelId, messageId, userId, workspaceId } from '../../../shared/domain/index.ts';
import { buildMoreActionsForm } from '../../../shared/commands/definitions/more-actions.ts';
import { LOCALES } from '../../../shared/i18n/locale.ts';
import { fakeInteraction, commandHarness } from '../command-harness.ts';

const MESSAGE: TargetMessage = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1700000001.000001'),
  },
  id: messageId('1700000002.000002'),
  author: userId('U2'),
  text: 'Hello',
  attachments: [],
};
const onMessage = (name: string): InteractionPayload => ({ kind: 'on-message', name, message: MESSAGE });
/** What the manifest had before, all of it in the menu itself. */
const OLD = ['ask-about', 'animate-form', 'export', 'forget', 'settings', 'summarise', 'transcribe', 'why'];

describe('More actions', () => {
  test.each(LOCALES)('offers in %s what the form then asks for, with the place of the message', (locale) => {
    const form = buildMoreActionsForm(onMessage('more-actions'), locale);
    expect(form?.action).toEqual({
      name: 'more.run',
      args: ['1700000001.000001', '1700000002.000002', 'U2'],
    });
    expect(form?.fields).toMatchObject([
      {
        kind: 'choice',
        options: [
          'catchup',
          'edit-form',
          'export',
          'forget',
          'knowledge',
          'settings',
          'speak',
          'translate',
          'why',
        ].map((value) => ({ value })),
      },
    ]);
    for (const words of [form?.title, form?.submit]) expect(words?.length).toBeLessThanOrEqual(24);
  });

  test('runs the selected command on the message for which the modal was opened', async () => {
    const { call, stage } = commandHarness();
    const { action } = buildMoreActionsForm(onMessage('more-actions')) ?? {};
    if (!action) throw new Error('no form');
    await call(fakeInteraction({ kind: 'form', action, values: { action: 'forget' } }));
    expect(JSON.stringify(stage.answers.at(-1)?.card)).toContain('1700000002.000002');
  });

  test.each(['ask-about', 'constructor', ''])('does nothing but what it offers: not %j', async (name) => {
    const { call, stage } = commandHarness();
    const { action } = buildMoreActionsForm(onMessage('more-actions')) ?? {};
    if (!action) throw new Error('no form');
    await call(fakeInteraction({ kind: 'form', action, values: { action: name } }));
    expect(JSON.stringify(stage.answers)).toContain('is out of date');
  });
});

test.each(OLD)('%s goes on working in apps whose manifest has it in the menu', async (name) => {
  const { call, stage, logged } = commandHarness();
  await call(fakeInteraction(onMessage(name)));
  expect(stage.answers.length).toBeGreaterThan(0);
  expect(logged).not.toContain('interaction.unknown');
});
