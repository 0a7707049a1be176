import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  parseCommand,
  parseControl,
  parseHome,
  parseShortcut,
  parseSubmission,
} from '../../../../shared/platforms/slack/inbound/interactions.ts';
import { renderModalView } from '../../../../shared/platforms/slack/blocks/modal-view.ts';
import type { Body } from '../../../../shared/platforms/slack/inbound/parse-body.ts';

const NOW = 1_700_000_000_000;
const responseUrl = 'https://hooks.slack.com/commands/T1/1/x';
const who = {
  user: { id: 'U1', team_id: 'T1' },
  team: { id: 'T1' },
  enterprise: null,
  is_enterprise_install: false,
  trigger_id: '1.2.abc',
};
const COMMAND = {
  command: '/parley',
  text: 'ask why?',
  team_id: 'T1',
  channel_id: 'C1',
  user_id: 'U1',
  trigger_id: '1.2.abc',
  response_url: responseUrl,
};
const SHORTCUT = {
  ...who,
  type: 'message_action',
  callback_id: 'ask-about',
  channel: { id: 'C1' },
  response_url: responseUrl,
  message: {
    ts: '5.5',
    thread_ts: '4.4',
    user: 'U2',
    text: 'words',
    files: [{ id: 'F1', name: 'a.txt', size: 3 }],
  },
};
const PRESS = {
  ...who,
  type: 'block_actions',
  channel: { id: 'C1' },
  container: { type: 'message', message_ts: '5.5', thread_ts: '4.4', is_ephemeral: false },
  response_url: responseUrl,
  actions: [{ action_id: 'card:0-1', value: 'settings.set|footer' }],
};
const button = (change: object): Body => ({ ...PRESS, ...change });

/** A modal that was opened in a workspace, and submitted with this payload. */
const sentBy = (team: object | null, more: object, workspace = 'T1', view: object = {}) => {
  const command = {
    ...COMMAND,
    team_id: workspace,
    enterprise_id: workspace,
    is_enterprise_install: 'true',
  };
  const opened = parseCommand(workspace.startsWith('E') ? command : COMMAND, NOW);
  if (!opened) throw new Error('not read');
  const action = { name: 'persona.save', args: [] };
  const drawn = renderModalView({ title: 'T', submit: 'Save', action, fields: [] }, opened.interaction);
  const sent = { ...who, team, ...more, type: 'view_submission' };
  return parseSubmission({ ...sent, view: { ...drawn, ...view, state: { values: {} } } }, NOW)?.interaction;
};

/** The payload of the shortcut on a message with more fields. */
const payloadOf = (more: object) => {
  const message = { ...SHORTCUT.message, ...more };
  return parseShortcut({ ...SHORTCUT, message }, NOW)?.interaction.payload;
};

const typed = (text: string) => parseCommand({ ...COMMAND, text }, NOW)?.interaction.payload;

describe('the interaction parser', () => {
  test('parses a command', () => {
    expect(parseCommand(COMMAND, NOW)).toEqual({
      trigger: '1.2.abc',
      interaction: {
        id: expect.stringMatching(/^[0-9a-f]{20}$/),
        platform: 'slack',
        workspace: 'T1',
        channel: 'C1',
        by: { user: 'U1', workspace: 'T1', roles: [] },
        responseToken: responseUrl,
        tokenExpiresAtMs: NOW + 1_800_000,
        receivedAt: NOW,
        payload: { kind: 'command', name: '/parley', options: { text: 'ask why?' }, attachments: [] },
      },
    });
    const orgWide = { ...COMMAND, enterprise_id: 'E1', is_enterprise_install: 'true' };
    expect(parseCommand(orgWide, NOW)?.interaction).toMatchObject({
      workspace: 'E1',
      by: { workspace: 'T1' },
    });
  });

  test('unescapes the text of a command, and keeps the ids of mentions', () => {
    const text = [
      'ask Is 1 &lt; 2 &amp; 3?',
      '<https://a.example/x?a=1&amp;b=2>',
      '<mailto:a@b.example|a@b.example>',
      '<!here>',
      '<@U1|ada> <!subteam^S1|@sales> <#C1|lab> <#C2|>',
    ].join(' ');
    expect(parseCommand({ ...COMMAND, text }, NOW)?.interaction.payload).toMatchObject({
      options: {
        text: 'ask Is 1 < 2 & 3? https://a.example/x?a=1&b=2 a@b.example @here <@U1|ada> <!subteam^S1|@sales> <#C1|lab> <#C2|>',
      },
    });
  });

  test('a command of code, which Slack encodes to a multiple, and one that is longer than any message, reach the worker', () => {
    const [code, long] = ['<'.repeat(5_000), 'x'.repeat(50_000)];
    expect(typed(code.replaceAll('<', '&lt;'))).toMatchObject({ options: { text: code } });
    expect(typed(long)).toMatchObject({ options: { text: long.slice(0, 40_000) } });
  });

  test('parses a message shortcut', () => {
    expect(parseShortcut(SHORTCUT, NOW)?.interaction).toMatchObject({
      thread: { root: '4.4' },
      payload: {
        name: 'ask-about',
        message: { id: '5.5', author: 'U2', text: 'words', attachments: [{ id: 'F1' }] },
      },
    });
  });

  test('the message of a shortcut has what an app shows in blocks', () => {
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '&lt;Disk&gt; is *full*' } }];
    const message = { ...SHORTCUT.message, bot_id: 'B1', text: '', blocks };
    expect(parseShortcut({ ...SHORTCUT, message }, NOW)?.interaction.payload).toMatchObject({
      message: { text: '<Disk> is *full*' },
    });
  });

  test('a message of a shared channel has the workspace of its author', () => {
    const message = { ...SHORTCUT.message, team: 'T1', user_team: 'T2' };
    expect(parseShortcut({ ...SHORTCUT, message }, NOW)?.interaction.payload).toMatchObject({
      message: { authorWorkspace: 'T2' },
    });
  });

  test('a message of a bot is known as one, that of a person is not', () => {
    expect(payloadOf({ bot_id: 'B1' })).toMatchObject({ message: { author: 'U2', isBot: true } });
    for (const bot of [{ bot_profile: { app_id: 'A1' } }, { subtype: 'bot_message' }, { user: 'USLACKBOT' }])
      expect(payloadOf(bot)).toMatchObject({ message: { isBot: true } });
    expect(payloadOf({})).not.toHaveProperty('message.isBot');
  });

  test('parses a click on a public card and on an ephemeral one', () => {
    expect(parseControl(button({}), NOW)?.interaction).toMatchObject({
      thread: { root: '4.4' },
      responseToken: responseUrl,
      payload: { action: { name: 'settings.set', args: ['footer'] }, chosen: [], card: '5.5' },
    });
    const passing = { ...PRESS.container, is_ephemeral: true, thread_ts: undefined };
    const { interaction } = parseControl(button({ container: passing }), NOW) ?? {};
    expect(interaction).toMatchObject({ responseToken: `${responseUrl}#replace` });
    expect(interaction?.thread).toBeUndefined();
    expect(interaction?.payload).not.toHaveProperty('card');
  });

  test('notes a card without a known thread, and passes that on to a modal it opens', () => {
    const container = { ...PRESS.container, thread_ts: undefined };
    const { interaction } = parseControl(button({ container }), NOW) ?? {};
    expect(interaction).toMatchObject({ thread: { root: '5.5' }, noReplies: true });
    const replied = { ts: '5.5', thread_ts: '5.5', reply_count: 1 };
    expect(parseControl(button({ container, message: replied }), NOW)?.interaction.noReplies).toBeUndefined();
    expect(parseControl(button({}), NOW)?.interaction.noReplies).toBeUndefined();
    if (!interaction) throw new Error('not read');
    const action = { name: 'persona.save', args: [] };
    const view = renderModalView({ title: 'T', submit: 'Save', action, fields: [] }, interaction);
    const sent = { ...who, type: 'view_submission', view: { ...view, state: { values: {} } } };
    expect(parseSubmission(sent, NOW)?.interaction).toMatchObject({
      thread: { root: '5.5' },
      noReplies: true,
    });
  });

  test('parses a select menu, also in App Home', () => {
    const chosen = { action_id: 'card:0-1:settings.set|model', selected_option: { value: 'model-b' } };
    const { channel: _, ...rest } = PRESS;
    const atHome = { ...rest, container: { type: 'view' }, actions: [chosen] };
    expect(parseControl(atHome, NOW)?.interaction).toMatchObject({
      responseToken: 'home',
      payload: { action: { name: 'settings.set', args: ['model'] }, chosen: ['model-b'] },
    });
  });

  test.each([
    ['another app', { action_id: 'approve', value: 'settings.set' }],
    ['a link button', { action_id: 'link:0-0' }],
    ['a payload without an action', { action_id: 'card:0-0', value: 'rm -rf' }],
    ['a value that is too long', { action_id: 'card:0-0', value: `settings.set|${'x'.repeat(100)}` }],
    ['a value with broken escapes', { action_id: 'card:0-0', value: 'settings.set|%zz' }],
  ])('ignores a click on %s', (_, action) => {
    expect(parseControl(button({ actions: [action] }), NOW)).toBeUndefined();
  });

  test('parses a submitted modal with its origin', () => {
    const opened = parseCommand(COMMAND, NOW);
    if (!opened) throw new Error('not read');
    const action = { name: 'persona.save', args: ['a b|c'] };
    const fields = [{ id: 'name', label: 'Name', kind: 'line' as const, most: 40 }];
    const view = renderModalView({ title: 'T', submit: 'Save', action, fields }, opened.interaction);
    const state = {
      values: {
        name: { value: { value: 'Pirate' } },
        kind: { value: { selected_option: { value: 'x' } } },
        empty: { value: { value: null } },
      },
    };
    const sent = { ...who, type: 'view_submission', view: { ...view, state } };
    expect(parseSubmission(sent, NOW)?.interaction).toMatchObject({
      channel: 'C1',
      responseToken: responseUrl,
      payload: { kind: 'form', action, values: { name: 'Pirate', kind: 'x' } },
    });
  });

  test('assigns a modal that a person of another organization submits to the workspace of the app', () => {
    const theirs = { user: { id: 'W1', team_id: 'T2' }, enterprise: { id: 'E2' } };
    const connected = sentBy({ id: 'T2' }, theirs, 'T1', { team_id: 'T2', app_installed_team_id: 'T1' });
    expect(connected).toMatchObject({ workspace: 'T1', by: { user: 'W1', workspace: 'T2' } });
    const own = { is_enterprise_install: true, enterprise: { id: 'E1' }, user: { id: 'W1', team_id: 'T1' } };
    const installed = { app_installed_team_id: 'T1' };
    expect(sentBy(null, own, 'E1', installed)).toMatchObject({ workspace: 'E1', by: { workspace: 'T1' } });
    const wide = { ...theirs, is_enterprise_install: true };
    expect(sentBy({ id: 'T2' }, wide, 'E1', installed)).toMatchObject({ workspace: 'E1' });
    // Slack's data about the install counts, not the organization in the modal.
    expect(sentBy({ id: 'T2' }, theirs, 'E1', installed)).toMatchObject({ workspace: 'T1' });
  });

  test('assigns a click in App Home to the install that its page has', () => {
    const { channel: _, ...rest } = PRESS;
    const workspaceOf = (view: object, more: object = {}) =>
      parseControl({ ...rest, container: { type: 'view' }, view, ...more }, NOW)?.interaction.workspace;
    const first = { app_installed_team_id: 'T2' };
    expect(workspaceOf({ ...first, private_metadata: 'T1' })).toBe('T1');
    // A page of an older version, and the metadata of a modal.
    for (const private_metadata of [undefined, null, '', '{"e":"T1"}'])
      expect(workspaceOf({ ...first, private_metadata })).toBe('T2');
    // The app was installed for the whole organization since, or no longer is.
    const wide = { is_enterprise_install: true, enterprise: { id: 'E1' } };
    expect(workspaceOf({ ...first, private_metadata: 'T1' }, wide)).toBe('E1');
    expect(workspaceOf({ ...first, private_metadata: 'E1' }, wide)).toBe('E1');
    expect(workspaceOf({ ...first, private_metadata: 'E1' })).toBe('T2');
  });

  test.each([
    ['of another app', { callback_id: 'other' }],
    ['with a foreign origin', { private_metadata: '{"a":"x"}' }],
    ['with an origin that is not JSON', { private_metadata: 'x' }],
  ])('ignores a modal %s', (_, change) => {
    const view = {
      callback_id: 'form',
      private_metadata: '{"a":"persona.save"}',
      state: { values: {} },
      ...change,
    };
    expect(parseSubmission({ ...who, view }, NOW)).toBeUndefined();
  });

  test('parses the opening of App Home', () => {
    const event = { type: 'app_home_opened', user: 'U1', channel: 'D1', tab: 'home' };
    const body = { type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event };
    expect(parseHome(body, NOW)?.interaction).toMatchObject({
      workspace: 'T1',
      responseToken: 'home',
      payload: { kind: 'home' },
    });
    expect(parseHome({ ...body, event: { ...event, tab: 'messages' } }, NOW)).toBeUndefined();
  });

  test('parses or ignores any payload, and never throws', () => {
    const parsers = [parseCommand, parseControl, parseHome, parseShortcut, parseSubmission];
    const any = fc.oneof(
      fc.object(),
      fc
        .constantFrom(COMMAND, SHORTCUT, PRESS)
        .chain((body) => fc.object().map((more) => ({ ...body, ...more }))),
    );
    fc.assert(
      fc.property(fc.constantFrom(...parsers), any, (parser, body) => {
        expect(() => parser({ ...body }, NOW)).not.toThrow();
      }),
    );
  });
});
