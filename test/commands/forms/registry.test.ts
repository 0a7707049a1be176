import { describe, expect, test } from '@jest/globals';
import {
  type InteractionPayload,
  channelId,
  type Interaction,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { buildCommandForm } from '../../../shared/commands/open-command-form.ts';
import { renderModalView } from '../../../shared/platforms/slack/blocks/modal-view.ts';
import { getFormTexts } from '../../../shared/i18n/forms/index.ts';
import { LOCALES } from '../../../shared/i18n/index.ts';

const typed = (text: string): InteractionPayload => ({
  kind: 'command',
  name: '/parley',
  options: { text },
  attachments: [],
});
const pressed = (name: string, ...args: string[]): InteractionPayload => ({
  kind: 'action',
  action: { name, args },
  chosen: [],
});

describe('a form is opened', () => {
  test.each<[string, InteractionPayload, string, string[]]>([
    ['a persona without a text', typed('persona save pirate'), 'persona.save', []],
    ['a setting without a value', typed('settings temperature'), 'settings.write', ['me', 'temperature']],
    [
      'the same for a channel',
      typed('settings persona for:channel'),
      'settings.write',
      ['channel', 'persona'],
    ],
    ['a button', pressed('persona.save-form'), 'persona.save', []],
    [
      'a setting that was chosen from a menu',
      { kind: 'action', action: { name: 'settings.set-form', args: ['thread'] }, chosen: ['topP'] },
      'settings.write',
      ['thread', 'topP'],
    ],
  ])('%s', (_, call, name, args) => {
    expect(buildCommandForm(call, 'slack')?.action).toEqual({ name, args });
  });

  test.each<[string, InteractionPayload]>([
    ['a persona with its text', typed('persona save pirate Talk like one.')],
    ['a setting with its value', typed('settings temperature 0.5')],
    ['the card of settings', typed('settings')],
    ['the menu', typed('')],
    ['no such command', typed('dance')],
    ['a button of another kind', pressed('persona.stop', 'person')],
    ['a button of a form that there is none of', pressed('settings.gone-form')],
    ['App Home', { kind: 'home' }],
    ['a form that was sent', { kind: 'form', action: { name: 'persona.save-form', args: [] }, values: {} }],
  ])('not for %s', (_, call) => {
    expect(buildCommandForm(call, 'slack')).toBeUndefined();
  });

  test('with the name that was given', () => {
    expect(buildCommandForm(typed('persona save pirate'), 'slack')?.fields[0]).toMatchObject({
      value: 'pirate',
    });
  });
});

test.each(LOCALES)('in %s no title is cut by Slack, whose modals have the shortest', (locale) => {
  const texts = getFormTexts(locale);
  for (const title of ['about', 'persona', 'schema', 'setting', 'send', 'save'] as const)
    expect(texts(title).length).toBeLessThanOrEqual(24);
});

test('the longest inputs fit into a modal', () => {
  const call = typed(`persona save ${'x'.repeat(60)}`);
  const form = buildCommandForm(call, 'slack');
  if (!form) throw new Error('no form');
  const interaction: Interaction = {
    id: '1',
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    by: { user: userId('U1'), workspace: workspaceId('T1'), roles: [] },
    responseToken: `https://hooks.slack.com/${'x'.repeat(2_990)}`,
    tokenExpiresAtMs: 0,
    payload: call,
  };
  const view = renderModalView(form, interaction);
  expect(view).toMatchObject({ blocks: [{}, { element: { max_length: 3_000 } }] });
  expect(String(view['private_metadata']).length).toBeLessThanOrEqual(3_000);
});
